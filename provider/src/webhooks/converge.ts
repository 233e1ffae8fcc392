import { PartnerError } from "../partner-api/errors.js";
import type { WebhookState } from "../partner-api/operations.js";
import { isNotFound } from "../partner-api/statuses.js";
import type { AccountWebhooks } from "./account-webhooks.js";
import { idsOf, pick, statesOf, type KnownStates, type StateMap } from "./fleet-state.js";
import type { WebhookList } from "./webhook-list.js";
import { fleetIncomplete, noSuchWebhook, perhapsAlreadySo, type WebhookFailure } from "./webhook-messages.js";

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
  /** Their states now; `null` if unknown, unsure or gone. A released webhook that is gone counts as set. */
  readonly reached: StateMap;
  /** `null` if all of them are in the wanted states. */
  readonly failure: PartnerError | null;
}

/**
 * Brings webhooks into the wanted states. Sends only what differs from the list, or from the recorded state
 * where the list does not show it. A change that fails stops no other. To be called when they are idle.
 *
 * @throws {PartnerError} if not all are in the wanted states, and the stack has nothing to record.
 */
export async function converge(
  webhooks: AccountWebhooks,
  list: WebhookList,
  { declared, final }: Goal,
  recorded: StateMap,
): Promise<Converged> {
  const wanted = { ...final, ...declared };
  const missing = failuresOfMissing(declared, list);
  const present = idsOf(wanted).filter((id) => (id in declared ? !list.isGone(id) : !list.provesGone(id)));
  const found = statesOf(present, (id) => list.stateOf(id));
  const recordedOf = (id: number): WebhookState | null => (list.isUnsure(id) ? null : (recorded[id] ?? null));
  const current = statesOf(present, (id) => found[id] ?? recordedOf(id));
  const differing = present.filter((id) => current[id] !== wanted[id]);

  const all = await webhooks.setStates(pick(wanted, differing));
  const failed = all.filter((each) => !isReleasedAndGone(each, final));
  const unset = [...missing, ...(await withoutDone(failed, { declared, final }, webhooks))];
  const failure = combineFailures(unset, missing.length + differing.length);
  // Whether a request of ours may have changed something. What was refused and is done, someone else did.
  const mayHaveChanged = failed.length < differing.length || failed.some(({ error }) => error.mayHaveChanged);
  const mustForget = ({ webhookId, isDoubted = false }: WebhookFailure): boolean =>
    isDoubted && current[webhookId] !== null;
  if (failure !== null && !mayHaveChanged && !unset.some(mustForget)) throw failure;

  const reachedInstead = unset.map((each) => {
    const isUnknown = each.error.mayHaveChanged || mustForget(each);
    return [each.webhookId, isUnknown ? null : (current[each.webhookId] ?? null)] as const;
  });
  return { found, reached: { ...wanted, ...Object.fromEntries(reachedInstead) }, failure };
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
 * The list, read again, shows it. Where it shows no state, only the server's words can say so.
 */
async function withoutDone(
  failures: readonly WebhookFailure[],
  { declared, final }: Goal,
  webhooks: AccountWebhooks,
): Promise<readonly WebhookFailure[]> {
  const refused = failures.filter(({ error }) => error.isRefusal);
  if (refused.length === 0) return failures;
  const list = await webhooks.readAgain().catch((error: unknown) => {
    if (error instanceof PartnerError) return null; // The refusals say enough.
    throw error;
  });
  if (list === null) return failures;

  const wanted = { ...final, ...declared };
  const shownOf = (id: number): WebhookState | null => list.webhooks.get(id)?.state ?? null;
  const isHidden = (id: number): boolean => shownOf(id) === null && !list.isGone(id);
  const isDone = ({ webhookId, error }: WebhookFailure): boolean =>
    isHidden(webhookId) ? error.isAlreadySo : shownOf(webhookId) === wanted[webhookId];
  const doneIds = refused.filter(isDone).map(({ webhookId }) => webhookId);
  webhooks.remember(pick(wanted, doneIds));
  webhooks.warnAboutUnknown(list, doneIds);

  const explained = (failure: WebhookFailure): WebhookFailure => {
    const { webhookId, error } = failure;
    const state = wanted[webhookId];
    if (!refused.includes(failure) || !isHidden(webhookId) || state === undefined) return failure;
    const isDeclared = webhookId in declared;
    return { webhookId, error: perhapsAlreadySo(error, state, isDeclared), isDoubted: isDeclared };
  };
  return failures.filter(({ webhookId }) => !doneIds.includes(webhookId)).map(explained);
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
