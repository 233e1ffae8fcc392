import { PartnerError } from "../partner-api/errors.js";
import { isState } from "../partner-api/operations.js";
import { isConflict, isNotFound, isRefused } from "../partner-api/statuses.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import { idsOf, type StateMap } from "./fleet-state.js";
import type { WebhookList, WebhookLists } from "./webhook-list.js";
import { fleetIncomplete, noSuchWebhook, progress, type WebhookFailure } from "./webhook-messages.js";

/** What {@link converge} uses of the process. */
interface Context {
  readonly plugin: PluginProcess;
  readonly lists: WebhookLists;
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

/** The maximum number of reports of progress: the engine redraws its display each time. */
const MAX_REPORTS = 100;

/**
 * Brings webhooks into the wanted states. Sends only what differs from the list, or from the recorded state
 * where the list does not show it. A change that fails stops no other. A released webhook may be gone.
 */
export async function converge(
  context: Context,
  list: WebhookList,
  { wanted, recorded, released }: Readonly<Record<"wanted" | "recorded" | "released", StateMap>>,
): Promise<Converged> {
  const { plugin, lists } = context;
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
    await lists.setState(webhookId, state).catch((error: unknown) => {
      if (!(error instanceof PartnerError)) throw error;
      if (!(isNotFound(error.status) && webhookId in released)) failedRequests.push({ webhookId, error });
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
    const error = noSuchWebhook(absent, list.ids());
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
  { plugin, lists }: Context,
  failedRequests: readonly WebhookFailure[],
  wanted: StateMap,
): Promise<readonly number[]> {
  const refused = failedRequests.filter(({ error }) => isRefused(error.status));
  if (refused.length === 0) return [];
  const list = await lists.lookUp([], plugin.now()).catch((error: unknown) => {
    if (error instanceof PartnerError) return null; // The refusals say enough.
    throw error;
  });
  if (list === null) return [];
  const isDone = ({ webhookId, error }: WebhookFailure): boolean => {
    const shown = list.webhooks.get(webhookId)?.state ?? null;
    return shown === null ? isConflict(error.status) && !list.isGone(webhookId) : shown === wanted[webhookId];
  };
  const done = refused.filter(isDone).map(({ webhookId }) => webhookId);
  lists.warnAboutUnknown(list, done);
  return done;
}

/** Combines failures into one. If all changes share one error object (`===`), it says enough. */
function combineFailures(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const sorted = failures.toSorted((one, other) => one.webhookId - other.webhookId);
  const first = sorted[0]?.error ?? null;
  const isShared = failures.length === total && failures.every(({ error }) => error === first);
  return first === null || isShared ? first : fleetIncomplete(sorted, total);
}
