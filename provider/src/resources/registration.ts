/**
 * How the resources register with the engine. Both parts are written into users' state, so they change only with a major
 * version; a golden test holds them.
 */
export interface Registration {
  /** The type token. The engine sends what begins with `pulumi-nodejs:dynamic` to the dynamic-provider host of the SDK. */
  readonly type: string;
  /**
   * CommonJS source that the host evaluates to get the handlers. Fixed, unlike what `dynamic.Resource` makes of a closure:
   * no code, no path and no secret gets into the state, and old resources are deleted by the code of today.
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
export const PARTNER_WEBHOOKS: Registration = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhooks",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhooks',
};
