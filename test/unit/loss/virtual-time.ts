import type { Timing } from "../../../provider/src/api/timing.js";
import { seededRandom } from "../../support/random.ts";

/** Milliseconds: the default `operationTimeout`, and no wait may be longer than that. */
const LONGEST_WAIT = 120_000;

/**
 * Time that runs as usual, except that waiting takes none: whoever waits moves the clock to the end of the wait.
 * Refuses waits that a person would take for a hang.
 */
export function virtualTime(seed: number): Timing {
  let skipped = 0;
  const now = (): number => Date.now() + skipped;
  return {
    now,
    random: seededRandom(seed),
    sleep: async (milliseconds) => {
      if (milliseconds > LONGEST_WAIT) throw new Error(`asked to wait ${milliseconds} ms`);
      const end = now() + milliseconds;
      await new Promise((resolve) => setImmediate(resolve)); // Others that wait at the same time read the clock first.
      skipped += Math.max(0, end - now());
    },
  };
}
