/**
 * How the resources register with the engine. Both parts are written into users' state, so they change only with a major
 * version; a golden test holds them.
 */
export interface Registration {
  /** The type token. The engine sends types that begin with `pulumi-nodejs:dynamic` to the dynamic-provider host of the SDK. */
  readonly type: string;
  /**
   * CommonJS source that the host evaluates to get the handlers. Fixed, unlike the closure that `dynamic.Resource` serializes:
   * no code, no path and no secret gets into the state, and today's code deletes old resources.
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
export const PARTNER_WEBHOOKS = registration("PartnerWebhooks", "partnerWebhooks");

function registration(name: string, handlers: string): Registration {
  return {
    type: `pulumi-nodejs:dynamic/partners:${name}`,
    __provider: `exports.handler=()=>require("pulumi-partners/plugin").${handlers}`,
  };
}

/** The outputs of `PartnerApiKey` that are secret in state. `internal` holds the responses to earlier creations. */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "internal"];
