import assert from "node:assert/strict";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import { publicText, type Call, type Entry, type Operation, type Program } from "./engine.ts";
import { WEBHOOKS } from "./characters.ts";
import type { Service } from "./service.ts";

const DAY = 86_400_000;

/** What people know: what was reported so far, and what they did themselves. */
export interface Known {
  /** Valid keys that are in no state. */
  readonly lost: Set<string>;
  /** Deleted keys that are in a state. */
  readonly gone: Set<string>;
  /** Webhooks that may have changed since the last refresh without the stack. */
  readonly drifted: Set<number>;
}

/** A finished operation, with the stack and the service before it and now. */
export interface Finished extends Operation {
  readonly before: {
    /** What each resource was. */
    readonly stack: ReadonlyMap<Entry, Entry>;
    readonly webhooks: ReadonlyMap<number, unknown>;
  };
  readonly stack: readonly Entry[];
  readonly program: Program;
  readonly service: Service;
  /** Whether `responses.apiKeyId` was set. */
  readonly isIdChosen: boolean;
  /** The time when the operation has begun and ended. */
  readonly began: number;
  readonly now: number;
}

/** Checks what an operation sent, showed and kept. @throws if it broke a promise. */
export function assertOperation(finished: Finished, known: Known): void {
  assertNoSecretShown(finished);
  assertFewRequests(finished);
  assertNoKeyLost(finished, known);
  assertGoneKeysNamed(finished);
  assertNoUsedKeyDeleted(finished);
  assertOverlaps(finished);
  assertNothingBlocksInVain(finished);
  assertClocksTold(finished);
  assertKeyAgainTold(finished);
  assertOthersListed(finished);
  assertNoDeletedKeyKept(finished, known);
  for (const id of WEBHOOKS) {
    assertWebhook(finished, known, id);
    assertInitialState(finished, id);
  }
  if (finished.command.verb === "refresh" && finished.succeeded) assertRefreshed(finished, known);
}

function assertNoSecretShown({ visible, service, stack }: Finished): void {
  const shown = [...visible, ...stack.map(({ id, outputs }) => id + publicText(outputs))].join("\n");
  for (const secret of [service.accessToken, ...service.keys.flatMap(({ key, uuid }) => [key, uuid])]) {
    const encoded = (["base64", "base64url"] as const).map((name) => Buffer.from(secret).toString(name));
    for (const spelling of [secret, encodeURIComponent(secret), ...encoded])
      assert(!shown.includes(spelling), `a secret is shown: …${shown.split(spelling)[0]?.slice(-300) ?? ""}`);
  }
}

/** Asserts that previews and refreshes change nothing, and that no key is created twice for one need. */
function assertFewRequests({ command: { verb }, calls, stack, service, now, before }: Finished): void {
  const changes = service.requests.filter((request) => !request.startsWith("GET"));
  assert(verb === "up" || verb === "destroy" || changes.length === 0, `a ${verb} sends a change`);
  assert(!service.requests.join().includes("?"), "a request has a query");
  const needs = new Set(calls.filter((call) => mayCreate(call, now)).map(({ name }) => name));
  assert(service.issuedKeys.length <= needs.size, "a key is created twice for one need");
  const creations = changes.filter((request) => request.startsWith("POST")).length - service.deniedCreations;
  const open = stack.filter((entry) => {
    const at = openCreationOf(entry.outputs)?.at;
    return at !== undefined && at !== openCreationOf(before.stack.get(entry)?.outputs ?? {})?.at;
  });
  assert(open.length <= creations, "a creation that the service has denied is kept");
}

/** Asserts that each valid key is in the state, or that a message named it when it was lost. */
function assertNoKeyLost(finished: Finished, known: Known): void {
  const { calls, stack, service, before, wasKilled, now } = finished;
  const failed = calls.filter((call) => mayCreate(call, now) && call.errors.length > 0);
  const isRemembered = ({ name, outputs }: Entry): boolean =>
    openCreationOf(outputs) !== null && failed.some((call) => call.name === name);
  for (const { key, isLive } of service.keys) {
    // What is given again is no longer what was lost or deleted.
    if (isLive) known.gone.delete(key);
    if (holdersOf(key, stack).length > 0) known.lost.delete(key);
    if (!isLive || known.lost.has(key) || holdersOf(key, stack).length > 0) continue;
    known.lost.add(key);
    const holders = holdersOf(key, before.stack.values());
    if (service.issuedKeys.includes(key))
      // If it dies, the engine warns about an interrupted creation.
      assert(
        wasKilled || stack.some(isRemembered),
        "a key is lost, and the state does not remember its creation",
      );
    else {
      assert(
        holders.every((holder) => mayLose(finished, key, holder)),
        "a key is lost that could be deleted",
      );
      assert(isNamed(finished, key, holders), "a key is no longer in the state, and no warning names it");
    }
  }
}

