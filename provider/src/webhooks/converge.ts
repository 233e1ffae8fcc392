import { PartnerError } from "../partner-api/errors.js";
import { isState } from "../partner-api/operations.js";
import { isConflict, isNotFound, isRefused } from "../partner-api/statuses.js";
import type { AccountSession } from "../plugin/account-session.js";
import { idsOf, pick, statesOf, type StateMap } from "./fleet-state.js";
import type { WebhookList, WebhookLists } from "./webhook-list.js";
import { fleetIncomplete, noSuchWebhook, progress, type WebhookFailure } from "./webhook-messages.js";

/** What {@link converge} uses of the process. */
interface Context {
  readonly session: AccountSession;
  readonly lists: WebhookLists;
}

/** What became of webhooks. */
export interface Converged {
  /** Their states before; `null` if the list did not show it. Without those that do not exist. */
  readonly found: StateMap;
  /** Their states now; `null` if unsure or gone. A released webhook that is gone counts as set. */
  readonly reached: StateMap;
  /** `null` if all of them are in the wanted states. */
  readonly failure: PartnerError | null;
}

/** The maximum number of reports of progress: the engine redraws its display each time. */
const MAX_REPORTS = 100;

/**
 * Brings webhooks into the wanted states. Sends only what differs from the list, or from the recorded state
 * where the list does not show it. A change that fails stops no other. A released webhook may be gone.
 *
 * @throws {PartnerError} if not all are in the wanted states, and none can have changed.
 */
export async function converge(
  context: Context,
  list: WebhookList,
  { wanted, recorded, released }: Readonly<Record<"wanted" | "recorded" | "released", StateMap>>,
): Promise<Converged> {
  const present = idsOf(wanted).filter((id) => !list.isGone(id));
  const absent = idsOf(wanted).filter((id) => list.isGone(id) && !(id in released));
  const found = statesOf(present, (id) => list.stateOf(id));
  const current = statesOf(present, (id) => found[id] ?? recorded[id] ?? null);
  const differing = present.filter((id) => current[id] !== wanted[id]);

  const failedRequests = (await sendAll(context, pick(wanted, differing))).filter(
    ({ webhookId, error }) => !(webhookId in released && isNotFound(error.status)),
  );
  const notSet = await withoutDone(context, failedRequests, wanted);
  const failures = [...notSet, ...missingFrom(list, absent)];

  const failure = combineFailures(failures, differing.length + absent.length);
  const isUnsure = ({ error }: WebhookFailure): boolean => error.effect === "possible";
  const hasChanged = failedRequests.length < differing.length;
  if (failure !== null && !hasChanged && !failures.some(isUnsure)) throw failure;
  const reached = { ...wanted };
  for (const one of failures)
    reached[one.webhookId] = isUnsure(one) ? null : (current[one.webhookId] ?? null);
  return { found, reached, failure };
}

/** Sends all changes at once, and shows the progress. Returns those that failed. */
async function sendAll({ session, lists }: Context, changes: StateMap): Promise<WebhookFailure[]> {
  const failures: WebhookFailure[] = [];
  const total = idsOf(changes).length;
  const step = Math.ceil(total / MAX_REPORTS);
  let finished = 0;
  const send = async (webhookId: number): Promise<void> => {
    const state = changes[webhookId];
    if (!isState(state)) return; // All are known by now.
    await lists.setState(webhookId, state).catch((error: unknown) => {
      if (!(error instanceof PartnerError)) throw error;
      failures.push({ webhookId, error });
    });
    finished += 1;
    if (total > 1 && (finished % step === 0 || finished === total))
      session.showStatus(progress(finished, total));
  };
  await Promise.all(idsOf(changes).map(send));
  return failures;
}

/**
 * Drops the failures of webhooks that are in the wanted state although the change was refused: an earlier
 * attempt or someone else set it. Reads the list again; without a state, a 409 counts as done.
 */
async function withoutDone(
  { session, lists }: Context,
  failures: readonly WebhookFailure[],
  wanted: StateMap,
): Promise<readonly WebhookFailure[]> {
  const refused = failures.filter(({ error }) => isRefused(error.status));
  if (refused.length === 0) return failures;
  const list = await lists.lookUp([], session.now()).catch((error: unknown) => {
    if (error instanceof PartnerError) return null; // The refusals say enough.
    throw error;
  });
  if (list === null) return failures;
  const isDone = ({ webhookId, error }: WebhookFailure): boolean => {
    const shown = list.webhooks.get(webhookId)?.state ?? null;
    return shown === null ? isConflict(error.status) && !list.isGone(webhookId) : shown === wanted[webhookId];
  };
  const done = new Set(refused.filter(isDone));
  const doneIds = Array.from(done, ({ webhookId }) => webhookId);
  lists.warnAboutUnknown(list, doneIds);
  return failures.filter((failure) => !done.has(failure));
}

function missingFrom(list: WebhookList, absent: readonly number[]): WebhookFailure[] {
  if (absent.length === 0) return [];
  const error = noSuchWebhook(absent, list.ids());
  return absent.map((webhookId) => ({ webhookId, error }));
}

/** Combines failures into one. If all changes share one error object (`===`), it says enough. */
function combineFailures(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const sorted = failures.toSorted((one, other) => one.webhookId - other.webhookId);
  const first = sorted[0]?.error ?? null;
  const isShared = failures.length === total && failures.every(({ error }) => error === first);
  return first === null || isShared ? first : fleetIncomplete(sorted, total);
}
