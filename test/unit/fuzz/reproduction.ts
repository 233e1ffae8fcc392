import type { RunDetails } from "fast-check";

/** Names the path to a failure that a run printed, as `PARTNERS_TEST_SEED` names its seed. */
const VARIABLE = "PARTNERS_TEST_PATH";

/** The path to the failure that is to be had again, in fast-check's terms; `null` for a whole run. */
export function pathAsked(): string | null {
  return process.env[VARIABLE] ?? null;
}

/** A life that ended in a violation. Fast-check shrinks it, and what it ends with tells all. */
export class LifeFailed extends Error {
  override readonly name = "LifeFailed";

  /** @param story What happened, a line each. */
  constructor(story: readonly string[], cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`${what}\n\nThe life that led to it:\n${story.join("\n")}`, { cause });
  }
}

/** What is known of a failed run: a part of what fast-check's `check` returns. */
type Failure = Pick<RunDetails<unknown>, "seed" | "counterexamplePath" | "numShrinks" | "errorInstance">;

/** What a person needs of a failed run: the shortest life that fails, and the command that leads it again. */
export function reproduction({ seed, counterexamplePath, numShrinks, errorInstance }: Failure): Error {
  const command = `PARTNERS_TEST_SEED=${seed} ${VARIABLE}=${counterexamplePath ?? ""} npx vitest run --project unit test/unit/fuzz`;
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return new Error(`${message}\n\nShrunk ${numShrinks} times. Reproduce with\n${command}`);
}
