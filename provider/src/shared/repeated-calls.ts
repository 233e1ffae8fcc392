import { isDeepStrictEqual } from "node:util";

import { PartnerError } from "../api/errors.js";
import type { Properties } from "./properties.js";
import type { Applied, Resource } from "./resource.js";

/** A call of the engine that creates or updates a resource. */
export interface Call {
  readonly id: string;
  /** Empty if the host does not know it. */
  readonly urn: string;
  /** `null` for a creation. */
  readonly olds: Properties | null;
  readonly news: Properties;
}

/** What became of a call. `id`: as of the first of several calls whose failure is final. */
export interface CallResult<State> extends Applied<State> {
  readonly id: string;
}

/** A call that failed. Secret. */
interface FailedCall<State> extends Call {
  /** What it has reached, together with the failed calls that it repeated; `null` for nothing. */
  readonly state: State | null;
  readonly failure: unknown;
}

/**
 * Decides what a repeated call does. If a retry hook of the program asks for it, the engine repeats a failed
 * call up to 100 times in the same process, and keeps only the last result. It passes the same arguments,
 * which know nothing of the calls before. So a repeated call continues from what they have reached; where a
 * key may have been created in vain, it fails again with their error and sends nothing.
 */
export class RepeatedCalls<Inputs, State> {
  readonly #resource: Resource<Inputs, State>;
  /** By URN. A call that succeeds removes its entry, so that a replacement is not taken for a repetition. */
  readonly #failed = new Map<string, readonly FailedCall<State>[]>();

  constructor(resource: Resource<Inputs, State>) {
    this.#resource = resource;
  }

  /** Performs a call. Throws only if nothing was reached. */
  async apply(call: Call): Promise<CallResult<State>> {
    const { id, urn, olds, news } = call;
    const earlier = this.#failed.get(urn)?.find((failed) => isRepeated(failed, call)) ?? null;
    if (earlier && this.#resource.isFinal?.(earlier.failure)) return resultOf(earlier);
    const reached = earlier?.state ?? null;
    try {
      const state = reached ?? (olds && this.#resource.stateOf(olds));
      const applied = await this.#resource.apply(state, this.#resource.inputsOf(news), { id, urn });
      this.#remember(call, applied.failure && { ...call, ...applied });
      return { id, ...applied };
    } catch (failure) {
      const failed = { ...call, state: reached, failure };
      this.#remember(call, failed);
      return resultOf(failed);
    }
  }

  /** @param failed Takes the place of what is known about the same call; `null` if it succeeded. */
  #remember(call: Call, failed: FailedCall<State> | null): void {
    const others = (this.#failed.get(call.urn) ?? []).filter((other) => !isRepeated(other, call));
    const all = failed === null ? others : [...others, failed];
    if (all.length === 0) this.#failed.delete(call.urn);
    else this.#failed.set(call.urn, all);
  }
}

/** Whether a call repeats one that failed. Not by the ID, which is new for each creation. */
function isRepeated(failed: Call, { olds, news }: Call): boolean {
  return isDeepStrictEqual([failed.olds, failed.news], [olds, news]);
}

/** @throws what failed, if nothing was reached, or if it is not a {@link PartnerError}. */
function resultOf<State>({ id, state, failure }: FailedCall<State>): CallResult<State> {
  if (state === null || !(failure instanceof PartnerError)) throw failure;
  return { id, state, failure };
}
