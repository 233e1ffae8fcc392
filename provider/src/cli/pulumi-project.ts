import type { PulumiCommand } from "@pulumi/pulumi/automation";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { unknownSettings } from "../hosts/provider-inputs.js";
import { CommandError } from "./command.js";
import { readState, type Deployment, type StackState } from "./stack-state.js";

/** The configuration of a stack, and its state after the last `pulumi up`. */
export interface Stack extends StackState {
  readonly name: string;
  /** Whether the configuration contains the access token in plain text. */
  readonly hasPlainToken: boolean;
  /** The names in `partners:` keys that are not settings. */
  readonly unknownSettings: readonly string[];
}

/** Finds the root of the project that contains a folder, as the CLI does. @returns `null` outside a project. */
export function findProjectRoot(folder: string): string | null {
  const names = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];
  for (let root = resolve(folder); ; root = dirname(root)) {
    if (names.some((name) => existsSync(join(root, name)))) return root;
    if (root === dirname(root)) return null;
  }
}

/** Finds the Pulumi CLI. @throws {CommandError} */
export async function findCli(): Promise<PulumiCommand> {
  const automation = await loadAutomation();
  return automation.PulumiCommand.get({ skipVersionCheck: true }).catch(() => {
    throw new CommandError("The Pulumi CLI is not on PATH. Install it: https://www.pulumi.com/docs/install/");
  });
}

/**
 * Reads a stack through the CLI, so that passphrases, secrets providers and environments work as in `pulumi up`.
 *
 * @param workDir The root of the project.
 * @param name The name of the stack. @default the selected stack
 * @throws {CommandError}
 */
export async function readStack(
  workDir: string,
  pulumiCommand: PulumiCommand,
  name?: string,
): Promise<Stack> {
  const { LocalWorkspace } = await loadAutomation();
  const envVars = { PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { workspace, selected } = await runCli("pulumi stack ls", async () => {
    const workspace = await LocalWorkspace.create({ workDir, pulumiCommand, envVars });
    return { workspace, selected: name ?? (await workspace.stack())?.name };
  });
  if (selected === undefined)
    throw new CommandError('No stack is selected. Run "pulumi stack select", or use --stack.');
  const [values, exported] = await runCli(`pulumi preview --stack ${selected}`, () =>
    Promise.all([workspace.getAllConfig(selected), workspace.exportStack(selected)]),
  );
  const token = values["partners:accessToken"];
  const ours = Object.keys(values).filter((key) => key.startsWith("partners:"));
  return {
    ...readState((exported.deployment ?? {}) as Deployment, { get: (key) => values[key]?.value }),
    name: selected,
    hasPlainToken: token?.value !== undefined && token.secret !== true,
    unknownSettings: unknownSettings(
      Object.fromEntries(ours.map((key) => [key.replace("partners:", ""), true])),
    ),
  };
}

/** Loads the Automation API on demand: it is slow to load, and only the doctor needs it. */
async function loadAutomation(): Promise<typeof import("@pulumi/pulumi/automation")> {
  return import("@pulumi/pulumi/automation/index.js").catch(() => {
    throw new CommandError("@pulumi/pulumi cannot be loaded. Run: npm install @pulumi/pulumi");
  });
}

/**
 * Calls the CLI. Its error is not shown, because a backend URL may contain a password.
 *
 * @param command A command that fails for the same reason. `pulumi config` does not: it succeeds without the passphrase.
 */
async function runCli<Result>(command: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (/incorrect passphrase|passphrase must be set/.test(String(error)))
      throw new CommandError(
        "The passphrase is missing or wrong: set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
      );
    throw new CommandError(`The stack cannot be read. To see why, run "${command}".`);
  }
}
