import * as pulumi from "@pulumi/pulumi";

import { ACCOUNT_KEY, DEFAULT_ACCOUNT, SETTINGS } from "../setting-names.js";
import { logicalName, perRun, providerOf, type ProviderOptions } from "./run.js";

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
      "Pass resource options such as provider as the last argument. Nothing was sent.",
  );
}

/** The accounts that providers name. */
const accounts = perRun(() => new Map<pulumi.ProviderResource, string>());

/** Takes note of the account that a provider names, as far as it is known: two providers may be for the same one. */
export function rememberAccount(provider: pulumi.ProviderResource, account: unknown): void {
  if (typeof account === "string") accounts().set(provider, account);
}

/** A webhook by its id, or all that no resource names. */
export type DeclaredWebhook = number | "others";

/** A resource that declares webhooks. */
export interface Declarer {
  /** Its class and its name, as `PartnerWebhookState "orders"`. */
  readonly resource: string;
  readonly type: string;
  readonly options: ProviderOptions | undefined;
}

/** By the names of accounts, or by their providers where the names are not known yet. */
const declarations = perRun(() => new Map<unknown, Map<DeclaredWebhook, Declarer>>());

/**
 * Takes note of the webhooks that a resource declares. Two that declare one would overwrite each other at every update; the
 * handlers cannot see it, as the dynamic host does not tell them which resource they work for.
 *
 * @param given The argument that says which webhooks.
 * @param webhooksOf What it says.
 * @returns The argument; if it is not known yet, one that fails, before the resource is registered, if it turns out to be declared.
 * @throws {pulumi.RunError} if another resource of this program declares the same webhooks of the same account.
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
    for (const webhook of webhooksOf(value)) {
      const rivals = webhook === "others" ? [...declared.keys()] : ([webhook, "others"] as const);
      for (const rival of rivals) {
        const other = declared.get(rival);
        if (other && other !== declarer)
          throw declaredTwice(webhook === rival ? webhook : "others", other, declarer, text);
      }
      declared.set(webhook, declarer);
    }
    return value;
  };
  const isLater = pulumi.Output.isInstance(given) || given instanceof Promise;
  return isLater ? pulumi.output(given).apply((value) => declare(value as Given)) : declare(given);
}

/** The account that a resource will belong to. */
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
  const what = webhook === "others" ? "others covers every webhook, so some are" : `Webhook ${webhook} is`;
  return new pulumi.RunError(
    `${what} declared twice, by ${nameOf(one)} and ${nameOf(other)}, both ${account}. ` +
      "The second was not applied. Remove one of the two, or correct its webhooks or its provider.",
  );
}

/** Two components may each have a resource of the same name, so parents are named as well. */
function nameOf({ resource, options }: Declarer): string {
  const parent = options?.parent && logicalName(options.parent);
  return parent === undefined ? resource : resource.replace('"', () => `"${parent}/`);
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
  return `"${key}" is not a pulumi-partners setting, so it has no effect. Valid settings: ${SETTINGS.join(", ")}.`;
}

/** The SDK exports this function but does not declare it; without it we cannot tell, and do not warn. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
