import assert from "node:assert/strict";

import { PartnerError, RequestError } from "../../../provider/src/api/errors.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { fingerprint } from "../../../provider/src/keys/key-name.js";
import { nameOfCreated, type CreatedKey } from "../../../provider/src/keys/stored-key.js";
import { ResourceError } from "../../../provider/src/shared/problems.js";
import type { Fault, WebhookState } from "../../support/sandbox.ts";
import { accountOf, kindOf, type Call, type Entry, type Operation } from "./engine.ts";
import { ACCOUNTS, FOREIGN_KEY, liveKeys, TOKENS, WEBHOOKS, type Account, type Service } from "./service.ts";

/** The stack and the service before an operation. */
export interface Before {
  readonly outputs: ReadonlyMap<Entry, Properties>;
  /** The resources that wait for their deletion. The engine shows them to nobody until then. */
  readonly replaced: ReadonlySet<Entry>;
  readonly webhooks: Readonly<Record<Account, ReadonlyMap<number, WebhookState>>>;
  readonly issued: ReadonlySet<string>;
}

/** The differences between state and service that have been reported so far. */
export interface Reported {
  /** Valid keys that are not in the state. */
  readonly leaked: Set<string>;
  /** Deleted keys that are in the state. */
  readonly gone: Set<string>;
  /** Keys of two resources. */
  readonly shared: Set<string>;
}

