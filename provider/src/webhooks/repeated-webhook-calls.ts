import { PartnerError } from "../api/errors.js";
import { isState } from "../api/operations.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { converge, type ConvergeResult } from "./converge.js";
import { idsOf, pick, type FleetInputs, type FleetOutputs } from "./fleet-model.js";

/**
 * Continues failed calls. The engine repeats a failed call if a retry hook asks for it: it passes the old
 * outputs again, and keeps only the last result. By then, the list shows what the first call changed. So each
 * call starts with what the failed ones before it found and changed.
 */
export class RepeatedCalls {
  readonly #plugin: PluginProcess;
  /** The results of failed calls, by URN. */
  readonly #failed = new Map<string, ConvergeResult>();

  constructor(plugin: PluginProcess) {
    this.#plugin = plugin;
  }

  /** Calls {@link converge}. @param urn Recognizes a repeated call; empty if the host does not know it. */
  async converge(news: FleetInputs, olds: FleetOutputs, urn = ""): Promise<ConvergeResult> {
    const earlier = this.#failed.get(urn) ?? null;
    const result = await this.#continue(news, olds, earlier);
    const mayHaveChanged = result.mayHaveChanged || earlier?.mayHaveChanged === true;
    if (result.failure === null) this.#failed.delete(urn);
    else if (urn !== "") this.#failed.set(urn, { ...result, mayHaveChanged });
    return { ...result, mayHaveChanged };
  }

  async #continue(
    news: FleetInputs,
    olds: FleetOutputs,
    earlier: ConvergeResult | null,
  ): Promise<ConvergeResult> {
    const found = earlier?.outputs.initialStates ?? {};
    const original = isState(news.others) ? found : pick(found, idsOf(news.states));
    const initialStates = { ...original, ...olds.initialStates };
    try {
      return await converge(this.#plugin, news, { ...olds, initialStates });
    } catch (error) {
      if (!(error instanceof PartnerError) || !earlier?.mayHaveChanged) throw error;
      return { ...earlier, failure: error };
    }
  }
}
