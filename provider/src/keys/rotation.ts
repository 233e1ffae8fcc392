import type { Key, KeyState } from "./key-state.js";

/** The argument `rotation`, which `RotationArgs` documents. */
export interface Rotation {
  /** `null` if it is not set, or empty. */
  readonly trigger: string | null;
  readonly afterDays: number | null;
  /** `null` if it is not set: a rotation is a replacement, and an overlap ends when it was going to. */
  readonly overlapDays: number | null;
}

/**
 * The next step for a key:
 * - `none`
 * - `read` the key in the kept response to a creation
 * - `blocked`: an earlier creation is unfinished, and no person has acted
 * - `create` the first key
 * - `rotate` in place: create a key, and keep the current one as the previous key
 * - `replace` the resource: the engine creates a new one, updates the consumers, and deletes this one
 * - `expire` the previous key: delete it, because its overlap is over
 */
export type Step = "none" | "read" | "blocked" | "create" | "rotate" | "replace" | "expire";

/** Why a rotation is due: `rotation.trigger` is new, or the current key has reached its age. */
export type DueReason = "trigger" | "age";

/** A day in milliseconds. */
const DAY = 86_400_000;

/**
 * Decides the next step.
 *
 * @param now Milliseconds since the epoch.
 * @param isReadable Whether the key of the unfinished creation can be read by now.
 */
export function stepOf(state: KeyState, rotation: Rotation, now: number, isReadable: boolean): Step {
  return stepOfUnfinished(state, rotation, now, isReadable) ?? stepOfKeys(state, rotation, now);
}

/** Returns the step that an unfinished creation demands; `null` if it demands none. */
function stepOfUnfinished(
  state: KeyState,
  rotation: Rotation,
  now: number,
  isReadable: boolean,
): "read" | "blocked" | null {
  const { current, unfinished } = state;
  if (unfinished === null) return null;
  if (isReadable) return "read"; // Whatever the trigger: nothing else could track the key.
  if (isNewTrigger(unfinished.trigger, rotation)) return null; // A person has acted.
  // Of a response that was lost or cut off, no setting will ever read a key.
  const mayBecomeReadable = unfinished.response?.isCutOff === false;
  const isDue = current === null || dueReason(state, rotation, now) !== null;
  return mayBecomeReadable || isDue ? "blocked" : null;
}

function stepOfKeys(state: KeyState, rotation: Rotation, now: number): Step {
  if (state.current === null) return "create";
  if (dueReason(state, rotation, now) !== null) return (rotation.overlapDays ?? 0) > 0 ? "rotate" : "replace";
  return state.previous !== null && !isPreviousValid(state, now) ? "expire" : "none";
}

/** Returns why the current key is due for a rotation; `null` if it is not. */
export function dueReason(state: KeyState, rotation: Rotation, now: number): DueReason | null {
  const { current, trigger } = state;
  if (isNewTrigger(trigger, rotation)) return "trigger";
  const isOfAge = current !== null && isOld(current, rotation, now);
  return isOfAge && !isPreviousValid(state, now) ? "age" : null;
}

/** Whether the current key has reached its age, but the previous one is still valid. */
export function isWaiting(state: KeyState, rotation: Rotation, now: number): boolean {
  return state.current !== null && isOld(state.current, rotation, now) && isPreviousValid(state, now);
}

/** Whether a person has set another trigger than the one that was used. */
export function isNewTrigger(used: string | null, { trigger }: Rotation): boolean {
  return trigger !== null && trigger !== used;
}

/** Returns a state whose overlap ends as it is declared today; as stored if `overlapDays` is not set. */
export function withDeclaredOverlap(state: KeyState, { overlapDays }: Rotation): KeyState {
  const { previous, rotatedAt } = state;
  if (previous === null || rotatedAt === null || overlapDays === null) return state;
  return { ...state, previousExpiresAt: daysAfter(Date.parse(rotatedAt), overlapDays) };
}

/** Returns a state without its previous key. */
export function withoutPrevious(state: KeyState): KeyState {
  return { ...state, previous: null, previousExpiresAt: null };
}

/** Returns a time some days later, ISO 8601. @param time Milliseconds since the epoch. */
export function daysAfter(time: number, days: number): string {
  return new Date(time + days * DAY).toISOString();
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
