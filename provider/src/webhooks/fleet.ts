import { isDeepStrictEqual } from "node:util";

import { isState, STATES, type WebhookState } from "../partner-api/operations.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import type { Properties } from "../plugin/properties.js";
import type { Applied, Notice, Plan, Resource } from "../plugin/resource.js";
import { converge, warnAboutUnknown, type Converged, type WebhookContext } from "./converge.js";
import {
  finalStates,
  fleetStateOf,
  idsOf,
  managedIds,
  pick,
  recordedStates,
  type FleetInputs,
  type FleetState,
  type StateMap,
} from "./fleet-state.js";
import { listIncomplete, noSuchWebhook, willChange, type Why } from "./webhook-messages.js";
import type { WebhookList } from "./webhook-registry.js";

type FleetResource = Resource<FleetInputs, FleetState>;

/** How one type of resource declares a fleet. Its methods are as those of {@link Resource}. */
export interface FleetForm extends Pick<
  FleetResource,
  "registration" | "readArguments" | "inputsOf" | "stateOf" | "outputsOf" | "preview" | "newId" | "adopt"
> {
  /** Returns the inputs that declare a fleet as it is; `null` if its webhook is gone. */
  declarationOf(state: FleetState): Properties | null;
  /** Returns the inputs whose changes replace the resource. */
  replaces(olds: FleetState, news: FleetInputs): readonly string[];
}

/** Creates a resource of webhooks, by the seven rules of docs/webhooks.md. */
export function fleetResource(context: WebhookContext, form: FleetForm): FleetResource {
  return {
    ...form,
    check: (news, olds, urn) => check(context, news, olds, urn),
    plan: (olds, news, _name, moves) => plan(context, form, olds, news, moves),
    apply: (olds, news) => apply(context, olds, news),
    read: async (olds) => {
      const state = await read(context, olds);
      if (state === olds) return { state, inputs: null };
      const inputs = form.declarationOf(state);
      return inputs && { state, inputs };
    },
    remove: (olds) => remove(context, olds),
  };
}

/** Declares the webhooks, and looks at those whose declared states are new. Says what will change. */
async function check(
  { plugin, registry }: WebhookContext,
  news: FleetInputs,
  olds: FleetInputs | null,
  urn: string,
): Promise<void> {
  const { states, others } = news;
  const named = states ?? {};
  registry.declare(isState(others) ? [...idsOf(named), "others"] : idsOf(named), urn);
  const newIds = idsOf(named).filter((id) => named[id] !== olds?.states?.[id]);
  const coversMore = isState(others) && states !== null && others !== olds?.others;
  if (newIds.length === 0 && !coversMore) return;

  const list = await registry.lookUp(newIds);
  const gone = newIds.filter((id) => list.isGone(id));
  if (gone.length > 0) throw noSuchWebhook(gone, [...list.webhooks.keys()]);
  const covered = coversMore ? coveredBy(list, news, plugin) : {};
  const notices = [
    ...changeNotices("states", pick(named, newIds), (id) => list.stateOf(id) ?? named[id]),
    ...changeNotices("others", covered, (id) => list.stateOf(id)),
  ];
  for (const notice of notices) plugin.notify(notice);
  warnAboutUnknown(plugin, list, [...newIds, ...idsOf(covered)]);
}

/** Decides by the stack alone whether an update has something to do. */
function plan(
  { registry }: WebhookContext,
  form: FleetForm,
  olds: FleetState,
  news: FleetInputs,
  moves: boolean,
): Plan {
  const { states, others, stateOnDestroy } = news;
  const recorded = recordedStates(olds);
  const replaces = form.replaces(olds, news);
  const left = leaving(olds, news);
  const covered = isState(others) && states !== null ? idsOf(recorded).filter((id) => !(id in states)) : [];
  const drifted = covered.filter((id) => recorded[id] !== others);
  const isSame = others === olds.others && stateOnDestroy === olds.stateOnDestroy;
  // A state that is not known differs from every state.
  const isKnown = states !== null && !Object.values(states).includes(null);
  const isSettled = isSame && isKnown && isDeepStrictEqual(states, olds.states);

  // A replacement deletes the old resource, as its old inputs say. So does a move, in another process.
  const final = finalStates(
    moves || replaces.length > 0 ? olds.stateOnDestroy : stateOnDestroy,
    moves ? managedIds(olds) : registry.undeclared(left),
    olds.initialStates,
  );
  const notices = changeNotices("stateOnDestroy", pick(final, idsOf(recorded)), (id) => recorded[id]);
  // What a new `others` changes, the check says: the stack does not know it.
  if (isState(others) && others === olds.others && drifted.length > 0)
    notices.unshift(willChange("others", others, drifted));
  return { changes: !isSettled || left.length > 0 || drifted.length > 0, replaces, notices };
}

