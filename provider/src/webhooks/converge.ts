import { ignorePartnerError, PartnerError, RequestError } from "../api/errors.js";
import { isState, type WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError, type WebhookFailure } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { Applied } from "../shared/resource.js";
import {
  idsOf,
  leavingWebhooks,
  pick,
  statesOf,
  unknownStates,
  type FleetInputs,
  type FleetState,
  type StateMap,
} from "./fleet-model.js";
import type { WebhookRegistry, WebhookSnapshot } from "./webhook-registry.js";

/** What became of a fleet: a state that may have changed is `null`. */
export interface ConvergeResult extends Applied<FleetState> {
  /** Whether any webhook may have changed on the server. */
  readonly mayHaveChanged: boolean;
}

/**
 * Brings the webhooks of a fleet into the desired states, and those that are released into their final
 * states.
 */
export async function converge(
  plugin: PluginProcess,
  news: FleetInputs,
  olds: FleetState,
): Promise<ConvergeResult> {
  const { webhooks } = await plugin.open();
  const leaving = leavingWebhooks(olds, news);
  // `others` covers webhooks that this run created a moment ago as well.
  const notBefore = isState(news.others) ? plugin.currentTime() : -Infinity;
  const listed = await webhooks.lookUp([...idsOf(news.states), ...leaving], notBefore);
  const { covered, snapshot } = await coverOthers(webhooks, listed, news);
  // What certainly does not exist needs no final state.
  const present = snapshot.provesAbsence ? leaving.filter((id) => snapshot.get(id)) : leaving;
  const released = plugin.declaredWebhooks.release(pick(olds.initialStates, present), news.stateOnDestroy);
  const wanted = { ...news.states, ...covered, ...released };
  // Without a stack, nothing records our last change, and the list may lag behind it: send everything.
  const recorded = plugin.hasNoStack
    ? Object.fromEntries(idsOf(wanted).map((id) => [id, null]))
    : { ...olds.otherStates, ...olds.states };
  const changes = await changeStates(plugin, webhooks, snapshot, wanted, { recorded, released });
  const state = stateAfter(news, olds, covered, released, changes);
  return { state, failure: changes.failure, mayHaveChanged: changes.mayHaveChanged };
}

/** Returns the desired states of what `others` covers, and a list that shows them. */
async function coverOthers(
  registry: WebhookRegistry,
  listed: WebhookSnapshot,
  { states, others }: FleetInputs,
): Promise<{ readonly covered: StateMap; readonly snapshot: WebhookSnapshot }> {
  if (!isState(others)) return { covered: {}, snapshot: listed };
  const webhookIds = unnamedWebhooks(listed, states).map(({ webhookId }) => webhookId);
  const covered = Object.fromEntries(webhookIds.map((id) => [id, others]));
  // Another resource may be releasing one of them.
  return { covered, snapshot: await registry.lookUp(webhookIds) };
}

/** Returns the state after the changes. A released webhook stays managed until it is in its final state. */
function stateAfter(
  news: FleetInputs,
  { initialStates }: FleetState,
  covered: StateMap,
  released: StateMap,
  { found, reached }: Changes,
): FleetState {
  const unfinished = idsOf(released).filter((id) => reached[id] !== released[id]);
  const unnamed = [...idsOf(covered), ...unfinished];
  const managed = [...idsOf(news.states), ...unnamed];
  // With `others`, a webhook that is missing from the list is still managed.
  const known = isState(news.others) ? initialStates : pick(initialStates, managed);
  return {
    ...news,
    states: pick(reached, idsOf(news.states)),
    otherStates: pick(reached, unnamed),
    initialStates: { ...pick(found, managed), ...known },
  };
}

/** What became of the webhooks that a fleet wants in some state. */
interface Changes extends Pick<ConvergeResult, "failure" | "mayHaveChanged"> {
  /** Their states in the list. */
  readonly found: StateMap;
  /** Their states after the changes; `null` if a change may have been made. */
  readonly reached: StateMap;
}

/**
 * Brings webhooks into the desired states. Sends only what differs, in parallel; a failed change does not
 * stop the others.
 *
 * @param recorded The states in the state of the resource, `null` if unknown. What differs from them was
 *   changed by us, so it is sent even if the list, which may lag behind our change, shows the desired state.
 * @param released Those of them that are released. If the service does not find one, there is nothing to do.
 */
