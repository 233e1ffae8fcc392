import { failureOf, PartnerError } from "../partner-api/errors.js";
import { isState } from "../partner-api/operations.js";
import { isConflict, isNotFound, isRefused } from "../partner-api/statuses.js";
import type { AccountSession } from "../plugin/account-session.js";
import { idsOf, pick, statesOf, type StateMap } from "./fleet-state.js";
import type { WebhookList, WebhookLists } from "./webhook-list.js";
import { fleetIncomplete, noSuchWebhook, progress } from "./webhook-messages.js";

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
 * @throws {PartnerError} if not all are in the wanted states, and no change of ours can have been made.
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

  const failures = await sendAll(context, pick(wanted, differing));
  for (const [id, { status }] of failures) if (id in released && isNotFound(status)) failures.delete(id);
  const mayHaveChanged = failures.size < differing.length || [...failures.values()].some(isUnsure);
  for (const id of await doneIds(context, failures, wanted)) failures.delete(id);
  if (absent.length > 0) {
    const error = noSuchWebhook(absent, list.ids());
    for (const id of absent) failures.set(id, error);
  }

  const failure = combineFailures(failures, differing.length + absent.length);
  if (failure !== null && !mayHaveChanged) throw failure;
  const reached = { ...wanted };
  for (const [id, error] of failures) reached[id] = isUnsure(error) ? null : (current[id] ?? null);
  return { found, reached, failure };
}

/** Why each webhook that is not in its wanted state is not, by ID. */
type Failures = Map<number, PartnerError>;

function isUnsure({ effect }: PartnerError): boolean {
  return effect === "possible";
}

/** Sends all changes at once, and shows the progress. */
async function sendAll({ session, lists }: Context, changes: StateMap): Promise<Failures> {
  const failures: Failures = new Map();
  const total = idsOf(changes).length;
  const step = Math.ceil(total / MAX_REPORTS);
  let finished = 0;
  const send = async (webhookId: number): Promise<void> => {
    const state = changes[webhookId];
    if (!isState(state)) return; // All are known by now.
    const error = await failureOf(lists.setState(webhookId, state));
    if (error !== null) failures.set(webhookId, error);
    finished += 1;
    if (total > 1 && (finished % step === 0 || finished === total))
      session.showStatus(progress(finished, total));
  };
  await Promise.all(idsOf(changes).map(send));
  return failures;
}

/**
 * Returns the webhooks that are in the wanted state although the change was refused: an earlier attempt or
 * someone else set it. Reads the list again; without a state, a 409 counts as done.
 */
async function doneIds({ session, lists }: Context, failures: Failures, wanted: StateMap): Promise<number[]> {
  const refused = [...failures].filter(([, { status }]) => isRefused(status));
  if (refused.length === 0) return [];
  const list = await lists.lookUp([], session.now()).catch((error: unknown) => {
    if (error instanceof PartnerError) return null; // The refusals say enough.
    throw error;
  });
  if (list === null) return [];
  const isDone = ([id, { status }]: readonly [number, PartnerError]): boolean => {
    const shown = list.webhooks.get(id)?.state ?? null;
    return shown === null ? isConflict(status) && !list.isGone(id) : shown === wanted[id];
  };
  const done = refused.filter(isDone).map(([id]) => id);
  lists.warnAboutUnknown(list, done);
  return done;
}

/** Combines failures into one. If all changes share one error object (`===`), it says enough. */
function combineFailures(failures: Failures, total: number): PartnerError | null {
  const sorted = [...failures].toSorted(([one], [other]) => one - other);
  const [first] = failures.values();
  const isShared = failures.size === total && sorted.every(([, error]) => error === first);
  if (first === undefined || isShared) return first ?? null;
  return fleetIncomplete(
    sorted.map(([webhookId, error]) => ({ webhookId, error })),
    total,
  );
}
