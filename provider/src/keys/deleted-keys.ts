import type { DeletionTarget } from "./stored-key.js";

/**
 * The keys that one plugin process has deleted. Not a memory of calls, although a repeated deletion asks it:
 * two resources can have the same key, or keys with the same ID, and are deleted at the same time.
 */
export class DeletedKeys {
  /** What was deleted, or may have been: a key, or its ID, as the path had it. Secret. */
  readonly #deletions = new Map<string, "possible" | "certain">();
  /** The deletions that wait for a response, by the same. Secret. */
  readonly #pending = new Map<string, Promise<void>>();
  /** By what the service has deleted keys. */
  readonly accepted = new Set<DeletionTarget["by"]>();

  /**
   * Deletes a key, unless this process has deleted it already: in an earlier call, which the engine repeats,
   * or for another resource.
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