async function changeStates(
  plugin: PluginProcess,
  registry: WebhookRegistry,
  snapshot: WebhookSnapshot,
  wanted: StateMap,
  { recorded, released }: { readonly recorded: StateMap; readonly released: StateMap },
): Promise<Changes> {
  const listed = idsOf(wanted).flatMap((id) => snapshot.get(id) ?? []);
  const found = statesOf(listed, plugin.readsWebhooks ? {} : recorded);
  const releasedOtherwise = new Set(plugin.declaredWebhooks.releasedInOtherStates(wanted));
  const differing = listed.filter(
    ({ webhookId: id }) =>
      found[id] !== wanted[id] ||
      (id in recorded && recorded[id] !== wanted[id]) ||
      releasedOtherwise.has(id),
  );
  warnIfUnknown(plugin, differing);

  const reached: Record<string, WebhookState | null> = { ...found };
  const doubts: WebhookDoubt[] = [];
  const gone: number[] = [];
  let done = 0;
  const total = differing.length;
  const change = async ({ webhookId }: WebhookReading): Promise<WebhookFailure[]> => {
    const state = wanted[webhookId];
    if (!state) return []; // All states are known by now.
    try {
      const doubt = await registry.setState(webhookId, state);
      if (doubt) doubts.push({ webhookId, state, error: doubt });
      reached[webhookId] = state;
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (webhookId in released && isNotFound(error)) {
        gone.push(webhookId);
        reached[webhookId] = state;
        return [];
      }
      // So that going back to the old state is a difference as well.
      if (mayHaveChanged(error)) reached[webhookId] = null;
      return [{ webhookId, error: plugin.readsWebhooks ? error : absenceFor(webhookId, error) }];
    } finally {
      done += 1;
      // At most 100 times, because the engine redraws its display each time. One change needs no more.
      if (total > 1 && done % Math.ceil(total / 100) === 0) plugin.progress(done, total);
    }
  };
  const failed = (await Promise.all(differing.map(change))).flat();
  if (gone.length > 0) plugin.warn({ kind: "releasedGone", webhookIds: gone });
  const unapplied = await confirmChanges(plugin, registry, doubts);
  for (const { webhookId } of unapplied) reached[webhookId] = null;
  const rejected = [...failed, ...unapplied];

  const missing = idsOf(wanted).filter((id) => !(id in found));
  const absence = missing.length > 0 ? snapshot.absenceError(missing) : null;
  const absent = missing.flatMap((webhookId) => (absence ? { webhookId, error: absence } : []));
  const unchanged = new Set([...gone, ...rejected.map(({ webhookId }) => webhookId)]);
  const changed = differing.map(({ webhookId }) => webhookId).filter((id) => !unchanged.has(id));
  return {
    found,
    reached,
    failure: combineFailures([...rejected, ...absent], changed),
    mayHaveChanged: rejected.length < total || rejected.some(({ error }) => mayHaveChanged(error)),
  };
}

/** A change to a webhook whose response shows the other state. */
interface WebhookDoubt extends WebhookFailure {
  readonly state: WebhookState;
}

/**
 * Reads the list again to confirm changes: a response may be outdated, and so may the list for some seconds.
 * Warns about those that it does not show. @returns Those that were not made.
 */
async function confirmChanges(
  plugin: PluginProcess,
  registry: WebhookRegistry,
  doubts: readonly WebhookDoubt[],
): Promise<readonly WebhookFailure[]> {
  if (doubts.length === 0) return [];
  const shownState = (list: WebhookSnapshot | null, { webhookId }: WebhookDoubt): WebhookState | null =>
    list?.get(webhookId)?.state ?? null;
  const isOld = (list: WebhookSnapshot | null, doubt: WebhookDoubt): boolean =>
    ![doubt.state, null].includes(shownState(list, doubt));
  const list = await registry
    .listAfterChanges((read) => !doubts.some((doubt) => isOld(read, doubt)))
    .catch(ignorePartnerError);
  const unclear = doubts.filter((doubt) => shownState(list, doubt) === null);
  if (unclear.length > 0)
    plugin.warn({
      kind: "changeUnconfirmed",
      webhookIds: unclear.map(({ webhookId }) => webhookId),
      isRead: plugin.readsWebhooks,
    });
  return doubts.filter((doubt) => isOld(list, doubt)).map(({ webhookId, error }) => ({ webhookId, error }));
}

/** Without a list, only the answer to a change says that a webhook does not exist. */
function absenceFor(webhookId: number, error: PartnerError): PartnerError {
  if (!(error instanceof RequestError) || error.status !== 404) return error;
  return new ResourceError({ kind: "noSuchWebhook", webhookIds: [webhookId], existing: null });
}

/** Whether a failed change may have been made. */
function mayHaveChanged(error: PartnerError): boolean {
  return error instanceof RequestError && error.failure.effect === "possible";
}

/** Whether the service does not find a webhook. Some keep one in the list for a while after its deletion. */
function isNotFound(error: PartnerError): boolean {
  if (!(error instanceof RequestError)) return false;
  const { cause } = error.failure;
  return cause.kind === "status" && [404, 410].includes(cause.status);
}

/** Warns about webhooks whose state the list does not show. */
export function warnIfUnknown(plugin: PluginProcess, webhooks: readonly WebhookReading[]): void {
  const notice = unknownStates(webhooks);
  if (notice) plugin.warn(notice);
}

/**
 * Combines failures into one error. An error that all of them share already names the webhooks, but not those
 * that were changed.
 *
 * @param changed The webhooks that were changed.
 */
function combineFailures(
  failures: readonly WebhookFailure[],
  changed: readonly number[],
): PartnerError | null {
  const [first, ...more] = failures;
  if (!first) return null;
  if (changed.length === 0 && more.every(({ error }) => error === first.error)) return first.error;
  return new ResourceError({ kind: "fleetIncomplete", failures: [first, ...more], changed });
}

/**
 * Returns the webhooks that the program does not name. @throws {ResourceError} if the list may not show all
 * of them.
 */
export function unnamedWebhooks(snapshot: WebhookSnapshot, states: object): readonly WebhookReading[] {
  const webhooks = snapshot.all();
  if (webhooks.length === 0 && !snapshot.provesAbsence)
    throw new ResourceError({
      kind: "absenceUnproven",
      webhookId: null,
      complete: true,
      unread: null,
      doubt: null,
    });
  return webhooks.filter(({ webhookId }) => !(webhookId in states));
}
