import type { PartnerError } from "../api/errors.js";

/** Properties as they come from a host; anything may be in them, from any version of the program. */
export type Properties = Readonly<Record<string, unknown>>;

/** What the engine puts in place of a value that is not known yet (Pulumi SDK, runtime/rpc.ts: `unknownValue`). */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** What is wrong with the inputs: a sentence that repeats no value, or an error of which an update would fail as well. */
export type InputProblem = string | PartnerError;

/** Inputs as they go into the state, and what is wrong with them. */
export interface CheckedInputs {
  readonly inputs: Properties;
  readonly problems: readonly InputProblem[];
}

/** What is done about a resource, whatever host the engine reaches it through. All but `diff` throw a {@link PartnerError}. */
export interface ResourceHandlers {
  /**
   * Completes and judges inputs.
   *
   * @param olds The inputs in state; empty for a new resource.
   * @param urn Of the resource, where the host is told; by it, two resources that declare the same are told apart.
   */
  check(olds: Properties, news: Properties, urn?: string): Promise<CheckedInputs>;
  /** Compares outputs in state with checked inputs; asks nobody. */
  diff(olds: Properties, news: Properties): { readonly changes: boolean; readonly replaces: string[] };
  /** The outputs that a preview shows, {@link UNKNOWN} where only the update will tell. @param olds `null` for a creation. */
  preview(olds: Properties | null, news: Properties): Properties;
  /** @throws {PartialFailure} if the resource exists and something is still to be done. */
  create(inputs: Properties): Promise<{ readonly id: string; readonly outputs: Properties }>;
  /** @returns `null` for a resource that is gone; `inputs` only where they can have drifted. */
  read(olds: Properties): Promise<{ readonly outputs: Properties; readonly inputs?: Properties } | null>;
  /** @throws {PartialFailure} if something was done and something is still to be done. */
  update(id: string, olds: Properties, news: Properties): Promise<Properties>;
  delete(olds: Properties): Promise<void>;
  /** Takes over what exists already. @param id What the person who imports it calls it by. */
  adopt(id: string): Promise<Adopted>;
}

/** A resource that exists already, as it goes into the state. */
export interface Adopted {
  readonly id: string;
  /** What a program has to say to get this resource. */
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** Members that every resource has: ours, which come back from the state, and the engine's, which begin with two underscores. */
const COMMON = /^(?:account|keySince|rotationDue|__.*)$/;

/** What is wrong if there are arguments that a resource does not take. Their names are not repeated, as they may be anything. */
export function unknownArguments(resource: string, args: Properties, known: readonly string[]): string[] {
  if (Object.keys(args).every((name) => known.includes(name) || COMMON.test(name))) return [];
  return [`${resource} has an unknown argument. Valid arguments: ${known.join(", ")}.`];
}

/** Thrown where a resource must be kept in state, with these properties, although something is still to be done. */
export class PartialFailure extends Error {
  /** The ID of the resource. */
  readonly id: string;
  /** All that is known, to be kept in state. Secret. */
  readonly properties: Properties;
  /** What was done, and what failed. */
  readonly reason: PartnerError;

  constructor(id: string, properties: Properties, reason: PartnerError) {
    super("partial failure");
    this.id = id;
    this.properties = properties;
    this.reason = reason;
  }
}

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
