import { toPlainKey } from "./responses/plain-key.js";
import { textOf } from "./wire.js";

/** Stands behind a text whose rest never came. With its spaces, nothing takes the two together for a key. */
const BROKEN_OFF = " (the rest never came)";

/**
 * The body of an accepted creation as it is kept. JSON shows by itself that it was cut short; a key as plain text does not:
 * its first half, taken for all of it, would be handed to consumers, and deleted in place of the key that lives.
 *
 * @param whole Whether all of the body came.
 */
export function keptResponse(body: Buffer, whole: boolean): string {
  const text = textOf(body);
  return whole || toPlainKey(text) === null ? text : text + BROKEN_OFF;
}
