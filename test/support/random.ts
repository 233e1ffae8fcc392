/** Always the same, so that what CI says depends on the change and not on luck; explore with `PARTNERS_TEST_SEED=$RANDOM`. */
const USUAL_SEED = 20261121;

/** The seed of this run: `PARTNERS_TEST_SEED`, else the usual one. Prints it, so that a failure can be repeated. */
export function runSeed(): number {
  const given = process.env["PARTNERS_TEST_SEED"];
  const seed = given === undefined ? USUAL_SEED : Number(given);
  console.log(`seed ${seed}; reproduce with PARTNERS_TEST_SEED=${seed}`);
  return seed;
}

/** Numbers from 0 (included) to 1 (excluded) that depend on the seed only: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SCALE = Number(process.env["PARTNERS_TEST_SCALE"] ?? 1);

/** Whether this run has time for tests that prove on the engine once more what others prove in parts: `npm run test:long`. */
export const LONG = SCALE > 1;

/**
 * How many times a long test repeats what it does: the count of `npm test`, times `PARTNERS_TEST_SCALE`, and at least 1.
 *
 * @example PARTNERS_TEST_SCALE=0.1 for a quick look, 10 in `npm run test:long`.
 */
export function scaled(count: number): number {
  return Math.max(1, Math.round(count * SCALE));
}
