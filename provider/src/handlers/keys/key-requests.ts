import { RequestError, SettingsError } from "../../api/errors.js";
import { PartialFailure } from "../contract.js";
import { ResourceError } from "../problems.js";
import type { DeletionTarget } from "./stored-key.js";

/**
 * The creations and deletions of keys that one plugin process sent. If a call fails, a retry hook of the
 * program can make the engine repeat it up to 100 times in the same process, with the old inputs and the old
 * state, which know nothing of it.
 */
export class KeyRequests {
  /** The errors of creations that may have had an effect, by the URN of the resource. */
  readonly #failedCreations = new Map<string, unknown>();
  /** What was deleted, or may have been: a key, or its ID, as the path had it. Secret. */
  readonly #deletions = new Map<string, "possible" | "certain">();
  /** The deletions that wait for a response, by the same. Secret. */
  readonly #pending = new Map<string, Promise<void>>();
  /** By what the service has deleted keys. */
  readonly accepted = new Set<DeletionTarget["by"]>();

  /**
   * Creates a key, unless an earlier creation for the same resource failed and may have had an effect: then
   * it throws the error of that creation again, with the response that it kept. A creation that succeeded
   * does not count, so that a replacement can create another key.
   *
   * @param urn The resource. All resources whose URN is not known count as one.
   */
  async createOnce<Created>(urn = "", create: () => Promise<Created>): Promise<Created> {
    if (this.#failedCreations.has(urn)) throw this.#failedCreations.get(urn);
    try {
      return await create();
    } catch (error) {
      if (mayHaveCreatedKey(error)) this.#failedCreations.set(urn, error);
      throw error;
    }
  }

  /**
   * Deletes a key, unless this process has deleted it already: in an earlier call, which the engine repeats,
   * or for another resource with the same key, or a key with the same ID.
   *
   * @param parameter The key or its ID, as the path has it.
   */
  async deleteOnce(parameter: string, send: () => Promise<void>): Promise<void> {
    const pending = this.#pending.get(parameter);
    if (pending) return pending;
    if (this.deletionOf(parameter) === "certain") return;
    const sent = send().then(() => {
      this.#deletions.set(parameter, "certain");
    });
    this.#pending.set(parameter, sent);
    try {
      await sent;
    } finally {
      this.#pending.delete(parameter);
    }
  }

  /** Whether this process deleted a key. `possible`: a deletion failed that may have had an effect. */
  deletionOf(parameter: string): "none" | "possible" | "certain" {
    return this.#deletions.get(parameter) ?? "none";
  }

  /** Returns what this process has certainly deleted so far. Secret. */
  deletedSoFar(): ReadonlySet<string> {
    return new Set(
      [...this.#deletions.keys()].filter((parameter) => this.deletionOf(parameter) === "certain"),
    );
  }

  /** Records that a deletion failed that may have had an effect. */
  recordPossibleDeletion(parameter: string): void {
    this.#deletions.set(parameter, "possible");
  }

  /** Records that the service returned a key. It may be one that was deleted before, or have its ID. */
  recordCreation(names: readonly string[]): void {
    for (const name of names) this.#deletions.delete(name);
  }
}

/**
 * Whether an operation that creates a key may have created it before it failed. An unexpected error may have
 * come afterwards.
 */
function mayHaveCreatedKey(error: unknown): boolean {
  if (error instanceof PartialFailure) return mayHaveCreatedKey(error.reason);
  if (error instanceof RequestError)
    return error.failure.operation === "createApiKey" && error.failure.effect === "possible";
  if (error instanceof ResourceError) {
    if (error.problem.kind === "partlyDone") return mayHaveCreatedKey(error.problem.next);
    return error.problem.kind === "keyNotFound" || error.problem.kind === "sameKey";
  }
  return !(error instanceof SettingsError);
}
