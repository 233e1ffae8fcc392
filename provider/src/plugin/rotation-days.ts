/** Milliseconds of a day. Ages count in days of UTC, so that a nightly run that starts a little earlier is not a day late. */
export const DAY = 86_400_000;

/** The number of a day. @param time Milliseconds since the epoch. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY);
}

/** A day as `2026-02-19`. */
export function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, "2026-02-19".length);
}