/**
 * Whether a resource may lose a key that works, with a warning: it was not read, nothing tells what it is
 * deleted by, a person has named the wrong value, or the service refused to delete it and a person has acted.
 */
function mayLose({ service, notices, isIdChosen }: Finished, key: string, { outputs }: Entry): boolean {
  const { current, previous } = keysOf(outputs);
  const holding = [current, previous].find((each) => JSON.stringify(each).includes(key));
  if (holding === undefined || notices.some(({ text }) => text.startsWith("Gave up"))) return true;
  // The 404 of the value that a person has chosen decides, whatever the service answered to the key.
  const isSent = service.requests.includes(`DELETE /api-key/${encodeURIComponent(key)}`);
  if (isIdChosen && isSent) return true;
  if (holding.apiKey !== key) return service.deletesBy === "key"; // A person has named the wrong value.
  return holding.response === null && service.deletesBy !== "key";
}

/** Returns the valid keys of a resource that its service can delete, by what the resource has. */
export function deletableKeys(service: Service, outputs: Properties): readonly string[] {
  const { deletesBy, missesRoute, liveKeys } = service;
  const { current, previous } = keysOf(outputs);
  return liveKeys().filter((key) => {
    const holding = [current, previous].find(({ apiKey }) => apiKey === key);
    return holding && (deletesBy === "key" ? !missesRoute(key) : holding.response != null);
  });
}

/** Asserts that a warning names each key that counts as gone although the service has not deleted it. */
function assertGoneKeysNamed(finished: Finished): void {
  const { stack, service, before } = finished;
  const isDeleted = (value: unknown): boolean => service.deletedKeys.some((key) => key === value);
  for (const { key, isLive } of service.keys) {
    const isKey = ({ outputs }: Entry) => [outputs["apiKey"], outputs["previousApiKey"]].includes(key);
    const holders = [...before.stack.values()].filter(isKey);
    if (isLive || isDeleted(key) || holders.length === 0 || holdersOf(key, stack).length > 0) continue;
    assert(isNamed(finished, key, holders), "a key counts as gone, and no warning names it");
  }
}

/** Whether a warning names a key by its last characters, or by the time of its creation, if there are any. */
function isNamed({ notices }: Finished, key: string, holders: readonly Entry[]): boolean {
  const warnings = notices.filter(({ severity }) => severity === "warning").map(({ text }) => text);
  return holders.some(({ outputs }) => {
    const { previous, openCreation } = outputs["internal"] as Internal;
    const times = [outputs["createdAt"], previous?.createdAt, openCreation?.at].filter(Boolean);
    const names = [...times.map((time) => String(time).slice(11, 16)), `…${key.slice(-4)}`];
    // Nothing may be shown of a short key that was imported, or of a value that a person took for the key.
    const isNameless = key.length < 20 || !Object.values(outputs).includes(key);
    return warnings.some(
      (text) => names.some((name) => text.includes(name)) || (isNameless && text.includes("key")),
    );
  });
}

/** Asserts that only keys were deleted that nobody uses. */
function assertNoUsedKeyDeleted(finished: Finished): void {
  const { stack, service, before, command, program } = finished;
  for (const key of service.deletedKeys) {
    const holders = [...before.stack].filter(([, old]) => holdersOf(key, [old]).length > 0);
    assert(holders.length > 0, "a key is deleted that no state has");
    for (const [holder, { name, outputs, replaced }] of holders) {
      // What waits for its deletion uses nothing.
      if (!replaced && isUsed(key, outputs) && !isAsked(finished, key, holder) && isSeen(finished, name, key))
        assert.fail(`a key that ${name} uses is deleted`);
      const next = stack.find((entry) => entry.name === name && entry !== holder && !entry.replaced);
      const hasNone = outputs["apiKey"] === key && next?.outputs["apiKey"] === null;
      const isForced = command.verb === "destroy" || command.deleteBeforeReplace || !program.has(name);
      const isLeftOut = !isTargeted(finished, name); // A process does not see what `--target` leaves out.
      assert(isForced || isLeftOut || !hasNone, `${name} has no key in place of the deleted one`);
    }
    for (const entry of holdersOf(key, stack))
      if (!before.stack.has(entry))
        assert(!isSeen(finished, entry.name, key), `a key that ${entry.name} has imported is deleted`);
  }
}

