import { PartnerError, RequestError } from "../../../provider/src/api/errors.js";
import { PartialFailure, type Properties } from "../../../provider/src/handlers/contract.js";
import { fingerprint } from "../../../provider/src/handlers/key-state.js";
import { ResourceError } from "../../../provider/src/handlers/problems.js";
import { renderError, renderNotice } from "../../../provider/src/hosts/messages.js";
import { SECRET_OUTPUTS } from "../../../provider/src/registration.js";
import type { LoggedRequest, WebhookState } from "../../support/sandbox.ts";
import type { Call, Entry, Operation } from "./engine.ts";
import { STRANGER, type Service } from "./service.ts";

/** Something is not as it must be. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** What there was before an operation. */
export interface Before {
  readonly entries: ReadonlySet<Entry>;
  readonly webhooks: ReadonlyMap<number, WebhookState>;
  /** The keys that were ever created. */
  readonly issued: ReadonlySet<string>;
}

/** What a person has been told so far, by which state and service may differ. */
export interface Told {
  /** Live keys that are in no state. */
  readonly leaked: Set<string>;
  /** Keys that are in state and not at the service. */
  readonly gone: Set<string>;
}

/** Judges an operation by what it said, what the service saw, and what it left in state. @throws {Violation} */
export function assertOperation(
  service: Service,
  operation: Operation,
  before: Before,
  entries: readonly Entry[],
  told: Told,
): void {
  const { requests } = service.sandbox;
  assertSpeech(service, operation, entries);
  assertLimits(operation, requests);
  assertKeysInState(service, operation, entries, told);
  assertNoKeyLost(service, operation, entries, before.issued, told);
  for (const [id, state] of service.sandbox.webhooks) {
    if (before.webhooks.get(id) === state) continue;
    const asking = operation.calls.filter((call) => asksFor(call, id, state));
    if (asking.length === 0) throw new Violation(`nobody asked to put webhook ${id} into this state`);
    // Otherwise the state in which it was found would be forgotten.
    const isKept = entries.some(({ outputs }) => initialStateOf(outputs, id) !== undefined);
    if (!isKept && asking.every(({ verb, dropped }) => verb === "create" && !dropped))
      throw new Violation(`webhook ${id} was changed and is in no state`);
  }
  for (const entry of entries) if (!before.entries.has(entry)) assertInitialStates(entry, before, operation);
  for (const call of operation.calls) assertWebhookReached(call, operation, service);
}

/** Every failure is one of ours, and nothing that a person reads, or that is not encrypted, holds a secret. */
function assertSpeech({ secrets }: Service, { calls, notices }: Operation, entries: readonly Entry[]): void {
  const errors = calls.flatMap((call) => call.errors);
  for (const error of errors) {
    if (typeof error === "string" || error instanceof PartnerError || error instanceof PartialFailure)
      continue;
    throw new Violation(`a handler failed with ${String(error)}`, { cause: error });
  }
  const plain = entries.map(({ id, outputs }) => {
    const shown = Object.entries(outputs).filter(([name]) => !SECRET_OUTPUTS.includes(name));
    return JSON.stringify([id, shown]);
  });
  const told = notices.map((notice) => renderNotice(notice, { explicit: false }));
  const texts = [...plain, ...errors.map(sayError), ...told];
  // A part of a key is as bad as the whole; the beginning of all keys is the same.
  const ends = secrets.flatMap((secret) => [secret.slice(8, 20), secret.slice(-12)]);
  const parts = ends.filter((part) => part.length >= 8); // A shorter one, of what services show of a key, can be in any ID.
  const forms = parts.flatMap((part) => [part, encodeURIComponent(part)]);
  for (const text of texts)
    if (forms.some((part) => text.includes(part))) throw new Violation(`a secret is shown: ${text}`);
}

/** A preview and a refresh change nothing, and no creation is repeated that may have had an effect. */
function assertLimits({ verb, calls }: Operation, requests: readonly LoggedRequest[]): void {
  const onlyReads = verb === "preview" || verb === "refresh";
  if (onlyReads && requests.some(({ method }) => method !== "GET"))
    throw new Violation(`a ${verb} changes something`);
  const creations = requests.filter(({ method, status }) => method === "POST" && status !== 429);
  if (creations.length > calls.filter(mayCreate).length)
    throw new Violation("a creation is repeated that may have had an effect, or nobody asked for it");
}

