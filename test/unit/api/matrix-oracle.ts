import type { Operation } from "../../../provider/src/api/operations.js";
import type { Ending, Follows, Row } from "./matrix-rows.ts";

/** Milliseconds of virtual time that an operation may take in the matrix. */
export const OPERATION_TIMEOUT = 10_000;

/** The kinds of `Retry-After`, each with the headers that the answer carries. */
export const HINTS = {
  "no hint": {},
  seconds: { "retry-after": "2" },
  "more seconds than fit four times": { "retry-after": "4" },
  "a date": { date: "Thu, 01 Jan 2026 00:00:00 GMT", "retry-after": "Thu, 01 Jan 2026 00:00:02 GMT" },
  "a past date": { date: "Thu, 01 Jan 2026 00:00:00 GMT", "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" },
  "an absurd value": { "retry-after": "9999999999" },
  "beyond the deadline": { "retry-after": "11" },
  nonsense: { "retry-after": "soon" },
  "too many digits": { "retry-after": "99999999999999999999" },
} as const;

/** One of {@link HINTS}. */
export type Hint = keyof typeof HINTS;

/** What is waited for before each further attempt, and whether the next wait would have been too long. */
interface Waits {
  readonly waits: readonly number[];
  readonly tooLong: boolean;
}
const wait = (...waits: number[]): Waits => ({ waits, tooLong: false });
const AT_ONCE: Waits = { waits: [], tooLong: true };

/** Four attempts, with half (the matrix's chance) of 200, 400 and 800 ms between them, or what the server asks for. */
const AGAIN: Readonly<Record<Hint, Waits>> = {
  "no hint": wait(100, 200, 400),
  seconds: wait(2000, 2000, 2000),
  "more seconds than fit four times": { waits: [4000, 4000], tooLong: true },
  "a date": wait(2000, 2000, 2000),
  "a past date": wait(0, 0, 0),
  "an absurd value": AT_ONCE,
  "beyond the deadline": AT_ONCE,
  nonsense: wait(100, 200, 400),
  "too many digits": wait(100, 200, 400),
};

/**
 * As many attempts as it takes until nothing at all got through for longer than 10 s: with a pause that doubles, or as the
 * server asks, but not more than one in a second (the first repetition is not held back).
 */
const THROTTLE: Readonly<Record<Hint, Waits>> = {
  "no hint": wait(1000, 2000, 4000, 8000),
  seconds: wait(2000, 2000, 2000, 2000, 2000, 2000),
  "more seconds than fit four times": wait(4000, 4000, 4000),
  "a date": wait(2000, 2000, 2000, 2000, 2000, 2000),
  "a past date": wait(0, ...Array<number>(11).fill(1000)),
  "an absurd value": AT_ONCE,
  "beyond the deadline": AT_ONCE,
  nonsense: wait(1000, 2000, 4000, 8000),
  "too many digits": wait(1000, 2000, 4000, 8000),
};

/** How an operation goes: attempts made, milliseconds waited between them (waits of 0 left out), and the ending. */
export interface Expectation {
  readonly attempts: number;
  readonly waits: readonly number[];
  readonly ending: Ending;
  /** Whether the error says how long the server asks to wait. */
  readonly tooLong: boolean;
}

/** What has to happen if a fault meets all attempts of an operation, or only the first. */
export function expected(operation: Operation, row: Row, hint: Hint, meets: "all" | "first"): Expectation {
  const verdict = row[operation === "listWebhooks" ? 0 : operation === "createApiKey" ? 2 : 1];
  const [first, second] = verdict.split(": else ") as [string, string | undefined];
  const follows = second === undefined ? "nothing" : (first as Follows);
  const ending = (second ?? first) as Ending;
  const { waits, tooLong } = WAITS[follows](hint);
  const positive = (list: readonly number[]): number[] => list.filter((milliseconds) => milliseconds > 0);
  if (meets === "first" && waits.length > 0)
    return { attempts: 2, waits: positive(waits.slice(0, 1)), ending: "done", tooLong: false };
  return { attempts: waits.length + 1, waits: positive(waits), ending, tooLong };
}

const WAITS: Readonly<Record<Follows, (hint: Hint) => Waits>> = {
  nothing: () => wait(),
  again: (hint) => AGAIN[hint],
  "again, unasked": () => AGAIN["no hint"],
  throttled: (hint) => THROTTLE[hint],
};
