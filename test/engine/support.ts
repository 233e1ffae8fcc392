import { cp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { sandboxFor, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import { expect, onTestFinished } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { mustRun, runShell } from "../../provider/tools/child-process.ts";
import type { PackageSchema } from "../../provider/tools/generate/registry-pages.ts";
import { examplesOf, type Example } from "../../provider/tools/generate/schema-examples.ts";
import { createTestStack, type Result, type TestStackOptions } from "../support/stack.ts";

export { sandboxFor, type Sandbox, type SandboxOptions };

const { version } = (await import("../../provider/package.json", { with: { type: "json" } })).default;

/** A resource of the native plugin, registered the way a generated SDK does it. */
export class Native extends pulumi.CustomResource {
  declare readonly apiKey: pulumi.Output<string>;
  declare readonly previousApiKey: pulumi.Output<string | null>;

  constructor(
    type: string,
    name: string,
    inputs: Record<string, unknown>,
    options: pulumi.CustomResourceOptions = {},
  ) {
    const outputs = type === "PartnerApiKey" ? { apiKey: undefined, previousApiKey: undefined } : {};
    super(`partners:index:${type}`, name, { ...inputs, ...outputs }, { version, ...options });
  }
}

/** An explicit provider of the native plugin. */
export class NativeProvider extends pulumi.ProviderResource {
  constructor(name: string, settings: Record<string, pulumi.Input<string>>) {
    super("partners", name, settings, { version });
  }
}

/** Options that make an operation fail if it changes anything. */
export const UNCHANGED = { flags: ["--expect-no-changes"] };

/**
 * Starts a sandbox, and creates a stack whose environment points at it. Both are removed when the test ends.
 */
export async function sandboxStack(
  program: TestStackOptions["program"],
  options: SandboxOptions = {},
  { env, ...stackOptions }: Partial<TestStackOptions> = {},
) {
  const sandbox = await sandboxFor(options);
  const stack = await createTestStack({
    program,
    env: { ...environmentFor(sandbox), ...env },
    ...stackOptions,
  });
  onTestFinished(() => stack.dispose());
  const results: Result[] = [];
  /** Runs an operation. @returns What it changed, and the requests that it sent. */
  const run = async (operation: "preview" | "up" | "refresh" | "destroy", ...flags: string[]) => {
    const result = await stack[operation]({ flags });
    results.push(result);
    return { error: result.error, changes: result.changes, requests: countRequests(sandbox) };
  };
  return { sandbox, stack, run, /** What `run` did, oldest first. */ results };
}

/** Returns the environment variables that point at a sandbox. */
export function environmentFor(sandbox: Sandbox): Record<string, string> {
  return { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
}

/** Counts the requests since the last call by method. */
export function countRequests(sandbox: Sandbox): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of sandbox.requests) counts[method] = (counts[method] ?? 0) + 1;
  sandbox.clearRequests();
  return counts;
}

/** Returns the webhook states of a sandbox by ID. */
export function statesOf({ webhooks }: Sandbox): Record<number, string> {
  return Object.fromEntries(webhooks);
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
  // As docs/pipelines.md says; test/unit/pipeline/examples.test.ts runs its command.
  const sources = name === "pipeline-yaml" ? ["pipeline", name] : [name];
  for (const source of sources) await cp(join(ROOT, "examples", source), cwd, { recursive: true });
  if (sources.length > 1) await rm(join(cwd, "index.ts"));
  await symlink(join(ROOT, "node_modules"), join(engine.dir, "node_modules"));
  return {
    engine,
    /** Runs the CLI and returns what it printed. @throws if the command fails. */
    pulumi: (...args: string[]) =>
      mustRun("pulumi", [...args, "--non-interactive"], { cwd, env: engine.env }),
    /** Runs shell commands in the folder. `npx --no pulumi-partners` runs the current build. */
    shell: (script: string) =>
      runShell(`npx() { shift 2; node '${MAIN}' "$@"; }\n${script}`, { cwd, env: engine.env }),
  };
}

/** Returns the examples in the schema. */
export async function schemaExamples(): Promise<readonly Example[]> {
  const text = await readFile(join(ROOT, "provider/schema.json"), "utf8");
  const { provider, resources, functions } = JSON.parse(text) as PackageSchema;
  const described = [provider, ...Object.values({ ...resources, ...functions })];
  return described.flatMap(({ description }) => examplesOf(description));
}

/** Returns the code blocks of one language in a file such as `docs/webhooks.md`. */
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block = ""]) => block,
  );
}

/**
 * Asserts that a page shows what the CLI printed: it contains every line of one `text` block. The CLI also
 * prints progress and times, and resources may finish in another order.
 */
export async function expectShown(page: string, printed: string): Promise<void> {
  const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  const blocks = (await blocksOf(page, "text")).map(withoutTimes);
  const shown = withoutTimes(printed);
  const missing = blocks.map((block) => block.split("\n").filter((line) => !shown.includes(line.trim())));
  const [least = ["a text block"]] = missing.toSorted((one, other) => one.length - other.length);
  expect(least, `${page} shows lines that the CLI did not print:\n${printed}`).toEqual([]);
}

/** The part of a state file that tests read. */
export interface StateFile {
  readonly checkpoint: {
    readonly latest: {
      readonly resources: readonly {
        readonly urn: string;
        readonly type: string;
        readonly inputs?: Record<string, unknown>;
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
  const earlier = (properties: Record<string, unknown>, name: string, length?: number): void => {
    const time = properties[name];
    if (typeof time !== "string") return;
    properties[name] = new Date(Date.parse(time) - days * DAY).toISOString().slice(0, length);
  };
  await editState(stateFile, ({ checkpoint: { latest } }) => {
    for (const { type, inputs = {}, outputs = {} } of latest.resources) {
      if (!type.endsWith(":PartnerApiKey")) continue;
      for (const name of ["createdAt", "rotatedAt", "rotationDueAt", "previousExpiresAt"])
        earlier(outputs, name);
      for (const name of ["keySince", "rotationDue"]) earlier(inputs, name, "2026-02-19".length);
    }
  });
}
