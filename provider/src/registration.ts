import type { WebhookState } from "./api/operations.js";

/**
 * How a resource registers with the engine. All parts are written into users' states and programs, so they
 * change only with a major version; a unit test freezes them.
 */
export interface Registration<Handlers extends string = string> {
  /**
   * The type token. The engine sends types that begin with `pulumi-nodejs:dynamic` to the dynamic-provider
   * host of the SDK.
   */
  readonly type: string;
  /** The type token, or the function, of the native plugin. */
  readonly nativeToken: string;
  /**
   * CommonJS source that the host evaluates to get the handlers. `dynamic.Resource` serializes a closure
   * instead; with a fixed string, the state holds no code, path or secret, and old resources are deleted by
   * the installed version.
   */
  readonly __provider: string;
  /** The name of the handlers, and of the export of `pulumi-partners/plugin`. */
  readonly handlers: Handlers;
  /** The names of the arguments. */
  readonly inputs: readonly string[];
}

export const PARTNER_API_KEY = registration("PartnerApiKey", "partnerApiKey", ["rotation"]);
export const PARTNER_WEBHOOK_STATE = registration("PartnerWebhookState", "partnerWebhookState", [
  "webhookId",
  "state",
  "stateOnDestroy",
]);
export const PARTNER_WEBHOOK_STATES = registration("PartnerWebhookStates", "partnerWebhookStates", [
  "states",
  "others",
  "stateOnDestroy",
]);
export const PARTNER_WEBHOOKS = registration("PartnerWebhooks", "partnerWebhooks", [], "getPartnerWebhooks");

/** A function of the native plugin. */
export interface FunctionRegistration<Name extends string = string> {
  readonly nativeToken: string;
  /** The name of what performs it. */
  readonly handlers: Name;
  /** The names of the arguments. */
  readonly inputs: readonly string[];
}

/** In the form for dynamic resources, the program searches what {@link PARTNER_WEBHOOKS} reads. */
export const PARTNER_WEBHOOK: FunctionRegistration<"partnerWebhook"> = {
  nativeToken: "partners:index:getPartnerWebhook",
  handlers: "partnerWebhook",
  inputs: ["url", "name"],
};

/**
 * What happens to a webhook that is no longer managed: `"leave"` keeps its current state, `"restore"` sets
 * the state in which it was first found, and `"active"` or `"disabled"` sets that state.
 */
export type StateOnDestroy = "leave" | "restore" | WebhookState;

/**
 * What happens to webhooks that the program does not name: `"leave"` keeps their states, and `"active"` or
 * `"disabled"` sets that state.
 */
export type OtherWebhooks = "leave" | WebhookState;

/** The resources that a program declares. */
export const RESOURCES = [PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES] as const;

/** The functions that a program calls. */
export const FUNCTIONS: readonly FunctionRegistration<"partnerWebhooks" | "partnerWebhook">[] = [
  PARTNER_WEBHOOKS,
  PARTNER_WEBHOOK,
];

function registration<Handlers extends string>(
  name: string,
  handlers: Handlers,
  inputs: readonly string[],
  nativeName = name,
): Registration<Handlers> {
  return {
    type: `pulumi-nodejs:dynamic/partners:${name}`,
    nativeToken: `partners:index:${nativeName}`,
    __provider: `exports.handler=()=>require("pulumi-partners/plugin").${handlers}`,
    handlers,
    inputs,
  };
}

/** The secret outputs of `PartnerApiKey`. `internal` holds the responses to earlier creations. */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "internal"];

/** The settings of an account: `partners:` keys in stack configuration, and arguments of a `Provider`. */
export const SETTING_NAMES = [
  "baseUrl",
  "previousBaseUrl",
  "allowTokenOverPlainHttp",
  "accessToken",
  "headers",
  "requestTimeout",
  "operationTimeout",
  "maxConnections",
  "requestsPerSecond",
  "refreshBeforeUpdate",
  "readWebhooks",
  "responses",
] as const;

/** The settings whose values are secret. */
export const SECRET_SETTINGS = ["accessToken", "headers"] as const satisfies readonly SettingName[];

export type SettingName = (typeof SETTING_NAMES)[number];

/** Everything that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

export const ACCOUNT_KEY = "partners:account";

/** The name of the stack configuration's account if {@link ACCOUNT_KEY} is not set. */
export const DEFAULT_ACCOUNT = "default";

/**
 * Returns the name of an account as text: languages without types pass a number as it is. `null` if it is not
 * set, as is an empty name.
 *
 * @throws {TypeError} for anything else.
 */
export function accountText(account: unknown): string | null {
  if (account == null || account === "") return null;
  if (typeof account === "number") return String(account);
  if (typeof account === "string") return account;
  throw new TypeError("account must be text.");
}

/** What is wrong with an access token that is not text: as a number, it may have lost its last digits. */
export const NUMERIC_TOKEN = "accessToken must be text: quote it.";

/** The configuration key that marks the settings as the arguments of a `Provider`. */
export const EXPLICIT_KEY = "partners:explicit";

/** The environment variable that names keys which a person has found to be gone. */
export const GONE_KEYS = "PARTNERS_GONE_KEYS";

/** Whether a key of stack configuration is meant for this provider, but is not one of its settings. */
export function isUnknownKey(key: string): boolean {
  return key.startsWith(NAMESPACE) && !SETTINGS.includes(key.slice(NAMESPACE.length));
}

const NAMESPACE = "partners:";

/** Returns a warning about a secret in stack configuration that is not encrypted. */
export function plainSecretText(name: (typeof SECRET_SETTINGS)[number]): string {
  const remedy = name === "accessToken" ? "rotate the token" : "replace the values at the gateway";
  const key = `partners:${name}`;
  return `${key} is stored in plain text. Run "pulumi config set --secret ${key}" and ${remedy}.`;
}

/** Returns a warning about a setting that does not exist. @param key The setting, as the user knows it. */
export function unknownSettingText(key: string): string {
  const path = key.includes(".") ? " To set a part of responses, use pulumi config set --path." : "";
  const valid = `Valid settings: ${SETTINGS.join(", ")}.`;
  return `"${key}" is not a pulumi-partners setting, so it has no effect. ${valid}${path}`;
}
