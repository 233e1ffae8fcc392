/**
 * How a resource registers with the engine. All parts are written into users' states and programs, so they change only with a
 * major version; a unit test freezes them.
 */
export interface Registration {
  /** The type token. The engine sends types that begin with `pulumi-nodejs:dynamic` to the dynamic-provider host of the SDK. */
  readonly type: string;
  /** The type token, or the function, of the native plugin. */
  readonly nativeToken: string;
  /**
   * CommonJS source that the host evaluates to get the handlers. `dynamic.Resource` serializes a closure instead; with a fixed
   * string, the state holds no code, path or secret, and old resources are deleted by the installed version.
   */
  readonly __provider: string;
}

/** See {@link Registration}. */
export const PARTNER_API_KEY = registration("PartnerApiKey", "partnerApiKey");
/** See {@link Registration}. */
export const PARTNER_WEBHOOK_STATE = registration("PartnerWebhookState", "partnerWebhookState");
/** See {@link Registration}. */
export const PARTNER_WEBHOOK_STATES = registration("PartnerWebhookStates", "partnerWebhookStates");
/** See {@link Registration}. */
export const PARTNER_WEBHOOKS = registration("PartnerWebhooks", "partnerWebhooks", "getPartnerWebhooks");

function registration(name: string, handlers: string, nativeName = name): Registration {
  return {
    type: `pulumi-nodejs:dynamic/partners:${name}`,
    nativeToken: `partners:index:${nativeName}`,
    __provider: `exports.handler=()=>require("pulumi-partners/plugin").${handlers}`,
  };
}

/** The secret outputs of `PartnerApiKey`. `internal` holds the responses to earlier creations. */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "internal"];
