import { createHash } from "node:crypto";

import { startPartnerApi, type Answer } from "../../support/partner-api-server.ts";

/** The webhooks that exist at the start. */
export const WEBHOOKS = [101, 102, 103] as const;

/**
 * Services that fit the contract: what the path of a deletion names, the response to a creation, and the
 * right pointers to the key and to what it is deleted by. In the last one, another value may be the key.
 */
export const SHAPES = [
  shape("key", (key) => ({ api_key: key }), "/api_key", "/api_key"),
  shape("key", (key, id) => ({ id, api_key: key }), "/api_key", "/api_key"),
  shape("id", (key, id) => ({ id, api_key: key }), "/api_key", "/id"),
  shape("key", (key, id) => ({ id, key }), "/key", "/key"),
  shape("id", (key, id) => ({ data: { id, key } }), "/data/key", "/data/id"),
  shape("id", (key, id) => ({ id, key, signing_secret: `whsec_0123456789_${id}` }), "/key", "/id"),
];
type Shape = ReturnType<typeof shape>;

type Body = (key: string, id: string) => unknown;

function shape(deletesBy: "key" | "id", body: Body, apiKey: string, apiKeyId: string) {
  return { deletesBy, body, pointers: { apiKey, apiKeyId } };
}

/** What happens to some requests, of one method or any, instead of a proper response. */
export interface Fault {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | null;
  /** How many requests to leave alone first, and how many to affect. */
  readonly skip: number;
  readonly times: number;
  /** A status, the end of the connection, no response within the time limit, or one whose end is missing. */
  readonly kind: "status" | "reset" | "silence" | "cut";
  /** Whether the operation is performed all the same. A 4xx never is, and what is cut off always. */
  readonly effect: boolean;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly missingBytes: number;
}

/** A Partner API with the faults of HTTP, which remembers the keys that it issued. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** @param name Makes the keys of this service unlike others. */
export async function startService({ deletesBy, body, pointers }: Shape, name: string) {
  const webhooks = Object.fromEntries(WEBHOOKS.map((id) => [id, "active"] as const));
  const api = await startPartnerApi(webhooks, "tok/7Qm2Zr9XbK4gTw+L8sWc3NfHd1pYx6==");
  const keys: { readonly key: string; readonly id: string; isLive: boolean }[] = [];
  const issue = (): unknown => {
    const id = `k${keys.length}`;
    const hash = createHash("sha256").update(name + id);
    const key = `pk1+${hash.digest("base64").slice(0, 24)}`; // URLs and base64url spell it otherwise.
    keys.push({ key, id, isLive: true });
    return body(key, id);
  };
  issue(); // The key of another stack.
  const service = {
    ...api,
    deletesBy,
    pointers,
    keys,
    liveKeys: () => keys.filter(({ isLive }) => isLive).map(({ key }) => key),
    faults: [] as readonly Fault[],
    /** The keys that were deleted since the last command began. */
    deletedKeys: [] as string[],
    /** Called when a request has been performed, before its response. */
    onRequest: (): void => undefined,
  };

  const nextFault = (method: string): Fault | null => {
    const fault = service.faults.find((each) => (each.method ?? method) === method);
    if (fault === undefined) return null;
    const { skip, times } = fault;
    const rest = skip > 0 ? { ...fault, skip: skip - 1 } : { ...fault, times: times - 1 };
    const faults = service.faults.map((each) => (each === fault ? rest : each));
    service.faults = faults.filter((each) => each.times > 0);
    return skip > 0 ? null : fault;
  };
  type Response = Exclude<Answer, "reset">;
  const answer = (method: string, perform: () => Response): Answer | Promise<Answer> => {
    const fault = nextFault(method);
    const isRefusal = fault?.kind === "status" && /^4(?!08)/.test(String(fault.status));
    const isPerformed = fault === null || fault.kind === "cut" || (fault.effect && !isRefusal);
    const response = isPerformed ? perform() : {};
    service.onRequest();
    if (fault === null) return response;
    if (fault.kind === "reset") return "reset";
    if (fault.kind === "silence") return new Promise(() => undefined); // The client gives up.
    if (fault.kind === "cut") {
      const text = JSON.stringify(response.body);
      const headers = { "content-length": String(text.length), connection: "close" };
      return { ...response, body: text.slice(0, -fault.missingBytes), headers };
    }
    // A server may quote what it received.
    const error = `refused ${String(api.requests.at(-1))} with ${api.accessToken}`;
    const headers = fault.retryAfter === null ? {} : { "retry-after": fault.retryAfter };
    return { status: fault.status, body: { error }, headers };
  };
  const { listWebhooks, setWebhookState } = api.answers;
  api.answers.listWebhooks = () => answer("GET", listWebhooks as () => Response);
  api.answers.setWebhookState = (id, state) => answer("PATCH", () => setWebhookState(id, state) as Response);
  api.answers.createApiKey = () => answer("POST", () => ({ status: 201, body: issue() }));
  api.answers.deleteApiKey = (keyOrId) =>
    answer("DELETE", () => {
      const found = keys.find((each) => each[deletesBy] === keyOrId && each.isLive);
      if (!found) return { status: 404, body: { error: `there is no key ${keyOrId}` } };
      found.isLive = false;
      service.deletedKeys.push(found.key);
      return { body: {} };
    });
  return service;
}
