import assert from "node:assert/strict";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import { WEBHOOKS } from "./characters.ts";
import type { Call } from "./engine.ts";
import { isTargeted, type Finished, type Known } from "./finished.ts";

/** Checks what an operation did to webhooks, and what it recorded of them. @throws if it broke a promise. */
export function assertWebhooks(finished: Finished, known: Known): void {
  assertOthersListed(finished);
  for (const id of WEBHOOKS) {
    assertWebhook(finished, known, id);
    assertInitialState(finished, id);
  }
  if (finished.command.verb === "refresh" && finished.succeeded) assertRefreshed(finished, known);
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
  // What `--target` leaves out, or a run that fails does not reach, does not learn of the change.
  const isUntold = stack.some(
    ({ name, outputs, replaced }) =>
      (replaced || !calls.some((call) => call.name === name)) &&
      webhooksOf(outputs).some(([each]) => each === String(id)),
  );
  // A run that fails before it reaches another resource that has declared the webhook does not set it again.
  const isUnreached = [...program].some(
    ([name, args]) => stateIn(args, id) !== undefined && !calls.some((call) => call.name === name),
  );
  if (isForgotten || (isChanged && (isUntold || isUnreached))) known.drifted.add(id);
  const isChanging = command.verb === "up" || command.verb === "destroy";
  // The fourth failure of a call succeeds with a warning, so that the engine keeps what was reached.
  const isForced = calls.some((call) => call.succeeded && call.errors.length >= 3);
  if (!isChanging || !succeeded || isForced || state === undefined || known.drifted.has(id)) return;
  const released = asking.filter(({ verb }) => verb === "delete").map((call) => goalOf(call, id));
  const goals = new Set(command.verb === "up" && declared.length > 0 ? declared : released);
  // What `--target` leaves out may have set it before, and the list may not show it.
  const isOfOther = [...program].some(([, args]) => stateIn(args, id) === state);
  const isRight = goals.has(state) || (command.target !== undefined && isOfOther);
  assert(goals.size !== 1 || isRight, `webhook ${id} is not as the program says`);
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
  const coversOthers = refreshed.some(({ inputs }) => (inputs["others"] ?? "leave") !== "leave");
  const isSeenNow = (id: number) =>
    !service.isHidden(id) && (!service.isPaged() || !coversOthers || recorded.includes(id));
  if (refreshed.length === stack.length)
    for (const id of known.drifted) if (isSeenNow(id)) known.drifted.delete(id);
  for (const entry of refreshed)
    for (const [id, state] of webhooksOf(entry.outputs)) {
      const old = before.stack.get(entry)?.outputs ?? {};
      const earlier = webhooksOf(old);
      const isHidden = service.isHidden(Number(id));
      const isManaged = initialStateOf(old, Number(id)) !== undefined;
      assert(!isHidden || isManaged, `${entry.name} takes up webhook ${id}, which the list does not show`);
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
