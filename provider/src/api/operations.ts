/** The five operations of the Partner API, by the names used in logs. */
export type Operation =
  "createApiKey" | "deleteApiKey" | "listWebhooks" | "activateWebhook" | "disableWebhook";

/** The HTTP methods that the Partner API uses. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * What repeating an operation does: a `create` makes a second object, so it is never repeated blindly; a `read` changes
 * nothing; a `change` leads to the same result again.
 */
export type OperationKind = "create" | "read" | "change";

/** All that the layers need to know of an operation. */
export interface OperationPolicy {
  /** The HTTP method. */
  readonly method: Method;
  /** The path below {@link API_ROOT}; `{…}` stands for the one path parameter. Safe to print, unlike a path. */
  readonly template: string;
  /** Decides about retries and connections. */
  readonly kind: OperationKind;
  /** What an error says if the operation may have taken effect, without a full stop; `null` for a read. */
  readonly mayHave: string | null;
}

/** Every path of the Partner API starts with this, below the base URL. */
export const API_ROOT = "/api/v1/partners";

/** The policy of each operation: nothing else compares operations or methods. */
export const OPERATIONS: Readonly<Record<Operation, OperationPolicy>> = {
  createApiKey: {
    method: "POST",
    template: "/api-key",
    kind: "create",
    mayHave: "A key may have been created that no stack tracks",
  },
  deleteApiKey: {
    method: "DELETE",
    template: "/api-key/{api_key}",
    kind: "change",
    mayHave: "The key may already be deleted",
  },
  listWebhooks: { method: "GET", template: "/webhooks", kind: "read", mayHave: null },
  activateWebhook: {
    method: "PATCH",
    template: "/webhooks/{webhook_id}/active",
    kind: "change",
    mayHave: "The webhook may have been changed",
  },
  disableWebhook: {
    method: "PATCH",
    template: "/webhooks/{webhook_id}/disable",
    kind: "change",
    mayHave: "The webhook may have been changed",
  },
};

/** The two states that a webhook can be put into. */
export type WebhookState = "active" | "disabled";

/** The operation that puts a webhook into a state. */
export const STATE_OPERATION: Readonly<Record<WebhookState, Operation>> = {
  active: "activateWebhook",
  disabled: "disableWebhook",
};