/** Sets the named webhooks, those that `others` covers, and the final states of those that leave. */
async function apply(
  context: WebhookContext,
  before: FleetState | null,
  news: FleetInputs,
): Promise<Applied<FleetState>> {
  const { plugin, registry } = context;
  const olds = before ?? fleetStateOf({});
  const named = news.states ?? {};
  // `others` covers webhooks that this run created a moment ago as well.
  const list = await registry.lookUp(idsOf(named), isState(news.others) ? plugin.now() : -Infinity);
  const left = registry.undeclared(leaving(olds, news));
  const released = finalStates(news.stateOnDestroy, left, olds.initialStates);
  const wanted = { ...released, ...coveredBy(list, news, plugin), ...named };
  const converged = await converge(context, list, wanted, recordedStates(olds), released);
  if (converged.failure !== null && !converged.mayHaveChanged) throw converged.failure;
  return { state: stateAfter(olds, news, converged, released), failure: converged.failure };
}

/** Returns what the stack stores after an update. @param released The final states of those that leave. */
function stateAfter(
  { initialStates }: FleetState,
  { states, others, stateOnDestroy }: FleetInputs,
  { found, reached }: Converged,
  released: StateMap,
): FleetState {
  const named = pick(reached, idsOf(states ?? {}));
  // A released webhook stays managed until it is in its final state.
  const unnamed = idsOf(reached).filter((id) => !(id in named) && reached[id] !== released[id]);
  const managed = [...idsOf(named), ...unnamed];
  // With `others`, a webhook that is missing from the list is still covered.
  const known = isState(others) ? initialStates : pick(initialStates, managed);
  return {
    states: named,
    others: others ?? "leave",
    stateOnDestroy: stateOnDestroy ?? "leave",
    otherStates: pick(reached, unnamed),
    initialStates: { ...pick(found, managed), ...known },
  };
}

/** Observes the webhooks. Keeps what the stack recorded of those whose states the list does not show. */
async function read({ plugin, registry }: WebhookContext, olds: FleetState): Promise<FleetState> {
  const ids = managedIds(olds);
  if (ids.length === 0 && !isState(olds.others)) return olds;
  const list = await registry.lookUp(ids);
  const recorded = recordedStates(olds);
  const covered = isState(olds.others) && list.moreSign === null ? [...list.webhooks.keys()] : [];
  const present = [...new Set([...ids, ...covered])].filter((id) => !list.isGone(id));
  const observed = Object.fromEntries(present.map((id) => [id, list.stateOf(id) ?? recorded[id] ?? null]));
  warnAboutUnknown(plugin, list, present);
  const unnamed = present.filter((id) => !(id in olds.states));
  return {
    ...olds,
    states: pick(observed, idsOf(olds.states)),
    otherStates: pick(observed, unnamed),
    initialStates: { ...pick(observed, covered), ...olds.initialStates },
  };
}

/** Releases all webhooks, except those that the program declares elsewhere in this process. */
async function remove(context: WebhookContext, olds: FleetState): Promise<void> {
  const left = context.registry.undeclared(managedIds(olds));
  const final = finalStates(olds.stateOnDestroy, left, olds.initialStates);
  if (idsOf(final).length === 0) return;
  const list = await context.registry.lookUp([]);
  const { failure } = await converge(context, list, final, recordedStates(olds), final);
  if (failure !== null) throw failure;
}

/** Returns the webhooks that `others` covers, with its state. @throws {PartnerError} if the list goes on. */
function coveredBy(list: WebhookList, { states, others }: FleetInputs, plugin: PluginProcess): StateMap {
  if (!isState(others)) return {};
  if (list.moreSign !== null) throw listIncomplete("others", list.moreSign, plugin.settingName);
  const covered = [...list.webhooks.keys()].filter((id) => !(id in (states ?? {})));
  return Object.fromEntries(covered.map((id) => [id, others]));
}

/** Returns the webhooks that a fleet manages and no longer declares; none if that is not known yet. */
function leaving(olds: FleetState, { states, others }: FleetInputs): number[] {
  if (states === null || others !== "leave") return [];
  return managedIds(olds).filter((id) => !(id in states));
}

/** Says which webhooks will change from their current states to the desired ones. */
function changeNotices(
  why: Why,
  wanted: StateMap,
  currentOf: (webhookId: number) => WebhookState | null | undefined,
): Notice[] {
  return STATES.flatMap((state) => {
    const ids = idsOf(wanted).filter((id) => wanted[id] === state && currentOf(id) !== state);
    return ids.length === 0 ? [] : [willChange(why, state, ids)];
  });
}
