export {
  getPartnerWebhook,
  getPartnerWebhookOutput,
  type GetPartnerWebhookArgs,
  type GetPartnerWebhookOutputArgs,
  type GetPartnerWebhookResult,
} from "./resources/get-partner-webhook.js";
export {
  getPartnerWebhooks,
  getPartnerWebhooksOutput,
  type GetPartnerWebhooksResult,
  type PartnerWebhook,
} from "./resources/get-partner-webhooks.js";
export { PartnerApiKey, type PartnerApiKeyArgs, type RotationArgs } from "./resources/partner-api-key.js";
export type { KeyResponse } from "./responses/creation-reader.js";
export { PartnerWebhookState, type PartnerWebhookStateArgs } from "./resources/partner-webhook-state.js";
export { PartnerWebhookStates, type PartnerWebhookStatesArgs } from "./resources/partner-webhook-states.js";
export type { OtherWebhooks, StateOnDestroy } from "./registration.js";
export { Provider, type ProviderArgs } from "./resources/provider.js";
export type { WebhookState } from "./api/operations.js";
export type { JsonScalar } from "./json.js";
export type { ResponseMapping } from "./responses/mapping.js";
