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
export const PARTNER_API_KEY: Registration = {
  type: "pulumi-nodejs:dynamic/partners:PartnerApiKey",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerApiKey',
};

/** See {@link Registration}. */
export const PARTNER_WEBHOOK_STATE: Registration = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhookState",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookState',
};

/** See {@link Registration}. */
export const PARTNER_WEBHOOK_STATES: Registration = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhookStates",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookStates',
};

/** See {@link Registration}. */
export const PARTNER_WEBHOOKS: Registration = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhooks",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhooks',
};

/** The outputs of `PartnerApiKey` that are secret in state. `internal` holds the responses to earlier creations. */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "internal"];
