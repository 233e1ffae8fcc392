import { ResourceError } from "../api/errors.js";
import type { KeyState } from "./key-state.js";

/** The keys that this run's program names as `existingApiKey`. */
const named = new Set<string>();

/** Takes note of a key that the program names. Only a program does, so an engine operation without one deletes freely. */
export function noteExisting(apiKey: string): void {
  named.add(apiKey);
}

/**
 * Whether the program still wants a key: one resource gives it up and another takes it, in a rename or a replacement, in
 * either order.
 */
export function isWanted(apiKey: string): boolean {
  return named.has(apiKey);
}

/**
 * Refuses to delete a resource whose adopted key was rotated, if the program still names the key from before: the new
 * resource would hold a dead key, and the living one would be deleted.
 *
 * @throws {ResourceError}
 */
export function refuseToLose({ apiKey, memory }: KeyState): void {
  if (memory.adopted === null || apiKey === null || memory.adopted === apiKey || !isWanted(memory.adopted))
    return;
  throw new ResourceError({
    operation: "deleteApiKey",
    happened:
      "the resource was replaced or renamed while its program names, as existingApiKey, a key that a rotation has put out of use, and the key in use would be lost",
    effect: "none",
    remedy:
      'Remove existingApiKey, or name the key that is in use; for a rename, give the resource an alias. Then run "pulumi up" again.',
  });
}
