import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { accountName, isExplicit, type ConfigSource } from "../shared/settings.js";
import { configSource, unknownSettings } from "../hosts/provider-inputs.js";
import { sentences } from "../messages/wording.js";
import { PARTNER_API_KEY, RESOURCES, type Registration } from "../registration.js";
import { isUnknownKey, SECRET_SETTINGS } from "../setting-names.js";
import { CommandError } from "./command.js";

/** What the doctor needs of a stack: its configuration, and its state after the last `pulumi up`. */
export interface Stack {
  readonly name: string;
  /**
   * The account of the stack configuration, unless every resource uses a `Provider`; then the account of each
   * `Provider`.
   */
  readonly accounts: readonly Account[];
  /** The names of the keys whose creation or rotation was interrupted. */
  readonly interruptedKeys: readonly string[];
  /** The keys that may have been created although the response was lost. */
  readonly lostCreations: readonly LostKey[];
  /** The settings that are stored in plain text although their values are secret. */
  readonly plainSecrets: readonly (typeof SECRET_SETTINGS)[number][];
}

/** A creation whose response was lost. */
export interface LostKey {
  /** The name of the resource. */
  readonly resource: string;
  /** When, ISO 8601. */
  readonly at: string;
}

export interface Account {
  readonly name: string;
  /** The name of its `Provider`; `null` for the account of the stack configuration. */
  readonly provider: string | null;
  /** Its settings. Those of a `Provider` are the ones of the last `pulumi up`. */
  readonly config: ConfigSource;
  /** The names of settings that have no effect, as the user knows them. */
  readonly unknownSettings: readonly string[];
  /** The names of the resources that declare each webhook, by webhook ID. */
  readonly declared: ReadonlyMap<number, readonly string[]>;
}

/** What `pulumi config --show-secrets --json` prints. */
type Config = Readonly<Record<string, { readonly value?: string; readonly secret?: boolean }>>;

/** What `pulumi stack export --show-secrets` prints, as far as the doctor reads it. */
interface Deployment {
  readonly resources?: readonly StateResource[];
  readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
}

