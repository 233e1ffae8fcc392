const SCALE = Number(process.env["PARTNERS_TEST_SCALE"] ?? 1);

/**
 * How many times a long test repeats what it does: the count that CI takes, times `PARTNERS_TEST_SCALE`, and at least 1.
 *
 * @example PARTNERS_TEST_SCALE=0.1 for a quick look, 10 for a night.
 */
export function scaled(count: number): number {
  return Math.max(1, Math.round(count * SCALE));
}
