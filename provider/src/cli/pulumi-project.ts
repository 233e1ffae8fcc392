import type { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { accountName, type ConfigSource } from "../handlers/settings.js";
import { EXPLICIT_KEY } from "../setting-names.js";
import { CommandError } from "./command.js";

/** An opened project. */
export interface Project {
  readonly workspace: LocalWorkspace;
  /** The folder that the program, and so the plugin, loads packages from: that of `main`. */
  readonly programFolder: string;
  /** Whether the program runs in Node. */
  readonly usesNode: boolean;
}

/** A stack as the last `pulumi up` left it, and its configuration. */
export interface Stack {
  readonly name: string;
  /** Its configuration, decrypted. */
  readonly config: ConfigSource;
  /** Whether a key of its configuration is stored as a secret. */
  readonly isSecret: (key: string) => boolean;
  /** The names of the resources that declare a webhook of the default account, by webhook id. */
  readonly declared: ReadonlyMap<number, readonly string[]>;
  /** The names of the `Provider` resources of the program, which are accounts of their own. */
  readonly providers: readonly string[];
}

/** Finds the folder of the project that a folder belongs to, as the CLI does. @returns `null` if there is none. */
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

/** Opens the project in a folder, through that CLI. @throws {CommandError} */
export async function openProject(workDir: string, pulumiCommand: PulumiCommand): Promise<Project> {
  const automation = await loadAutomation();
  return explaining("pulumi stack ls", async () => {
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
 * Reads a stack through the CLI, so that passphrases, secrets providers and environments work as for `pulumi up`.
 *
 * @param name The name of the stack. @default the one that is selected
 * @throws {CommandError}
 */
export async function readStack({ workspace }: Project, name?: string): Promise<Stack> {
  const selected = name ?? (await explaining("pulumi stack ls", () => workspace.stack()))?.name;
  if (selected === undefined)
    throw new CommandError('No stack is selected. Run "pulumi stack select", or use --stack.');
  const [values, exported] = await Promise.all([
    explaining(`pulumi config --stack ${selected}`, () => workspace.getAllConfig(selected)),
    explaining(`pulumi stack export --stack ${selected}`, () => workspace.exportStack(selected)),
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

/** A resource as it is in a state. */
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

/** The webhooks of a resource, those under `others` of a fleet included, whether it is a dynamic or a native one. */
function managedWebhooks({ type, outputs = {} }: StateResource): number[] {
  if (/^(pulumi-nodejs:dynamic\/partners|partners:index):PartnerWebhookState$/.test(type))
    return [Number(outputs["webhookId"])];
  const isFleet = /^(pulumi-nodejs:dynamic\/partners|partners:index):PartnerWebhookStates$/.test(type);
  return isFleet ? Object.keys(outputs["initialStates"] ?? {}).map(Number) : [];
}

/** Everything after the third `::` of a URN, as a name may contain `::` too. */
function resourceName({ urn }: StateResource): string {
  return urn.split("::").slice(3).join("::");
}

/** Loaded late: it takes most of a second, and only the doctor needs it. */
async function loadAutomation(): Promise<typeof import("@pulumi/pulumi/automation")> {
  return import("@pulumi/pulumi/automation/index.js").catch(() => {
    throw new CommandError("@pulumi/pulumi cannot be loaded. Run: npm install @pulumi/pulumi");
  });
}

/** Never repeats what the CLI printed, as the URL of a backend may contain a password. */
async function explaining<Result>(command: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch {
    throw new CommandError(`"${command}" failed. Run it yourself to see why.`);
  }
}
