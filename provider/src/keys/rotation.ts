import type { Key, KeyState } from "./key-state.js";

/** The argument `rotation`, which `RotationArgs` documents. */
export interface Rotation {
  /** `null` if it is not set, or empty. */
  readonly trigger: string | null;
  readonly afterDays: number | null;
  /** `null` if `rotation` is not set. */
  readonly overlapDays: number | null;
}

/**
 * The next step for a key:
 * - `none`
 * - `read` the kept response to a creation again
 * - `blocked`: a key is due, but an earlier creation is unfinished, and no person has acted
 * - `create` the first key
 * - `rotate` in place: create a key, and keep the current one as the previous key
 * - `replace` the resource: the engine creates a new one, updates the consumers, and deletes this one
 * - `expire` the previous key: delete it, because its overlap is over
 */
export type Step = "none" | "read" | "blocked" | "create" | "rotate" | "replace" | "expire";

/** Why a key is due: there is none, `rotation.trigger` is new, or the current key has reached its age. */
export type DueReason = "noKey" | "trigger" | "age";

/** A day in milliseconds. */
const DAY = 86_400_000;

/** Decides the next step. @param now Milliseconds since the epoch. */
export function stepOf(state: KeyState, rotation: Rotation, now: number): Step {
  const { current, previous, unfinished } = state;
  const isDue = dueReason(state, rotation, now) !== null;
  if (unfinished !== null && !isNewTrigger(unfinished.trigger, rotation)) {
    if (unfinished.response !== null) return "read";
    if (isDue) return "blocked";
  }
  if (current === null) return "create";
  if (isDue) return (rotation.overlapDays ?? 0) > 0 ? "rotate" : "replace";
  const isOver = rotation.overlapDays === 0 || !isPreviousValid(state, now);
  return previous !== null && isOver ? "expire" : "none";
}

/** Returns why a key is due; `null` if none is. */
export function dueReason(state: KeyState, rotation: Rotation, now: number): DueReason | null {
  const { current, trigger } = state;
  if (current === null) return "noKey";
  if (isNewTrigger(trigger, rotation)) return "trigger";
  return isOld(current, rotation, now) && !isPreviousValid(state, now) ? "age" : null;
}

/** Whether a person has set another trigger than the one that was used. */
export function isNewTrigger(used: string | null, { trigger }: Rotation): boolean {
  return trigger !== null && trigger !== used;
}

/** Returns when the overlap of a key ends that is rotated now, ISO 8601. */
export function overlapEnd({ overlapDays }: Rotation, now: number): string {
  return new Date(now + (overlapDays ?? 0) * DAY).toISOString();
}

/** Whether the overlap of the previous key is not over. */
export function isPreviousValid({ previous, previousExpiresAt }: KeyState, now: number): boolean {
  return previous !== null && Date.parse(previousExpiresAt ?? "") > now;
}

/** Counts calendar days in UTC: a nightly run that starts a little early is not a day late. */
function isOld({ createdAt }: Key, { afterDays }: Rotation, now: number): boolean {
  if (afterDays === null) return false;
  const dayOf = (time: number): number => Math.floor(time / DAY);
  const created = Date.parse(createdAt ?? "");
  return Number.isNaN(created) || dayOf(now) - dayOf(created) >= afterDays; // An unknown age counts as old.
}
