import { onTestFinished } from "vitest";

import { startSandbox, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import { createTestStack, type TestStack, type TestStackOptions } from "../support/stack.ts";

/** A sandbox and a stack that is configured for it by the environment; both end with the test. */
export async function sandboxStack(
  program: TestStackOptions["program"],
  options: SandboxOptions = {},
  stackOptions: Partial<TestStackOptions> = {},
): Promise<{ sandbox: Sandbox; stack: TestStack }> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const { env, ...rest } = stackOptions;
  const stack = await createTestStack({ program, env: { ...environmentFor(sandbox), ...env }, ...rest });
  onTestFinished(() => stack.dispose());
  return { sandbox, stack };
}

/** The settings of a sandbox's account as environment variables. */
export function environmentFor(sandbox: Sandbox): Record<string, string> {
  return { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
}

/** What reached the sandbox since the last call, counted by method. */
export function countRequests(sandbox: Sandbox): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of sandbox.requests) counts[method] = (counts[method] ?? 0) + 1;
  sandbox.clearRequests();
  return counts;
}
