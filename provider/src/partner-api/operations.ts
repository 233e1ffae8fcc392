/** The five operations of the Partner API, by the names that logs use. */
export type Operation =
  "createApiKey" | "deleteApiKey" | "listWebhooks" | "activateWebhook" | "disableWebhook";

/**
 * How an operation behaves when it is repeated: a `create` creates a second object, so it is never repeated
 * blindly; a `read` changes nothing; a `change` is idempotent.
 */
export type OperationKind = "create" | "read" | "change";

interface OperationSpec {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path below {@link API_ROOT}, with a placeholder in place of a key, so that it is safe to print. */
  readonly template: string;
  readonly kind: OperationKind;
}

/** The start of every Partner API path, below the base URL. */
export const API_ROOT = "/api/v1/partners";

export const OPERATIONS: Readonly<Record<Operation, OperationSpec>> = {
  createApiKey: { method: "POST", template: "/api-key", kind: "create" },
  deleteApiKey: { method: "DELETE", template: "/api-key/{api_key}", kind: "change" },
  listWebhooks: { method: "GET", template: "/webhooks", kind: "read" },
  activateWebhook: { method: "PATCH", template: "/webhooks/{webhook_id}/active", kind: "change" },
  disableWebhook: { method: "PATCH", template: "/webhooks/{webhook_id}/disable", kind: "change" },
};

/** Whether a text can be an access token or an API key. Both go into headers: visible ASCII, no spaces. */
export function isVisibleAscii(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** Whether a text is a webhook ID in canonical form: `7`, but not `07` or `7.0`. */
export function isWebhookId(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Whether a value is a whole number that neither JavaScript nor Pulumi holds exactly. */
export function isTooLargeId(value: unknown): boolean {
  return /^\d{16,}$/.test(String(value)) && Number(value) > Number.MAX_SAFE_INTEGER;
}

/** The two states of a webhook. */
export type WebhookState = "active" | "disabled";

/** The operation that sets each state. */
export const STATE_OPERATION: Readonly<Record<WebhookState, Operation>> = {
  active: "activateWebhook",
  disabled: "disableWebhook",
};

export const STATES = Object.keys(STATE_OPERATION) as readonly WebhookState[];

/** Whether a value is a state. The placeholder in a preview is not. */
export function isState(value: unknown): value is WebhookState {
  return STATES.some((state) => state === value);
}

export function oppositeState(state: WebhookState): WebhookState {
  return state === "active" ? "disabled" : "active";
}
