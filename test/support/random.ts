import { randomInt } from "node:crypto";

const SCALE = Number(process.env["PARTNERS_TEST_SCALE"] ?? 1);

/** Whether to run tests that repeat on the engine what other tests prove in parts: `npm run test:long`. */
export const LONG = SCALE > 1;

/** The results of short runs do not depend on chance. */
const SHORT_SEED = 20261121;

/**
 * Returns `PARTNERS_TEST_SEED`. Without it, a long run has a new seed each time: a constant one would repeat
 * the same lives for ever. Prints the seed, so that a failure can be reproduced.
 */
export function runSeed(): number {
  const given = process.env["PARTNERS_TEST_SEED"];
  const chosen = LONG ? randomInt(2 ** 31) : SHORT_SEED;
  const seed = given === undefined ? chosen : Number(given);
  console.log(`seed ${seed}; reproduce with PARTNERS_TEST_SEED=${seed}`);
  return seed;
}

/** Generates numbers from 0 (inclusive) to 1 (exclusive) from a seed: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Multiplies the number of repetitions in `npm test` by `PARTNERS_TEST_SCALE`. Returns at least 1.
 *
 * @example PARTNERS_TEST_SCALE=0.1 for a quick run; `npm run test:long` sets 10.
 */
export function scaled(count: number): number {
  return Math.max(1, Math.round(count * SCALE));
}
