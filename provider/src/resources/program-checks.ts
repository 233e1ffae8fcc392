import * as pulumi from "@pulumi/pulumi";

import { ACCOUNT_KEY, DEFAULT_ACCOUNT, SETTINGS, unknownSettingText } from "../setting-names.js";
import { declareWebhooks, type DeclaredWebhook } from "../webhook-declarations.js";
import { logicalName, perRun, providerOf, type ProviderOptions } from "./run.js";

/**
 * Rejects unknown arguments. TypeScript reports them, but a JavaScript program could pass options instead of arguments, as in
 * `new PartnerApiKey("checkout", { provider })`, and create the key in the default account.
 *
 * @param resource The class and name for the message, such as `PartnerApiKey "checkout"`.
 * @param args The arguments that the program passes.
 * @param known The names of all valid arguments.
 * @throws {pulumi.RunError} if there is an unknown argument.
 */
export function assertArguments(resource: string, args: unknown, known: readonly string[]): void {
  if (typeof args !== "object" || args === null) {
    throw new pulumi.RunError(`${resource} needs its arguments as an object: ${known.join(", ")}.`);
  }
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(", ");
  const options = known.includes("provider")
    ? ""
    : " Pass resource options, such as provider, as the last argument.";
  throw new pulumi.RunError(
    `${resource} has no argument ${names}. Valid arguments: ${known.join(", ")}.${options}`,
  );
}

/** The account names of providers. */
const accounts = perRun(() => new Map<pulumi.ProviderResource, string>());

/** Remembers the account name of a provider, if it is known: two providers may use the same account. */
export function rememberAccount(provider: pulumi.ProviderResource, account: unknown): void {
  if (typeof account === "string") accounts().set(provider, account);
}

/** A resource that declares webhooks. */
export interface Declarer {
  /** The class and name for messages, such as `PartnerWebhookState "orders"`. */
  readonly resource: string;
  readonly type: string;
  readonly options: ProviderOptions | undefined;
}

/** The declared webhooks by account name, or by provider if the account name is not known yet. */
const declarations = perRun(() => new Map<unknown, Map<DeclaredWebhook, Declarer>>());

/**
 * Records the webhooks that a resource declares. Two resources with the same webhook would overwrite each other in every update. The
 * handlers detect this only within one provider, because two providers of the same account have separate processes.
 *
 * @param given The argument that lists the webhooks.
 * @param webhooksOf Extracts the webhooks from the argument.
 * @returns The argument. If its value is a promise or an output, the check runs once it is known, before the resource is registered.
 * @throws {pulumi.RunError} if another resource of this program declares the same webhook of the same account.
 */
export function declareOnce<Given>(
  given: pulumi.Input<Given>,
  webhooksOf: (given: Given) => readonly DeclaredWebhook[],
  declarer: Declarer,
): pulumi.Input<Given> {
  const { key, text } = accountOf(declarer);
  const declared = declarations().get(key) ?? new Map<DeclaredWebhook, Declarer>();
  declarations().set(key, declared);
  const declare = (value: Given): Given => {
    const conflict = declareWebhooks(declared, webhooksOf(value), declarer);
    if (conflict) throw declaredTwice(conflict.webhook, conflict.owner, declarer, text);
    return value;
  };
  const isLater = pulumi.Output.isInstance(given) || given instanceof Promise;
  return isLater ? pulumi.output(given).apply((value) => declare(value as Given)) : declare(given);
}

/** Returns the account that a resource will belong to. */
function accountOf({ type, options = {} }: Declarer): { readonly key: unknown; readonly text: string } {
  const provider = providerOf(type, options);
  const account = provider
    ? accounts().get(provider)
    : pulumi.runtime.getConfig(ACCOUNT_KEY) || DEFAULT_ACCOUNT;
  if (account !== undefined) return { key: account, text: `in the account ${JSON.stringify(account)}` };
  return { key: provider, text: `through the provider "${provider ? logicalName(provider) : ""}"` };
}

function declaredTwice(
  webhook: DeclaredWebhook,
  one: Declarer,
  other: Declarer,
  account: string,
): pulumi.RunError {
  const subject = webhook === "others" ? "others covers every webhook, so some are" : `Webhook ${webhook} is`;
  return new pulumi.RunError(
    `${subject} declared twice, by ${nameOf(one)} and ${nameOf(other)}, both ${account}. ` +
      "The second was not applied. Remove one of the two, or correct its webhooks or its provider.",
  );
}

/** Includes the parent, because two components may each have a resource of the same name. */
function nameOf({ resource, options }: Declarer): string {
  const parent = options?.parent && logicalName(options.parent);
  return parent === undefined ? resource : resource.replace('"', () => `"${parent}/`);
}

const NAMESPACE = "partners:";
const TOKEN = `${NAMESPACE}accessToken`;
/** Whether the current run has checked its stack configuration. */
const check = perRun(() => ({ isDone: false }));

/** Warns, once per run, about stack configuration that has no effect, and about a token in plain text. */
export function warnAboutStackSettings(): void {
  const current = check();
  if (current.isDone) return;
  current.isDone = true;
  if (pulumi.runtime.getConfig(TOKEN) !== undefined && !isSecret(TOKEN)) {
    void pulumi.log.warn(
      `${TOKEN} is stored in plain text. Run "pulumi config set --secret ${TOKEN}" and rotate the token.`,
    );
  }
  if (pulumi.getProject() === "partners") return; // In such a project, unknown names are its own settings.
  for (const key of Object.keys(pulumi.runtime.allConfig())) {
    const problem = key.startsWith(NAMESPACE) ? whyUnused(key.slice(NAMESPACE.length)) : null;
    if (problem !== null) void pulumi.log.warn(problem);
  }
}

/** Explains why a setting has no effect; returns `null` if it has an effect. */
function whyUnused(name: string): string | null {
  if (SETTINGS.includes(name)) return null;
  const key = NAMESPACE + name;
  if (name.startsWith("responses."))
    return `"${key}" was set without --path, so it has no effect. Run "pulumi config set --path '${key}' VALUE", and "pulumi config rm '${key}'".`;
  return unknownSettingText(key);
}

/** Whether a key is secret. The SDK exports `isConfigSecret` but does not declare it; without it, there is no warning. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
