import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import { expect, onTestFinished } from "vitest";

import { NPX_RUNS_BUILD, runPulumi, runShell } from "../support/cli.ts";
import { engineEnv, type Engine } from "../support/engine-env.ts";
import type { Ended } from "../support/process.ts";
import { environmentFor } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");

/** An example as a user has it who copied its folder out, and an account in a sandbox. It ends with the test. */
export interface ExampleProject {
  readonly sandbox: Sandbox;
  readonly engine: Engine;
  /** The copied folder. */
  readonly cwd: string;
  /** Runs the real CLI. @returns what it printed; an operation that fails fails the test. */
  readonly run: (...args: string[]) => Promise<string>;
  /** Runs a block of the docs in the example's folder, without questions. @returns what it printed; a failure fails the test. */
  readonly shell: (script: string) => Promise<Ended>;
  readonly up: () => Promise<string>;
  readonly destroy: () => Promise<string>;
  /** The outputs of the stack, secrets in clear. */
  readonly outputs: () => Promise<unknown>;
  /** The state file of `dev` as it lies in the backend. */
  readonly stateFile: () => Promise<string>;
}

/** A sandbox that ends with the test. */
export async function sandboxFor(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Where an example is in this repository. */
export function exampleFolder(name: string): string {
  return join(ROOT, "examples", name);
}

/** The text of a file of an example. */
export function source(example: string, file = "index.ts"): Promise<string> {
  return readFile(join(exampleFolder(example), file), "utf8");
}

/** Copies an example out. There is no stack yet: {@link exampleProject} makes one. @param env - Further variables for `shell`. */
export async function copyOut(
  name: string,
  sandbox: Sandbox,
  env: Readonly<Record<string, string>> = {},
): Promise<ExampleProject> {
  const engine = await engineEnv({ ...environmentFor(sandbox), PULUMI_STACK: "dev" });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, name);
  await cp(exampleFolder(name), cwd, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(engine.dir, "node_modules"));
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runPulumi(args, { cwd, env: engine.env });
    expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const shell = async (script: string): Promise<Ended> => {
    const ended = await runShell(NPX_RUNS_BUILD + script, {
      cwd,
      env: { ...engine.env, PULUMI_SKIP_CONFIRMATIONS: "true", NO_COLOR: "1", ...env },
    });
    const { code, stdout, stderr } = ended;
    expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
    return ended;
  };
  return {
    sandbox,
    engine,
    cwd,
    run,
    shell,
    up: () => run("up", "--yes", "--skip-preview"),
    destroy: () => run("destroy", "--yes", "--skip-preview"),
    outputs: async () => JSON.parse(await run("stack", "output", "--json", "--show-secrets")) as unknown,
    stateFile: () => readFile(join(engine.backendDir, `.pulumi/stacks/partners-${name}/dev.json`), "utf8"),
  };
}

/** Copies an example out and starts a stack `dev` for it. */
export async function exampleProject(
  name: string,
  { sandbox, ...options }: SandboxOptions & { readonly sandbox?: Sandbox } = {},
  env: Readonly<Record<string, string>> = {},
): Promise<ExampleProject> {
  const project = await copyOut(name, sandbox ?? (await sandboxFor(options)), env);
  await project.run("stack", "init", "dev");
  return project;
}
