import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, onTestFinished } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { mustRun, runShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { countRequests, environmentFor, sandboxFor, WEBHOOKS } from "../support/sandbox.ts";
import { createTestStack, type Result, type TestStackOptions } from "../support/stack.ts";

export * from "../support/sandbox.ts";

const { version } = (await import("../../provider/package.json", { with: { type: "json" } })).default;

/** The two forms of a resource. */
export const HOSTS = ["dynamic", "native"] as const;
export type Host = (typeof HOSTS)[number];

/** A resource of the native plugin, registered the way a generated SDK does it. */
export class Native extends pulumi.CustomResource {
  declare readonly apiKey: pulumi.Output<string>;
  declare readonly previousApiKey: pulumi.Output<string | null>;
  declare readonly state: pulumi.Output<string | null>;

  constructor(type: string, name: string, inputs: object, options: pulumi.CustomResourceOptions = {}) {
    const isKey = type === "PartnerApiKey";
    const outputs = isKey ? { apiKey: undefined, previousApiKey: undefined } : { state: undefined };
    super(`partners:index:${type}`, name, { ...outputs, ...inputs }, { version, ...options });
  }
}

/** An explicit provider of the native plugin. */
export class NativeProvider extends pulumi.ProviderResource {
  constructor(name: string, settings: Record<string, pulumi.Input<string>>) {
    super("partners", name, settings, { version });
  }
}

/** Declares a key in either form. */
export function declareKey(
  host: Host,
  name: string,
  args: partners.PartnerApiKeyArgs = {},
  options: pulumi.CustomResourceOptions = {},
): partners.PartnerApiKey | Native {
  if (host === "dynamic") return new partners.PartnerApiKey(name, args, options);
  return new Native("PartnerApiKey", name, args, options);
}

/** Declares the state of a webhook in either form. */
export function declareWebhook(
  host: Host,
  name: string,
  args: partners.PartnerWebhookStateArgs,
  options: pulumi.CustomResourceOptions = {},
): partners.PartnerWebhookState | Native {
  if (host === "dynamic") return new partners.PartnerWebhookState(name, args, options);
  return new Native("PartnerWebhookState", name, args, options);
}

/** Declares the states of many webhooks in either form. */
export function declareFleet(
  host: Host,
  name: string,
  args: partners.PartnerWebhookStatesArgs,
  options: pulumi.CustomResourceOptions = {},
): pulumi.CustomResource {
  if (host === "dynamic") return new partners.PartnerWebhookStates(name, args, options);
  return new Native("PartnerWebhookStates", name, args, options);
}

/** Returns the URN of a resource of a test stack. */
export function urnOf(host: Host, type: string, name: string): string {
  const prefix = host === "native" ? "partners:index" : "pulumi-nodejs:dynamic/partners";
  return `urn:pulumi:dev::test::${prefix}:${type}::${name}`;
}

/** The option that makes an operation fail if it changes anything. */
export const UNCHANGED = "--expect-no-changes";

/** Options of {@link stackFor}. */
interface Options extends Partial<Omit<TestStackOptions, "program">> {
  /** @default {@link WEBHOOKS} */
  readonly webhooks?: Readonly<Record<number, partners.WebhookState>>;
  readonly accessToken?: string;
}

/** Starts a service and creates a stack whose environment points at it. Both end with the test. */
export async function stackFor(
  program: TestStackOptions["program"],
  { webhooks = WEBHOOKS, accessToken, env, ...options }: Options = {},
) {
  const api = await sandboxFor(webhooks, accessToken);
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

/** A program in this process. @param declare Declares resources, and returns the stack outputs. */
export function program(declare: () => unknown): () => Promise<unknown> {
  return () => Promise.resolve(declare());
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
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), "utf8");
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, block = ""]) => block);
}

/**
 * Asserts that the CLI printed every line of one `text` block of a page. The CLI also prints progress and
 * times, and resources may finish in another order.
 */
export async function expectShown(page: string, printed: string): Promise<void> {
  const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  const shown = withoutTimes(printed);
  const missing = (await blocksOf(page, "text"))
    .map((block) => withoutTimes(block).split("\n"))
    .map((lines) => lines.filter((line) => !shown.includes(line.trim())));
  const [least = ["a text block"]] = missing.toSorted((one, other) => one.length - other.length);
  expect(least, `${page} shows lines that the CLI did not print:\n${printed}`).toEqual([]);
}

/** The part of a state file that tests read. */
interface StateFile {
  readonly checkpoint: {
    readonly latest: {
      readonly resources: readonly {
        readonly urn: string;
        readonly type: string;
        readonly outputs?: Record<string, unknown>;
      }[];
      pending_operations?: readonly unknown[];
    };
  };
}

/** Edits a state file in place, between two operations. */
export async function editState(file: string, change: (state: StateFile) => void): Promise<void> {
  const state = JSON.parse(await readFile(file, "utf8")) as StateFile;
  change(state);
  await writeFile(file, JSON.stringify(state));
}

const DAY = 86_400_000;

/** Makes the keys of a stack older, by changing the times in the state. */
export async function age(stateFile: string, days: number): Promise<void> {
  await editState(stateFile, ({ checkpoint: { latest } }) => {
    for (const { type, outputs = {} } of latest.resources) {
      if (!type.endsWith(":PartnerApiKey")) continue;
      for (const name of ["createdAt", "previousExpiresAt"]) {
        const time = outputs[name];
        if (typeof time === "string") outputs[name] = new Date(Date.parse(time) - days * DAY).toISOString();
      }
    }
  });
}
