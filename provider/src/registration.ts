/**
 * How a resource registers with the engine. All parts are written into users' states and programs, so they change only with a
 * major version; a unit test freezes them.
 */
export type Registration = ReturnType<typeof registration>;

export const PARTNER_API_KEY = registration("PartnerApiKey", "partnerApiKey");
export const PARTNER_WEBHOOK_STATE = registration("PartnerWebhookState", "partnerWebhookState");
export const PARTNER_WEBHOOK_STATES = registration("PartnerWebhookStates", "partnerWebhookStates");
export const PARTNER_WEBHOOKS = registration("PartnerWebhooks", "partnerWebhooks", "getPartnerWebhooks");

function registration(name: string, handlers: string, nativeName = name) {
  return {
    /** The type token. The engine sends types that begin with `pulumi-nodejs:dynamic` to the dynamic-provider host of the SDK. */
    type: `pulumi-nodejs:dynamic/partners:${name}`,
    /** The type token, or the function, of the native plugin. */
    nativeToken: `partners:index:${nativeName}`,
    /**
     * CommonJS source that the host evaluates to get the handlers. `dynamic.Resource` serializes a closure instead; with a fixed
     * string, the state holds no code, path or secret, and old resources are deleted by the installed version.
     */
    __provider: `exports.handler=()=>require("pulumi-partners/plugin").${handlers}`,
  };
}

/** The secret outputs of `PartnerApiKey`. `internal` holds the responses to earlier creations. */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "internal"];

/** The settings of an account: `partners:` keys in stack configuration, and arguments of a `Provider`. */
export const SETTING_NAMES = [
  "baseUrl",
  "previousBaseUrl",
  "accessToken",
  "requestTimeout",
  "operationTimeout",
  "maxConnections",
  "requestsPerSecond",
  "responses",
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];

/** Everything that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

export const ACCOUNT_KEY = "partners:account";

/** The name of the stack configuration's account if {@link ACCOUNT_KEY} is not set. */
export const DEFAULT_ACCOUNT = "default";

/** The configuration key that marks the settings as the arguments of a `Provider`. */
export const EXPLICIT_KEY = "partners:explicit";

/** Whether a key of stack configuration is meant for this provider, but is not one of its settings. */
export function isUnknownKey(key: string): boolean {
  return key.startsWith(NAMESPACE) && !SETTINGS.includes(key.slice(NAMESPACE.length));
}

const NAMESPACE = "partners:";

/** Returns a warning about a setting that does not exist. @param key The setting, as the user knows it. */
export function unknownSettingText(key: string): string {
  const path = key.includes(".") ? " To set a part of responses, use pulumi config set --path." : "";
  return `"${key}" is not a pulumi-partners setting, so it has no effect. Valid settings: ${SETTINGS.join(", ")}.${path}`;
}
