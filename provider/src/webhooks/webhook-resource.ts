import { isDeepStrictEqual } from "node:util";

import { isState, STATES, type WebhookState } from "../partner-api/operations.js";
import type { AccountSession } from "../plugin/account-session.js";
import type { Properties } from "../plugin/properties.js";
import type { Applied, Notice, Plan, Resource } from "../plugin/resource.js";
import { converge, type Converged } from "./converge.js";
import type { Declarations } from "./declarations.js";
import {
  finalStates,
  fleetStateOf,
  idsOf,
  knownStates,
  managedIds,
  pick,
  recordedStates,
  statesOf,
  type FleetInputs,
  type FleetState,
  type KnownStates,
  type StateMap,
} from "./fleet-state.js";
import type { WebhookList, WebhookLists } from "./webhook-list.js";
import { noSuchWebhook, willChange, type Why } from "./webhook-messages.js";

type FleetResource = Resource<FleetInputs, FleetState>;

/** What the webhook resources of a process share. */
export interface WebhookContext {
  readonly session: AccountSession;
  readonly declarations: Declarations;
  readonly lists: WebhookLists;
}

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

/** Creates a resource of webhooks, by the seven rules in ARCHITECTURE.md. */
export function webhookResource(context: WebhookContext, form: FleetForm): FleetResource {
  return {
    ...form,
    check: (news, olds, urn) => check(context, news, olds, urn),
    plan: (olds, news, _name, changesAccount) => plan(context, form, olds, news, changesAccount),
    apply: (olds, news) => apply(context, olds, news),
    read: async (olds) => {
      const state = await read(context, olds);
      if (state === olds) return { state, inputs: null };
      const inputs = form.declarationOf(state);
      return inputs === null ? null : { state, inputs };
    },
    remove: (olds) => remove(context, olds),
  };
}

/** Declares the webhooks, and looks at those whose declared states are new. Says what will change. */
async function check(
  { session, declarations, lists }: WebhookContext,
  news: FleetInputs,
  olds: FleetInputs | null,
  urn: string,
): Promise<void> {
  const { states, others } = news;
  const named = states ?? {};
  declarations.declare(idsOf(named), isState(others), urn);
  const newIds = idsOf(named).filter((id) => named[id] !== olds?.states?.[id]);
  const coversMore = isState(others) && states !== null && others !== olds?.others;
  if (newIds.length === 0 && !coversMore) return;

  const list = await lists.lookUp(newIds);
  const gone = newIds.filter((id) => list.isGone(id));
  if (gone.length > 0) throw noSuchWebhook(gone, list.ids());
  const covered = coversMore ? coveredBy(list, news) : {};
  const notices = [
    ...changeNotices("states", pick(named, newIds), (id) => list.stateOf(id) ?? named[id]),
    ...changeNotices("others", covered, (id) => list.stateOf(id)),
  ];
  for (const notice of notices) session.notify(notice);
  lists.warnAboutUnknown(list, [...newIds, ...idsOf(covered)]);
}

/** Decides from the state alone whether an update has something to do. */
function plan(
  { declarations }: WebhookContext,
  form: FleetForm,
  olds: FleetState,
  news: FleetInputs,
  changesAccount: boolean,
): Plan {
  const replaces = form.replaces(olds, news);
  if (changesAccount)
    return { changes: true, replaces, notices: releaseNotices(olds, managedIds(olds), olds.stateOnDestroy) };
  const { others } = news;
  const drifted = driftedIds(olds, news);
  const released = declarations.undeclared(droppedIds(olds, news));
  // A replacement deletes the old resource by its old inputs.
  const { stateOnDestroy } = replaces.length > 0 ? olds : news;
  const notices = releaseNotices(olds, released, stateOnDestroy);
  // `check` reports what a new `others` changes: only the list shows it.
  if (isState(others) && others === olds.others && drifted.length > 0)
    notices.unshift(willChange("others", others, drifted));
  return { changes: needsUpdate(olds, news), replaces, notices };
}

function needsUpdate(olds: FleetState, news: FleetInputs): boolean {
  const { states, others, stateOnDestroy } = news;
  // A state that is not known differs from every state.
  const isKnown = states !== null && !Object.values(states).includes(null);
  if (!isKnown || !isDeepStrictEqual(states, olds.states)) return true;
  if (others !== olds.others || stateOnDestroy !== olds.stateOnDestroy) return true;
  return droppedIds(olds, news).length > 0 || driftedIds(olds, news).length > 0;
}