interface StateResource {
  readonly urn: string;
  readonly type: string;
  /** Whether the next update deletes it. */
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

export function isInProject(folder: string): boolean {
  const root = resolve(folder);
  const hasFile = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some((name) => existsSync(join(root, name)));
  return hasFile || (dirname(root) !== root && isInProject(dirname(root)));
}

/**
 * Reads a stack through the CLI, so that passphrases, secrets providers and environments work as in `pulumi
 * up`.
 */
export async function readStack(cwd: string, name?: string): Promise<Stack> {
  const pulumi = async (...args: string[]): Promise<string> => {
    const options = { cwd, maxBuffer: Infinity };
    return (await promisify(execFile)("pulumi", [...args, "--non-interactive"], options)).stdout;
  };
  try {
    const stack = name ?? (await pulumi("stack", "--show-name")).trim();
    const [config, state] = await Promise.all([
      pulumi("config", "--show-secrets", "--json", "--stack", stack),
      pulumi("stack", "export", "--show-secrets", "--stack", stack),
    ]);
    const { deployment = {} } = JSON.parse(state) as { deployment?: Deployment };
    return parseStack(stack, JSON.parse(config) as Config, deployment);
  } catch (error) {
    const option = name === undefined ? "" : ` --stack ${name}`;
    const command = `pulumi stack export${option} > /dev/null`;
    const { stderr = "", code } = error as { stderr?: string; code?: unknown };
    const isMissing = code === "ENOENT";
    const reason = isMissing ? NO_CLI : CLI_ERRORS.find(([text]) => stderr.includes(text))?.[1];
    throw new CommandError(
      sentences(
        reason === undefined
          ? `The stack cannot be read. To see why, run "${command}".`
          : `The stack cannot be read: ${reason}`,
        "To check the environment variables alone, use --cwd with a folder outside any project.",
      ),
    );
  }
}

const NO_CLI = "the Pulumi CLI was not found. Install it, or add its folder to PATH.";

/**
 * Parts of the CLI's errors, and what we say. Its own text is not shown, because a backend URL may contain a
 * password.
 */
const CLI_ERRORS = [
  [
    "incorrect passphrase",
    "the passphrase is wrong. Correct PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
  ],
  [
    "passphrase must be set",
    "the passphrase is missing. Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
  ],
  ["no stack selected", 'no stack is selected. Run "pulumi stack select", or use --stack.'],
  [
    "PULUMI_ACCESS_TOKEN must be set",
    'you are not logged in. Run "pulumi login", or set PULUMI_BACKEND_URL or PULUMI_ACCESS_TOKEN.',
  ],
  ...["unable to open state directory", 'read ".pulumi/', "performing HTTP request"].map(
    (text) => [text, "the backend cannot be reached. Check PULUMI_BACKEND_URL and the network."] as const,
  ),
  ["no stack named", 'there is no such stack. To see those that exist, run "pulumi stack ls".'],
] as const;

/**
 * Combines what the CLI prints about a stack. Without a stack, there is one account, without configuration.
 */
export function parseStack(name = "", values: Config = {}, deployment: Deployment = {}): Stack {
  const config: ConfigSource = { get: (key) => values[key]?.value };
  const resources = (deployment.resources ?? []).filter((resource) => resource.delete !== true);
  const ours = resources.filter((resource) => isOf(resource, RESOURCES));
  const account = (provider: string | null, source: ConfigSource, unknown: readonly string[]): Account => {
    const name = accountName(source);
    const declared = declaredWebhooks(ours, name);
    return { name, provider, config: source, unknownSettings: unknown, declared };
  };
  const providers = resources
    .filter(({ type }) => /^pulumi:providers:(?:pulumi-nodejs|partners)$/.test(type))
    .map((resource) => {
      const inputs = withoutSecrets(resource.inputs ?? {});
      // The TypeScript class rejects unknown names itself, and stores others than those that the user wrote.
      const isNative = resource.type === "pulumi:providers:partners";
      return account(nameOf(resource), configSource(inputs), isNative ? unknownSettings(inputs) : []);
    })
    .filter((provider) => isExplicit(provider.config));
  const usesConfiguration =
    providers.length === 0 ||
    config.get("partners:baseUrl") !== undefined ||
    ours.some(({ outputs = {} }) => providers.every(({ name }) => name !== String(outputs["account"])));
  // In a project of this name, unknown keys are its own settings.
  const isOwnNamespace = resources.some(({ urn }) => urn.split("::")[1] === "partners");
  const unknownKeys = isOwnNamespace ? [] : Object.keys(values).filter(isUnknownKey);
  return {
    name,
    accounts: usesConfiguration ? [account(null, config, unknownKeys), ...providers] : providers,
    interruptedKeys: (deployment.pending_operations ?? [])
      // Of a run that was killed meanwhile. An update may rotate.
      .filter(({ type }) => type === "creating" || type === "updating")
      .filter(({ resource }) => isOf(resource, [PARTNER_API_KEY]))
      .map(({ resource }) => nameOf(resource)),
    // Also of a replaced resource: whoever has looked for its key must say so before it can be deleted.
    lostCreations: (deployment.resources ?? [])
      .filter((resource) => isOf(resource, [PARTNER_API_KEY]))
      .flatMap((resource) => {
        const at = resource.outputs?.["lostCreationAt"];
        return typeof at === "string" ? { resource: nameOf(resource), at } : [];
      }),
    plainSecrets: SECRET_SETTINGS.filter((setting) => {
      const { value, secret } = values[`partners:${setting}`] ?? {};
      return value !== undefined && secret !== true;
    }),
  };
}

/** Whether a resource is of one of these types, in either host. */
function isOf({ type }: StateResource, registrations: readonly Registration[]): boolean {
  return registrations.some((one) => type === one.type || type === one.nativeToken);
}

/** Returns everything after the third `::` of the URN, because a name may itself contain `::`. */
function nameOf({ urn }: StateResource): string {
  return urn.split("::").slice(3).join("::");
}

/** Replaces each secret with its value, which the state holds as JSON. */
function withoutSecrets(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(inputs).map(([name, value]) => {
    const plaintext = (value as { plaintext?: unknown } | null)?.plaintext;
    return [name, typeof plaintext === "string" ? (JSON.parse(plaintext) as unknown) : value];
  });
  return Object.fromEntries(members) as Record<string, unknown>;
}

function declaredWebhooks(resources: readonly StateResource[], account: string): Map<number, string[]> {
  const declared = new Map<number, string[]>();
  for (const resource of resources) {
    const { outputs = {} } = resource;
    if (outputs["account"] !== account) continue;
    // A fleet has initial states, which include the webhooks that `others` covers.
    const ids = "webhookId" in outputs ? [outputs["webhookId"]] : Object.keys(outputs["initialStates"] ?? {});
    for (const id of ids.map(Number)) declared.set(id, [...(declared.get(id) ?? []), nameOf(resource)]);
  }
  return declared;
}
