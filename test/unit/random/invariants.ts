import assert from "node:assert/strict";

import { PartnerError, RequestError } from "../../../provider/src/api/errors.js";
import { PartialFailure, type Properties } from "../../../provider/src/handlers/contract.js";
import { fingerprint } from "../../../provider/src/handlers/key-state.js";
import { ResourceError } from "../../../provider/src/handlers/problems.js";
import { renderError, renderNotice } from "../../../provider/src/hosts/messages.js";
import { SECRET_OUTPUTS } from "../../../provider/src/registration.js";
import type { Fault, WebhookState } from "../../support/sandbox.ts";
import { kindOf, type Call, type Entry, type Operation } from "./engine.ts";
import { liveKeys, STRANGER, type Service } from "./service.ts";

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

/** An operation that has ended, and what it is judged by. */
export interface Ended extends Operation {
  readonly service: Service;
  /** The faults that may have happened in it. */
  readonly faults: readonly Fault[];
  readonly before: Before;
  readonly entries: readonly Entry[];
  readonly endedAt: number;
}

/** Judges an operation by what it said, what the service saw, and what it left in state. @throws if something is not as it must be */
export function assertOperation(ended: Ended, told: Told): void {
  assertSpeech(ended);
  assertRequests(ended);
  assertKeysInState(ended, told.gone);
  assertNoKeyLost(ended, told.leaked);
  assertWebhooks(ended);
}

