import type { Notice } from "../account/notice.js";
import { isState } from "../partner-api/operations.js";
import type { StateOnDestroy } from "../registration.js";
import type { AccountWebhooks } from "./account-webhooks.js";
import { converge } from "./converge.js";
import type { Declarations } from "./declarations.js";
import {
  idsOf,
  knownStates,
  managedIds,
  pick,
  recordedStates,
  statesOf,
  type FleetState,
  type KnownStates,
} from "./fleet-state.js";
import { changeNotices } from "./webhook-messages.js";

/**
 * Releases the webhooks of a fleet that is removed, but none that a resource has declared in this process.
 *
 * @throws {PartnerError} if one of them did not get its final state.
 */
export async function releaseAll(
  { declarations, webhooks }: { readonly declarations: Declarations; readonly webhooks: AccountWebhooks },
  olds: FleetState,
): Promise<void> {
  const ids = managedIds(olds);
  const finalNow = (): KnownStates => finalStates(olds, declarations.undeclared(ids), olds.stateOnDestroy);
  if (idsOf(finalNow()).length === 0) return;
  const list = await webhooks.lookUp([]); // A webhook that is missing counts as released.
  // A resource may have declared some of them meanwhile.
  const { failure } = await webhooks.whenIdle(ids, () =>
    converge(webhooks, list, { declared: {}, final: finalNow() }, recordedStates(olds)),
  );
  if (failure !== null) throw failure;
}

/** Returns the states that released webhooks get. Those that keep their states are left out. */
export function finalStates(
  { initialStates }: FleetState,
  released: readonly number[],
  stateOnDestroy: StateOnDestroy | null,
): KnownStates {
  if (isState(stateOnDestroy)) return statesOf(released, () => stateOnDestroy);
  return stateOnDestroy === "restore" ? knownStates(pick(initialStates, released)) : {};
}

/** Says which webhooks will change when they are released, as far as the stack recorded their states. */
export function releaseNotices(
  olds: FleetState,
  released: readonly number[],
  stateOnDestroy: StateOnDestroy | null,
): Notice[] {
  const recorded = recordedStates(olds);
  const final = finalStates(olds, released, stateOnDestroy);
  return changeNotices("stateOnDestroy", pick(final, idsOf(recorded)), (id) => recorded[id]);
}