/** Keys in state were issued, and they live unless somebody deleted them or an error said so. */
function assertKeysInState(
  { sandbox, issuedKeys }: Service,
  { calls }: Operation,
  entries: readonly Entry[],
  { gone }: Told,
): void {
  const handedOut = entries.flatMap(({ outputs: { apiKey, previousApiKey } }) => [apiKey, previousApiKey]);
  const keys = handedOut.filter((key) => typeof key === "string");
  if (keys.some((key) => !issuedKeys.has(key)))
    throw new Violation("a key is in state that was never issued");
  if (new Set(keys).size < keys.length) throw new Violation("two resources have the same key");
  for (const { name, outputs } of entries) {
    const text = JSON.stringify(outputs);
    for (const key of issuedKeys) {
      if (sandbox.verify(key) || gone.has(key) || !text.includes(key)) continue;
      const isTold = calls.some((call) => call.name === name && (call.dropped || saysDeleted(call)));
      if (!isTold) throw new Violation(`a key of ${name} was deleted, and the state does not know`);
      gone.add(key);
    }
  }
}

/** Every live key is in state, or an error has announced it with a time, or nobody was left to hear of it. */
function assertNoKeyLost(
  service: Service,
  operation: Operation,
  entries: readonly Entry[],
  old: ReadonlySet<string>,
  told: Told,
): void {
  if (!service.sandbox.verify(STRANGER)) throw new Violation("the key of somebody else was deleted");
  const text = JSON.stringify(entries.map(({ outputs }) => outputs));
  const { calls, notices, startedAt, endedAt } = operation;
  let announced = 0;
  for (const call of calls.filter(mayCreate)) {
    const times = call.errors.flatMap((error) => announcedTime(error, service.mangles) ?? []);
    for (const time of times) {
      if (!sayError(call.errors[0]).includes(time.slice(0, "2026-02-19T12:00".length)))
        throw new Violation("an error does not say when a key may have been created");
      if (Date.parse(time) < startedAt - 1 || Date.parse(time) > endedAt)
        throw new Violation("an error says a wrong time");
    }
    if (times.length > 0 && service.faults.length === 0)
      throw new Violation("a key may be lost although nothing went wrong");
    if (call.dropped || times.length > 0) announced += 1;
  }
  // A service that deletes keys by an id says 404 to the key: that counts only if it is known to be a Partner API.
  const listed = service.sandbox.requests.some(
    ({ method, status }) => method === "GET" && status !== null && status < 300,
  );
  const named = notices.flatMap((notice) =>
    listed && notice.kind === "keyWasGone" ? [notice.fingerprint] : [],
  );
  for (const key of service.liveKeys) {
    if (text.includes(key) || told.leaked.has(key)) continue;
    if (!named.includes(fingerprint(key)) && (old.has(key) || announced-- <= 0))
      throw new Violation("a key is in no state, and nothing said so");
    told.leaked.add(key);
  }
}

/** Webhooks that come under management keep the states in which they were found, for "restore". */
function assertInitialStates({ name, outputs }: Entry, before: Before, { calls }: Operation): void {
  for (const [id, state] of before.webhooks) {
    const initialState = initialStateOf(outputs, id);
    // What a fleet has just let go of may be found as that left it.
    const isLeft = calls.some(({ kind, verb, olds }) => {
      return kind === "fleet" && verb === "update" && initialStateOf(olds, id) !== undefined;
    });
    if (initialState !== undefined && initialState !== state && !isLeft)
      throw new Violation(`${name} does not know the state in which it found webhook ${id}`);
  }
}

