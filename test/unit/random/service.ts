import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

import { startPartnerApi, type Answer } from "../../support/partner-api-server.ts";
import { WEBHOOKS, type Character, type Issued } from "./characters.ts";

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

type Response = Exclude<Answer, "reset">;

/** What a service says that is busy with another change. */
export const BUSY = "Another change is in progress.";

/** A Partner API with the faults of HTTP, which remembers the keys that it issued. */
export type Service = Awaited<ReturnType<typeof startService>>;

/** @param name Makes the keys of this service unlike others. */
export async function startService(character: Character, name: string) {
  const { shape, alphabet, hasNumericIds, invalid, decodesPaths, busy, onlyKey, pages } = character;
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
  const issue = (): Response => {
    const [, only] = onlyKey === null ? [] : keys; // The first one is the key of another account.
    if (only?.isLive && onlyKey === "refusal")
      return { status: 409, body: { error: "The account may have one key." } };
    if (only !== undefined) {
      if (!only.isLive) service.issuedKeys.push(only.key);
      only.isLive = true;
      return { status: 201, body: body(only) };
    }
    const index = keys.length;
    const hex = textOf(`uuid ${index}`, ["", "0123456789abcdef", 32]);
    const issued = {
      key: textOf(`key ${index}`, alphabet),
      id: hasNumericIds ? 7000 + index : `k${index}`,
      uuid: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
      other: textOf(`other ${index}`, alphabet),
    };
    keys.push({ ...issued, isLive: true });
    service.issuedKeys.push(issued.key);
    return { status: 201, body: body(issued) };
  };
  const isIdentifier = ({ length }: string): boolean => {
    if (deletesBy === "uuid") return length === 36;
    return (deletesBy === "key") === length >= 12;
  };
  const isPaged = (): boolean => pages?.hidden.some((id) => api.webhooks.has(id)) ?? false;
  const service = {
    ...api,
    deletesBy,
    pointers,
    onlyKey,
    keys,
    /** Whether the list lacks a webhook, and says that it goes on. */
    isPaged,
    /** Whether the list lacks this webhook and goes on: nobody can tell whether it exists. */
    isHidden: (id: number): boolean =>
      isPaged() && (pages?.hidden.includes(id) === true || !api.webhooks.has(id)),
    liveKeys: () => keys.filter(({ isLive }) => isLive).map(({ key }) => key),
    faults: [] as readonly Fault[],
    /** The keys that were deleted since the last command began. */
    deletedKeys: [] as string[],
    /** The identifiers that it has answered with "not found" since the last command began. */
    absentIds: [] as string[],
    /** The keys that were issued since the last command began, some of them again. */
    issuedKeys: [] as string[],
    /** Whether the router finds no route for a key. */
    missesRoute: (key: string): boolean => decodesPaths && key.includes("/"),
    /** The creations that a response to them has denied. */
    deniedCreations: 0,
    /** Called when a request has been performed, before its response. */
    onRequest: (): void => undefined,
    /** Resolves when no change is in flight. */
    idle: async (): Promise<void> => {
      while (isChanging) await wait(1);
    },
  };
  let isChanging = false;
  issue(); // The key of another stack.

  const nextFault = (method: string): Fault | null => {
    const fault = service.faults.find((each) => (each.method ?? method) === method);
    if (fault === undefined) return null;
    const { skip, times } = fault;
    const rest = skip > 0 ? { ...fault, skip: skip - 1 } : { ...fault, times: times - 1 };
    const faults = service.faults.map((each) => (each === fault ? rest : each));
    service.faults = faults.filter((each) => each.times > 0);
    return skip > 0 ? null : fault;
  };
  /** Performs one change at a time, if the service is such a one. Refuses the others meanwhile. */
  const inTurn = async (method: string, perform: () => Response): Promise<Answer> => {
    if (busy === null) return answer(method, perform);
    if (isChanging) {
      service.onRequest();
      const headers = busy.retryAfter === null ? {} : { "retry-after": busy.retryAfter };
      return { status: busy.status, body: { error: BUSY }, headers };
    }
    isChanging = true;
    await wait(1);
    const answered = answer(method, perform);
    isChanging = false;
    return answered;
  };
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
  const listPage = (): Response => {
    const all = listWebhooks() as Response;
    if (pages === null) return all;
    const records = all.body as { readonly webhookId: number }[];
    const { body: around, headers } = pages.sign(isPaged(), records.length);
    const data = records.filter(({ webhookId }) => !pages.hidden.includes(webhookId));
    return { body: { data, ...around }, ...(headers && { headers }) };
  };
  api.answers.listWebhooks = () => answer("GET", listPage);
  api.answers.setWebhookState = (id, state) => inTurn("PATCH", () => setWebhookState(id, state) as Response);
  api.answers.createApiKey = () => inTurn("POST", issue);
  api.answers.deleteApiKey = (keyOrId) =>
    inTurn("DELETE", () => {
      if (service.missesRoute(keyOrId)) {
        service.absentIds.push(keyOrId);
        return { status: 404, body: { detail: "Not Found" } };
      }
      const found = keys.find((each) => String(each[deletesBy]) === keyOrId && each.isLive);
      if (found) {
        found.isLive = false;
        service.deletedKeys.push(found.key);
      } else if (typeof invalid === "string" || isIdentifier(keyOrId) || [404, 410].includes(invalid))
        service.absentIds.push(keyOrId);
      if (typeof invalid === "string") return { body: { [invalid]: found ? 1 : 0 } };
      if (found) return { body: {} };
      return { status: isIdentifier(keyOrId) ? 404 : invalid, body: { error: `there is no key ${keyOrId}` } };
    });
  return service;
}
