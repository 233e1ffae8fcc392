import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { startSandbox, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import { expect, onTestFinished } from "vitest";

import { ROOT } from "../support/checkout.ts";
import { engineEnv } from "../support/engine.ts";
import { mustRun, runShell } from "../support/process.ts";
import { createTestStack, type TestStack, type TestStackOptions } from "../support/stack.ts";

export type { Sandbox, SandboxOptions };

const { version } = (await import("../../provider/package.json", { with: { type: "json" } })).default;

/** A resource of the native plugin, as a generated SDK registers it. */
export class Native extends pulumi.CustomResource {
  declare readonly apiKey: pulumi.Output<string>;

  constructor(type: string, name: string, inputs: Record<string, unknown>, aliasType?: string) {
    const outputs = type === "PartnerApiKey" ? { apiKey: undefined } : {};
    const aliases = aliasType === undefined ? [] : [{ type: aliasType }];
    super(`partners:index:${type}`, name, { ...inputs, ...outputs }, { version, aliases });
  }
}

/** Fails an operation that changes anything. */
export const UNCHANGED = { flags: ["--expect-no-changes"] };

/** A sandbox that ends with the test. */
export async function sandboxFor(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A sandbox and a stack that is configured for it by the environment; both end with the test. */
export async function sandboxStack(
  program: TestStackOptions["program"],
  options: SandboxOptions = {},
  { env, ...stackOptions }: Partial<TestStackOptions> = {},
): Promise<{ sandbox: Sandbox; stack: TestStack }> {
  const sandbox = await sandboxFor(options);
  const stack = await createTestStack({
    program,
    env: { ...environmentFor(sandbox), ...env },
    ...stackOptions,
  });
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

/** Deletes a key as a person would at the service's own site. */
export async function revoke({ url, accessToken }: Sandbox, apiKey = ""): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const path = `/api/v1/partners/api-key/${encodeURIComponent(apiKey)}`;
  await fetch(url + path, { method: "DELETE", headers });
}

/** The states of a sandbox's webhooks by id. */
export function statesOf({ webhooks }: Sandbox): Record<number, string> {
  return Object.fromEntries(webhooks);
}

const MAIN = join(ROOT, "provider/dist/cli/main.js");

/** An example as a user has it who copied its folder out. It ends with the test. */
export type ExampleProject = Awaited<ReturnType<typeof exampleProject>>;

/** Copies an example out. @param env The account, and whatever else its stack needs to know. */
export async function exampleProject(name: string, env: Readonly<Record<string, string>>) {
  // Examples are compiled by one test for all of them; here, each run would do it again.
  const usual = { PULUMI_STACK: "dev", NO_COLOR: "1", PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  const engine = await engineEnv({ ...usual, ...env });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, name);
  await cp(join(ROOT, "examples", name), cwd, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(engine.dir, "node_modules"));
  return {
    engine,
    cwd,
    /** Runs the CLI. @returns what it printed. @throws if it fails. */
    pulumi: (...args: string[]) =>
      mustRun("pulumi", [...args, "--non-interactive"], { cwd, env: engine.env }),
    /** Runs shell commands in the folder; `npx pulumi-partners` is what is built here. */
    shell: (script: string) =>
      runShell(`npx() { shift; node '${MAIN}' "$@"; }\n${script}`, { cwd, env: engine.env }),
  };
}

/** The blocks in a language on a page, such as `docs/webhooks.md`. */
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block = ""]) => block,
  );
}

/**
 * Holds that a page shows what the CLI printed: every line of one of its `text` blocks is a part of the text. The CLI prints
 * progress and times in between, and resources may end in another order.
 */
export async function expectShown(page: string, printed: string): Promise<void> {
  const blocks = await blocksOf(page, "text");
  const missing = blocks.map((block) => block.split("\n").filter((line) => !printed.includes(line.trim())));
  const [least = ["a text block"]] = missing.toSorted((one, other) => one.length - other.length);
  expect(least, `${page} shows what was not printed:\n${printed}`).toEqual([]);
}

/** A state file, as far as tests look into it. */
export interface StateFile {
  readonly checkpoint: {
    readonly latest: {
      readonly resources: readonly {
        readonly type: string;
        readonly inputs?: Record<string, unknown>;
        readonly outputs?: Record<string, unknown>;
      }[];
      pending_operations?: readonly unknown[];
    };
  };
}

/** Changes a state file in place, between two operations. */
export async function editState(file: string, change: (state: StateFile) => void): Promise<void> {
  const state = JSON.parse(await readFile(file, "utf8")) as StateFile;
  change(state);
  await writeFile(file, JSON.stringify(state));
}

const DAY = 86_400_000;

/** Makes the keys of a stack as many days older: what is in state is the only clock that the resource knows. */
export async function age(stateFile: string, days: number): Promise<void> {
  const earlier = (properties: Record<string, unknown>, name: string, length?: number): void => {
    const time = properties[name];
    if (typeof time !== "string") return;
    properties[name] = new Date(Date.parse(time) - days * DAY).toISOString().slice(0, length);
  };
  await editState(stateFile, ({ checkpoint: { latest } }) => {
    for (const { type, inputs = {}, outputs = {} } of latest.resources) {
      if (!type.endsWith(":PartnerApiKey")) continue;
      for (const name of ["createdAt", "rotatedAt", "previousExpiresAt"]) earlier(outputs, name);
      for (const name of ["keySince", "rotationDue"]) earlier(inputs, name, "2026-02-19".length);
    }
  });
}
