import type { Operation, WebhookState } from "../api/operations.js";
import type { Account } from "./account.js";
import { json, type Answer } from "./answer.js";
import type { Shape } from "./shapes.js";

/** What an operation did and what it answers. */
export interface Outcome {
  /** The answer. */
  readonly answer: Answer;
  /** Whether the account was changed. */
  readonly effect: boolean;
}

/** What decides how the operations behave. */
export interface PartnerApi {
  /** Where the effects happen. */
  readonly account: Account;
  /** What the bodies look like. */
  readonly shape: Shape;
  /** Whether a second key is refused with 409. */
  readonly oneKeyAtATime: boolean;
}

/** Performs an operation for a caller who has shown the access token. */
export function perform(api: PartnerApi, operation: Operation, parameter: string): Outcome {
  switch (operation) {
    case "createApiKey":
      return createApiKey(api);
    case "deleteApiKey":
      return api.account.deleteKey(api.shape.deleteBy ?? "key", parameter)
        ? { answer: json(200, { success: true }), effect: true }
        : unchanged(404, "no such API key");
    case "listWebhooks":
      return { answer: json(200, api.shape.webhooks(api.account.webhooks)), effect: false };
    case "activateWebhook":
      return setState(api.account, parameter, "active");
    case "disableWebhook":
      return setState(api.account, parameter, "disabled");
  }
}

function createApiKey({ account, shape, oneKeyAtATime }: PartnerApi): Outcome {
  if (oneKeyAtATime && account.keys.length > 0) return unchanged(409, "an API key exists already");
  return { answer: json(201, shape.apiKey(account.createKey())), effect: true };
}

function setState(account: Account, parameter: string, state: WebhookState): Outcome {
  const webhookId = /^\d+$/.test(parameter) ? Number(parameter) : NaN;
  if (!account.hasWebhook(webhookId)) return unchanged(404, "no such webhook");
  return { answer: json(200, { success: true }), effect: account.setWebhookState(webhookId, state) };
}

function unchanged(status: number, error: string): Outcome {
  return { answer: json(status, { error }), effect: false };
}
