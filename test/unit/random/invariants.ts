import assert from "node:assert/strict";

import type { Properties } from "../../../provider/src/plugin/properties.ts";
import { publicText, type Call, type Entry, type Operation, type Program } from "./engine.ts";
import { WEBHOOKS, type Service } from "./service.ts";

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
    readonly keyCount: number;
  };
  readonly stack: readonly Entry[];
  readonly program: Program;
  readonly service: Service;
  readonly now: number;
}

/** Checks what an operation sent, showed and kept. @throws if it broke a promise. */
export function assertOperation(finished: Finished, known: Known): void {
  assertNoSecretShown(finished);
  assertFewRequests(finished);
  assertNoKeyLost(finished, known);
  assertNoUsedKeyDeleted(finished);
  assertNoDeletedKeyKept(finished, known);
  for (const id of WEBHOOKS) {
    assertWebhook(finished, known, id);
    assertInitialState(finished, id);
  }
  if (finished.command.verb === "refresh" && finished.succeeded) assertRefreshed(finished, known);
}

function assertNoSecretShown({ visible, service, stack }: Finished): void {
  const shown = [...visible, ...stack.map(({ id, outputs }) => id + publicText(outputs))].join("\n");
  for (const secret of [service.accessToken, ...service.keys.map(({ key }) => key)]) {
    const encoded = (["base64", "base64url"] as const).map((name) => Buffer.from(secret).toString(name));
    for (const spelling of [secret, encodeURIComponent(secret), ...encoded])
      assert(!shown.includes(spelling), `a secret is shown: …${shown.split(spelling)[0]?.slice(-300) ?? ""}`);
  }
}

/** Asserts that previews and refreshes change nothing, and that no key is created twice for one need. */
function assertFewRequests({ command: { verb }, calls, service, now, before }: Finished): void {
  const changes = service.requests.filter((request) => !request.startsWith("GET"));
  assert(verb === "up" || verb === "destroy" || changes.length === 0, `a ${verb} sends a change`);
  assert(!service.requests.join().includes("?"), "a request has a query");
  const needs = new Set(calls.filter((call) => mayCreate(call, now)).map(({ name }) => name));
  assert(service.keys.length - before.keyCount <= needs.size, "a key is created twice for one need");
}

/** Asserts that each valid key is in the state, or that a message named it when it was lost. */
function assertNoKeyLost(finished: Finished, known: Known): void {
  const { calls, notices, stack, service, before, wasKilled, now } = finished;
  for (const [index, { key, isLive }] of service.keys.entries()) {
    if (!isLive || known.lost.has(key) || holdersOf(key, stack).length > 0) continue;
    known.lost.add(key);
    if (index >= before.keyCount) {
      const failed = calls.filter((call) => mayCreate(call, now) && call.errors.length > 0);
      const isKept = ({ name, outputs }: Entry): boolean =>
        unfinishedOf(outputs) !== null && failed.some((call) => call.name === name);
      // If it dies, the engine warns about an interrupted creation.
      assert(wasKilled || stack.some(isKept), "a key is lost, and the state does not remember its creation");
    } else {
      const holders = holdersOf(key, before.stack.values());
      const times = holders.map(({ outputs }) => unfinishedOf(outputs)?.at.slice(11, 16));
      const hint = `…${key.slice(-4)}`;
      const warnings = notices.filter(({ severity }) => severity === "warning").map(({ text }) => text);
      const isNamed = (text: string): boolean => [hint, ...times].some((name) => name && text.includes(name));
      assert(warnings.some(isNamed), "a key is no longer in the state, and no warning names it");
    }
  }
}

/** Asserts that only keys were deleted that nobody uses. */
function assertNoUsedKeyDeleted(finished: Finished): void {
  const { calls, stack, service, before, now, command, program } = finished;
  for (const key of service.deletedKeys) {
    const holders = [...before.stack].filter(([, old]) => holdersOf(key, [old]).length > 0);
    assert(holders.length > 0, "a key is deleted that no state has");
    for (const [holder, { name, outputs }] of holders) {
      const isPrevious = outputs["previousApiKey"] === key;
      const isOver = isPrevious && !(Date.parse(String(outputs["previousExpiresAt"])) > now);
      const isAsked = (call: Call): boolean =>
        call.name === name &&
        (call.verb === "delete" ||
          (isPrevious && call.verb === "update" && rotationOf(call.news).overlapDays === 0) ||
          (isPrevious && mayCreate(call, now)));
      assert(isOver || calls.some(isAsked), `a key that ${name} uses is deleted`);
      const next = stack.find((entry) => entry.name === name && entry !== holder && !entry.replaced);
      const hasNone = outputs["apiKey"] === key && next?.outputs["apiKey"] === null;
      const isForced = command.verb === "destroy" || command.deleteBeforeReplace || !program.has(name);
      assert(isForced || !hasNone, `${name} has no key in place of the deleted one`);
    }
  }
}

