import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createTestStack, type OperationOptions, type TestStack } from "../support/stack.ts";
import type { Result } from "../support/operation.ts";
import type { Step } from "./case.ts";
import type { Subject } from "./contender.ts";
import { PluginUsage } from "./plugin-usage.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

/** What differs between the contenders that Pulumi runs. */
export interface PulumiSubjectOptions {
  readonly declare: () => void;
  /** Further variables for the engine. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags of every operation. @default none */
  readonly flags?: readonly string[];
}

/** Milliseconds for one operation: the engine takes minutes for some thousand resources. */
const TIMEOUT = 1_800_000;

const OPERATIONS: Readonly<Record<Step, (stack: TestStack, options: OperationOptions) => Promise<Result>>> = {
  up: (stack, options) => stack.up(options),
  "unchanged up": (stack, options) => stack.up(options),
  preview: (stack, options) => stack.preview(options),
  refresh: (stack, options) => stack.refresh(options),
  destroy: (stack, options) => stack.destroy(options),
};

/** A stack of its own, whose program declares the resources. */
export async function pulumiSubject(
  sandbox: SandboxProcess,
  { declare, env = {}, flags = [] }: PulumiSubjectOptions,
): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
  const usage = new PluginUsage(folder);
  const settings = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  const stack = await createTestStack({
    // Called from nowhere: the SDK keeps the stack trace of each resource in the state, and the bench has no part in it.
    program: () =>
      Promise.resolve()
        .then(declare)
        .then(() => ({})),
    env: { ...settings, ...usage.env, ...env },
  });
  return {
    run: async (step) => {
      const options = { flags, timeoutMs: TIMEOUT };
      const [result, used] = await usage.during(() => OPERATIONS[step](stack, options));
      if (!result.ok) throw new Error(`${step} failed: ${result.error}`);
      return {
        ms: result.ms,
        requests: await sandbox.takeRequests(),
        memory: used?.memory ?? null,
        cpu: used?.cpu ?? null,
        stateBytes: Buffer.byteLength(await stack.stateFile()),
      };
    },
    dispose: async () => {
      await stack.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
