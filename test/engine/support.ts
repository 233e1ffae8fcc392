import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { onTestFinished } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { mustRun, runShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { countRequests, environmentFor, sandboxFor, WEBHOOKS } from "../support/sandbox.ts";
import { createTestStack, type Result, type TestStackOptions } from "../support/stack.ts";

export * from "../support/sandbox.ts";

export const { version } = (await import("../../provider/package.json", { with: { type: "json" } })).default;

/** The two forms of a resource. */
export const HOSTS = ["dynamic", "native"] as const;
export type Host = (typeof HOSTS)[number];

/** A resource of the native plugin, registered the way a generated SDK does it. */
class Native extends pulumi.CustomResource {
  declare readonly apiKey: pulumi.Output<string>;

  constructor(type: string, name: string, inputs: object = {}, options: pulumi.CustomResourceOptions = {}) {
    super(
      `partners:index:${type}`,
      name,
      { apiKey: undefined, previousApiKey: undefined, ...inputs },
      { version, ...options },
    );
  }
}

/** Declares a key in either form. */
export const declareKey = (host: Host, ...args: ConstructorParameters<typeof partners.PartnerApiKey>) =>
  host === "dynamic" ? new partners.PartnerApiKey(...args) : new Native("PartnerApiKey", ...args);

/** Declares the state of a webhook in either form. */
export const declareWebhook = (
  host: Host,
  ...args: ConstructorParameters<typeof partners.PartnerWebhookState>
) =>
  host === "dynamic" ? new partners.PartnerWebhookState(...args) : new Native("PartnerWebhookState", ...args);

/** Declares the states of many webhooks in either form. */
export const declareFleet = (
  host: Host,
  ...args: ConstructorParameters<typeof partners.PartnerWebhookStates>
) =>
  host === "dynamic"
    ? new partners.PartnerWebhookStates(...args)
    : new Native("PartnerWebhookStates", ...args);

/** The option that makes an operation fail if it changes anything. */
export const UNCHANGED = "--expect-no-changes";

/** Options of {@link stackFor}. */
interface Options extends Partial<Omit<TestStackOptions, "program">> {
  /** @default {@link WEBHOOKS} */
  readonly webhooks?: Readonly<Record<number, partners.WebhookState>>;
  readonly accessToken?: string;
}

/**
 * Starts a service and creates a stack whose environment points at it. Both end with the test.
 *
 * @param declare A program in this process: declares resources, and returns the stack outputs.
 */
export async function stackFor(
  declare: (() => unknown) | undefined,
  { webhooks = WEBHOOKS, accessToken, env, ...options }: Options = {},
) {
  const api = await sandboxFor(webhooks, accessToken);
  const program = declare && (() => Promise.resolve(declare()));
  const stack = await createTestStack({ program, env: { ...environmentFor(api), ...env }, ...options });
  onTestFinished(() => stack.dispose());
  const results: Result[] = [];
  /** Runs an operation. @returns What it changed, the requests that it sent, and everything it printed. */
  const run = async (operation: "preview" | "up" | "refresh" | "destroy", ...flags: string[]) => {
    const result = await stack[operation]({ flags });
    results.push(result);
    const { error, changes, stdout, stderr } = result;
    return { error, changes, requests: countRequests(api), printed: stdout + stderr };
  };
  return { api, stack, run, /** What `run` did, oldest first. */ results };
}

const MAIN = join(ROOT, "provider/dist/cli/main.js");

/**
 * Copies an example, as a user would.
 *
 * @param env The variables of the account, and any others that the stack needs.
 */
export async function exampleProject(name: string, env: Readonly<Record<string, string>>) {
  // `npm run typecheck` compiles the examples.
  const defaults = { PULUMI_STACK: "dev", NO_COLOR: "1", PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const engine = await engineEnv({ ...defaults, ...env });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, name);
  await cp(join(ROOT, "examples", name), cwd, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(engine.dir, "node_modules"));
  const options = { cwd, env: engine.env, timeoutMs: 600_000 };
  return {
    engine,
    cwd,
    /** Runs the CLI and returns what it printed. @throws if the command fails. */
    pulumi: (args: string) => mustRun("pulumi", [...args.split(" "), "--non-interactive"], options),
    /** Runs shell commands in the folder. `npx --no -- pulumi-partners` runs the current build. */
    shell: (script: string) => runShell(`npx() { shift 3; node '${MAIN}' "$@"; }\n${script}`, options),
  };
}

/** Returns the code blocks of one language in a file such as `docs/webhooks.md`. */
export async function blocksOf(page: string, language: string, indent = ""): Promise<string[]> {
  const text = await readFile(join(ROOT, page), "utf8");
  const blocks = text.matchAll(new RegExp(`^${indent}\`\`\`${language}\\n(.*?)^${indent}\`\`\`$`, "gms"));
  return [...blocks].map(([, block = ""]) => block.replaceAll(RegExp(`^${indent}`, "gm"), ""));
}
