import type { PartnerError } from "../api/errors.js";
import type { Properties, ResourceName } from "./properties.js";
import type { InputProblem, Notice } from "./problems.js";

/** What became of a change. */
export interface Applied<State> {
  /** What was reached. The stack keeps it, even after a failure. */
  readonly state: State;
  /** Why no more was reached; `null` if everything was. */
  readonly failure: PartnerError | null;
}

/** What an update would do. */
export interface Plan {
  readonly changes: boolean;
  /** The inputs whose changes replace the resource. */
  readonly replaces: readonly string[];
  /** The warnings to show before it. */
  readonly notices: readonly Notice[];
}

/** An existing resource. */
export interface Found<State> {
  readonly state: State;
  /** The inputs with which a program declares it; `null` if no refresh can change them. */
  readonly inputs: Properties | null;
}

/**
 * One type of resource: `Inputs` are its checked arguments, `State` is what the stack stores. A host calls it
 * through a `ResourceAdapter`, which adds what all resources share, such as the account.
 *
 * The first four methods convert between properties and types, and never throw: any version of the program
 * may have written them. Each of the others throws a {@link PartnerError} only if it has reached nothing.
 */
export interface Resource<Inputs, State> {
  /** Whether a read can find another state than the stack has. */
  readonly canDrift: boolean;

  /**
   * Reads the arguments of a program: fills in defaults, and finds what is invalid.
   *
   * @param olds As of {@link check}.
   */
  readArguments(
    args: Properties,
    olds: Inputs,
  ): { readonly inputs: Properties; readonly problems: readonly InputProblem[] };
  /** Reads checked inputs. In a preview, some may not be known yet. */
  inputsOf(inputs: Properties): Inputs;
  stateOf(outputs: Properties): State;
  outputsOf(state: State): Properties;

  /**
   * Declares a resource, and asks the service about valid inputs.
   *
   * @param olds The inputs in the state; those of no properties for a new resource.
   * @param urn The URN, if the host knows it.
   * @returns The problems that would fail the update as well.
   */
  check(news: Inputs, olds: Inputs, urn?: string): Promise<readonly PartnerError[]>;
  /**
   * Decides what an update would do. Sends no request and shows nothing, but may record what the run has
   * seen. It may be called several times.
   *
   * @param change `moves`: whether the resource moves to another account, so that it is replaced.
   */
  plan(olds: State, news: Inputs, change: { readonly name: ResourceName; readonly moves: boolean }): Plan;
  /**
   * Returns the outputs for a preview, `UNKNOWN` where only the update can tell.
   *
   * @param olds `null` for a creation.
   * @param news The inputs as they are, which may not be known yet.
   */
  preview(olds: State | null, news: Properties): Properties;
  /** Returns the ID of a new resource. It is not secret, and known before the first request. */
  newId(news: Inputs): string;
  /**
   * Creates or updates a resource.
   *
   * @param olds `null` for a creation; what was reached so far, if the call continues one that failed.
   */
  apply(olds: State | null, news: Inputs, name: ResourceName): Promise<Applied<State>>;
  /**
   * Whether a call that failed for this reason must not be performed again, even if the engine repeats it.
   *
   * @default never
   */
  isFinal?(failure: unknown): boolean;
  /** @returns `null` if the resource is gone; the same `state` object if nothing is to be changed in it. */
  read(olds: State): Promise<Found<State> | null>;
  /**
   * Deletes a resource. The engine keeps nothing of a deletion that fails, so a repeated one must find out
   * itself what is already done.
   */
  remove(olds: State, name: ResourceName): Promise<void>;
  /** Takes over a resource for an import, by the ID that the user gave. */
  adopt(id: string): Promise<Found<State>>;
}
