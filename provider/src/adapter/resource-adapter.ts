import type { AccountSession } from "../account/account-session.js";
import { unknownArguments } from "../setting-messages.js";
import { ResumableChanges } from "./resumable-changes.js";
import { Ownership } from "./ownership.js";
import type { Properties, ResourceName } from "./properties.js";
import { invalidArguments } from "./resource-messages.js";
import type { Plan, Resource } from "./resource.js";

/** The properties that the adapter adds to each resource, and those of the engine. */
const COMMON = /^(?:account|server|explicit|__.*)$/;

/** A resource as a read found it. Has no inputs if they stay as they are. */
export interface ReadResource {
  readonly outputs: Properties;
  readonly inputs?: Properties;
}

/** Whether properties are those of a resource in a state: each has an account there. */
export function isStored(olds: Properties): boolean {
  return olds["account"] !== undefined;
}

/**
 * Lets a host use a {@link Resource}. Does what all resources share: it guards to which account they belong,
 * and keeps what a failed change has reached. Its methods may throw a `PartnerError`.
 */
export class ResourceAdapter<Inputs = unknown, State = unknown> {
  readonly #session: AccountSession;
  readonly #resource: Resource<Inputs, State>;
  readonly #changes: ResumableChanges<State>;
  readonly #ownership: Ownership;

  constructor(session: AccountSession, resource: Resource<Inputs, State>) {
    this.#session = session;
    this.#resource = resource;
    this.#changes = new ResumableChanges(session);
    this.#ownership = new Ownership(session);
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
    // Reads the settings even if nothing changes: the next change would fail.
    const { inputs, problems } = this.#stampedArguments(args);
    if (problems.length > 0) return { inputs, problems };
    // A Provider may take over the resource of another account, which the engine then replaces. The default
    // provider has only one account, so it could not delete the old resource.
    const takesOver = this.#session.settings.isExplicit && olds["account"] !== inputs["account"];
    if (!takesOver) this.#ownership.assertOwned(olds);
    const oldInputs = isStored(olds) ? this.#resource.inputsOf(olds) : null;
    await this.#resource.check(oldInputs, this.#resource.inputsOf(inputs), urn);
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
    if (olds !== null) this.#ownership.assertOwned(olds);
    const inputs = this.#validInputs(news);
    return this.#ownership.stamp(
      this.#resource.preview(olds && this.#resource.stateOf(olds), inputs),
      inputs,
    );
  }

  /** @throws {PartialFailure} if the resource exists but is not complete. */
  async create(
    news: Properties,
    urn: string,
  ): Promise<{ readonly id: string; readonly outputs: Properties }> {
    const inputs = this.#validInputs(news);
    const id = this.#changes.idOf(urn) ?? this.#resource.newId(this.#resource.inputsOf(inputs));
    return { id, outputs: await this.#apply(null, inputs, { id, urn }) };
  }

  /** @throws {PartialFailure} if the update failed but its outputs must be kept. */
  async update(olds: Properties, news: Properties, name: ResourceName): Promise<Properties> {
    this.#ownership.assertOwned(olds);
    const inputs = this.#validInputs(news);
    const hasMoved = olds["server"] !== inputs["server"];
    // If only the address is new, it is recorded. Without a move, the change is always applied: the
    // engine may have another reason for the update, such as a creation to finish.
    if (hasMoved && !this.#plan(olds, inputs, name, false).changes)
      return this.#ownership.stamp(olds, inputs);
    return this.#apply(this.#resource.stateOf(olds), inputs, name);
  }

  /** @returns `null` if the resource is gone. */
  async read(olds: Properties): Promise<ReadResource | null> {
    this.#ownership.assertOwned(olds);
    const state = this.#resource.stateOf(olds);
    const found = await this.#resource.read(state);
    if (found === null) return null;
    const outputs = found.state === state ? olds : { ...olds, ...this.#resource.outputsOf(found.state) };
    return { outputs, ...(found.inputs && { inputs: this.#ownership.stamp(found.inputs, olds) }) };
  }

  async delete(olds: Properties, name: ResourceName): Promise<void> {
    this.#ownership.assertOwned(olds);
    await this.#resource.remove(this.#resource.stateOf(olds), name);
  }

  /** See {@link Resource.adopt}. */
  async adopt(id: string, isExistenceCheck = false): Promise<ReadResource | null> {
    const found = await this.#resource.adopt(id, isExistenceCheck);
    if (found === null) return null;
    const { state, inputs } = found;
    return {
      inputs: this.#ownership.stamp(inputs ?? {}),
      outputs: this.#ownership.stamp(this.#resource.outputsOf(state)),
    };
  }

  #apply(olds: State | null, news: Properties, name: ResourceName): Promise<Properties> {
    return this.#changes.apply({
      olds,
      name,
      apply: (from) => this.#resource.apply(from, this.#resource.inputsOf(news), name),
      outputsOf: (state) => this.#ownership.stamp(this.#resource.outputsOf(state), news),
    });
  }

  #plan(olds: Properties, news: Properties, name: ResourceName, changesAccount: boolean): Plan {
    const [state, inputs] = [this.#resource.stateOf(olds), this.#resource.inputsOf(news)];
    return this.#resource.plan(state, inputs, name, changesAccount);
  }

  #readArguments(args: Properties): ReturnType<Resource<Inputs, State>["readArguments"]> {
    const { nativeToken, inputs: known } = this.#resource.registration;
    const { inputs, problems } = this.#resource.readArguments(args);
    const names = Object.keys(args).filter((name) => !COMMON.test(name));
    const unknown = unknownArguments(nativeToken.split(":").at(-1) ?? "", names, known);
    return { inputs, problems: unknown === null ? problems : [unknown, ...problems] };
  }

  /** Reads arguments for today's account, and says which ones are for another. */
  #stampedArguments(args: Properties): { inputs: Properties; problems: string[] } {
    const { inputs, problems } = this.#readArguments(args);
    return {
      inputs: this.#ownership.stamp(inputs),
      problems: [...this.#ownership.problemsOf(args), ...problems],
    };
  }

  /** Validates the inputs of a change again: a policy may have changed them after the check. */
  #validInputs(news: Properties): Properties {
    const { inputs, problems } = this.#stampedArguments(news);
    if (problems.length > 0) throw invalidArguments(problems);
    return inputs;
  }
}
