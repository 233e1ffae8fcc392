/**
 * What the engine's plugin process loads, by the strings in resources/registration.ts. The path of this module and the
 * names it exports are written into users' state, so they are frozen; everything else about it is internal.
 *
 * @internal
 */
import { atBoundary } from "./boundary.js";
import { watchLifetime } from "./lifetime.js";
import { partnerApiKey as apiKeyHandlers } from "./partner-api-key.js";
import { partnerWebhookState as webhookStateHandlers } from "./partner-webhook-state.js";
import { partnerWebhooks as webhooksHandlers } from "./partner-webhooks.js";

watchLifetime();

/** The dynamic provider of `PartnerApiKey`. */
export const partnerApiKey = atBoundary(apiKeyHandlers);

/** The dynamic provider of `PartnerWebhookState`. */
export const partnerWebhookState = atBoundary(webhookStateHandlers);

/** The dynamic provider behind `getPartnerWebhooks`. */
export const partnerWebhooks = atBoundary(webhooksHandlers);