/** What a handler says it did to webhooks is done. */
function assertWebhookReached(call: Call, { calls }: Operation, { sandbox }: Service): void {
  const { verb, olds, news, errors, dropped } = call;
  if (errors.length > 0 || dropped) return;
  for (const [id, state] of sandbox.webhooks) {
    if (verb === "create" || verb === "update") {
      if (manages(news, id) && state !== stateIn(news, id))
        throw new Violation(`webhook ${id} is said to be in a state that it is not in`);
    } else if (verb === "delete") {
      const initialState = initialStateOf(olds, id);
      const wanted = initialState === undefined ? null : stateAfter({ ...olds, initialState });
      const declared = calls.some((other) => other.verb === "check" && manages(other.news, id));
      if (!declared && wanted !== null && wanted !== state)
        throw new Violation(`webhook ${id} is not left as stateOnDestroy says`);
    }
  }
}

/** Whether the arguments of a resource speak for a webhook. */
export function manages(args: Properties, id: number): boolean {
  const { webhookId, states, others = "leave" } = args;
  if (states === undefined) return webhookId === id;
  return others !== "leave" || String(id) in (states as Properties);
}

/** The state that arguments want for a webhook. */
export function stateIn({ state, states, others }: Properties, id: number): unknown {
  return states === undefined ? state : ((states as Properties)[String(id)] ?? others);
}

/** The state in which a resource first found a webhook; `undefined` if it does not manage it. */
export function initialStateOf({ webhookId, initialState, initialStates }: Properties, id: number): unknown {
  if (webhookId === id) return initialState;
  return (initialStates as Properties | undefined)?.[String(id)];
}

/** The state in which a resource leaves its webhook; `null` for any. */
export function stateAfter({ stateOnDestroy, initialState }: Properties): unknown {
  if (stateOnDestroy === "leave") return null;
  return stateOnDestroy === "restore" ? initialState : stateOnDestroy;
}

/** Whether a call is to put a webhook into a state. */
function asksFor({ verb, olds, news }: Call, id: number, state: WebhookState): boolean {
  if (verb !== "create" && verb !== "update" && verb !== "delete") return false;
  if (verb !== "delete" && manages(news, id)) return stateIn(news, id) === state;
  const initialState = initialStateOf(olds, id);
  // A fleet leaves a webhook as the program now says.
  const { stateOnDestroy } = verb === "delete" ? olds : news;
  return initialState !== undefined && stateAfter({ stateOnDestroy, initialState }) === state;
}

/** Whether a call is to create a key: that of a new resource, or one that takes the place of another. */
function mayCreate({ kind, verb, olds, news }: Call): boolean {
  if (kind !== "key" || verb !== "update") return kind === "key" && verb === "create";
  const { trigger, afterDays, overlapDays } = (news["rotation"] ?? {}) as Properties;
  const { trigger: known, unread } = (olds["internal"] ?? {}) as Properties;
  if (typeof olds["apiKey"] !== "string" || unread || !overlapDays) return false;
  return (trigger != null && trigger !== (known ?? null)) || typeof afterDays === "number";
}

/** The time at which an error says that a key was, or may have been, created. */
function announcedTime(error: unknown, mangled: boolean): string | null {
  const reason = reasonOf(error);
  const last =
    reason instanceof ResourceError && reason.problem.kind === "partlyDone" ? reason.problem.next : reason;
  if (last instanceof RequestError && last.failure.operation === "createApiKey")
    return last.effect === "possible" ? last.failure.failedAt : null;
  // Nothing may be lost of a response that arrived as it was sent.
  const isUnread = last instanceof ResourceError && last.problem.kind === "keyNotFound";
  return isUnread && mangled ? last.problem.createdAt : null;
}

/** Whether a call says that it deleted a key, or may have. */
function saysDeleted({ errors }: Call): boolean {
  return errors.map(reasonOf).some((reason) => {
    if (reason instanceof RequestError)
      return reason.failure.operation === "deleteApiKey" && reason.effect === "possible";
    return reason instanceof ResourceError && ["partlyDone", "deletionUnclear"].includes(reason.problem.kind);
  });
}

/** What a person reads of an error. */
function sayError(error: unknown): string {
  return typeof error === "string" ? error : renderError(reasonOf(error), { explicit: false });
}

function reasonOf(error: unknown): unknown {
  return error instanceof PartialFailure ? error.reason : error;
}
