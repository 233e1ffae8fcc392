import type { Notice } from "../account/notice.js";
import type { PartnerError } from "../partner-api/errors.js";
import type { Registration } from "../registration.js";
import type { Properties, ResourceName } from "./properties.js";

/** What became of a change. */
export interface Applied<State> {
  /** What was reached. The stack keeps it, even after a failure. */
  readonly state: State;
  /** Why no more was reached; `null` if everything was. */
  readonly failure: PartnerError | null;
}

/** What an update does. */
export interface Plan {
  readonly changes: boolean;
  /** The inputs whose changes replace the resource. */
  readonly replaces: readonly string[];
  readonly notices: readonly Notice[];
}

/** An existing resource. */
export interface Found<State> {
  readonly state: State;
  /** The inputs with which a program declares it; `null` if no read can change them. */
  readonly inputs: Properties | null;
}

/**
 * One type of resource: `Inputs` are its checked arguments, `State` is what the stack stores. A host calls it
 * through a `ResourceAdapter`, which adds what all resources share, such as the account.
 *
 * What converts properties never throws: any version of the program may have written them. What talks to the
 * service may throw a {@link PartnerError}; if it has reached something, only `remove` still does.
 */
export interface Resource<Inputs, State> {
  readonly registration: Registration;
  /** Fills in defaults, and says what is invalid in full sentences. */
  readArguments(args: Properties): { readonly inputs: Properties; readonly problems: readonly string[] };
  /** Reads checked inputs. In a preview, some may not be known yet. */
  inputsOf(inputs: Properties): Inputs;
  stateOf(outputs: Properties): State;
  outputsOf(state: State): Properties;

  /**
   * Declares a resource, and asks the service about valid inputs.
   *
   * @param oldInputs `null` for a new resource.
   */
  check(oldInputs: Inputs | null, news: Inputs, urn: string): Promise<void>;
  /**
   * Decides what an update does. Sends no request, but may record what the run has seen.
   *
   * @param changesAccount Whether the resource moves to another account, so that it is replaced.
   */
  plan(olds: State, news: Inputs, name: ResourceName, changesAccount: boolean): Plan;
  /** Returns the outputs for a preview, `UNKNOWN` where only the update can tell, as for some of `news`. */
  preview(olds: State | null, news: Properties): Properties;
  /** Returns the ID of a new resource. It is not secret, and known before the first request. */
  newId(news: Inputs): string;
  /**
   * Creates or updates a resource.
   *
   * @param olds `null` for a creation; what was reached so far, if the call continues one that failed.
   */
  apply(olds: State | null, news: Inputs, name: ResourceName): Promise<Applied<State>>;
  /** @returns `null` if the resource is gone; the same `state` object if nothing is to be changed in it. */
  read(olds: State): Promise<Found<State> | null>;
  /** Deletes a resource. If it throws, the engine keeps the resource unchanged. */
  remove(olds: State, name: ResourceName): Promise<void>;
  /**
   * Takes over a resource for an import or a `get`, by the ID that the user gave.
   *
   * @param isExistenceCheck Whether a program only asks if it exists. Then, `null` says that it does not.
   */
  adopt(id: string, isExistenceCheck: boolean): Promise<Found<State> | null>;
}
