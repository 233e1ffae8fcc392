import { PartnerError } from "../partner-api/errors.js";
import { isState } from "../partner-api/operations.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import { idsOf, type StateMap } from "./fleet-state.js";
import {
  fleetIncomplete,
  noSuchWebhook,
  notListed,
  progress,
  stateUnknown,
  type WebhookFailure,
} from "./webhook-messages.js";
import type { WebhookList, WebhookRegistry } from "./webhook-registry.js";
import { stateFieldsOf, type StateField } from "./webhook-state-reader.js";

/** What the webhook resources of a process share. */
export interface WebhookContext {
  readonly plugin: PluginProcess;
  readonly registry: WebhookRegistry;
}

/** What became of webhooks. */
export interface Converged {
  /** Their states before; `null` if the list did not show it. Without those that do not exist. */
  readonly found: StateMap;
  /** Their states now; `null` if unsure or gone. A released webhook that is gone counts as set. */
  readonly reached: StateMap;
  /** Whether any of them may have changed. */
  readonly mayHaveChanged: boolean;
  /** `null` if all of them are in the desired states. */
  readonly failure: PartnerError | null;
}

/** The statuses of a refused change. Some services refuse to set a state that a webhook already has. */
const REFUSALS = [400, 409, 422];
/** The maximum number of reports of progress: the engine redraws its display each time. */
const MAX_REPORTS = 100;

/**
 * Brings webhooks into the wanted states. Sends only what differs from the list, or from the recorded state
 * where the list does not show it. A change that fails stops no other. A released webhook may be gone.
 */
export async function converge(
  context: WebhookContext,
  list: WebhookList,
  { wanted, recorded, released }: Readonly<Record<"wanted" | "recorded" | "released", StateMap>>,
): Promise<Converged> {
  const { plugin, registry } = context;
  const present = idsOf(wanted).filter((id) => !list.isGone(id));
  const absent = idsOf(wanted).filter((id) => list.isGone(id) && !(id in released));
  const found = Object.fromEntries(present.map((id) => [id, list.stateOf(id)]));
  const current = Object.fromEntries(present.map((id) => [id, found[id] ?? recorded[id] ?? null]));
  const differing = present.filter((id) => current[id] !== wanted[id]);

  const failedRequests: WebhookFailure[] = [];
  let finished = 0;
  const setOne = async (webhookId: number): Promise<void> => {
    const state = wanted[webhookId];
    if (!isState(state)) return; // All are known by now.
    await registry.setState(webhookId, state).catch((error: unknown) => {
      if (!(error instanceof PartnerError)) throw error;
      const isNotFound = error.status === 404 || error.status === 410;
      if (!(isNotFound && webhookId in released)) failedRequests.push({ webhookId, error });
    });
    finished += 1;
    if (differing.length > 1 && finished % Math.ceil(differing.length / MAX_REPORTS) === 0)
      plugin.showStatus(progress(finished, differing.length));
  };
  await Promise.all(differing.map(setOne));

  const isPossible = ({ error }: WebhookFailure): boolean => error.effect === "possible";
  const mayHaveChanged = failedRequests.length < differing.length || failedRequests.some(isPossible);
  const done = await alreadyInState(context, failedRequests, wanted);
  const notReached = failedRequests.filter(({ webhookId }) => !done.includes(webhookId));
  if (absent.length > 0) {
    const error = noSuchWebhook(absent, [...list.webhooks.keys()]);
    notReached.push(...absent.map((webhookId) => ({ webhookId, error })));
  }
  const reached = { ...wanted };
  for (const one of notReached)
    reached[one.webhookId] = isPossible(one) ? null : (current[one.webhookId] ?? null);
  const failure = combineFailures(notReached, differing.length + absent.length);
  return { found, reached, mayHaveChanged, failure };
}

/**
 * Returns the webhooks that are in the desired state although a change was refused, because an earlier
 * attempt or someone else set it. Reads the list again; without a state, a 409 counts as done.
 */
async function alreadyInState(
  { plugin, registry }: WebhookContext,
  failedRequests: readonly WebhookFailure[],
  wanted: StateMap,
): Promise<readonly number[]> {
  const refused = failedRequests.filter(({ error }) => REFUSALS.includes(error.status ?? 0));
  if (refused.length === 0) return [];
  const list = await registry.lookUp([], plugin.now()).catch((error: unknown) => {
    if (error instanceof PartnerError) return null; // The refusals say enough.
    throw error;
  });
  if (list === null) return [];
  const isDone = ({ webhookId, error }: WebhookFailure): boolean => {
    const shown = list.webhooks.get(webhookId)?.state ?? null;
    const isConflict = error.status === 409 && !list.isGone(webhookId);
    return shown === null ? isConflict : shown === wanted[webhookId];
  };
  const done = refused.filter(isDone).map(({ webhookId }) => webhookId);
  warnAboutUnknown(plugin, list, done);
  return done;
}

/**
 * Warns about webhooks whose states the list does not show, or that an incomplete list lacks. The text is
 * about the list, so that many resources cause one warning.
 */
export function warnAboutUnknown(plugin: PluginProcess, list: WebhookList, ids: readonly number[]): void {
  const unknown = [...list.webhooks.keys()].filter((id) => list.webhooks.get(id)?.state === null);
  if (ids.some((id) => unknown.includes(id)))
    plugin.notify(stateUnknown(unknown, stateFields(plugin, list), plugin.settingName));
  if (list.incompleteSign !== null && ids.some((id) => !list.webhooks.has(id)))
    plugin.notify(notListed(list.incompleteSign, plugin.settingName));
}

/** Returns the members of the records that may hold states. */
export function stateFields(plugin: PluginProcess, list: WebhookList): StateField[] {
  const records = Array.from(list.webhooks.values(), ({ record }) => record);
  return stateFieldsOf(records, plugin.readSettings().responses);
}

/** Combines failures into one. If all changes share one error object (`===`), it says enough. */
function combineFailures(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const sorted = failures.toSorted((one, other) => one.webhookId - other.webhookId);
  const first = sorted[0]?.error ?? null;
  const isShared = failures.length === total && failures.every(({ error }) => error === first);
  return first === null || isShared ? first : fleetIncomplete(sorted, total);
}
