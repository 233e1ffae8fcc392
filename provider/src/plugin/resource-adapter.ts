import { isDeepStrictEqual } from "node:util";

import { PartnerError } from "../partner-api/errors.js";
import type { AccountSession } from "./account-session.js";
import type { Properties, ResourceName } from "./properties.js";
import type { Plan, Resource } from "./resource.js";
import {
  invalidArguments,
  keptAfterRepetitions,
  otherAccount,
  otherServer,
  unknownArguments,
} from "./resource-messages.js";

/**
 * After so many repetitions of one failure, the call succeeds with what was kept: after the hundredth, the
 * engine would drop the outputs, and with them the current key.
 */
const MAX_REPETITIONS = 3;

/** Thrown to a host when an operation fails but the resource must be kept in the state. */
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

/** What a failed call of a resource has reached. */
interface Kept<State> {
  readonly id: string;
  readonly state: State;
  /** The {@link identityOf} the failure, and how often it came again. */
  readonly failure: string;
  readonly repetitions: number;
}

/** A resource after a read. Has inputs only if a read can change them. */
interface Read {
  readonly outputs: Properties;
  readonly inputs?: Properties;
}

/** Whether a read is for an import or a `get`: every resource in a state has an account. */
export function isAdoption(olds: Properties): boolean {
  return olds["account"] === undefined;
}

/**
 * Lets a host use a {@link Resource}. Does what all resources share: it stamps the account and its address,
 * refuses other ones, says what a host keeps after a failure, and continues calls that a retry hook of the
 * program repeats. Its methods may throw a {@link PartnerError}.
 */
export class ResourceAdapter<Inputs = unknown, State = unknown> {
  readonly #session: AccountSession;
  readonly #resource: Resource<Inputs, State>;
  /** By URN: the engine repeats a failed call with the *old* state, which does not show what was reached. */
  readonly #kept = new Map<string, Kept<State>>();

  constructor(session: AccountSession, resource: Resource<Inputs, State>) {
    this.#session = session;
    this.#resource = resource;
  }

  /**
   * Validates arguments and fills in defaults.
   *
   * @param olds The inputs in the state; empty for a new resource.
   * @returns `problems`: sentences about the arguments.
   * @throws {PartnerError} that would fail the update as well.
   */
  async check(
    olds: Properties,
    args: Properties,
    urn: string,
  ): Promise<{ readonly inputs: Properties; readonly problems: readonly string[] }> {
    const { inputs: read, problems } = this.#readArguments(args);
    // Reads the settings even if nothing changes: the next change would fail.
    const inputs = this.#complete(read);
    if (problems.length > 0) return { inputs, problems };
    // The default provider has one account: it could create a new resource but not delete the old one.
    const mayMove = this.#session.settings.isExplicit && olds["account"] !== inputs["account"];
    if (!mayMove) this.#assertOwned(olds);
    const oldInputs = isAdoption(olds) ? null : this.#resource.inputsOf(olds);
    await this.#resource.check(this.#resource.inputsOf(inputs), oldInputs, urn);
    return { inputs, problems };
  }

  /** Compares outputs in the state with checked inputs, and shows what an update does. Sends no request. */
  diff(
    olds: Properties,
    news: Properties,
    name: ResourceName,
  ): { readonly changes: boolean; readonly replaces: string[] } {
    const { inputs, problems } = this.#readArguments(news);
    if (problems.length > 0) return { changes: true, replaces: [] }; // The update fails, and says why.
    const changesAccount = olds["account"] !== news["account"];
    const { changes, replaces, notices } = this.#plan(olds, inputs, name, changesAccount);
    for (const notice of notices) this.#session.notify(notice);
    return {
      changes: changes || changesAccount || olds["server"] !== news["server"],
      replaces: changesAccount ? [...replaces, "account"] : [...replaces],
    };
  }

  /** Returns the outputs for a preview. @param olds `null` for a creation. */
  preview(olds: Properties | null, news: Properties): Properties {
    if (olds !== null) this.#assertOwned(olds);
    const inputs = this.#validInputs(news);
    return this.#complete(this.#resource.preview(olds && this.#resource.stateOf(olds), inputs), inputs);
  }

