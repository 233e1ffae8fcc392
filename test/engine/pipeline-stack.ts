import { cp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../support/sandbox.ts";

import { runPulumi, runShell } from "../support/cli.ts";
import { engineEnv, type Engine } from "../support/engine-env.ts";
import type { Shell } from "../support/pipeline/job.ts";
import type { Deployment } from "@pulumi/pulumi/automation/index.js";
import { exampleFolder, sandboxFor } from "./example-project.ts";

/** The example of a pipeline as a team has it, with a stack `production` in a backend of its own. */
export interface PipelineStack {
  readonly sandbox: Sandbox;
  readonly engine: Engine;
  readonly cwd: string;
  /** Runs a script on a machine that has Node and Pulumi, and knows of no account: that is for the pipeline to give. */
  readonly shell: Shell;
  /** What a team sets as variables and secrets. */
  readonly account: Readonly<Record<string, string>>;
  /** Where the state lies in the backend. */
  readonly stateFile: string;
  readonly exportStack: () => Promise<Deployment>;
  readonly importStack: (deployment: Deployment) => Promise<void>;
}

/** Variables that this machine has in other tests, and here only from the pipeline. */
const OF_THE_TEAM = new Set(["PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"]);

/** Copies the example out and makes its stack; all ends with the test. */
export async function pipelineStack(): Promise<PipelineStack> {
  const sandbox = await sandboxFor();
  const engine = await engineEnv();
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, "pipeline");
  await cp(exampleFolder("pipeline"), cwd, { recursive: true });
  await symlink(join(exampleFolder("pipeline"), "../../node_modules"), join(engine.dir, "node_modules"));
  const machine = Object.fromEntries(Object.entries(engine.env).filter(([name]) => !OF_THE_TEAM.has(name)));
  const account = {
    PULUMI_BACKEND_URL: pathToFileURL(engine.backendDir).href,
    PULUMI_CONFIG_PASSPHRASE: "a passphrase of the team",
    PULUMI_ACCESS_TOKEN: "",
    AWS_ACCESS_KEY_ID: "",
    AWS_SECRET_ACCESS_KEY: "",
    PARTNERS_BASE_URL: sandbox.url,
    PARTNERS_ACCESS_TOKEN: sandbox.accessToken,
  };
  const env = { ...machine, ...account, PULUMI_STACK: "production" };
  const pulumi = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runPulumi(args, { cwd, env });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  await pulumi("stack", "init", "production");
  return {
    sandbox,
    engine,
    cwd,
    account,
    shell: (script, variables) => runShell(script, { cwd, env: { ...machine, ...variables } }),
    stateFile: join(engine.backendDir, ".pulumi/stacks/partners-pipeline/production.json"),
    exportStack: async () => JSON.parse(await pulumi("stack", "export", "--show-secrets")) as Deployment,
    importStack: async (deployment) => {
      const exported = join(engine.dir, "import.json");
      await writeFile(exported, JSON.stringify(deployment));
      await pulumi("stack", "import", "--file", exported);
    },
  };
}
