/**
 * The five operations of the Partner API, by the names used in errors, logs, faults and tests.
 */
export type Operation =
  "createApiKey" | "deleteApiKey" | "listWebhooks" | "activateWebhook" | "disableWebhook";

/** The HTTP methods that the Partner API uses. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** How an operation looks on the wire. */
export interface OperationShape {
  /** The HTTP method. */
  readonly method: Method;
  /** The path below {@link API_ROOT}; `{…}` stands for the one path parameter. Safe to print, unlike a path. */
  readonly template: string;
}

/** Every path of the Partner API starts with this, below the base URL. */
export const API_ROOT = "/api/v1/partners";

/** The wire form of each operation; the one place where methods and paths are written down. */
export const OPERATIONS: Readonly<Record<Operation, OperationShape>> = {
  createApiKey: { method: "POST", template: "/api-key" },
  deleteApiKey: { method: "DELETE", template: "/api-key/{api_key}" },
  listWebhooks: { method: "GET", template: "/webhooks" },
  activateWebhook: { method: "PATCH", template: "/webhooks/{webhook_id}/active" },
  disableWebhook: { method: "PATCH", template: "/webhooks/{webhook_id}/disable" },
};

/** The two states that a webhook can be put into. */
export type WebhookState = "active" | "disabled";
