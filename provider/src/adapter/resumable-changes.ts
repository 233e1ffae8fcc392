import { isDeepStrictEqual } from "node:util";

import type { AccountSession } from "../account/account-session.js";
import { asPartnerError, type PartnerError } from "../partner-api/errors.js";
import type { Properties, ResourceName } from "./properties.js";
import { keptAfterRepetitions } from "./resource-messages.js";
import type { Applied } from "./resource.js";

/** Thrown to a host when a change fails but what it has reached must be kept in the state. */
export class PartialFailure extends Error {
  readonly id: string;
  /** The outputs to keep in the state. Secret. */
  readonly properties: Properties;
  readonly reason: PartnerError;

  constructor(id: string, properties: Properties, reason: PartnerError) {
    super("partial failure");
    this.id = id;
    this.properties = properties;
    this.reason = reason;
  }
}

/**
 * How often one failure of a call may come again if a hook repeats the call. Then it succeeds with what was
 * kept. At the hundredth, the engine would give up, and drop the outputs with the current key.
 */
const MAX_REPETITIONS = 3;

/** What a failed call of a resource has reached. */
interface Kept<State> {
  readonly id: string;
  readonly state: State;
  /** The {@link identityOf} each failure. They may take turns. */
  readonly failures: readonly string[];
}

/** A change of a resource. */
export interface Change<State> {
  /** `null` for a creation. */
  readonly olds: State | null;
  readonly name: ResourceName;
  apply(from: State | null): Promise<Applied<State>>;
  outputsOf(state: State): Properties;
}

/**
 * Applies the changes of one type of resource, and keeps what failed ones have reached: in the state, and in
 * this process for calls that a retry hook of the program repeats, which get the *old* state again.
 */
export class ResumableChanges<State> {
  readonly #session: AccountSession;
  /** By URN. */
  readonly #kept = new Map<string, Kept<State>>();

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /** Returns the ID that a failed creation has given to a resource. */
  idOf(urn: string): string | undefined {
    return this.#kept.get(urn)?.id;
  }

  /**
   * Applies a change to what a failed call has reached; without one, to the old state.
   *
   * @returns the outputs.
   * @throws {PartialFailure} if it fails and has reached something, now or earlier.
   * @throws {PartnerError} if it fails otherwise: the engine keeps the old state.
   */
  async apply(change: Change<State>): Promise<Properties> {
    const { olds } = change;
    const { id, urn } = change.name;
    const kept = this.#kept.get(urn);
    const { state, failure } = await (kept === undefined ? change.apply(olds) : resume(change, kept.state));
    const outputs = change.outputsOf(state);
    // 1. Everything was reached.
    if (failure === null) {
      this.#kept.delete(urn);
      return outputs;
    }
    // 2. An update reached nothing, now or earlier: the engine keeps the old state itself. Were it counted,
    // the fourth would be a success, and if this resource replaces one, the engine would delete the other.
    if (kept === undefined && olds !== null && isDeepStrictEqual(outputs, change.outputsOf(olds)))
      throw failure;

    // 3. A hook repeats what keeps failing in the same way. A success keeps what was reached, with a warning.
    const identity = identityOf(failure);
    const failures = kept?.failures ?? [];
    if (failures.filter((each) => each === identity).length === MAX_REPETITIONS) {
      this.#kept.delete(urn);
      this.#session.notify(keptAfterRepetitions(failure.message));
      return outputs;
    }
    // 4. Something was reached: the state gets it now, and the next call of this process goes on from it.
    if (urn !== "") this.#kept.set(urn, { id, state, failures: [...failures, identity] });
    throw new PartialFailure(id, outputs, failure);
  }
}

/** Applies a change to what was reached so far. After an error, that is still what there is. */
function resume<State>(change: Change<State>, reached: State): Promise<Applied<State>> {
  return change
    .apply(reached)
    .catch((error: unknown) => ({ state: reached, failure: asPartnerError(error) }));
}

/** Returns what the repetitions of an error have in common. */
function identityOf({ summary, message }: PartnerError): string {
  return summary ?? message;
}
