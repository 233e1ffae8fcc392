import { ResourceError } from "../api/errors.js";

/** Ids that an error lists at the most. */
const LISTED_IDS = 20;

/** For a webhook that does not exist. @param existing The ids of those that do. */
export function noSuchWebhook(webhookId: number, existing: readonly number[]): ResourceError {
  const ids = existing.slice(0, LISTED_IDS).join(", ");
  const more = existing.length > LISTED_IDS ? `, and ${existing.length - LISTED_IDS} more` : "";
  const others = ids === "" ? "The account has no webhooks." : `Webhooks that exist: ${ids}${more}.`;
  return new ResourceError({
    operation: null,
    subject: `webhook ${webhookId}`,
    happened: "it does not exist in this account. Nothing was changed on the server",
    effect: "none",
    remedy: `${others} Correct webhookId, or create the webhook at the service: this provider cannot.`,
  });
}

/**
 * For a list that has further pages.
 *
 * @param further What follows from that for the subject, and
 * @param consequence what for the user.
 */
export function incomplete(subject: string, further: string, consequence: string): ResourceError {
  return new ResourceError({
    operation: "listWebhooks",
    subject,
    happened: `the list shows signs of further pages${further}`,
    effect: "none",
    remedy: `The Partner API has no paging, so the rest cannot be read; ${consequence}.`,
  });
}
