import { setTimeout as wait } from "node:timers/promises";

/** Time and chance, so that tests can put their own in place. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 (included) to 1 (excluded). */
  random(): number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds: with more than that, Node's timers fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The real thing. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(), // Unlike Date.now(), it does not jump when the clock is set.
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(Math.min(milliseconds, LONGEST_TIMER), undefined, signal && { signal }).catch(() => undefined);
  },
};
