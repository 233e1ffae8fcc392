/** Clock, chance and waiting, so that tests can put their own in place. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 (included) to 1 (excluded). */
  random(): number;
  /** Resolves after so many milliseconds. */
  sleep(milliseconds: number): Promise<void>;
}

/** The real thing. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
