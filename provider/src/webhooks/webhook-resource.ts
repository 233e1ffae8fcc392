import { isDeepStrictEqual } from "node:util";

import type { AccountSession } from "../account/account-session.js";
import type { Notice } from "../account/notice.js";
import type { Properties } from "../adapter/properties.js";
import type { Applied, Found, Plan, Resource } from "../adapter/resource.js";
import { isState } from "../partner-api/operations.js";
import type { AccountWebhooks } from "./account-webhooks.js";
import { converge, type Converged } from "./converge.js";
import type { Declarations } from "./declarations.js";
import {
  driftedIds,
  droppedIds,
  fleetStateOf,
  idsOf,
  knownStates,
  managedIds,
  omit,
  pick,
  recordedStates,
  statesOf,
  type FleetInputs,
  type FleetState,
  type KnownStates,
  type StateMap,
} from "./fleet-state.js";
import { finalStates, releaseAll, releaseNotices } from "./release.js";
import type { WebhookList } from "./webhook-list.js";
import { changeNotices, noSuchWebhook, willChange } from "./webhook-messages.js";

type FleetResource = Resource<FleetInputs, FleetState>;

/** What the webhook resources of a process share. */
export interface WebhookContext {
  readonly session: AccountSession;
  readonly declarations: Declarations;
  readonly webhooks: AccountWebhooks;
}

/** How one type of resource declares a fleet. See {@link Resource} for the shared methods. */
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
    check: (oldInputs, news, urn) => check(context, oldInputs, news, urn),
    plan: (olds, news, _name, changesAccount) => plan(context, form, olds, news, changesAccount),
    apply: (olds, news) => apply(context, olds, news),
    read: (olds) => read(context, form, olds),
    remove: (olds) => releaseAll(context, olds),
  };
}

/** Declares the webhooks, looks up those whose declared states are new, and says what will change. */
async function check(
  { session, declarations, webhooks }: WebhookContext,
  oldInputs: FleetInputs | null,
  news: FleetInputs,
  urn: string,
): Promise<void> {
  const { states, others } = news;
  const named = states ?? {};
  declarations.declare(idsOf(named), isState(others), urn);
  const newIds = idsOf(named).filter((id) => named[id] !== oldInputs?.states?.[id]);
  const coversMore = isState(others) && states !== null && others !== oldInputs?.others;
  if (newIds.length === 0 && !coversMore) return;

  const list = await webhooks.lookUp(newIds);
  const gone = newIds.filter((id) => list.isGone(id));
  if (gone.length > 0) throw noSuchWebhook(gone, list.ids());
  const covered = coversMore ? coveredBy(list, news) : {};
  // Of an unknown state, "from … to …" would be a guess.
  const shownIds = newIds.filter((id) => list.stateOf(id) !== null);
  const notices = [
    ...changeNotices("states", pick(named, shownIds), (id) => list.stateOf(id)),
    ...changeNotices("others", covered, (id) => list.stateOf(id)),
  ];
  for (const notice of notices) session.notify(notice);
  webhooks.warnAboutUnknown(list, [...newIds, ...idsOf(covered)]);
}

/** Decides what an update does: from the recorded state, and what this process has done. Sends no request. */
function plan(
  { declarations, webhooks }: WebhookContext,
  form: FleetForm,
  olds: FleetState,
  news: FleetInputs,
  changesAccount: boolean,
): Plan {
  const replaces = form.replaces(olds, news);
  if (changesAccount) {
    // What this process has seen declared is in the new account.
    const notices = releaseNotices(olds, managedIds(olds), olds.stateOnDestroy);
    return { changes: true, replaces, notices };
  }
  const released = declarations.undeclared(droppedIds(olds, news));
  // A replacement deletes the old resource by its old inputs.
  const { stateOnDestroy } = replaces.length > 0 ? olds : news;
  const notices = [...driftNotices(olds, news), ...releaseNotices(olds, released, stateOnDestroy)];
  // Before this resource declared a webhook, another one may have released it.
  const changes = needsUpdate(olds, news) || webhooks.mayDifferFrom(declaredStates(olds, news));
  return { changes, replaces, notices };
}

/** Returns the states that the inputs declare for webhooks that are named, or that the stack has recorded. */
function declaredStates({ otherStates }: FleetState, { states, others }: FleetInputs): StateMap {
  const covered = isState(others) ? statesOf(idsOf(otherStates), () => others) : {};
  return { ...covered, ...states };
}

