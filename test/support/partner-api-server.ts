import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { WebhookState } from "../../provider/src/partner-api/operations.ts";

/** The access token that a {@link PartnerApiServer} accepts unless the test gives it another one. */
export const ACCESS_TOKEN = "ptk_Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk";

/** A response: a `body` that is neither text nor bytes becomes JSON, and `"reset"` breaks the connection. */
export type Answer =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | "reset";

type Answered = Answer | Promise<Answer>;

/** How the operations are answered. A test may replace each one, and call the one before it. */
export interface Answers {
  createApiKey: () => Answered;
  deleteApiKey: (keyOrId: string) => Answered;
  listWebhooks: () => Answered;
  setWebhookState: (webhookId: number, state: WebhookState) => Answered;
}

/** A Partner API as the contract has it, on this machine: five operations, and nothing else. */
export interface PartnerApiServer {
  /** The base URL. */
  readonly url: string;
  /** The one that it accepts. A test may replace it. */
  accessToken: string;
  /** Others that it accepts. */
  readonly otherTokens: Set<string>;
  /** The webhooks of the account, by ID. A test may change them, as another person would. */
  readonly webhooks: Map<number, WebhookState>;
  /** The keys that were created and not deleted. */
  readonly keys: Set<string>;
  /** The requests so far, such as `PATCH /webhooks/101/disable`, without the root of the API. */
  readonly requests: string[];
  readonly answers: Answers;
  close(): Promise<void>;
}

const ROOT = "/api/v1/partners";

/** Starts a service with some webhooks. Its list is an array of `{ webhookId, state }`. */
export async function startPartnerApi(
  webhooks: Readonly<Record<number, WebhookState>> = {},
  accessToken: string = ACCESS_TOKEN,
): Promise<PartnerApiServer> {
  const account = new Map(Object.entries(webhooks).map(([id, state]) => [Number(id), state]));
  const keys = new Set<string>();
  let created = 0;
  const answers: Answers = {
    createApiKey: () => {
      // No other service issues the same key.
      const apiKey = `pk_live_4eC39HqLyjWDarjtT${port}x${(created += 1)}`;
      keys.add(apiKey);
      return { status: 201, body: { apiKey } };
    },
    deleteApiKey: (key) => (keys.delete(key) ? { body: {} } : { status: 404, body: { error: "not found" } }),
    listWebhooks: () => ({ body: Array.from(account, ([webhookId, state]) => ({ webhookId, state })) }),
    setWebhookState: (webhookId, state) => {
      if (!account.has(webhookId)) return { status: 404, body: { error: "no such webhook" } };
      account.set(webhookId, state);
      return { body: { webhookId, state } };
    },
  };
  const requests: string[] = [];

  const answerTo = (request: IncomingMessage): Answered => {
    const path = (request.url ?? "").replace(ROOT, "");
    const call = `${request.method ?? ""} ${path}`;
    requests.push(call);
    const isKnown = [api.accessToken, ...api.otherTokens].some(
      (token) => request.headers.authorization === `Bearer ${token}`,
    );
    if (!isKnown) return { status: 401 };
    const [, webhookId, verb] = /^PATCH \/webhooks\/(\d+)\/(active|disable)$/.exec(call) ?? [];
    const [, key] = /^DELETE \/api-key\/([^/?]+)$/.exec(call) ?? [];
    if (call === "GET /webhooks") return answers.listWebhooks();
    if (call === "POST /api-key") return answers.createApiKey();
    if (key !== undefined) return answers.deleteApiKey(decodeURIComponent(key));
    if (webhookId === undefined) return { status: 404 };
    return answers.setWebhookState(Number(webhookId), verb === "active" ? "active" : "disabled");
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = await answerTo(request);
    if (answer === "reset") {
      request.socket.destroy();
      return;
    }
    const { status = 200, body = "", headers = {} } = answer;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  const url = `http://127.0.0.1:${port}`;
  const api = {
    url,
    accessToken,
    otherTokens: new Set<string>(),
    webhooks: account,
    keys,
    requests,
    answers,
    close,
  };
  return api;
}
