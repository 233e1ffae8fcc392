import { PartnerError } from "../partner-api/errors.js";
import type { WebhookState } from "../partner-api/operations.js";
import { isConflict, isNotFound, isRefused } from "../partner-api/statuses.js";
import type { AccountWebhooks } from "./account-webhooks.js";
import { idsOf, pick, statesOf, type KnownStates, type StateMap } from "./fleet-state.js";
import type { WebhookList } from "./webhook-list.js";
import { fleetIncomplete, noSuchWebhook, type WebhookFailure } from "./webhook-messages.js";

/** The states to set, by webhook. */
export interface Goal {
  /** What the program declares, by name or with `others`. A webhook that does not exist is a failure. */
  readonly declared: KnownStates;
  /** The final states of released webhooks. One that does not exist is done. */
  readonly final: KnownStates;
}

/** What became of webhooks. */
export interface Converged {
  /** Their states before; `null` if the list did not show one. Lacks those that do not exist. */
  readonly found: StateMap;
  /** Their states now; `null` if unsure or gone. A released webhook that is gone counts as set. */
  readonly reached: StateMap;
  /** `null` if all of them are in the wanted states. */
  readonly failure: PartnerError | null;
}

/**
 * Brings webhooks into the wanted states. Sends only what differs from the list, or from the recorded state
 * where the list does not show it. A change that fails stops no other. To be called when they are idle.
 *
 * @throws {PartnerError} if not all are in the wanted states, and no change of ours can have been made.
 */
export async function converge(
  webhooks: AccountWebhooks,
  list: WebhookList,
  { declared, final }: Goal,
  recorded: StateMap,
): Promise<Converged> {
  const wanted = { ...final, ...declared };
  const missing = failuresOfMissing(declared, list);
  const present = idsOf(wanted).filter((id) => !list.isGone(id));
  const found = statesOf(present, (id) => list.stateOf(id));
  const recordedOf = (id: number): WebhookState | null => (list.isUnsure(id) ? null : (recorded[id] ?? null));
  const current = statesOf(present, (id) => found[id] ?? recordedOf(id));
  const differing = present.filter((id) => current[id] !== wanted[id]);

  const all = await webhooks.setStates(pick(wanted, differing));
  const errors = all.filter((each) => !isReleasedAndGone(each, final));
  const failures = [...missing, ...(await withoutDone(errors, wanted, webhooks))];
  const failure = combineFailures(failures, missing.length + differing.length);
  // Whether one of our requests may have changed something: a refused change that is done is someone else's.
  const anySucceeded = errors.length < differing.length;
  const mayHaveChanged = anySucceeded || errors.some(({ error }) => error.mayHaveChanged);
  if (failure !== null && !mayHaveChanged) throw failure;

  const reached: Record<string, WebhookState | null> = { ...wanted };
  for (const { webhookId, error } of failures)
    reached[webhookId] = error.mayHaveChanged ? null : (current[webhookId] ?? null);
  return { found, reached, failure };
}

/** Returns the failures of webhooks that the list does not have. All have one error. */
function failuresOfMissing(declared: KnownStates, list: WebhookList): WebhookFailure[] {
  const missing = idsOf(declared).filter((id) => list.isGone(id));
  if (missing.length === 0) return [];
  const error = noSuchWebhook(missing, list.ids());
  return missing.map((webhookId) => ({ webhookId, error }));
}

/** Whether a released webhook is gone. That is a success, which the stack must record. */
function isReleasedAndGone({ webhookId, error }: WebhookFailure, final: KnownStates): boolean {
  return webhookId in final && isNotFound(error.status);
}

/**
 * Leaves out the changes that were refused and yet are done: an earlier attempt or someone else made them.
 * Reads the list again; if it shows no state, a 409 counts as done.
 */
async function withoutDone(
  failures: readonly WebhookFailure[],
  wanted: KnownStates,
  webhooks: AccountWebhooks,
): Promise<readonly WebhookFailure[]> {
  if (!failures.some(({ error }) => isRefused(error.status))) return failures;
  const list = await webhooks.readAgain().catch((error: unknown) => {
    if (error instanceof PartnerError) return null; // The refusals say enough.
    throw error;
  });
  if (list === null) return failures;
  const isDone = ({ webhookId, error: { status } }: WebhookFailure): boolean => {
    if (!isRefused(status)) return false;
    const shown = list.webhooks.get(webhookId)?.state ?? null;
    return shown === null ? isConflict(status) && !list.isGone(webhookId) : shown === wanted[webhookId];
  };
  const doneIds = failures.filter(isDone).map(({ webhookId }) => webhookId);
  webhooks.remember(pick(wanted, doneIds));
  webhooks.warnAboutUnknown(list, doneIds);
  return failures.filter((each) => !isDone(each));
}

/** Combines failures into one. If all have the same error object, it says enough. */
function combineFailures(failures: readonly WebhookFailure[], total: number): PartnerError | null {
  const [first] = failures;
  if (first === undefined) return null;
  const isShared = failures.length === total && failures.every(({ error }) => error === first.error);
  if (isShared) return first.error;
  const sorted = failures.toSorted((one, other) => one.webhookId - other.webhookId);
  return fleetIncomplete(sorted, total);
}