/** Whether the inputs differ from what the stack recorded, or webhooks are to be released or have drifted. */
function needsUpdate(olds: FleetState, news: FleetInputs): boolean {
  const { states, others, stateOnDestroy } = olds;
  if (!isDeepStrictEqual(news, { states, others, stateOnDestroy })) return true;
  // A state that is not known differs from every state.
  if (Object.values(states).includes(null)) return true;
  return droppedIds(olds, news).length > 0 || driftedIds(olds, news).length > 0;
}

/** Sets the named webhooks, those that `others` covers, and the final states of those that are released. */
async function apply(
  { declarations, webhooks }: WebhookContext,
  before: FleetState | null,
  news: FleetInputs,
): Promise<Applied<FleetState>> {
  const olds = before ?? fleetStateOf({});
  const named = knownStates(news.states ?? {});
  // `others` also covers webhooks that this run has created, so the list must be new.
  const list = await (isState(news.others) ? webhooks.readAgain() : webhooks.lookUp(idsOf(named)));
  if (list.isNull) webhooks.warnAboutUnknown(list, idsOf(recordedStates(olds)));
  const declared = { ...coveredBy(list, news), ...named };
  const dropped = droppedIds(olds, news);
  return webhooks.whenIdle([...idsOf(declared), ...dropped], async () => {
    const final = finalStates(olds, declarations.undeclared(dropped), news.stateOnDestroy);
    const converged = await converge(webhooks, list, { declared, final }, recordedStates(olds));
    return { state: stateAfter(olds, news, converged, final), failure: converged.failure };
  });
}

/** Returns what the stack stores after an update. @param final The final states of released webhooks. */
function stateAfter(
  olds: FleetState,
  { states, others, stateOnDestroy }: FleetInputs,
  { found, reached }: Converged,
  final: KnownStates,
): FleetState {
  const namedIds = idsOf(states ?? {});
  // A released webhook stays managed until its state is final. One that keeps its state is not in `reached`.
  const doneIds = idsOf(final).filter((id) => reached[id] === final[id]);
  const managed = omit(reached, doneIds);
  // The state that was found first counts.
  const initialStates = { ...found, ...olds.initialStates };
  return {
    states: pick(managed, namedIds),
    others: others ?? "leave",
    stateOnDestroy: stateOnDestroy ?? "leave",
    otherStates: omit(managed, namedIds),
    // `others` still covers a webhook that is missing from the list.
    initialStates: isState(others) ? initialStates : pick(initialStates, idsOf(managed)),
  };
}

/** Refreshes the recorded states. Where the list does not show one, the recorded one stays. */
async function read(
  { webhooks }: WebhookContext,
  form: FleetForm,
  olds: FleetState,
): Promise<Found<FleetState> | null> {
  const ids = managedIds(olds);
  if (ids.length === 0 && !isState(olds.others)) return { state: olds, inputs: null };
  const list = await webhooks.lookUp(ids);
  // As in an update, `others` needs the complete list.
  const coveredIds = isState(olds.others) && list.incompleteSign === null ? list.ids() : [];
  const recorded = recordedStates(olds);
  // A null drops nothing that is recorded: `[]` does.
  const isPresent = (id: number): boolean => (list.isNull ? id in recorded : !list.isGone(id));
  const presentIds = [...ids, ...coveredIds].filter(isPresent);
  webhooks.warnAboutUnknown(list, presentIds, isState(olds.others));

  const observed = statesOf(presentIds, (id) => list.stateOf(id) ?? recorded[id] ?? null);
  const namedIds = idsOf(olds.states);
  const state = {
    ...olds,
    states: pick(observed, namedIds),
    otherStates: omit(observed, namedIds),
    initialStates: { ...observed, ...olds.initialStates },
  };
  const inputs = form.declarationOf(state);
  return inputs && { state, inputs };
}

/** Returns what `others` covers, with its state. @throws {PartnerError} if the list is incomplete. */
function coveredBy(list: WebhookList, { states, others }: FleetInputs): KnownStates {
  if (!isState(others)) return {};
  list.requireComplete("others");
  const coveredIds = list.ids().filter((id) => !(id in (states ?? {})));
  return statesOf(coveredIds, () => others);
}

/** Says which drift an update undoes. `check` reports what a new `others` changes: only the list shows it. */
function driftNotices(olds: FleetState, news: FleetInputs): Notice[] {
  const { others } = news;
  const drifted = driftedIds(olds, news);
  if (!isState(others) || others !== olds.others || drifted.length === 0) return [];
  return [willChange("others", others, drifted)];
}