/** Whether the end of an overlap, or a call for a resource, asks for the deletion of its key. */
function isAsked(finished: Finished, key: string, holder: Entry): boolean {
  const { calls, before, now } = finished;
  const { name, outputs } = before.stack.get(holder) ?? holder;
  const isPrevious = !JSON.stringify(keysOf(outputs).current).includes(key);
  return calls.some((call) => {
    if (call.name !== name) return false;
    const isOver = call.verb === "update" && isPrevious && !(overlapEnd(call) > now);
    return call.verb === "delete" || isOver || (isPrevious && mayCreate(call, now));
  });
}

/**
 * Whether a process had seen that a resource holds its keys and goes on, before another one may have deleted
 * one of them. It does not see the others if all are destroyed, or those that `--target` leaves out.
 */
function isSeen({ command, planned, calls }: Finished, name: string, key: string): boolean {
  const plan = planned.get(name);
  const first = calls.findIndex(
    (call) => call.name !== name && isChange(call) && JSON.stringify(call.olds).includes(key),
  );
  const isEarly = plan !== undefined && (first < 0 || plan.calls <= first);
  return command.verb !== "destroy" && isEarly && !plan.isReplaced;
}

function isChange({ verb }: Call): boolean {
  return verb === "update" || verb === "delete";
}

/** Asserts that the state keeps a deleted key only if a person deleted it, or a call failed on the way. */
function assertNoDeletedKeyKept(finished: Finished, known: Known): void {
  const { calls, stack, service } = finished;
  for (const { key, isLive } of service.keys)
    for (const { name, outputs, replaced } of isLive || known.gone.has(key) ? [] : holdersOf(key, stack)) {
      known.gone.add(key);
      if (replaced || !isUsed(key, outputs)) continue; // It is not planned any more, only deleted.
      const hasFailed = calls.some((call) => call.name === name && !call.succeeded);
      const isOfOther = service.deletedKeys.includes(key) && !isSeen(finished, name, key);
      assert(hasFailed || isOfOther, `${name} keeps a deleted key`);
    }
}

/** Asserts that an overlap lasts as long as it is declared, from the time when the current key was read. */
function assertOverlaps(finished: Finished): void {
  const { calls, stack, before, began, now, succeeded, command } = finished;
  for (const entry of stack.filter(({ name }) => name.startsWith("key"))) {
    const old = before.stack.get(entry);
    const { rotatedAt } = entry.outputs["internal"] as Internal;
    const isRead =
      old?.outputs["createdAt"] !== entry.outputs["createdAt"] && entry.outputs["createdAt"] !== null;
    const time = Date.parse(rotatedAt ?? "");
    if (isRead) assert(time >= began && time <= now, `${entry.name} has a wrong beginning of its overlap`);
    else if (old) assert.equal(rotatedAt, (old.outputs["internal"] as Internal).rotatedAt);

    const isForced = calls.some((call) => call.name === entry.name && call.errors.length > 0);
    const { overlapDays } = rotationOf(entry.inputs);
    const { previousApiKey, previousExpiresAt } = entry.outputs;
    const isLeft = entry.replaced || !isTargeted(finished, entry.name);
    if (!succeeded || command.verb !== "up" || isForced || isLeft || previousApiKey === null) continue;
    const end = Date.parse(String(previousExpiresAt));
    assert(isRead || end > began, `${entry.name} keeps a previous key after its overlap`);
    if (overlapDays !== undefined) assert.equal(end, time + overlapDays * DAY, "an overlap has a wrong end");
    else if (!isRead) assert.equal(previousExpiresAt, old?.outputs["previousExpiresAt"], "an overlap moves");
  }
}

