export {
  getPartnerWebhooks,
  getPartnerWebhooksOutput,
  type GetPartnerWebhooksResult,
} from "./resources/get-partner-webhooks.js";
export { PartnerApiKey, type PartnerApiKeyArgs, type RotationArgs } from "./resources/partner-api-key.js";
export { PartnerWebhookState, type PartnerWebhookStateArgs } from "./resources/partner-webhook-state.js";
export { PartnerWebhookStates, type PartnerWebhookStatesArgs } from "./resources/partner-webhook-states.js";
export { Provider, type ProviderArgs } from "./resources/provider.js";
export type { KeyResponse, OtherWebhooks, PartnerWebhook, StateOnDestroy } from "./registration.js";
export type { WebhookState } from "./partner-api/operations.js";
export type { JsonScalar } from "./bodies/json.js";
export type { ResponseMapping } from "./bodies/response-mapping.js";
