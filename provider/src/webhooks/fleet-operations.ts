import { isState, STATES } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { converge, warnIfUnknown } from "./converge.js";
import { idsOf, pick, statesOf, unknownStates, type FleetOutputs, type StateMap } from "./fleet-model.js";
import { webhookLabel } from "../webhook-search.js";
import type { WebhookSnapshot } from "./webhook-registry.js";
import { shownWebhook } from "./shown-webhook.js";
import { FleetPreview, warnAboutOthers } from "./fleet-preview.js";
import { RepeatedCalls } from "./repeated-webhook-calls.js";

/**
 * What both webhook resources do, by the inputs and outputs of a fleet. Each operation reads the list once.
 */
export class FleetOperations {
  readonly preview: FleetPreview;
  /** Creates and updates fleets. */
  readonly calls: RepeatedCalls;
  readonly #plugin: PluginProcess;

  constructor(plugin: PluginProcess) {
    this.#plugin = plugin;
    this.preview = new FleetPreview(plugin);
    this.calls = new RepeatedCalls(plugin);
  }

  /**
   * Returns what a refresh finds. Warns about webhooks that are gone, in other states, or in unknown ones.
   */
  async read(olds: FleetOutputs): Promise<Pick<FleetOutputs, "states" | "otherStates" | "initialStates">> {
    const { others, states, otherStates, initialStates } = olds;
    if (!this.#plugin.readsWebhooks) {
      this.#plugin.warn({ kind: "listNotRead" });
      return { states, otherStates, initialStates };
    }
    const { webhooks } = await this.#plugin.open();
    const ids = idsOf(initialStates);
    const snapshot = await webhooks.lookUp(ids);
    const missing = ids.filter((id) => !snapshot.get(id));
    if (missing.length > 0 && !snapshot.provesAbsence) throw snapshot.absenceError(missing);
    const listed = isState(others) ? snapshot.all() : ids.flatMap((id) => snapshot.get(id) ?? []);
    const lost = this.#lostStates(snapshot, listed, initialStates);
    const isLost = ({ webhookId }: WebhookReading): boolean => lost.includes(webhookId);
    warnIfUnknown(
      this.#plugin,
      listed.filter((webhook) => !isLost(webhook)),
    );
    const known = { ...otherStates, ...states };
    const observed = { ...statesOf(listed, known), ...statesOf(listed.filter(isLost)) };
    const named = pick(observed, idsOf(states));
    const unnamed = pick(
      observed,
      idsOf(observed).filter((id) => !(id in states)),
    );
    const dropped = idsOf(known).filter((id) => !(id in observed));
    if (dropped.length > 0) this.#plugin.warn({ kind: "webhooksGone", webhookIds: dropped });
    for (const state of STATES) {
      const webhookIds = idsOf(named).filter(
        (id) => named[id] === state && isState(states[id]) && states[id] !== state,
      );
      if (webhookIds.length === 0) continue;
      const labels = webhookIds.map((id) => this.#labelOf(id, snapshot));
      this.#plugin.warn({ kind: "drifted", state, webhookIds, labels });
    }
    if (isState(others)) warnAboutOthers(this.#plugin, others, unnamed);
    return {
      states: named,
      otherStates: unnamed,
      // Also of missing webhooks: the list may be wrong this once, and nothing else knows these states.
      initialStates: { ...statesOf(listed), ...initialStates },
    };
  }

  /** Names a webhook by its ID and what it is known by. */
  #labelOf(webhookId: number, snapshot: WebhookSnapshot): string {
    const webhook = snapshot.get(webhookId);
    return webhook === undefined ? String(webhookId) : webhookLabel(shownWebhook(this.#plugin, webhook));
  }

  /**
   * Returns the webhooks whose states the list once showed and no longer does. If it shows those of other
   * webhooks, a change probably helps, so this counts as a difference. If it shows none, the service may use
   * other words, and the same difference would be found forever.
   *
   * @throws {ResourceError} in the second case.
   */
  #lostStates(
    snapshot: WebhookSnapshot,
    listed: readonly WebhookReading[],
    initialStates: StateMap,
  ): readonly number[] {
    const lost = unknownStates(listed.filter(({ webhookId }) => isState(initialStates[webhookId])));
    if (lost === null) return [];
    if (!snapshot.showsStates) throw new ResourceError(lost);
    this.#plugin.warn({ ...lost, kind: "stateLost" });
    return lost.webhookIds;
  }

  /** Releases all webhooks of a fleet. @throws {PartnerError} if one of them is not in its final state. */
  async delete(fleet: FleetOutputs): Promise<void> {
    if (fleet.stateOnDestroy === "leave" || idsOf(fleet.initialStates).length === 0) return;
    const { failure } = await converge(this.#plugin, { ...fleet, states: {}, others: "leave" }, fleet);
    if (failure) throw failure;
  }
}
