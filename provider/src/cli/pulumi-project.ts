import type { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { accountName, type ConfigSource } from "../handlers/settings.js";
import { EXPLICIT_KEY } from "../setting-names.js";
import { CommandError } from "./command.js";

/** An open Pulumi project. */
export interface Project {
  readonly workspace: LocalWorkspace;
  /** The folder of `main`, from which the program and the plugin load packages. */
  readonly programFolder: string;
  /** Whether the program runs on Node. */
  readonly usesNode: boolean;
}

/** The configuration of a stack, and its state after the last `pulumi up`. */
export interface Stack {
  readonly name: string;
  /** The decrypted configuration. */
  readonly config: ConfigSource;
  /** Whether a configuration key is stored as a secret. */
  readonly isSecret: (key: string) => boolean;
  /** The names of the resources that declare each webhook of the default account, by webhook ID. */
  readonly declared: ReadonlyMap<number, readonly string[]>;
  /** The names of the `Provider` resources, each of which has its own account. */
  readonly providers: readonly string[];
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
  const { PulumiCommand } = await loadAutomation();
  return PulumiCommand.get({ skipVersionCheck: true }).catch(() => {
    throw new CommandError("The Pulumi CLI is not on PATH. Install it: https://www.pulumi.com/docs/install/");
  });
}

/** Opens the project in a folder with this CLI. @throws {CommandError} */
export async function openProject(workDir: string, pulumiCommand: PulumiCommand): Promise<Project> {
  const automation = await loadAutomation();
  return runCli("pulumi stack ls", async () => {
    const envVars = { PULUMI_SKIP_UPDATE_CHECK: "true" };
    const workspace = await automation.LocalWorkspace.create({ workDir, pulumiCommand, envVars });
    const { main = ".", runtime } = await workspace.projectSettings();
    const path = resolve(workDir, main);
    return {
      workspace,
      programFolder: statSync(path).isFile() ? dirname(path) : path,
      usesNode: (typeof runtime === "object" ? runtime.name : runtime) === "nodejs",
    };
  });
}

/**
 * Reads a stack through the CLI, so that passphrases, secrets providers and environments work as in `pulumi up`.
 *
 * @param name The name of the stack. @default the selected stack
 * @throws {CommandError}
 */
export async function readStack({ workspace }: Project, name?: string): Promise<Stack> {
  const selected = name ?? (await runCli("pulumi stack ls", () => workspace.stack()))?.name;
  if (selected === undefined)
    throw new CommandError('No stack is selected. Run "pulumi stack select", or use --stack.');
  const [values, exported] = await Promise.all([
    runCli(`pulumi config --stack ${selected}`, () => workspace.getAllConfig(selected)),
    runCli(`pulumi stack export --stack ${selected}`, () => workspace.exportStack(selected)),
  ]);
  const config = { get: (key: string) => values[key]?.value };
  const deployment = exported.deployment as { readonly resources?: readonly StateResource[] } | null;
  const resources = deployment?.resources ?? [];
  return {
    name: selected,
    config,
    isSecret: (key) => values[key]?.secret === true,
    declared: declaredWebhooks(resources, accountName(config)),
    providers: resources.filter(isProvider).map(resourceName),
  };
}

/** A resource in the state file. */
interface StateResource {
  readonly urn: string;
  readonly type: string;
  /** Whether the next update deletes it. */
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

function isProvider({ inputs = {} }: StateResource): boolean {
  return [EXPLICIT_KEY, "explicit"].some((name) => inputs[name] === "true");
}

function declaredWebhooks(resources: readonly StateResource[], account: string): Map<number, string[]> {
  const declared = new Map<number, string[]>();
  for (const resource of resources) {
    if (resource.delete === true || resource.outputs?.["account"] !== account) continue;
    for (const webhookId of managedWebhooks(resource))
      declared.set(webhookId, [...(declared.get(webhookId) ?? []), resourceName(resource)]);
  }
  return declared;
}

/** Returns the webhooks that a dynamic or native resource manages, including those that `others` of a fleet covers. */
function managedWebhooks({ type, outputs = {} }: StateResource): number[] {
  if (/^(pulumi-nodejs:dynamic\/partners|partners:index):PartnerWebhookState$/.test(type))
    return [Number(outputs["webhookId"])];
  const isFleet = /^(pulumi-nodejs:dynamic\/partners|partners:index):PartnerWebhookStates$/.test(type);
  return isFleet ? Object.keys(outputs["initialStates"] ?? {}).map(Number) : [];
}

/** Returns everything after the third `::` of the URN, because a name may itself contain `::`. */
function resourceName({ urn }: StateResource): string {
  return urn.split("::").slice(3).join("::");
}

/** Loads the Automation API on demand: it is slow to load, and only the doctor needs it. */
async function loadAutomation(): Promise<typeof import("@pulumi/pulumi/automation")> {
  return import("@pulumi/pulumi/automation/index.js").catch(() => {
    throw new CommandError("@pulumi/pulumi cannot be loaded. Run: npm install @pulumi/pulumi");
  });
}

/** Calls the CLI. On failure, names the command but not its output: a backend URL may contain a password. */
async function runCli<Result>(command: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch {
    throw new CommandError(`"${command}" failed. Run it yourself to see why.`);
  }
}