/** Sets the named webhooks, those that `others` covers, and the final states of those that are dropped. */
async function apply(
  { declarations, lists }: WebhookContext,
  before: FleetState | null,
  news: FleetInputs,
): Promise<Applied<FleetState>> {
  const olds = before ?? fleetStateOf({});
  const named = knownStates(news.states ?? {});
  // `others` also covers webhooks that this run has created, so the list must be new.
  const list = await (isState(news.others) ? lists.readAgain() : lists.lookUp(idsOf(named)));
  const dropped = declarations.undeclared(droppedIds(olds, news));
  const released = finalStates(news.stateOnDestroy, dropped, olds.initialStates);
  const declared = { ...coveredBy(list, news), ...named };
  const converged = await converge(lists, list, { declared, final: released }, recordedStates(olds));
  return { state: stateAfter(olds, news, converged, released), failure: converged.failure };
}

/** Returns what the stack stores after an update. @param released The final states of dropped webhooks. */
function stateAfter(
  olds: FleetState,
  { states, others, stateOnDestroy }: FleetInputs,
  { found, reached }: Converged,
  released: StateMap,
): FleetState {
  const named = states ?? {};
  // A released webhook stays managed until it is in its final state.
  const managed = idsOf(reached).filter((id) => !(id in released) || reached[id] !== released[id]);
  const unnamed = managed.filter((id) => !(id in named));
  // With `others`, a webhook that is missing from the list is still covered.
  const initial = isState(others) ? olds.initialStates : pick(olds.initialStates, managed);
  return {
    states: pick(reached, idsOf(named)),
    others: others ?? "leave",
    stateOnDestroy: stateOnDestroy ?? "leave",
    otherStates: pick(reached, unnamed),
    initialStates: { ...pick(found, managed), ...initial },
  };
}

/** Observes the webhooks. Keeps what the stack recorded of those whose states the list does not show. */
async function read({ lists }: WebhookContext, olds: FleetState): Promise<FleetState> {
  const ids = managedIds(olds);
  if (ids.length === 0 && !isState(olds.others)) return olds;
  const list = await lists.lookUp(ids);
  const recorded = recordedStates(olds);
  const coveredIds = isState(olds.others) && list.incompleteSign === null ? list.ids() : [];
  const present = [...new Set([...ids, ...coveredIds])].filter((id) => !list.isGone(id));
  const observed = statesOf(present, (id) => list.stateOf(id) ?? recorded[id] ?? null);
  lists.warnAboutUnknown(list, present);
  const unnamed = present.filter((id) => !(id in olds.states));
  return {
    ...olds,
    states: pick(observed, idsOf(olds.states)),
    otherStates: pick(observed, unnamed),
    initialStates: { ...pick(observed, coveredIds), ...olds.initialStates },
  };
}

/** Releases all webhooks, except those that the program declares elsewhere in this process. */
async function remove({ declarations, lists }: WebhookContext, olds: FleetState): Promise<void> {
  const dropped = declarations.undeclared(managedIds(olds));
  const released = finalStates(olds.stateOnDestroy, dropped, olds.initialStates);
  if (idsOf(released).length === 0) return;
  const list = await lists.lookUp([]);
  const { failure } = await converge(lists, list, { declared: {}, final: released }, recordedStates(olds));
  if (failure !== null) throw failure;
}

/** Returns what `others` covers, with its state. @throws {PartnerError} if the list is incomplete. */
function coveredBy(list: WebhookList, { states, others }: FleetInputs): KnownStates {
  if (!isState(others)) return {};
  list.requireComplete("others");
  const coveredIds = list.ids().filter((id) => !(id in (states ?? {})));
  return statesOf(coveredIds, () => others);
}

/** Returns the webhooks that `others` covers and that the stack recorded in another state. */
function driftedIds(olds: FleetState, { states, others }: FleetInputs): number[] {
  if (states === null || !isState(others)) return [];
  const recorded = recordedStates(olds);
  return idsOf(recorded).filter((id) => !(id in states) && recorded[id] !== others);
}

/** Returns the webhooks that a fleet manages and no longer declares; none if that is not known yet. */
function droppedIds(olds: FleetState, { states, others }: FleetInputs): number[] {
  if (states === null || others !== "leave") return [];
  return managedIds(olds).filter((id) => !(id in states));
}

/** Says which webhooks will change when they are released, as far as the stack recorded their states. */
function releaseNotices(
  olds: FleetState,
  released: readonly number[],
  stateOnDestroy: FleetInputs["stateOnDestroy"],
): Notice[] {
  const recorded = recordedStates(olds);
  const final = finalStates(stateOnDestroy, released, olds.initialStates);
  return changeNotices("stateOnDestroy", pick(final, idsOf(recorded)), (id) => recorded[id]);
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