/** Asserts that no open creation fails an update in which no key is due. */
function assertNothingBlocksInVain({ calls, service, now, command, before }: Finished): void {
  if (service.requests.length > 0 || command.verb !== "up") return;
  for (const { name, verb, olds, news, errors } of calls) {
    const [entry] = [...before.stack.values()].filter((each) => each.name === name && !each.replaced);
    const response = entry && openCreationOf(entry.outputs)?.response;
    const isKept = response != null && !response.isCutOff;
    const call = { name, verb, olds: withoutOpenCreation(olds), news };
    if (verb !== "update" || !name.startsWith("key") || isKept || mayCreate(call, now)) continue;
    assert.deepEqual(errors, [], `nothing is due, but ${name} fails`);
  }
}

/** Asserts that each run says so if the time of a key is ahead by more than a day. */
function assertClocksTold({ planned, before, program, notices, now }: Finished): void {
  for (const { name, replaced, outputs } of before.stack.values()) {
    const { trigger = "" } = rotationOf(program.get(name) ?? {});
    const { trigger: used } = (outputs["internal"] ?? {}) as Partial<Internal>;
    const isRotating = trigger !== "" && String(trigger) !== used;
    if (!planned.has(name) || replaced || isRotating || !isAhead(outputs, now)) continue;
    const isTold = notices.some(({ text }) => text.startsWith(CLOCK_WAS_WRONG) && text.includes(name));
    assert(isTold, `no warning says that a clock was ahead for ${name}`);
  }
}

/** How the warning of a clock that was ahead begins. */
export const CLOCK_WAS_WRONG = "A clock was wrong";

/** Whether a key was created or took over more than a day after a time. */
export function isAhead({ apiKey, createdAt, internal }: Properties, now: number): boolean {
  const times = [createdAt, (internal as Internal | undefined)?.rotatedAt].map(String);
  return typeof apiKey === "string" && times.some((time) => Date.parse(time) > now + DAY);
}

/** Asserts that a run names a key that it has deleted, and uses all the same: it was given again. */
function assertKeyAgainTold({ stack, service, notices }: Finished): void {
  for (const key of service.issuedKeys.filter((each) => service.deletedKeys.includes(each)))
    if (stack.some(({ outputs, replaced }) => outputs["apiKey"] === key && !replaced))
      assert(
        notices.some(({ text }) => text.includes("again, which this run has deleted")),
        "a key was given again, and no warning says so",
      );
}

/** Asserts that `others` is not applied to a list that goes on. */
function assertOthersListed({ calls, service }: Finished): void {
  for (const { name, verb, news, errors } of calls) {
    const coversOthers = news["others"] === "active" || news["others"] === "disabled";
    if ((verb === "create" || verb === "update") && coversOthers && service.isPaged())
      assert.notDeepEqual(errors, [], `${name} covers others, but the list goes on`);
  }
}

/** Asserts that a webhook changes only as a call asks, and ends as the program says. */
function assertWebhook(finished: Finished, known: Known, id: number): void {
  const { command, succeeded, wasKilled, calls, stack, service, before, program } = finished;
  const state = service.webhooks.get(id);
  const asking = calls.filter((call) => goalOf(call, id) !== undefined);
  const isChanged = before.webhooks.get(id) !== state;
  const isReached = asking.some((call) => goalOf(call, id) === state);
  assert(!isChanged || isReached, `nobody asked for the new state of webhook ${id}`);
  const targets = [...program].filter(([name]) => isTargeted(finished, name));
  const declared = targets.flatMap(([, args]) => stateIn(args, id) ?? []);
  for (const { name, verb, news } of wasKilled || state === undefined ? [] : asking) {
    const isSet = isChanged && stateIn(news, id) === state;
    const isUnreleased = verb === "update" && declared.length === 0 && !isReached;
    const managing = stack.filter(({ outputs }) => initialStateOf(outputs, id) !== undefined);
    const isManaged = managing.some((entry) => entry.name === name);
    // At a list that does not show it, the recorded state counts, which a killed run may have made wrong.
    const isUnknown = known.drifted.has(id) && service.isHidden(id);
    assert(isManaged || isUnknown || !(isSet || isUnreleased), `webhook ${id} is forgotten`);
  }
  // The engine keeps nothing of a deletion that fails, and nothing of a step during which it dies.
  const isForgotten = asking.some((call) => wasKilled || (call.verb === "delete" && !call.succeeded));
  // What `--target` leaves out does not learn of the change.
  const isUntold = stack.some(
    ({ name, outputs }) =>
      !isTargeted(finished, name) && webhooksOf(outputs).some(([each]) => each === String(id)),
  );
  // A run that fails before it reaches another resource that has declared the webhook does not set it again.
  const isUnreached = [...program].some(
    ([name, args]) => stateIn(args, id) !== undefined && !calls.some((call) => call.name === name),
  );
  if (isForgotten || (isChanged && (isUntold || isUnreached))) known.drifted.add(id);
  const isChanging = command.verb === "up" || command.verb === "destroy";
  // The third repetition of one failure succeeds with a warning, so that the engine keeps what was reached.
  const isForced = calls.some((call) => call.succeeded && call.errors.length >= 3);
  if (!isChanging || !succeeded || isForced || state === undefined || known.drifted.has(id)) return;
  const released = asking.filter(({ verb }) => verb === "delete").map((call) => goalOf(call, id));
  const goals = new Set(command.verb === "up" && declared.length > 0 ? declared : released);
  assert(goals.size !== 1 || goals.has(state), `webhook ${id} is not as the program says`);
}

