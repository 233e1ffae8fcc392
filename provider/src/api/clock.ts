import { setTimeout as wait } from "node:timers/promises";

/** Time and randomness, so that tests can control both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after the given milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds. Node fires longer timers immediately. */
const MAX_TIMER = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(), // Unlike Date.now(), it does not jump when the clock is set.
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(Math.min(milliseconds, MAX_TIMER), undefined, signal && { signal }).catch(() => undefined);
  },
};
