import { API_ROOT, OPERATIONS, type Operation, type WebhookState } from "../api/operations.js";
import type { ApiKeys } from "./api-keys.js";
import { pageOf, type PageStyle } from "./pages.js";

/** The data of one account at the service. */
export interface PartnerAccount {
  readonly apiKeys: ApiKeys;
  /** The state of each webhook by ID, in the order of creation. */
  readonly webhooks: Map<number, WebhookState>;
}

/** A response that has not been sent yet. */
export interface Answer {
  readonly status: number;
  /** The headers, in addition to those of every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The operation that a request calls. */
export interface Route {
  readonly operation: Operation;
  /** The decoded path parameter, or `""` if the operation has none. */
  readonly parameter: string;
}

export function json(status: number, value: unknown, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

const ROUTES = (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
  const { method, template } = OPERATIONS[operation];
  return { operation, method, pattern: new RegExp(`^${API_ROOT}${template.replace(/\{\w+\}/, "([^/]+)")}$`) };
});

/**
 * Finds the operation that a request calls. Does not resolve dot segments.
 *
 * @throws {URIError} for a malformed percent-escape.
 */
export function findRoute(method: string, path: string): Route | null {
  for (const route of ROUTES) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match !== null) return { operation: route.operation, parameter: decodeURIComponent(match[1] ?? "") };
  }
  return null;
}

/** The page of a list that a request asks for. */
export interface RequestedPage {
  /** The maximum number of webhooks on a page; `null` for a list without pages. */
  readonly size: number | null;
  readonly style: PageStyle;
  /** The address of the request. */
  readonly url: URL;
}

/** Performs an operation without checking the token. */
export function performOperation(
  account: PartnerAccount,
  { operation, parameter }: Route,
  { size, style, url }: RequestedPage,
): Answer {
  switch (operation) {
    case "createApiKey":
      return json(201, account.apiKeys.create());
    case "deleteApiKey":
      return account.apiKeys.delete(parameter) ? SUCCESS : json(404, { error: "no such API key" });
    case "listWebhooks": {
      const list = Array.from(account.webhooks, ([webhookId, state]) => ({
        webhookId,
        name: nameOf(webhookId),
        state,
      }));
      if (size === null) return json(200, list);
      const { body, headers } = pageOf(list, size, style, url);
      return json(200, body, headers);
    }
    case "activateWebhook":
    case "disableWebhook": {
      const webhookId = /^\d+$/.test(parameter) ? Number(parameter) : NaN;
      if (!account.webhooks.has(webhookId)) return json(404, { error: "no such webhook" });
      account.webhooks.set(webhookId, operation === "activateWebhook" ? "active" : "disabled");
      return SUCCESS;
    }
  }
}

/** Returns the name that the service shows for a webhook. */
export function nameOf(webhookId: number): string {
  return NAMES.get(webhookId) ?? `webhook-${webhookId}`;
}

const NAMES = new Map([
  [101, "orders"],
  [102, "invoices"],
  [103, "refunds"],
]);

const SUCCESS = json(200, { success: true });
