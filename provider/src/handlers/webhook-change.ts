import { PartnerError, RequestError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { Properties } from "./contract.js";
import { ResourceError, type WebhookFailure } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import {
  idsOf,
  isState,
  pick,
  statesOf,
  type FleetInputs,
  type FleetState,
  type StateMap,
  type WantedStates,
} from "./webhook-fleet-state.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

/** Brings the webhooks of a fleet into the desired states, and those that leave it into their final states. */
export async function converge(
  plugin: PluginProcess,
  { states, others, stateOnDestroy, account }: FleetInputs,
  olds: FleetState | null,
): Promise<Pick<ChangeResult, "failure" | "mayHaveChanged"> & { readonly outputs: FleetState & Properties }> {
  const session = await plugin.open();
  const named = idsOf(states);
  const before = olds?.initialStates ?? {};
  const covers = isState(others);
  const unnamed = idsOf(before).filter((id) => !covers && !(id in states));
  const leaving = plugin.managed.finalStatesOf(pick(before, unnamed), stateOnDestroy);
  let snapshot = await session.webhooks.lookUp([...named, ...idsOf(leaving)]);
  const covered = covers ? unnamedWebhooks(snapshot, states).map(({ webhookId }) => webhookId) : [];
  if (covers) {
    plugin.managed.claim(covered);
    snapshot = await session.webhooks.lookUp(covered); // Another process may have released one before the claim.
  }
  const rest: WantedStates = covers ? Object.fromEntries(covered.map((id) => [id, others])) : {};
  // During the lookup, a resource that takes over a webhook may have been checked.
  const undeclared = idsOf(leaving).filter((id) => !plugin.managed.isDeclared(id));
  const release = plugin.managed.release(exceptGone(pick(leaving, undeclared), snapshot));
  const wanted = { ...states, ...rest, ...release.states };
  const changes = await changeStates(plugin, session, snapshot, wanted).finally(release.end);
  const { found, reached, failure, mayHaveChanged } = changes;
  // A webhook in its final state is no longer managed.
  const isReached = (id: number): boolean => reached[id] === release.states[id];
  const kept = [...covered, ...idsOf(release.states).filter((id) => !isReached(id))];
  const managed = [...named, ...kept];
  const outputs = {
    states: pick({ ...exceptGone(olds?.states ?? {}, snapshot), ...reached }, named),
    others,
    stateOnDestroy,
    account,
    otherStates: pick(reached, kept),
    // With `others`, a webhook that is missing from the list is still managed.
    initialStates: { ...pick(found, managed), ...(covers ? before : pick(before, managed)) },
  };
  return { outputs, failure, mayHaveChanged };
}

/** Lets all webhooks of a removed fleet go. Sends no request if nothing is to be set. @throws {PartnerError} */
export async function letGo(plugin: PluginProcess, fleet: FleetState): Promise<void> {
  const leaving = plugin.managed.finalStatesOf(fleet.initialStates, fleet.stateOnDestroy);
  if (idsOf(leaving).length === 0) return;
  const { failure } = await converge(plugin, { ...fleet, states: {}, others: "leave" }, fleet);
  if (failure) throw failure;
}

/** The result of changing webhooks. */
interface ChangeResult {
  /** The states before the changes. */
  readonly found: StateMap;
  /** The states after the changes. */
  readonly reached: StateMap;
  readonly failure: PartnerError | null;
  /** Whether any webhook may have changed on the server. */
  readonly mayHaveChanged: boolean;
}

/** Brings webhooks into the desired states. Sends only what differs, in parallel; a failed change does not stop the others. */
async function changeStates(
  plugin: PluginProcess,
  session: Session,
  snapshot: WebhookSnapshot,
  wanted: WantedStates,
): Promise<ChangeResult> {
  const webhooks = idsOf(wanted).flatMap((id) => snapshot.get(id) ?? []);
  const found = statesOf(webhooks);
  const differing = webhooks.filter(({ webhookId, state }) => state !== wanted[webhookId]);
  warnIfUnknown(plugin, differing);

  const reached: Record<string, WebhookState | null> = { ...found };
  const showProgress = createProgress(plugin, differing.length);
  const change = async ({ webhookId }: WebhookReading): Promise<WebhookFailure[]> => {
    const state = wanted[webhookId];
    if (state === undefined) return [];
    try {
      await session.webhooks.setState(webhookId, state);
      reached[webhookId] = state;
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      return [{ webhookId, error }];
    } finally {
      showProgress();
    }
  };
  const rejected = (await Promise.all(differing.map(change))).flat();
  const missing = idsOf(wanted).filter((id) => !(id in found));
  const failures = [...(await explainNotFound(session, rejected)), ...absences(snapshot, missing)];
  return {
    found,
    reached,
    failure: combineFailures(failures, differing.length + missing.length),
    mayHaveChanged: rejected.length < differing.length || rejected.some(({ error }) => mayHaveEffect(error)),
  };
}

function mayHaveEffect(error: PartnerError): boolean {
  return error instanceof RequestError && error.failure.effect === "possible";
}

/** Reads the list once to find out what a 404 means: the webhook is gone, or it is still listed. */
async function explainNotFound(
  { webhooks }: Session,
  failures: readonly WebhookFailure[],
): Promise<readonly WebhookFailure[]> {
  const ids = failures.filter(({ error }) => isNotFound(error)).map(({ webhookId }) => webhookId);
  const snapshot = ids.length === 0 ? null : await webhooks.lookUp(ids).catch(() => null);
  if (snapshot === null) return failures;
  const absence = snapshot.absenceError(ids.filter((id) => !snapshot.get(id)));
  return failures.map(({ webhookId, error }) => {
    if (!isNotFound(error)) return { webhookId, error };
    const listed = new RequestError({ ...error.failure, cause: { kind: "listed" } });
    return { webhookId, error: snapshot.get(webhookId) ? listed : absence };
  });
}

/** Returns one error for all missing webhooks. It lists every existing ID, so it is not created unless one is missing. */
function absences(snapshot: WebhookSnapshot, webhookIds: readonly number[]): readonly WebhookFailure[] {
  if (webhookIds.length === 0) return [];
  const error = snapshot.absenceError(webhookIds);
  return webhookIds.map((webhookId) => ({ webhookId, error }));
}

function isNotFound(error: PartnerError): error is RequestError {
  return error instanceof RequestError && error.status === 404;
}

/** Combines failures into one error. An error that all of them share already names the webhooks. */
function combineFailures(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const [first, ...more] = failures;
  if (!first) return null;
  if (more.every(({ error }) => error === first.error)) return first.error;
  return new ResourceError({ kind: "fleetIncomplete", failures: [first, ...more], total });
}

/** Warns about webhooks whose state the list does not show. */
export function warnIfUnknown(plugin: PluginProcess, webhooks: readonly WebhookReading[]): void {
  for (const setting of ["webhookState", "active"] as const) {
    const webhookIds = webhooks
      .filter(({ missing }) => missing === setting)
      .map(({ webhookId }) => webhookId);
    if (webhookIds.length > 0) plugin.warn({ kind: "stateUnknown", webhookIds, setting });
  }
}

/** Milliseconds between two progress reports. The engine redraws its display for each one. */
const PROGRESS_INTERVAL = 250;

/** Returns a function to call after each change. A single change shows no progress: the engine's own line says enough. */
function createProgress(plugin: PluginProcess, total: number): () => void {
  let done = 0;
  let shownAt = plugin.currentTime();
  return () => {
    done += 1;
    const now = plugin.currentTime();
    if (total === 1 || now - shownAt < PROGRESS_INTERVAL) return;
    shownAt = now;
    plugin.progress(done, total);
  };
}

/** Drops the webhooks that certainly do not exist. */
function exceptGone<State>(
  states: Readonly<Record<string, State>>,
  snapshot: WebhookSnapshot,
): Readonly<Record<string, State>> {
  const isPossible = (id: number): boolean => !snapshot.provesAbsence || snapshot.get(id) !== undefined;
  return pick(states, idsOf(states).filter(isPossible));
}

/** Returns the webhooks that the program does not name. @throws {ResourceError} if the list may not show all of them. */
export function unnamedWebhooks(snapshot: WebhookSnapshot, states: Properties): readonly WebhookReading[] {
  const webhooks = snapshot.all();
  if (webhooks.length === 0 && !snapshot.provesAbsence)
    throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete: true });
  return webhooks.filter(({ webhookId }) => !(webhookId in states));
}
