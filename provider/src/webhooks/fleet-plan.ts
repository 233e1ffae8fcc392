import { isDeepStrictEqual } from "node:util";

import type { PartnerError } from "../api/errors.js";
import { isState, oppositeState, STATES, type WebhookState } from "../api/operations.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { PreviewCheck } from "../shared/preview-check.js";
import { ResourceError, type Notice } from "../shared/problems.js";
import { UNKNOWN } from "../shared/properties.js";
import type { Plan } from "../shared/resource.js";
import { unnamedWebhooks } from "./converge.js";
import {
  idsOf,
  leavingWebhooks,
  pick,
  statesOf,
  type FleetState,
  type PlannedInputs,
  type StateMap,
} from "./fleet-model.js";
import { shownLabels } from "./shown-webhook.js";
import type { WebhookSnapshot } from "./webhook-registry.js";
import { finalStates } from "./webhook-release.js";

/**
 * Declares the webhooks of a fleet. If the old inputs do not name them all, checks that they exist.
 *
 * @returns The problems that would fail the update as well.
 */
export async function checkFleet(
  plugin: PluginProcess,
  previewCheck: PreviewCheck,
  news: PlannedInputs,
  olds: PlannedInputs,
  urn?: string,
): Promise<readonly PartnerError[]> {
  const { others } = news;
  const named = news.states === UNKNOWN ? {} : news.states;
  const ids = idsOf(named);
  const conflict = plugin.declaredWebhooks.declare(isState(others) ? [...ids, "others"] : ids, urn);
  if (conflict) return [conflict];
  if (!plugin.readsWebhooks) return checkUnread(plugin, news);

  const known = olds.states === UNKNOWN ? {} : olds.states;
  const isKnown = ids.every((id) => id in known);
  if (isKnown && (!isState(others) || others === olds.others)) return [];
  return previewCheck.run(async ({ webhooks }) => {
    const snapshot = await webhooks.lookUp(ids);
    const missing = ids.filter((id) => !snapshot.get(id));
    if (missing.length > 0) throw snapshot.absenceError(missing);
    const newIds = ids.filter((id) => !(id in known));
    tellFirstChanges(plugin, snapshot, newIds, named);
    if (!isState(others)) return;
    const unnamed = statesOf(unnamedWebhooks(snapshot, named));
    for (const notice of othersNotices(others, unnamed, news.states !== UNKNOWN)) plugin.warn(notice);
  });
}

/** Says which webhooks are not in the states that a resource declares for the first time. */
function tellFirstChanges(
  plugin: PluginProcess,
  snapshot: WebhookSnapshot,
  newIds: readonly number[],
  named: Readonly<Record<string, unknown>>,
): void {
  for (const state of STATES) {
    const webhookIds = newIds.filter(
      (id) => named[id] === state && snapshot.get(id)?.state === oppositeState(state),
    );
    const labels = shownLabels(plugin, snapshot, webhookIds);
    if (webhookIds.length > 0) plugin.warn({ kind: "firstChange", state, webhookIds, labels });
  }
}

/** Without the list, refuses what needs it. Says so in each run, so that nobody forgets it. */
function checkUnread(
  plugin: PluginProcess,
  { others, stateOnDestroy }: PlannedInputs,
): readonly PartnerError[] {
  plugin.warn({ kind: "listNotRead" });
  const needs = [
    ...(others === "leave" || others === UNKNOWN ? [] : (["others"] as const)),
    ...(stateOnDestroy === "restore" ? (["restore"] as const) : []),
  ];
  return needs.map((need) => new ResourceError({ kind: "listNotRead", need }));
}

/**
 * Decides whether an update of a fleet has something to do. Its notices name the webhooks that change
 * although the engine's diff does not list them: under `others`, and those that leave.
 *
 * @param moves Whether the fleet moves to another account.
 */
export function planFleet(
  plugin: PluginProcess,
  olds: FleetState,
  news: PlannedInputs,
  moves: boolean,
): Omit<Plan, "replaces"> {
  const { otherStates } = olds;
  const { others } = news;
  const notices = [
    ...(isState(others) ? othersNotices(others, otherStates, news.states !== UNKNOWN) : []),
    ...leavingNotices(plugin, olds, news, moves),
  ];
  return { changes: hasChanges(plugin, olds, news), notices };
}

function hasChanges(plugin: PluginProcess, olds: FleetState, news: PlannedInputs): boolean {
  const { states, others, stateOnDestroy, account, otherStates, initialStates } = olds;
  if (!isDeepStrictEqual({ states, others, stateOnDestroy, account }, { ...news })) return true;
  if (Object.values(otherStates).some((state) => state !== others)) return true;
  // Such as a webhook that could not be released because it was missing from the list.
  if (others === "leave" && idsOf(initialStates).some((id) => !(id in states))) return true;
  return plugin.declaredWebhooks.releasedInOtherStates({ ...otherStates, ...states }).length > 0;
}

/** Returns warnings about webhooks that leave: those that change, and those that a move leaves behind. */
function leavingNotices(
  plugin: PluginProcess,
  olds: FleetState,
  news: PlannedInputs,
  moves: boolean,
): readonly Notice[] {
  const { account, initialStates } = olds;
  const observed = { ...olds.otherStates, ...olds.states };
  const leaving = (moves ? idsOf(observed) : undeclared(plugin, olds, news)).filter((id) => id in observed);
  // The process of the old account deletes a fleet that moves, with its old stateOnDestroy.
  const { stateOnDestroy } = moves ? olds : news;
  const final = stateOnDestroy === UNKNOWN ? {} : finalStates(stateOnDestroy, pick(initialStates, leaving));
  const certain = moves || news.states !== UNKNOWN;
  const notices: Notice[] = [];
  for (const state of STATES) {
    const webhookIds = idsOf(final).filter((id) => final[id] === state && observed[id] !== state);
    if (webhookIds.length > 0) notices.push({ kind: "leaving", state, webhookIds, account, certain });
  }
  const left = leaving.filter((id) => moves && !(id in final));
  if (left.length > 0) notices.push({ kind: "leftBehind", webhookIds: left, account });
  return notices;
}

/**
 * Returns the leaving webhooks that no resource has declared so far. If `states` is unknown yet, they may
 * leave; if `others` is, none is returned.
 */
function undeclared(
  plugin: PluginProcess,
  olds: FleetState,
  { states, others }: PlannedInputs,
): readonly number[] {
  if (others === UNKNOWN) return [];
  const named = states === UNKNOWN ? {} : states;
  return plugin.declaredWebhooks.undeclared(leavingWebhooks(olds, { states: named, others }));
}

/**
 * Returns a warning about the webhooks that `others` changes. The diff does not list them.
 *
 * @param certain Whether the program certainly names none of them.
 */
export function othersNotices(state: WebhookState, otherStates: StateMap, certain = true): readonly Notice[] {
  const webhookIds = idsOf(otherStates).filter((webhookId) => otherStates[webhookId] !== state);
  return webhookIds.length > 0 ? [{ kind: "othersDiffer", state, webhookIds, certain }] : [];
}