/** Asserts that the state keeps a deleted key only if a person deleted it, or a call failed on the way. */
function assertNoDeletedKeyKept({ calls, stack, service }: Finished, known: Known): void {
  for (const { key, isLive } of service.keys)
    for (const { name } of isLive || known.gone.has(key) ? [] : holdersOf(key, stack)) {
      known.gone.add(key);
      const hasFailed = calls.some((call) => call.name === name && !call.succeeded);
      assert(hasFailed, `${name} keeps a deleted key`);
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
  const declared = [...program.values()].flatMap((args) => stateIn(args, id) ?? []);
  for (const { name, verb, news } of wasKilled || state === undefined ? [] : asking) {
    const isSet = isChanged && stateIn(news, id) === state;
    const isUnreleased = verb === "update" && declared.length === 0 && !isReached;
    const managing = stack.filter(({ outputs }) => initialStateOf(outputs, id) !== undefined);
    const isManaged = managing.some((entry) => entry.name === name);
    assert(isManaged || !(isSet || isUnreleased), `webhook ${id} is forgotten`);
  }
  // The engine keeps nothing of a deletion that fails, and nothing of a step during which it dies. And a
  // webhook is released if the program declares it only afterwards, in the same run.
  const declaredAt = calls.findIndex(({ verb, news }) => verb === "check" && stateIn(news, id) !== undefined);
  const isReleased = (call: Call): boolean => asking.includes(call) && stateIn(call.news, id) === undefined;
  const isForgotten = asking.some((call) => wasKilled || (call.verb === "delete" && !call.succeeded));
  if (isForgotten || calls.slice(0, Math.max(0, declaredAt)).some(isReleased)) known.drifted.add(id);
  const isChanging = command.verb === "up" || command.verb === "destroy";
  // The third repetition of one failure succeeds with a warning, so that the engine keeps what was reached.
  const isForced = calls.some((call) => call.succeeded && call.errors.length >= 3);
  if (!isChanging || !succeeded || isForced || state === undefined || known.drifted.has(id)) return;
  const released = asking.filter(({ verb }) => verb === "delete").map((call) => goalOf(call, id));
  const goals = new Set(command.verb === "up" && declared.length > 0 ? declared : released);
  assert(goals.size !== 1 || goals.has(state), `webhook ${id} is not as the program says`);
}

/** Asserts that a resource keeps the state in which a webhook became managed. */
function assertInitialState({ calls, stack, before }: Finished, id: number): void {
  for (const entry of stack) {
    const [old, now] = [before.stack.get(entry), initialStateOf(entry.outputs, id)];
    const earlier = old && initialStateOf(old.outputs, id);
    const others = calls.filter((call) => !old || call.name !== entry.name);
    const isShared = others.some((call) => goalOf(call, id) !== undefined);
    const isRight = now === undefined || now === (earlier ?? (isShared ? now : before.webhooks.get(id)));
    assert(isRight, `${entry.name} has a wrong initial state of webhook ${id}`);
  }
}

/** Asserts that the state is that of the service. */
function assertRefreshed({ stack, service, before }: Finished, known: Known): void {
  known.drifted.clear();
  for (const { name, outputs } of stack)
    for (const [id, recorded] of webhooksOf(outputs))
      assert.equal(recorded, service.webhooks.get(Number(id)), `${name} has a wrong state of webhook ${id}`);
  for (const [entry, { name, outputs }] of before.stack) {
    const { webhookId } = outputs as { readonly webhookId?: number };
    const isThere = webhookId === undefined || service.webhooks.has(webhookId);
    assert.equal(stack.includes(entry), isThere, `a refresh decides wrongly whether ${name} exists`);
  }
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
  readonly trigger?: string;
  readonly afterDays?: number;
  readonly overlapDays?: number;
}

/** Returns the rotation that arguments declare. */
export function rotationOf({ rotation }: Properties): Rotation {
  return rotation ?? {};
}

interface Internal {
  readonly trigger: string | null;
  readonly unfinished: { readonly at: string; readonly trigger: string | null } | null;
}

/** Returns the unfinished creation of a key; `null` if there is none. */
export function unfinishedOf({ internal }: Properties): Internal["unfinished"] {
  return (internal as Internal | undefined)?.unfinished ?? null;
}

/** Whether a call may create a key: one is due, and no creation is unfinished, or a person has acted. */
function mayCreate({ name, verb, olds, news }: Call, now: number): boolean {
  if (!name.startsWith("key") || verb !== "update") return name.startsWith("key") && verb === "create";
  const { trigger = "", afterDays = Infinity } = rotationOf(news);
  const unfinished = unfinishedOf(olds);
  if (unfinished !== null && (trigger === "" || trigger === unfinished.trigger)) return false;
  const { trigger: used } = olds["internal"] as Internal;
  const age = Math.floor(now / DAY) - Math.floor(Date.parse(String(olds["createdAt"])) / DAY);
  const isOld = !(age < afterDays) && !(Date.parse(String(olds["previousExpiresAt"])) > now);
  return olds["apiKey"] === null || (trigger !== "" && trigger !== used) || isOld;
}
