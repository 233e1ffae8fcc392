import { accountName, type ConfigSource } from "../handlers/settings.js";
import { configSource } from "../hosts/provider-inputs.js";
import {
  PARTNER_API_KEY,
  PARTNER_WEBHOOK_STATE,
  PARTNER_WEBHOOK_STATES,
  type Registration,
} from "../registration.js";
import { EXPLICIT_KEY } from "../setting-names.js";

/** An account that a stack uses. */
export interface Account {
  readonly name: string;
  /** The name of its `Provider`; `null` for the account of the stack configuration. */
  readonly provider: string | null;
  /** Its settings. Those of a `Provider` are the ones of the last `pulumi up`. */
  readonly config: ConfigSource;
  /** The names of the resources that declare each webhook, by webhook ID. */
  readonly declared: ReadonlyMap<number, readonly string[]>;
}

/** The parts of a state that the doctor reads. */
export interface StackState {
  /** The account of the stack configuration, unless every resource uses a `Provider`; then the account of each `Provider`. */
  readonly accounts: readonly Account[];
  /** The names of the keys whose creation or rotation was interrupted. */
  readonly interruptedKeys: readonly string[];
}

/** What `pulumi stack export --show-secrets` prints, as far as the doctor reads it. */
export interface Deployment {
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

/** Reads a state. @param config The stack configuration. */
export function readState(deployment: Deployment, config: ConfigSource): StackState {
  const resources = (deployment.resources ?? []).filter((resource) => resource.delete !== true);
  const ours = resources.filter((resource) =>
    isOf(resource, PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES),
  );
  const account = (provider: string | null, source: ConfigSource): Account => {
    const name = accountName(source);
    return { name, provider, config: source, declared: declaredWebhooks(ours, name) };
  };
  const providers = resources.flatMap((resource) => {
    const source = configSource(withoutSecrets(resource.inputs ?? {}));
    return isProvider(resource) && source.get(EXPLICIT_KEY) === "true"
      ? [account(nameOf(resource), source)]
      : [];
  });
  const names = providers.map(({ name }) => name);
  const usesConfiguration =
    ["baseUrl", "accessToken"].some((name) => config.get(`partners:${name}`)) ||
    ours.some(({ outputs = {} }) => "account" in outputs && !names.includes(String(outputs["account"])));
  return {
    accounts: providers.length === 0 || usesConfiguration ? [account(null, config), ...providers] : providers,
    interruptedKeys: (deployment.pending_operations ?? [])
      .filter(({ type }) => type === "creating" || type === "updating")
      .filter(({ resource }) => isOf(resource, PARTNER_API_KEY))
      .map(({ resource }) => nameOf(resource)),
  };
}

function isProvider({ type }: StateResource): boolean {
  return type === "pulumi:providers:pulumi-nodejs" || type === "pulumi:providers:partners";
}

/** Whether a resource is of one of these types, in either host. */
function isOf({ type }: StateResource, ...registrations: readonly Registration[]): boolean {
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
    if (resource.outputs?.["account"] !== account) continue;
    for (const webhookId of managedWebhooks(resource))
      declared.set(webhookId, [...(declared.get(webhookId) ?? []), nameOf(resource)]);
  }
  return declared;
}

/** Returns the webhooks that a resource manages, including those that `others` of a fleet covers. */
function managedWebhooks(resource: StateResource): number[] {
  const { outputs = {} } = resource;
  if (isOf(resource, PARTNER_WEBHOOK_STATE)) return [Number(outputs["webhookId"])];
  return Object.keys(outputs["initialStates"] ?? {}).map(Number); // Only a fleet has this output.
}