/** A finished operation with its context. */
export interface Finished extends Operation {
  readonly service: Service;
  readonly faults: readonly Fault[];
  readonly before: Before;
  readonly entries: readonly Entry[];
  /** The keys of which a person says that they are gone. */
  readonly goneKeys: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/**
 * Checks what an operation reported, what the service received, and what is in the state.
 *
 * @throws if an invariant is violated.
 */
export function assertOperation(finished: Finished, reported: Reported): void {
  const errors = finished.calls.flatMap((call) => call.errors).map(reasonOf);
  for (const error of errors)
    assert(typeof error === "string" || error instanceof PartnerError, `unexpected error: ${String(error)}`);
  assertRequests(finished);
  assertOwnTokens(finished);
  assertKeysInState(finished, reported);
  assertNoKeyLost(finished, reported.leaked);
  assertLostCreationsRemembered(finished);
  for (const account of ACCOUNTS) {
    const isOfAccount = (of: Call | Entry): boolean => accountOf(of) === account;
    const calls = finished.calls.filter(isOfAccount);
    const entries = finished.entries.filter(isOfAccount);
    assertWebhooks({ ...finished, calls, entries }, account);
    assertInitialStates({ ...finished, calls, entries }, account);
  }
}

/**
 * Asserts that previews and refreshes change nothing, and that a creation is not repeated if it may have had
 * an effect.
 */
function assertRequests({ verb, calls, service, faults, goneKeys }: Finished): void {
  const changes = service.sandbox.requests.filter(({ method }) => method !== "GET");
  assert(verb === "up" || verb === "destroy" || changes.length === 0, `a ${verb} sends a change`);
  const reads = service.sandbox.requests.length - changes.length;
  assert(service.isListRead || reads === 0, "a stack that reads no list reads it");
  // A retry hook repeats what was refused. A body can refuse as well.
  const refusals = faults.flatMap((fault) =>
    fault.kind === "status" && fault.body !== undefined && fault.effect !== true ? [fault.status] : [],
  );
  const isRefused = (status: number): boolean =>
    (status >= 400 && status < 500 && status !== 408) || refusals.includes(status);
  const creations = changes.filter(({ method, status }) => method === "POST" && !isRefused(status ?? 0));
  assert(
    creations.length <= calls.filter((call) => mayCreate(call, goneKeys)).length,
    "a creation is repeated or not requested",
  );
}

/** Asserts that each key is deleted with the token of its account. */
function assertOwnTokens({ service }: Finished): void {
  for (const { method, path, headers } of service.sandbox.requests) {
    if (method !== "DELETE") continue;
    const name = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
    const owners = [...service.issued].filter(([key, { id }]) => key === name || id === name);
    const tokens = owners.map(([, { account }]) => `Bearer ${TOKENS[account]}`);
    const isOwn = tokens.length === 0 || tokens.includes(headers["authorization"] ?? "");
    assert(isOwn, "a key is deleted with the token of the other account");
  }
}

/**
 * Asserts that the service issued the keys in the state. They are valid, or an error or a person reported
 * them as deleted.
 */
function assertKeysInState(finished: Finished, { gone, shared }: Reported): void {
  const { calls, entries, service } = finished;
  const keysOf = ({ apiKey, previousApiKey }: Properties): string[] =>
    [apiKey, previousApiKey].filter((key) => typeof key === "string");
  const keys = entries.flatMap(({ outputs }) => keysOf(outputs));
  for (const key of keys) assert(service.issued.has(key), "a key in the state was never issued");
  // A replacement without a key of its own shows that of the old resource.
  const owners = entries.filter(({ outputs }) => !isReplacing(outputs));
  for (const entry of owners)
    for (const key of keysOf(entry.outputs))
      assert.equal(service.issued.get(key)?.account, accountOf(entry), "a key is of another account");
  for (const key of new Set(keys)) {
    const holders = owners.filter(({ outputs }) => keysOf(outputs).includes(key));
    const isKnown =
      holders.length < 2 ||
      shared.has(key) ||
      holders.some((holder) => finished.before.replaced.has(holder) || isUnseen(finished, holder.name));
    assert(isKnown, "two resources have the same key");
    if (holders.length > 1) shared.add(key);
  }
  const live = new Set(liveKeys(service));
  for (const { name, outputs } of entries) {
    const { apiKey, response, ...others } = outputs;
    const text = JSON.stringify(isReplacing(outputs) ? others : { apiKey, response, ...others });
    for (const key of service.issued.keys()) {
      if (live.has(key) || gone.has(key) || !text.includes(key)) continue;
      const isReported = calls.some((call) => call.name === name && (call.dropped || reportsDeletion(call)));
      // Nobody can know that a response that is not read yet has a key that is being deleted elsewhere.
      const isHidden = service.sameKey && unreadOf(outputs)?.response.body.includes(key) === true;
      // A resource and its replacement may have one key. A destroy deletes it with the first of them.
      const isDestroyed = service.sameKey && finished.verb === "destroy";
      assert(
        isReported || isHidden || isDestroyed || isUnseen(finished, name),
        `a deleted key of ${name} is still in the state`,
      );
      gone.add(key);
    }
  }
}

/** Asserts that every valid key is in the state, or an error reported it, or the engine died. */
function assertNoKeyLost(finished: Finished, leaked: Set<string>): void {
  const { calls, notices, service, entries, faults, before, goneKeys } = finished;
  assert(service.sandbox.verify(FOREIGN_KEY), "someone else's key was deleted");
  // Without a fault, every response is complete, so no error excuses the loss of a key.
  const isExcused = ({ dropped, errors }: Call): boolean =>
    dropped || (faults.length > 0 && errors.some(reportsCreation));
  let lost = calls.filter((call) => mayCreate(call, goneKeys) && isExcused(call)).length;
  const named = notices.flatMap((notice) =>
    notice.kind === "keyWasGone" || notice.kind === "keyKept" ? [notice.name.fingerprint] : [],
  );
  const text = JSON.stringify(entries.map(({ outputs }) => outputs));
  for (const key of liveKeys(service)) {
    if (text.includes(key) || leaked.has(key)) continue;
    const isNamed = named.includes(fingerprint(key));
    assert(
      isNamed || (!before.issued.has(key) && lost-- > 0),
      "a valid key is not in the state, and no error reported it",
    );
    leaked.add(key);
  }
}

/** Asserts that the stack remembers each creation that was lost, unless the engine died. */
function assertLostCreationsRemembered({ calls, entries }: Finished): void {
  for (const { name, errors, dropped } of calls) {
    const isLost = errors.some((error) => lostCreationOf(error) !== null);
    const isRemembered = entries.some(
      ({ name: other, outputs }) => other === name && typeof outputs["lostCreationAt"] === "string",
    );
    assert(!isLost || dropped || isRemembered, `the state of ${name} does not remember a lost creation`);
  }
}

/**
 * Asserts that webhooks change only as the program says, and reach the state it says unless the list was
 * outdated, and the state did not record another state either. Without the list, only the state counts, but a
 * creation reaches its state.
 */
function assertWebhooks(finished: Finished, account: Account): void {
  const { calls, entries, before, deleteBeforeReplace, service } = finished;
  const [outdated, unlisted] = [service.outdated[account], service.unlisted[account]];
  for (const [id, state] of service.webhooksOf(account)) {
    const found = before.webhooks[account].get(id);
    // Until the program declares a webhook, nobody can know that it will.
    const declaredAt = calls.findIndex(
      ({ verb, news }) => verb === "check" && stateIn(news, id) !== undefined,
    );
    const isReleasable = (call: Call, index: number): boolean =>
      declaredAt === -1 ||
      index < declaredAt ||
      stateIn(call.news, id) !== undefined ||
      // The resource that takes over what the deleted one releases is created later.
      (deleteBeforeReplace && call.verb === "delete");
    const asking = calls.filter((call, index) => goalOf(call, id) === state && isReleasable(call, index));
    const isWanted = calls.some(({ verb, news }) => verb === "check" && stateIn(news, id) === state);
    assert(
      found === state || isWanted || asking.length > 0,
      `no call asked for the new state of webhook ${id}`,
    );
    const isManaged = entries.some(({ outputs }) => initialStateOf(outputs, id) !== undefined);
    const isForgotten = !isManaged && asking.every(({ verb, dropped }) => verb === "create" && !dropped);
    assert(found === state || !isForgotten, `webhook ${id} was changed and is not in the state`);
    if (outdated.has(id) && unlisted.has(id)) continue; // What is observed is believed.
    if (releasedGone(finished).includes(id)) continue;

    const isDeclared = declaredAt >= 0;
    const goals = calls.flatMap((call) => {
      const { verb, news, errors, dropped } = call;
      const isReleased = verb === "update" && stateIn(news, id) === undefined;
      const isKept = verb === "delete" && isDeclared;
      const isUnseen = service.isListRead ? outdated.has(id) : verb !== "create";
      const isOutdated = isUnseen && !isRecordedOtherwise(call, id);
      const goal = isReleased || isKept || isOutdated ? undefined : goalOf(call, id);
      return goal === undefined ? [] : [{ goal, succeeded: errors.length === 0 && !dropped }];
    });
    // After an interrupted rename, two resources can own a webhook. If both are deleted, they can leave it in
    // different states.
    const isReached = !isDeclared && goals.some(({ goal }) => goal === state);
    assert(
      isReached || goals.every(({ goal, succeeded }) => goal === state || !succeeded),
      `webhook ${id} is not in the state that a call reached`,
    );
  }
}

/**
 * Asserts that the state keeps initial states, also of missing webhooks and whatever an outdated list shows,
 * and that a refresh drops only single webhooks that are gone.
 */
function assertInitialStates({ verb, calls, entries, before, service }: Finished, account: Account): void {
  const outdated = service.outdated[account];
  const webhooks = service.webhooksOf(account);
  for (const [entry, { webhookId }] of verb === "refresh" ? before.outputs : []) {
    if (accountOf(entry) !== account) continue;
    const isMissing = !webhooks.has(webhookId as number) || outdated.has(webhookId as number);
    const isGone = isMissing && (webhooks.size > 0 || outdated.size > 0 || service.isSaidComplete);
    assert(
      entries.includes(entry) || (service.isListRead && kindOf(entry.name) === "webhook" && isGone),
      `${entry.name} was dropped`,
    );
  }
  for (const id of WEBHOOKS) {
    const updates = calls.filter(({ verb }) => verb === "update");
    // Another resource may have released the webhook in this operation, and changed it.
    const isShared = calls
      .filter(({ verb }) => verb === "update" || verb === "delete")
      .some(({ olds }) => initialStateOf(olds, id) !== undefined);
    for (const entry of entries) {
      const now = initialStateOf(entry.outputs, id);
      const earlier = initialStateOf(before.outputs.get(entry) ?? {}, id);
      const isUnknown = isShared || outdated.has(id) || !service.isListRead;
      const expected = earlier ?? (isUnknown ? now : before.webhooks[account].get(id));
      const isReleased = updates.some(
        ({ name, news }) => name === entry.name && stateIn(news, id) === undefined,
      );
      assert(
        now === expected || (now === undefined && (earlier === undefined || isReleased)),
        `${entry.name} lost the initial state of webhook ${id}`,
      );
    }
  }
}

/** Returns the state that arguments declare for a webhook, if any. */
export function stateIn({ webhookId, state, states, others }: Properties, id: number): unknown {
  if (states === undefined) return webhookId === id ? state : undefined;
  return (states as Properties)[id] ?? (others === "leave" ? undefined : others);
}

/** Returns the state in which a resource leaves a webhook; `undefined` for any. */
export function stateAfter(outputs: Properties, id: number): unknown {
  const { stateOnDestroy } = outputs;
  const initialState = initialStateOf(outputs, id);
  if (initialState === undefined || stateOnDestroy === "leave") return undefined;
  return stateOnDestroy === "restore" ? (initialState ?? undefined) : stateOnDestroy;
}

/** Returns the state in which a resource first found a webhook; `undefined` if it does not manage it. */
export function initialStateOf({ webhookId, initialState, initialStates }: Properties, id: number): unknown {
  return webhookId === id ? initialState : (initialStates as Properties | undefined)?.[id];
}

/** Returns the webhooks that the service claimed not to find when they were released. */
export function releasedGone({ notices }: Pick<Operation, "notices">): number[] {
  return notices.flatMap((notice) => (notice.kind === "releasedGone" ? notice.webhookIds : []));
}

/** Whether the state of a resource records another state of a webhook than a call should set. */
function isRecordedOtherwise(call: Call, id: number): boolean {
  const { webhookId, state, states = { [String(webhookId)]: state }, otherStates = {} } = call.olds;
  const recorded = { ...(otherStates as Properties), ...(states as Properties) }[id];
  return recorded != null && recorded !== goalOf(call, id);
}

/** Returns the state that a call should set for a webhook; `undefined` for any. */
function goalOf({ verb, olds, news }: Call, id: number): unknown {
  if (verb === "delete") return stateAfter(olds, id);
  if (verb !== "create" && verb !== "update") return undefined;
  // A fleet releases a webhook with the new stateOnDestroy.
  return stateIn(news, id) ?? stateAfter({ ...olds, stateOnDestroy: news["stateOnDestroy"] }, id);
}

/**
 * Whether a call may create a key. An update of a key that was not found only reads the response again,
 * unless a person says that the key is gone.
 */
function mayCreate({ name, verb, olds }: Call, goneKeys: readonly string[]): boolean {
  if (kindOf(name) !== "key" || verb !== "update") return kindOf(name) === "key" && verb === "create";
  const unread = unreadOf(olds);
  return unread === null || goneKeys.includes(nameOfCreated(unread).fingerprint ?? "");
}

/** Returns the key that was not found in the response to its creation; `null` if there is none. */
export function unreadOf({ internal }: Properties): CreatedKey | null {
  return ((internal ?? {}) as { unread?: CreatedKey | null }).unread ?? null;
}

/** Whether an operation changed the keys of other resources before it knew those of this one. */
function isUnseen({ calls, comparedAt }: Finished, name: string): boolean {
  const changed = calls.findIndex(
    (call) => call.name !== name && kindOf(call.name) === "key" && call.verb !== "check",
  );
  return changed >= 0 && changed < (comparedAt.get(name) ?? Infinity);
}

/** Whether outputs show the key of a resource that is to be replaced. */
function isReplacing({ internal }: Properties): boolean {
  return (internal as { isReplaced?: boolean } | null)?.isReplaced === true;
}

/** Whether an error says that a key may have been created, but is not in the state. */
function reportsCreation(error: unknown): boolean {
  const reason = lastReasonOf(error);
  if (reason instanceof ResourceError) return reason.problem.kind === "keyNotFound";
  return lostCreationOf(error) !== null;
}

/** Whether an error says that the service returned a key that another resource has. */
export function isSameKey(error: unknown): boolean {
  const reason = lastReasonOf(error);
  return reason instanceof ResourceError && reason.problem.kind === "sameKey";
}

/** Returns the failure of a creation that may have had an effect; `null` for any other error. */
function lostCreationOf(error: unknown): RequestError | null {
  const reason = lastReasonOf(error);
  if (!(reason instanceof RequestError)) return null;
  const { operation, effect } = reason.failure;
  return operation === "createApiKey" && effect === "possible" ? reason : null;
}

function lastReasonOf(error: unknown): unknown {
  const reason = reasonOf(error);
  const isPart = reason instanceof ResourceError && reason.problem.kind === "partlyDone";
  return isPart ? reason.problem.next : reason;
}

/** Whether a call reports that it deleted a key, or may have. */
function reportsDeletion({ errors }: Call): boolean {
  return errors.map(reasonOf).some((reason) => {
    if (reason instanceof RequestError)
      return reason.failure.operation === "deleteApiKey" && reason.failure.effect === "possible";
    return reason instanceof ResourceError && ["partlyDone", "deletionUnclear"].includes(reason.problem.kind);
  });
}

export function reasonOf(error: unknown): unknown {
  return error instanceof PartialFailure ? error.reason : error;
}