/** Asserts that a resource keeps the state in which a webhook became managed. */
function assertInitialState({ calls, stack, before, service }: Finished, id: number): void {
  for (const entry of stack) {
    const [old, now] = [before.stack.get(entry), initialStateOf(entry.outputs, id)];
    const earlier = old && initialStateOf(old.outputs, id);
    const others = calls.filter((call) => !old || call.name !== entry.name);
    const isShared = others.some((call) => goalOf(call, id) !== undefined);
    // It is null if it was not sure when the webhook became managed: after a release that may have been made.
    const found = service.isHidden(id) ? null : before.webhooks.get(id);
    const first = isShared ? now : found;
    const isRight = now === undefined || now === (earlier === undefined ? first : earlier);
    assert(isRight, `${entry.name} has a wrong initial state of webhook ${id}`);
  }
}

/** Asserts that the state is that of the service, and as it was for what the list does not show. */
function assertRefreshed(finished: Finished, known: Known): void {
  const { stack, service, before } = finished;
  const refreshed = stack.filter(({ name }) => isTargeted(finished, name));
  const recorded = refreshed.flatMap(({ outputs }) => webhooksOf(outputs).map(([id]) => Number(id)));
  // `others` takes up no webhook from a list that goes on, with a warning.
  const isSeenNow = (id: number) => !service.isHidden(id) && (!service.isPaged() || recorded.includes(id));
  if (refreshed.length === stack.length)
    for (const id of known.drifted) if (isSeenNow(id)) known.drifted.delete(id);
  for (const entry of refreshed)
    for (const [id, state] of webhooksOf(entry.outputs)) {
      const earlier = webhooksOf(before.stack.get(entry)?.outputs ?? {});
      const isHidden = service.isHidden(Number(id));
      // What a fleet manages and the list does not show is unknown, also if it was gone for a time.
      const shown = isHidden ? (new Map(earlier).get(id) ?? null) : service.webhooks.get(Number(id));
      assert.equal(state, shown, `${entry.name} has a wrong state of webhook ${id}`);
    }
  for (const [entry, { name, outputs }] of before.stack) {
    const { webhookId } = outputs as { readonly webhookId?: number };
    const isThere = webhookId === undefined || service.webhooks.has(webhookId) || service.isPaged();
    const isKept = isThere || !isTargeted(finished, name);
    assert.equal(stack.includes(entry), isKept, `a refresh decides wrongly whether ${name} exists`);
  }
}

/** Whether a command is about a resource: without `--target`, about all. */
function isTargeted({ command: { target } }: Finished, name: string): boolean {
  return target === undefined || target === name;
}

/** Whether a resource has a key. If it is only in a kept response, a person has named another value there. */
function isUsed(key: string, outputs: Properties): boolean {
  return outputs["apiKey"] === key || outputs["previousApiKey"] === key;
}

/** Returns the resources whose state contains a key. */
function holdersOf(key: string, stack: Iterable<Entry>): readonly Entry[] {
  return [...stack].filter(({ outputs }) => JSON.stringify(outputs).includes(key));
}

/** Returns the recorded states of webhooks. */
export function webhooksOf({ webhookId, state, states, otherStates }: Properties): [string, unknown][] {
  if (typeof webhookId === "number") return [[String(webhookId), state]];
  return Object.entries({ ...(states as object), ...(otherStates as object) });
}