/** Every failure is one of ours, and nothing that a person reads, or that is not encrypted, holds a secret. */
function assertSpeech({ calls, notices, entries, service: { sandbox, issued } }: Ended): void {
  const errors = calls.flatMap((call) => call.errors);
  for (const error of errors.filter((one) => typeof one !== "string"))
    assert(reasonOf(error) instanceof PartnerError, `a handler failed with ${String(error)}`);
  const plain = entries.map(({ id, outputs }) => {
    const shown = Object.entries(outputs).filter(([name]) => !SECRET_OUTPUTS.includes(name));
    return JSON.stringify([id, shown]);
  });
  const notes = notices.map((notice) => renderNotice(notice, { explicit: false }));
  const text = [...plain, ...errors.map(sayError), ...notes].join("\n");
  const inBodies = [...issued.values()].flatMap(({ body }) => body.match(/pk_live_[^"]+/g) ?? []);
  for (const secret of [sandbox.accessToken, STRANGER, ...inBodies]) {
    // A part of a key is as bad as the whole; the beginning of all keys is the same, and a short part can be in any ID.
    const parts = [secret.slice(8, 20), secret.slice(-12)].filter((part) => part.length >= 8);
    assert(!parts.some((part) => text.includes(part)), `a secret is shown: ${text}`);
  }
}

/** A preview and a refresh change nothing, and no creation is repeated that may have had an effect. */
function assertRequests({ verb, calls, service }: Ended): void {
  const changes = service.sandbox.requests.filter(({ method }) => method !== "GET");
  assert(verb === "up" || verb === "destroy" || changes.length === 0, `a ${verb} changes something`);
  const creations = changes.filter(({ method, status }) => method === "POST" && status !== 429);
  assert(
    creations.length <= calls.filter(mayCreate).length,
    "a creation is repeated, or nobody asked for it",
  );
}

/** Keys in state were issued, and they live unless somebody deleted them or an error said so. */
function assertKeysInState({ calls, entries, service }: Ended, gone: Set<string>): void {
  const outputs = entries.flatMap(({ outputs: { apiKey, previousApiKey } }) => [apiKey, previousApiKey]);
  const keys = outputs.filter((key) => typeof key === "string");
  assert(
    keys.every((key) => service.issued.has(key)),
    "a key is in state that was never issued",
  );
  assert(new Set(keys).size === keys.length, "two resources have the same key");
  for (const { name, outputs } of entries) {
    const text = JSON.stringify(outputs);
    for (const key of service.issued.keys()) {
      if (service.sandbox.verify(key) || gone.has(key) || !text.includes(key)) continue;
      const isTold = calls.some((call) => call.name === name && (call.dropped || saysDeleted(call)));
      assert(isTold, `a key of ${name} was deleted, and the state does not know`);
      gone.add(key);
    }
  }
}

/** Every live key is in state, or an error has announced it with a time, or nobody was left to hear of it. */
function assertNoKeyLost(
  { calls, notices, startedAt, endedAt, service, entries, faults, before }: Ended,
  leaked: Set<string>,
): void {
  assert(service.sandbox.verify(STRANGER), "the key of somebody else was deleted");
  let announced = 0;
  for (const call of calls.filter(mayCreate)) {
    const times = call.errors.flatMap((error) => announcedTime(error, faults) ?? []);
    for (const time of times) {
      const minute = time.slice(0, "2026-02-19T12:00".length);
      assert(
        sayError(call.errors[0]).includes(minute),
        "an error does not say when a key may have been made",
      );
      assert(startedAt - 1 <= Date.parse(time) && Date.parse(time) <= endedAt, "an error says a wrong time");
      assert(faults.length > 0, "a key may be lost although nothing went wrong");
    }
    if (call.dropped || times.length > 0) announced += 1;
  }
  // A service that deletes keys by an id says 404 to the key: that counts only if it is known to be a Partner API.
  const isListed = service.sandbox.requests.some(
    ({ method, status }) => method === "GET" && status !== null && status < 300,
  );
  const named = notices.flatMap((notice) => (notice.kind === "keyWasGone" ? [notice.fingerprint] : []));
  const text = JSON.stringify(entries.map(({ outputs }) => outputs));
  for (const key of liveKeys(service)) {
    if (text.includes(key) || leaked.has(key)) continue;
    const isNamed = isListed && named.includes(fingerprint(key));
    const isAnnounced = isNamed || (!before.issued.has(key) && announced-- > 0);
    assert(isAnnounced, "a key is in no state, and nothing said so");
    leaked.add(key);
  }
}

/** Webhooks are changed only as the program says, are then as it says, and the states in which they were found are kept. */
function assertWebhooks({ calls, entries, before, service: { sandbox } }: Ended): void {
  for (const [id, state] of sandbox.webhooks) {
    const found = before.webhooks.get(id);
    const asking = calls.filter((call) => goalOf(call, id) === state);
    assert(found === state || asking.length > 0, `nobody asked to put webhook ${id} into this state`);
    const isKept = entries.some(({ outputs }) => initialStateOf(outputs, id) !== undefined);
    if (found !== state && !isKept)
      assert(
        asking.some(({ verb, dropped }) => verb !== "create" || dropped),
        `webhook ${id} was changed and is in no state`,
      );

    const isDeclared = calls.some(({ verb, news }) => verb === "check" && stateIn(news, id) !== undefined);
    for (const call of calls.filter(({ errors, dropped }) => errors.length === 0 && !dropped)) {
      const goal = isDeclared && call.verb === "delete" ? undefined : goalOf(call, id);
      const isLeft = call.verb === "update" && stateIn(call.news, id) === undefined;
      assert(
        isLeft || goal === undefined || goal === state,
        `webhook ${id} is not in the state it is said to be`,
      );
    }

    // What a fleet has just let go of may be found as that left it.
    const isLeft = calls.some(
      ({ verb, olds }) => verb === "update" && initialStateOf(olds, id) !== undefined,
    );
    for (const { name, outputs } of entries.filter((entry) => !before.entries.has(entry) && !isLeft)) {
      const initialState = initialStateOf(outputs, id);
      assert(
        initialState === undefined || initialState === found,
        `${name} does not know the state in which it found webhook ${id}`,
      );
    }
  }
}

/** The state that arguments want for a webhook; `undefined` if they do not speak of it. */
export function stateIn({ webhookId, state, states, others }: Properties, id: number): unknown {
  if (states === undefined) return webhookId === id ? state : undefined;
  return (states as Properties)[id] ?? (others === "leave" ? undefined : others);
}

/** The state in which a resource leaves a webhook; `undefined` for any. */
export function stateAfter(outputs: Properties, id: number): unknown {
  const { stateOnDestroy } = outputs;
  const initialState = initialStateOf(outputs, id);
  if (initialState === undefined || stateOnDestroy === "leave") return undefined;
  return stateOnDestroy === "restore" ? (initialState ?? undefined) : stateOnDestroy;
}

/** The state in which a resource first found a webhook; `undefined` if it does not manage it. */
function initialStateOf({ webhookId, initialState, initialStates }: Properties, id: number): unknown {
  return webhookId === id ? initialState : (initialStates as Properties | undefined)?.[id];
}

/** The state into which a call is to put a webhook; `undefined` for any. */
function goalOf({ verb, olds, news }: Call, id: number): unknown {
  if (verb === "delete") return stateAfter(olds, id);
  if (verb !== "create" && verb !== "update") return undefined;
  // A fleet leaves a webhook as the program now says.
  return stateIn(news, id) ?? stateAfter({ ...olds, stateOnDestroy: news["stateOnDestroy"] }, id);
}

/** Whether a call may create a key: that of a new resource, or one that takes the place of another. */
function mayCreate({ name, verb, olds }: Call): boolean {
  if (kindOf(name) !== "key" || verb !== "update") return kindOf(name) === "key" && verb === "create";
  const { unread } = (olds["internal"] ?? {}) as Properties;
  return typeof olds["apiKey"] === "string" && !unread; // Else it only reads what an earlier one has created.
}

/** The time at which an error says that a key was, or may have been, created. */
function announcedTime(error: unknown, faults: readonly Fault[]): string | null {
  const reason = reasonOf(error);
  const last =
    reason instanceof ResourceError && reason.problem.kind === "partlyDone" ? reason.problem.next : reason;
  if (last instanceof RequestError && last.failure.operation === "createApiKey")
    return last.effect === "possible" ? last.failure.failedAt : null;
  // Nothing may be lost of a response that arrived as it was sent.
  const isMangled = faults.some(
    (fault) =>
      ["truncate", "resetMidBody", "hang"].includes(fault.kind) ||
      (fault.kind === "status" && fault.status < 300),
  );
  const isUnread = last instanceof ResourceError && last.problem.kind === "keyNotFound";
  return isUnread && isMangled ? last.problem.createdAt : null;
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
