import { API_ROOT, OPERATIONS, type Operation, type WebhookState } from "../api/operations.js";

/** The data of one account at the service. */
export interface PartnerAccount {
  /** The token that every request must carry. */
  accessToken: string;
  /** The valid API keys, oldest first. */
  readonly apiKeys: Set<string>;
  /** The state of each webhook by ID, in the order of creation. */
  readonly webhooks: Map<number, WebhookState>;
  /** Generates a new API key. */
  readonly generateKey: () => string;
}

/** A response that has not been sent yet. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, in addition to those of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent. */
  readonly body: string | Buffer;
}

/** The operation that a request calls. */
export interface Route {
  readonly operation: Operation;
  /** The decoded path parameter, or `""` if the operation has none. */
  readonly parameter: string;
}

/** Returns an answer with a JSON body. */
export function json(status: number, value: unknown, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

const ROUTES = (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
  const { method, template } = OPERATIONS[operation];
  return { operation, method, pattern: new RegExp(`^${API_ROOT}${template.replace(/\{\w+\}/, "([^/]+)")}$`) };
});

/**
 * Returns the operation that a request calls, or `null` if there is none. Dot segments are not resolved.
 *
 * @throws {URIError} if the path parameter has a malformed percent-escape.
 */
export function findRoute(method: string, path: string): Route | null {
  for (const route of ROUTES) {
    const match = route.method === method ? route.pattern.exec(path) : null;
    if (match !== null) return { operation: route.operation, parameter: decodeURIComponent(match[1] ?? "") };
  }
  return null;
}

/** Performs an operation without checking the token. @returns The answer, and whether the account changed. */
export function performOperation(
  account: PartnerAccount,
  { operation, parameter }: Route,
): { readonly answer: Answer; readonly effect: boolean } {
  switch (operation) {
    case "createApiKey": {
      const apiKey = account.generateKey();
      account.apiKeys.add(apiKey);
      return { answer: json(201, { apiKey }), effect: true };
    }
    case "deleteApiKey": {
      const effect = account.apiKeys.delete(parameter);
      return { answer: effect ? SUCCESS : json(404, { error: "no such API key" }), effect };
    }
    case "listWebhooks": {
      const list = Array.from(account.webhooks, ([webhookId, state]) => ({ webhookId, state }));
      return { answer: json(200, list), effect: false };
    }
    case "activateWebhook":
    case "disableWebhook": {
      const webhookId = /^\d+$/.test(parameter) ? Number(parameter) : NaN;
      const before = account.webhooks.get(webhookId);
      if (before === undefined) return { answer: json(404, { error: "no such webhook" }), effect: false };
      const state = operation === "activateWebhook" ? "active" : "disabled";
      account.webhooks.set(webhookId, state);
      return { answer: SUCCESS, effect: before !== state };
    }
  }
}

const SUCCESS = json(200, { success: true });
