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
  return explaining("pulumi version", () => PulumiCommand.get({ skipVersionCheck: true }));
}

/** Opens the project in a folder, through that CLI. @throws {CommandError} */
export async function openProject(workDir: string, pulumiCommand: PulumiCommand): Promise<Project> {
  const automation = await loadAutomation();
  return explaining("pulumi stack ls", async () => {
    const envVars = { PULUMI_SKIP_UPDATE_CHECK: "true" };
    const workspace = await automation.LocalWorkspace.create({ workDir, pulumiCommand, envVars });
    const { main, runtime } = fields(await workspace.projectSettings());
    const path = resolve(workDir, typeof main === "string" ? main : ".");
    return {
      workspace,
      programFolder: statSync(path).isFile() ? dirname(path) : path,
      usesNode: (fields(runtime)["name"] ?? runtime) === "nodejs",
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
    explaining("pulumi config", () => workspace.getAllConfig(selected)),
    explaining("pulumi stack export", () => workspace.exportStack(selected)),
  ]);
  const config = { get: (key: string) => values[key]?.value };
  const { resources } = fields(exported.deployment);
  const listed = (Array.isArray(resources) ? resources : [])
    .map(fields)
    .filter((resource) => resource["delete"] !== true);
  return {
    name: selected,
    config,
    isSecret: (key) => values[key]?.secret === true,
    ...readResources(listed, accountName(config)),
  };
}

function readResources(resources: readonly Fields[], account: string): Pick<Stack, "declared" | "providers"> {
  const providers = resources
    .filter(({ inputs }) => [EXPLICIT_KEY, "explicit"].some((name) => fields(inputs)[name] === "true"))
    .map(({ urn }) => String(urn));
  const declared = new Map<number, string[]>();
  for (const { type, urn, provider, outputs } of resources) {
    const webhookIds = managedWebhooks(String(type), fields(outputs));
    if (fields(outputs)["account"] !== account) continue;
    // A reference to a provider is its URN, "::" and its id.
    if (providers.some((one) => String(provider).startsWith(`${one}::`))) continue;
    for (const webhookId of webhookIds)
      declared.set(webhookId, [...(declared.get(webhookId) ?? []), resourceName(String(urn))]);
  }
  return { declared, providers: providers.map(resourceName) };
}

/** The webhooks of a resource, those under `others` of a fleet included, whether it is a dynamic or a native one. */
function managedWebhooks(type: string, { webhookId, initialStates }: Fields): number[] {
  const [, name] = /^(?:pulumi-nodejs:dynamic\/partners|partners:index):(\w+)$/.exec(type) ?? [];
  if (name === "PartnerWebhookState" && typeof webhookId === "number") return [webhookId];
  return name === "PartnerWebhookStates" ? Object.keys(fields(initialStates)).map(Number) : [];
}

/** Everything after the third `::` of a URN, as a name may contain `::` too. */
function resourceName(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Loaded late: it takes most of a second, and only the doctor needs it. */
async function loadAutomation(): Promise<typeof import("@pulumi/pulumi/automation")> {
  return import("@pulumi/pulumi/automation/index.js").catch(() => {
    throw new CommandError("@pulumi/pulumi cannot be loaded. Run: npm install @pulumi/pulumi");
  });
}

/** What an error of the CLI contains, and what that means for the user. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/spawn pulumi ENOENT/, "The Pulumi CLI is not on PATH. Install it: https://www.pulumi.com/docs/install/"],
  [/no stack named/, 'There is no stack of that name. Run "pulumi stack ls" to list those that exist.'],
  [/incorrect passphrase/, "The passphrase is wrong. Correct PULUMI_CONFIG_PASSPHRASE."],
  [
    /passphrase must be set/,
    "The passphrase is missing. Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
  ],
  [/PULUMI_ACCESS_TOKEN must be set/, 'You are not logged in. Run "pulumi login".'],
];

/** Never repeats what the CLI printed, as the URL of a backend may contain a password. */
async function explaining<Result>(command: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    const [, reason] = REASONS.find(([pattern]) => pattern.test(text)) ?? [];
    throw new CommandError(reason ?? `"${command}" failed. Run it yourself to see why.`);
  }
}