/** Returns the state that arguments declare for a webhook; `undefined` for any. */
export function stateIn({ webhookId, state, states, others }: Properties, id: number): unknown {
  if (states === undefined) return webhookId === id ? state : undefined;
  return (states as Properties)[id] ?? (others === "leave" ? undefined : others);
}

/** Returns the state in which a resource leaves a webhook; `undefined` for any. */
function stateAfter(outputs: Properties, id: number): unknown {
  const { stateOnDestroy } = outputs;
  const initial = initialStateOf(outputs, id);
  if (initial === undefined || stateOnDestroy === "leave") return undefined;
  return stateOnDestroy === "restore" ? (initial ?? undefined) : stateOnDestroy;
}

/** Returns the state in which a webhook became managed; `undefined` if a resource does not manage it. */
function initialStateOf({ webhookId, initialState, initialStates }: Properties, id: number): unknown {
  return webhookId === id ? initialState : (initialStates as Properties | undefined)?.[id];
}

/** Returns the state that a call should set for a webhook; `undefined` for any. */
function goalOf({ verb, olds, news }: Call, id: number): unknown {
  if (verb === "delete") return stateAfter(olds, id);
  if (verb !== "create" && verb !== "update") return undefined;
  return stateIn(news, id) ?? stateAfter({ ...olds, stateOnDestroy: news["stateOnDestroy"] }, id);
}

interface Rotation {
  readonly trigger?: string | number;
  readonly afterDays?: number;
  readonly overlapDays?: number;
}

/** Returns the rotation that arguments declare. */
export function rotationOf({ rotation }: Properties): Rotation {
  return rotation ?? {};
}

/** A kept response. */
interface Response {
  readonly isCutOff: boolean;
}

interface Internal {
  readonly trigger: string | null;
  readonly rotatedAt: string | null;
  readonly openCreation: {
    readonly at: string;
    readonly trigger: string | null;
    readonly response: Response | null;
  } | null;
  readonly previous: { readonly createdAt: string | null; readonly response: Response | null } | null;
}

/** Returns the open creation of a key; `null` if there is none. */
export function openCreationOf({ internal }: Properties): Internal["openCreation"] {
  return (internal as Internal | undefined)?.openCreation ?? null;
}

/** Returns the current and the previous key, as the outputs have them. */
function keysOf(outputs: Properties) {
  const { apiKey, previousApiKey, response } = outputs;
  const { previous } = outputs["internal"] as Internal;
  return {
    current: { apiKey, response: apiKey === null ? null : response },
    previous: { apiKey: previousApiKey, response: previous?.response },
  };
}

/** Returns outputs as if no creation was open. */
function withoutOpenCreation(outputs: Properties): Properties {
  return { ...outputs, internal: { ...(outputs["internal"] as Internal), openCreation: null } };
}

/** Returns when the overlap ends by today's arguments; `NaN` if there is none. */
function overlapEnd({ olds, news }: Pick<Call, "olds" | "news">): number {
  const { rotatedAt } = olds["internal"] as Internal;
  const { overlapDays } = rotationOf(news);
  if (overlapDays === undefined || olds["previousApiKey"] === null)
    return Date.parse(String(olds["previousExpiresAt"]));
  return Date.parse(rotatedAt ?? "") + overlapDays * DAY;
}

/** Whether a call may create a key: one is due, and no creation is open, or a person has acted. */
function mayCreate(
  { name, verb, olds, news }: Pick<Call, "name" | "verb" | "olds" | "news">,
  now: number,
): boolean {
  if (!name.startsWith("key") || verb !== "update") return name.startsWith("key") && verb === "create";
  const { trigger: declared = "", afterDays = Infinity } = rotationOf(news);
  const trigger = String(declared);
  const open = openCreationOf(olds);
  if (open !== null && (trigger === "" || trigger === open.trigger)) return false;
  const { trigger: used } = olds["internal"] as Internal;
  const age = Math.floor(now / DAY) - Math.floor(Date.parse(String(olds["createdAt"])) / DAY);
  const isOld = !(age < afterDays) && !(overlapEnd({ olds, news }) > now);
  return olds["apiKey"] === null || (trigger !== "" && trigger !== used) || isOld;
}
