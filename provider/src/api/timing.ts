/** Clock, chance and waiting, so that tests can put their own in place. */
export interface Timing {
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
export const systemTiming: Timing = {
  now: () => performance.timeOrigin + performance.now(), // Unlike Date.now(), it does not jump when the clock is set.
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(milliseconds, LONGEST_TIMER));
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
    }),
};
