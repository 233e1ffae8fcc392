import { ACCOUNT_KEY } from "../account-name.js";
import { EXPLICIT_KEY, type ConfigSource } from "../plugin/setting-lookup.js";
import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE } from "../resources/registration.js";
import { CommandError } from "./command.js";
import { fields, type Fields } from "./fields.js";
import type { Project } from "./project.js";
import { pulumiJson, stackFlags } from "./pulumi-cli.js";

/** A resource of ours in the state of a stack. */
export interface StackResource {
  readonly kind: "apiKey" | "webhookState";
  /** What the program calls it. */
  readonly name: string;
  readonly urn: string;
  /** The account it belongs to; `null` for resources from before accounts had names. */
  readonly account: string | null;
  /** What the program calls its `Provider`; `null` for the default one. */
  readonly provider: string | null;
  /** `null` for a key, and where the id is a secret of the program. */
  readonly webhookId: number | null;
  /** Tells keys apart; `null` for a webhook, and for keys too short to have one. */
  readonly fingerprint: string | null;
  /** Whether it holds a second key, which it deletes later and of which nothing else is known. */
  readonly hasPreviousKey: boolean;
}

/** Our resources in the state of a stack. */
export interface StackResources {
  readonly resources: readonly StackResource[];
  /** Those that a replacement has left over, and that the next `pulumi up` deletes. */
  readonly leaving: readonly StackResource[];
}

/**
 * Lists our resources in the state of a stack. Secrets stay encrypted.
 *
 * @throws {CommandError}
 */
export async function stackResources(project: Project, stack?: string): Promise<StackResources> {
  const all = await exportResources(project, stackFlags(stack));
  const explicit = new Set(
    all.filter(({ inputs }) => fields(inputs)[EXPLICIT_KEY] === "true").map(({ urn }) => urn),
  );
  const ours = (some: readonly Fields[]): StackResource[] =>
    some.flatMap((resource) => toResource(resource, explicit) ?? []);
  return {
    resources: ours(all.filter((resource) => resource["delete"] !== true)),
    leaving: ours(all.filter((resource) => resource["delete"] === true)),
  };
}

/** @param explicit The URNs of the providers of the program. @returns `null` for a resource that is not ours. */
function toResource(resource: Fields, explicit: ReadonlySet<unknown>): StackResource | null {
  const kind = kindOf(resource["type"]);
  const { urn } = resource;
  if (kind === null || typeof urn !== "string") return null;
  const { account, webhookId, fingerprint, previousApiKey } = fields(resource["outputs"]);
  // A reference to a provider is its URN and its id.
  const provider = String(resource["provider"]).replace(/::[^:]*$/, "");
  return {
    kind,
    name: lastPart(urn),
    urn,
    account: typeof account === "string" ? account : null,
    provider: explicit.has(provider) ? lastPart(provider) : null,
    webhookId: typeof webhookId === "number" ? webhookId : null,
    fingerprint: typeof fingerprint === "string" ? fingerprint : null,
    hasPreviousKey: (previousApiKey ?? null) !== null,
  };
}

/** Those of some resources that belong to the account of stack configuration. From before accounts had names, they have none. */
export function ofDefaultAccount(resources: readonly StackResource[], account: string): StackResource[] {
  return resources.filter((one) => one.provider === null && (one.account ?? account) === account);
}

/**
 * Reads the settings of a `Provider` of the program as the last `pulumi up` left them in the state, decrypted.
 *
 * @param account The name of its account.
 * @returns `null` if the state has no such provider.
 * @throws {CommandError}
 */
export async function providerConfig(
  project: Project,
  stack: string | undefined,
  account: string,
): Promise<ConfigSource | null> {
  const all = await exportResources(project, ["--show-secrets", ...stackFlags(stack)]);
  const found = all
    .filter((resource) => resource["delete"] !== true)
    .map((resource) => fields(resource["inputs"]))
    .find((inputs) => inputs[EXPLICIT_KEY] === "true" && inputs[ACCOUNT_KEY] === account);
  return found === undefined ? null : { get: (key) => plainText(found[key]) };
}

async function exportResources(project: Project, flags: readonly string[]): Promise<Fields[]> {
  const exported = fields(await pulumiJson(["stack", "export", ...flags], project.root));
  const listed = fields(exported["deployment"])["resources"] ?? [];
  if (Array.isArray(listed)) return listed.map(fields);
  throw new CommandError("The state of the stack cannot be read: update this package.");
}

/** A string of the state; the CLI shows a secret one as an object that has it in JSON. */
function plainText(value: unknown): string | undefined {
  const { plaintext } = fields(value);
  const plain: unknown = typeof plaintext === "string" ? JSON.parse(plaintext) : value;
  return typeof plain === "string" ? plain : undefined;
}

function kindOf(type: unknown): StackResource["kind"] | null {
  if (type === PARTNER_API_KEY.type) return "apiKey";
  return type === PARTNER_WEBHOOK_STATE.type ? "webhookState" : null;
}

/** The name in a URN: all behind the fourth `::`, as a name may contain one too. */
function lastPart(urn: string): string {
  return urn.split("::").slice(3).join("::");
}
