import { isDeepStrictEqual } from "node:util";

import type { PartnerError } from "../api/errors.js";
import { isState, STATES, type WebhookState } from "../api/operations.js";
import { UNKNOWN } from "../shared/properties.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { unnamedWebhooks } from "./converge.js";
import {
  idsOf,
  leavingWebhooks,
  pick,
  statesOf,
  type FleetOutputs,
  type PlannedInputs,
  type StateMap,
} from "./fleet-model.js";
import { finalStates } from "./webhook-release.js";
import { ResourceError } from "../shared/problems.js";
import { PreviewCheck } from "../shared/preview-check.js";

/**
 * Decides what a preview shows for a fleet: problems, whether it changes, and warnings about webhooks that
 * change although the engine's diff does not list them.
 */
export class FleetPreview {
  readonly #plugin: PluginProcess;
  readonly #previewCheck: PreviewCheck;

  constructor(plugin: PluginProcess) {
    this.#plugin = plugin;
    this.#previewCheck = new PreviewCheck(plugin);
  }

  /**
   * Declares the webhooks. If the old inputs do not name them all, checks that they exist. @returns The
   * problems.
   */
  async check(olds: PlannedInputs, news: PlannedInputs, urn?: string): Promise<readonly PartnerError[]> {
    const { others } = news;
    const named = news.states === UNKNOWN ? {} : news.states;
    const ids = idsOf(named);
    const conflict = this.#plugin.managed.declare(isState(others) ? [...ids, "others"] : ids, urn);
    if (conflict) return [conflict];
    if (!this.#plugin.readsWebhooks) return this.#checkUnread(news);

    const known = olds.states === UNKNOWN ? {} : olds.states;
    const isKnown = ids.every((id) => id in known);
    if (isKnown && (!isState(others) || others === olds.others)) return [];
    return this.#previewCheck.run(async ({ webhooks }) => {
      const snapshot = await webhooks.lookUp(ids);
      const missing = ids.filter((id) => !snapshot.get(id));
      if (missing.length > 0) throw snapshot.absenceError(missing);
      if (!isState(others)) return;
      const unnamed = statesOf(unnamedWebhooks(snapshot, named));
      warnAboutOthers(this.#plugin, others, unnamed, news.states !== UNKNOWN);
    });
  }

  /** Without the list, refuses what needs it. Says so in each run, so that nobody forgets it. */
  #checkUnread({ others, stateOnDestroy }: PlannedInputs): readonly PartnerError[] {
    this.#plugin.warn({ kind: "listNotRead" });
    const needs = [
      ...(others === "leave" || others === UNKNOWN ? [] : (["others"] as const)),
      ...(stateOnDestroy === "restore" ? (["restore"] as const) : []),
    ];
    return needs.map((need) => new ResourceError({ kind: "listNotRead", need }));
  }

  /**
   * Whether an update has something to do. Warns about what it changes under `others`, and about what leaves.
   */
  hasChanges(olds: FleetOutputs, news: PlannedInputs): boolean {
    const { managed } = this.#plugin;
    const { otherStates, initialStates, ...inputs } = olds;
    const { others } = news;
    if (isState(others)) {
      managed.declare(idsOf(otherStates));
      warnAboutOthers(this.#plugin, others, otherStates, news.states !== UNKNOWN);
    }
    this.#warnAboutLeaving(olds, news);

    if (!isDeepStrictEqual(inputs, { ...news })) return true;
    if (Object.values(otherStates).some((state) => state !== others)) return true;
    // Such as a webhook that could not be released because it was missing from the list.
    if (others === "leave" && idsOf(initialStates).some((id) => !(id in olds.states))) return true;
    return managed.released({ ...otherStates, ...olds.states }).length > 0; // Then, these are outdated.
  }

  /**
   * Warns about webhooks that leave: those that change, and those that a move to another account leaves
   * behind.
   */
  #warnAboutLeaving(olds: FleetOutputs, news: PlannedInputs): void {
    const { account, initialStates } = olds;
    const observed = { ...olds.otherStates, ...olds.states };
    const moves = account !== news.account;
    const leaving = (moves ? idsOf(observed) : this.#undeclared(olds, news)).filter((id) => id in observed);
    // The process of the old account deletes a fleet that moves, with its old stateOnDestroy.
    const { stateOnDestroy } = moves ? olds : news;
    const final = stateOnDestroy === UNKNOWN ? {} : finalStates(stateOnDestroy, pick(initialStates, leaving));
    for (const state of STATES) {
      const webhookIds = idsOf(final).filter((id) => final[id] === state && observed[id] !== state);
      if (webhookIds.length > 0) this.#plugin.warn({ kind: "leaving", state, webhookIds, account });
    }
    const left = leaving.filter((id) => moves && !(id in final));
    if (left.length > 0) this.#plugin.warn({ kind: "leftBehind", webhookIds: left, account });
  }

  /**
   * Returns the leaving webhooks that no resource has declared so far; none if the inputs are not known yet.
   */
  #undeclared(olds: FleetOutputs, { states, others }: PlannedInputs): readonly number[] {
    if (states === UNKNOWN || others === UNKNOWN) return [];
    return this.#plugin.managed.undeclared(leavingWebhooks(olds, { states, others }));
  }
}

/**
 * Warns about the webhooks that `others` changes. The diff does not list them.
 *
 * @param certain Whether the program certainly names none of them.
 */
export function warnAboutOthers(
  plugin: PluginProcess,
  state: WebhookState,
  otherStates: StateMap,
  certain = true,
): void {
  const webhookIds = idsOf(otherStates).filter((webhookId) => otherStates[webhookId] !== state);
  if (webhookIds.length > 0) plugin.warn({ kind: "othersDiffer", state, webhookIds, certain });
}
