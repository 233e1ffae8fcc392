import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox, type SandboxOptions } from "pulumi-partners/sandbox";
import { expect, onTestFinished } from "vitest";

import { runPulumi } from "../support/cli.ts";
import { engineEnv } from "../support/engine-env.ts";
import { environmentFor } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");

/** An example as a user has it who copied its folder out, with a stack `dev` and an account in a sandbox. */
export interface ExampleProject {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  /** Runs the real CLI. @returns what it printed; an operation that fails fails the test. */
  readonly run: (...args: string[]) => Promise<string>;
  /** The state file as it lies in the backend. */
  readonly stateFile: () => Promise<string>;
}

/** Copies an example out; it ends with the test. */
export async function exampleProject(name: string, options?: SandboxOptions): Promise<ExampleProject> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const engine = await engineEnv({ ...environmentFor(sandbox), PULUMI_STACK: "dev" });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, name);
  await cp(join(ROOT, "examples", name), cwd, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(engine.dir, "node_modules"));
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runPulumi(args, { cwd, env: engine.env });
    expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  await run("stack", "init", "dev");
  const state = join(engine.backendDir, `.pulumi/stacks/partners-${name}/dev.json`);
  return { sandbox, cwd, run, stateFile: () => readFile(state, "utf8") };
}
