import * as pulumi from "@pulumi/pulumi";

import { ACCOUNT_KEY, DEFAULT_ACCOUNT, SETTING_NAMES } from "../setting-names.js";
import { PARTNER_WEBHOOK_STATE } from "../registration.js";
import { logicalName, perRun, providerOf, type ProviderOptions } from "./run.js";

/** The names of all settings of stack configuration; a `Provider` has arguments of the same names. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

/**
 * Refuses arguments that cannot have been meant. TypeScript sees them; a JavaScript program would pass options instead of
 * arguments, `new PartnerApiKey("checkout", { provider })`, and get its key in the default account.
 *
 * @param resource What is created, as `PartnerApiKey "checkout"`.
 * @param args What the program gives.
 * @param known The names of all arguments.
 * @throws {pulumi.RunError} that names the argument, and the right place where it is an option.
 */
export function assertArguments(resource: string, args: unknown, known: readonly string[]): void {
  if (typeof args !== "object" || args === null) {
    throw new pulumi.RunError(`${resource} needs its arguments as an object: ${known.join(", ")}.`);
  }
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new pulumi.RunError(
    `${resource} has no argument ${unknown.map((name) => JSON.stringify(name)).join(", ")}. Its arguments are ${known.join(", ")}. ` +
      "Options such as provider go into the third argument of the constructor. Nothing was sent.",
  );
}

/** The accounts that providers name. */
const accounts = perRun(() => new Map<pulumi.ProviderResource, string>());
/** Who declares each webhook, by account or, where its provider names none, by provider. */
const declarations = perRun(() => new Map<string | pulumi.ProviderResource, Map<number, string>>());

/** Takes note of the account that a provider names, as far as it is known: two providers may be for the same one. */
export function rememberAccount(provider: pulumi.ProviderResource, account: unknown): void {
  if (typeof account === "string") accounts().set(provider, account);
}

/** Account or provider: what tells the webhooks of one account from those of another. */
function ownerOf(provider: pulumi.ProviderResource | undefined): string | pulumi.ProviderResource {
  if (provider) return accounts().get(provider) ?? provider;
  return pulumi.runtime.getConfig(ACCOUNT_KEY) || DEFAULT_ACCOUNT; // An empty one counts as not set.
}

/**
 * Takes note that a resource declares a webhook. Two that do would overwrite each other at every update; the handlers cannot
 * see it, as they are not told which resource they work for.
 *
 * @returns The id; if it is not known yet, one that fails, before the resource is registered, if it turns out to be declared.
 * @throws {pulumi.RunError} if another resource of this program declares the same webhook of the same account.
 */
export function declareOnce(
  webhookId: pulumi.Input<number>,
  name: string,
  options: ProviderOptions = {},
): pulumi.Input<number> {
  const provider = providerOf(PARTNER_WEBHOOK_STATE.type, options);
  const all = declarations();
  const owner = ownerOf(provider);
  const declared = all.get(owner) ?? new Map<number, string>();
  all.set(owner, declared);
  const place =
    typeof owner === "string" ? `in the account "${owner}"` : `through the provider "${logicalName(owner)}"`;
  // Two components may each have a resource of the same name, so parents are named as well.
  const path = options.parent ? `${logicalName(options.parent)}/${name}` : name;
  const declare = (id: number): number => {
    const other = declared.get(id);
    if (other !== undefined) throw declaredTwice(id, other, path, place);
    declared.set(id, path);
    return id;
  };
  return typeof webhookId === "number" ? declare(webhookId) : pulumi.output(webhookId).apply(declare);
}

function declaredTwice(webhookId: number, first: string, second: string, place: string): pulumi.RunError {
  return new pulumi.RunError(
    `Webhook ${webhookId} is declared twice, by PartnerWebhookState "${first}" and "${second}", both ${place}. ` +
      "The second was not applied. Remove one of the two, or correct its webhookId or its provider.",
  );
}

const NAMESPACE = "partners:";
const TOKEN = `${NAMESPACE}accessToken`;
/** Whether this run of a program has been warned. */
const notice = perRun(() => ({ given: false }));

/** Warns, once in a run, of stack configuration that has no effect, or that is stored in plain text and should not be. */
export function warnAboutStackSettings(): void {
  const warning = notice();
  if (warning.given) return;
  warning.given = true;
  if (pulumi.runtime.getConfig(TOKEN) !== undefined && !isSecret(TOKEN)) {
    void pulumi.log.warn(
      `${TOKEN} is stored in plain text. Run "pulumi config set --secret ${TOKEN}" and rotate the token.`,
    );
  }
  if (pulumi.getProject() === "partners") return; // There, names that we do not know are the project's own.
  for (const key of Object.keys(pulumi.runtime.allConfig())) {
    const problem = key.startsWith(NAMESPACE) ? whyUnused(key.slice(NAMESPACE.length)) : null;
    if (problem !== null) void pulumi.log.warn(problem);
  }
}

/** Why a setting of this name has no effect; `null` if it has. */
function whyUnused(name: string): string | null {
  if (SETTINGS.includes(name)) return null;
  const key = NAMESPACE + name;
  if (name.startsWith("responses."))
    return `"${key}" was set without --path, so it has no effect. Run "pulumi config set --path '${key}' VALUE", and "pulumi config rm '${key}'".`;
  const meant = SETTINGS.filter((known) => known.toLowerCase() === name.toLowerCase());
  const names = (meant.length > 0 ? meant : SETTINGS).map((known) => NAMESPACE + known).join(", ");
  const advice = meant.length > 0 ? `Did you mean ${names}?` : `Valid settings: ${names}.`;
  return `"${key}" is not a pulumi-partners setting, so it has no effect. ${advice}`;
}

/** The SDK exports this function but does not declare it; without it we cannot tell, and do not warn. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
