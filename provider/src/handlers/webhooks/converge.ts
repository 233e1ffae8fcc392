import { PartnerError, RequestError } from "../../api/errors.js";
import type { WebhookState } from "../../api/operations.js";
import type { WebhookReading } from "../../responses/webhook-list-reader.js";
import type { Properties } from "../contract.js";
import { ResourceError, type WebhookFailure } from "../problems.js";
import type { PluginProcess } from "../plugin-process.js";
import { idsOf, isState, pick, statesOf, unknownStates, type Fleet, type StateMap } from "./fleet-model.js";
import type { WebhookRegistry, WebhookSnapshot } from "./list.js";

/**
 * Brings the webhooks of a fleet into the desired states, and those that leave it into their final states.
 *
 * @returns The new outputs, even if some changes failed: a state that may have changed is `null`; why some webhooks are not in the
 *   desired states, `null` if all are; and whether any webhook may have changed on the server.
 */
export async function converge(
  plugin: PluginProcess,
  { states, others, stateOnDestroy, account }: Fleet,
  olds: Fleet,
) {
  const { webhooks } = await plugin.open();
  const covers = isState(others);
  const leaving = idsOf(olds.initialStates).filter((id) => !covers && !(id in states));
  let snapshot = await webhooks.lookUp([...idsOf(states), ...leaving]);
  const covered = covers ? unnamedWebhooks(snapshot, states).map(({ webhookId }) => webhookId) : [];
  if (covers) {
    plugin.managed.declare(covered);
    snapshot = await webhooks.lookUp(covered); // Another process may have released one before it was covered.
  }
  // What certainly does not exist needs no final state.
  const present = snapshot.provesAbsence ? leaving.filter((id) => snapshot.get(id)) : leaving;
  const release = plugin.managed.release(pick(olds.initialStates, present), stateOnDestroy);
  const rest = covers ? Object.fromEntries(covered.map((id) => [id, others])) : {};
  const wanted = { ...states, ...rest, ...release.states };
  const changes = changeStates(plugin, webhooks, snapshot, wanted).finally(release.end);
  const { found, reached, ...result } = await changes;
  // A webhook in its final state is no longer managed.
  const unfinished = idsOf(release.states).filter((id) => reached[id] !== release.states[id]);
  const unnamed = [...covered, ...unfinished];
  const managed = [...idsOf(states), ...unnamed];
  const outputs = {
    states: pick(reached, idsOf(states)),
    others,
    stateOnDestroy,
    account,
    otherStates: pick(reached, unnamed),
    // With `others`, a webhook that is missing from the list is still managed.
    initialStates: {
      ...pick(found, managed),
      ...(covers ? olds.initialStates : pick(olds.initialStates, managed)),
    },
  };
  return { outputs, ...result };
}

/** Brings webhooks into the desired states. Sends only what differs, in parallel; a failed change does not stop the others. */
async function changeStates(
  plugin: PluginProcess,
  registry: WebhookRegistry,
  snapshot: WebhookSnapshot,
  wanted: StateMap,
) {
  const listed = idsOf(wanted).flatMap((id) => snapshot.get(id) ?? []);
  const found = statesOf(listed);
  const differing = listed.filter(({ webhookId, state }) => state !== wanted[webhookId]);
  warnIfUnknown(plugin, differing);

  const reached: Record<string, WebhookState | null> = { ...found };
  let done = 0;
  const total = differing.length;
  const change = async ({ webhookId }: WebhookReading): Promise<WebhookFailure[]> => {
    const state = wanted[webhookId];
    if (!state) return []; // All states are known by now.
    try {
      await registry.setState(webhookId, state);
      reached[webhookId] = state;
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (mayHaveChanged(error)) reached[webhookId] = null; // So that going back to the old state is a difference as well.
      return [{ webhookId, error }];
    } finally {
      done += 1;
      // At most 100 times, because the engine redraws its display each time. For one change, the engine's own line says enough.
      if (total > 1 && done % Math.ceil(total / 100) === 0) plugin.progress(done, total);
    }
  };
  const rejected = (await Promise.all(differing.map(change))).flat();

  const missing = idsOf(wanted).filter((id) => !(id in found));
  const absence = snapshot.absenceError(missing);
  const absent = missing.map((webhookId) => ({ webhookId, error: absence }));
  return {
    found,
    reached,
    failure: combineFailures([...rejected, ...absent], total + missing.length),
    mayHaveChanged: rejected.length < total || rejected.some(({ error }) => mayHaveChanged(error)),
  };
}

/** Whether a failed change may have been made. */
function mayHaveChanged(error: PartnerError): boolean {
  return error instanceof RequestError && error.failure.effect === "possible";
}

/** Warns about webhooks whose state the list does not show. */
export function warnIfUnknown(plugin: PluginProcess, webhooks: readonly WebhookReading[]): void {
  const notice = unknownStates(webhooks);
  if (notice) plugin.warn(notice);
}

/** Combines failures into one error. An error that all of them share already names the webhooks. */
function combineFailures(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const [first, ...more] = failures;
  if (!first) return null;
  if (more.every(({ error }) => error === first.error)) return first.error;
  return new ResourceError({ kind: "fleetIncomplete", failures: [first, ...more], total });
}

/** Returns the webhooks that the program does not name. @throws {ResourceError} if the list may not show all of them. */
export function unnamedWebhooks(snapshot: WebhookSnapshot, states: Properties): readonly WebhookReading[] {
  const webhooks = snapshot.all();
  if (webhooks.length === 0 && !snapshot.provesAbsence)
    throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete: true });
  return webhooks.filter(({ webhookId }) => !(webhookId in states));
}
