import { createHash } from "node:crypto";

import { startPartnerApi, type Answer } from "../../support/partner-api-server.ts";

/** The webhooks that exist at the start. */
export const WEBHOOKS = [101, 102, 103] as const;

/** What a service knows of a key. */
interface Issued {
  readonly key: string;
  readonly id: number | string;
  readonly uuid: string;
  /** Another value in the response, which could be the key. */
  readonly other: string;
}

/**
 * Services that fit the contract: what the path of a deletion names, the response to a creation, and the
 * right pointers to the key and to what it is deleted by. In the last ones, another value may be the key.
 */
export const SHAPES = [
  shape("key", ({ key }) => ({ api_key: key }), "/api_key", "/api_key"),
  shape("key", ({ key, id }) => ({ id, api_key: key }), "/api_key", "/api_key"),
  shape("id", ({ key, id }) => ({ id, api_key: key }), "/api_key", "/id"),
  shape("key", ({ key, id }) => ({ id, key }), "/key", "/key"),
  shape("id", ({ key, id }) => ({ data: { id, key } }), "/data/key", "/data/id"),
  shape("id", ({ key, id }) => ({ id, apiKey: key }), "/apiKey", "/id"),
  shape("id", ({ key, id }) => ({ data: { id, attributes: { key } } }), "/data/attributes/key", "/data/id"),
  shape("id", ({ key, id }) => ({ id, data: { key } }), "/data/key", "/id"),
  shape("id", ({ key, id }) => ({ id: "account", data: { id, key } }), "/data/key", "/data/id"),
  shape("uuid", ({ key, uuid }) => ({ key_uuid: uuid, key }), "/key", "/key_uuid"),
  shape("uuid", ({ key, id, uuid }) => ({ id, uuid, key }), "/key", "/uuid"),
  shape("id", ({ key, id, uuid }) => ({ id, uuid, key }), "/key", "/id", "/uuid"),
  shape("key", ({ key, other }) => ({ api_key: key, encoded: other }), "/api_key", "/api_key", "/encoded"),
  shape("id", ({ key, id, other }) => ({ id, key, secret: other }), "/key", "/id", "/secret"),
];
type Shape = ReturnType<typeof shape>;

function shape(
  deletesBy: "key" | "id" | "uuid",
  body: (issued: Issued) => unknown,
  apiKey: string,
  apiKeyId: string,
  other = apiKeyId,
) {
  return { deletesBy, body, pointers: { right: { apiKey, apiKeyId }, other } };
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const BASE32 = `${LOWER.toUpperCase()}234567`;
const ALPHANUMERIC = `${LOWER}0123456789`;
const BASE64 = `${LOWER.toUpperCase()}${ALPHANUMERIC}+/`;

/** How services write keys: what they begin with, the characters of the rest, and how many there are. */
export const ALPHABETS = [
  ["pk1+", BASE64, 24], // URLs and base64url spell it otherwise.
  ["", BASE32, 16],
  ["", BASE32, 26],
  ["", ALPHANUMERIC, 12],
  ["", ALPHANUMERIC, 16],
  ["", LOWER, 32],
  ["", BASE64, 32],
  ["", "0123456789abcdef", 40],
] as const;

/** A service, apart from its keys. */
export interface Character {
  readonly shape: Shape;
  readonly alphabet: (typeof ALPHABETS)[number];
  readonly hasNumericIds: boolean;
  /**
   * The answer to what cannot be an identifier of a key, such as a key where IDs delete. `count`: a success
   * that counts what was deleted, as it does for any deletion.
   */
  readonly invalid: number | "count";
  /** Whether its router decodes a path before it looks for the route, so that it finds none for a `/`. */
  readonly decodesPaths: boolean;
}

/** What happens to some requests, of one method or any, instead of a proper response. */
export interface Fault {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | null;
  /** How many requests to leave alone first, and how many to affect. */
  readonly skip: number;
  readonly times: number;
  /**
   * A status, the end of the connection, no response within the time limit, one whose end is missing, a web
   * page, or a success that reports a failure.
   */
  readonly kind: "status" | "reset" | "silence" | "cut" | "page" | "report";
  /** Whether the operation is performed all the same. A 4xx and a report: never; what is cut off: always. */
  readonly effect: boolean;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly missingBytes: number;
}

/** A Partner API with the faults of HTTP, which remembers the keys that it issued. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** @param name Makes the keys of this service unlike others. */
export async function startService(character: Character, name: string) {
  const { shape, alphabet, hasNumericIds, invalid, decodesPaths } = character;
  const { deletesBy, body, pointers } = shape;
  const webhooks = Object.fromEntries(WEBHOOKS.map((id) => [id, "active"] as const));
  const api = await startPartnerApi(webhooks, "tok/7Qm2Zr9XbK4gTw+L8sWc3NfHd1pYx6==");
  const keys: (Issued & { isLive: boolean })[] = [];
  const textOf = (seed: string, [prefix, characters, length]: Character["alphabet"]): string => {
    const bytes = createHash("sha512")
      .update(name + seed)
      .digest()
      .subarray(0, length);
    return prefix + Array.from(bytes, (byte) => characters[byte % characters.length]).join("");
  };
  const issue = (): unknown => {
    const index = keys.length;
    const hex = textOf(`uuid ${index}`, ["", "0123456789abcdef", 32]);
    const issued = {
      key: textOf(`key ${index}`, alphabet),
      id: hasNumericIds ? 7000 + index : `k${index}`,
      uuid: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
      other: textOf(`other ${index}`, alphabet),
    };
    keys.push({ ...issued, isLive: true });
    return body(issued);
  };
  const isIdentifier = ({ length }: string): boolean => {
    if (deletesBy === "uuid") return length === 36;
    return (deletesBy === "key") === length >= 12;
  };
  issue(); // The key of another stack.
  const service = {
    ...api,
    deletesBy,
    pointers,
    keys,
    liveKeys: () => keys.filter(({ isLive }) => isLive).map(({ key }) => key),
    faults: [] as readonly Fault[],
    /** The keys that were deleted since the last command began, and the number of requests up to each. */
    deletedKeys: [] as { readonly key: string; readonly requests: number }[],
    /** Whether the router finds no route for a key. */
    missesRoute: (key: string): boolean => decodesPaths && key.includes("/"),
    /** The creations that a response to them has denied. */
    deniedCreations: 0,
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
    const mayPerform = fault?.effect === true && !isRefusal && fault.kind !== "report";
    const isPerformed = fault === null || fault.kind === "cut" || mayPerform;
    if (method === "POST" && fault?.kind === "report") service.deniedCreations += 1;
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
    if (fault.kind === "page") return { body: "<html>Please try again.</html>" };
    if (fault.kind === "report") return { body: { success: false, message: "There are too many keys." } };
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
      if (service.missesRoute(keyOrId)) return { status: 404, body: { detail: "Not Found" } };
      const found = keys.find((each) => String(each[deletesBy]) === keyOrId && each.isLive);
      if (!found && invalid === "count") return { body: { affected: 0 } };
      const status = isIdentifier(keyOrId) ? 404 : Number(invalid);
      if (!found) return { status, body: { error: `there is no key ${keyOrId}` } };
      found.isLive = false;
      service.deletedKeys.push({ key: found.key, requests: api.requests.length });
      return { body: invalid === "count" ? { affected: 1 } : {} };
    });
  return service;
}