  /** @throws {PartialFailure} if the resource exists but is not complete. */
  async create(
    news: Properties,
    urn: string,
  ): Promise<{ readonly id: string; readonly outputs: Properties }> {
    const inputs = this.#validInputs(news);
    const id = this.#kept.get(urn)?.id ?? this.#resource.newId(this.#resource.inputsOf(inputs));
    return { id, outputs: await this.#apply(null, inputs, { id, urn }) };
  }

  /** @throws {PartialFailure} if the update failed but its outputs must be kept. */
  async update(olds: Properties, news: Properties, name: ResourceName): Promise<Properties> {
    this.#assertOwned(olds);
    const inputs = this.#validInputs(news);
    const onlyMoves = olds["server"] !== inputs["server"] && !this.#plan(olds, inputs, name, false).changes;
    // Only the address changed: record it, and send nothing.
    return onlyMoves ? this.#complete(olds, inputs) : this.#apply(this.#resource.stateOf(olds), inputs, name);
  }

  /** @returns `null` if the resource is gone. */
  async read(olds: Properties): Promise<Read | null> {
    this.#assertOwned(olds);
    const state = this.#resource.stateOf(olds);
    const found = await this.#resource.read(state);
    if (found === null) return null;
    const outputs = found.state === state ? olds : { ...olds, ...this.#resource.outputsOf(found.state) };
    return { outputs, ...(found.inputs && { inputs: this.#complete(found.inputs, olds) }) };
  }

  async delete(olds: Properties, name: ResourceName): Promise<void> {
    this.#assertOwned(olds);
    await this.#resource.remove(this.#resource.stateOf(olds), name);
  }

  /** See {@link Resource.adopt}. */
  async adopt(id: string, isExistenceCheck = false): Promise<Read | null> {
    const found = await this.#resource.adopt(id, isExistenceCheck);
    if (found === null) return null;
    const { state, inputs } = found;
    return { inputs: this.#complete(inputs ?? {}), outputs: this.#complete(this.#resource.outputsOf(state)) };
  }

  /** Applies a change to what a failed call has reached; without one, to the old state. */
  async #apply(olds: State | null, news: Properties, { id, urn }: ResourceName): Promise<Properties> {
    const resource = this.#resource;
    const kept = this.#kept.get(urn);
    const { state, failure } = await resource
      .apply(kept?.state ?? olds, resource.inputsOf(news), { id, urn })
      .catch((error: unknown) => {
        if (kept === undefined || !(error instanceof PartnerError)) throw error;
        return { state: kept.state, failure: error }; // A plain error would restore the old state.
      });
    const outputs = this.#complete(resource.outputsOf(state), news);
    const repetitions = failure && kept?.failure === identityOf(failure) ? kept.repetitions + 1 : 0;
    if (failure === null || repetitions === MAX_REPETITIONS) {
      if (failure !== null) this.#session.notify(keptAfterRepetitions(failure.message));
      this.#kept.delete(urn);
      return outputs;
    }
    // Nothing was reached, so there is nothing to keep: after a plain error, the engine keeps the old state,
    // however often a hook repeats the call. After a success, it would delete what this resource replaces.
    const isOld = olds !== null && isDeepStrictEqual(resource.outputsOf(state), resource.outputsOf(olds));
    if (kept === undefined && isOld) throw failure;
    if (urn !== "") this.#kept.set(urn, { id, state, failure: identityOf(failure), repetitions });
    throw new PartialFailure(id, outputs, failure);
  }

  #plan(olds: Properties, news: Properties, name: ResourceName, changesAccount: boolean): Plan {
    const [state, inputs] = [this.#resource.stateOf(olds), this.#resource.inputsOf(news)];
    return this.#resource.plan(state, inputs, name, changesAccount);
  }

  #readArguments(args: Properties): ReturnType<Resource<Inputs, State>["readArguments"]> {
    const { nativeToken, inputs: known } = this.#resource.registration;
    const { inputs, problems } = this.#resource.readArguments(args);
    return { inputs, problems: [...unknownArguments(nativeToken, args, known), ...problems] };
  }

  /** Validates the inputs of a change again: a policy may have changed them after the check. */
  #validInputs(news: Properties): Properties {
    const { inputs, problems } = this.#readArguments(news);
    if (problems.length > 0) throw invalidArguments(problems);
    return this.#complete(inputs);
  }

  /** Adds the account and its address. @param from Properties that have them. @default today's settings */
  #complete(properties: Properties, from: Properties = this.#owner): Properties {
    return { ...properties, account: from["account"], server: from["server"] };
  }

  get #owner(): Properties {
    return { account: this.#session.settings.account, server: this.#session.readSettings().servers[0] };
  }

  /** Elsewhere, a key would be dropped as not found, and another webhook of this ID would be changed. */
  #assertOwned({ account: owner, server }: Properties): void {
    const { account, settingName } = this.#session.settings;
    if (typeof owner === "string" && owner !== account) throw otherAccount(owner, account, settingName);
    const { servers } = this.#session.readSettings();
    if (typeof server === "string" && !servers.includes(server))
      throw otherServer(server, servers[0], settingName);
  }
}

/** Returns what the repetitions of an error have in common. */
function identityOf({ summary, message }: PartnerError): string {
  return summary ?? message;
}
