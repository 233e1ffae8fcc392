import type { Key, KeyState } from "./key-state.js";
import type { CreationOutcome } from "./open-creation.js";

/** The argument `rotation`, which `RotationArgs` documents. */
export interface Rotation {
  /** `null` if it is not set, or empty. */
  readonly trigger: string | null;
  readonly afterDays: number | null;
  /** `null` if it is not set: a rotation is a replacement, and an overlap ends when it was going to. */
  readonly overlapDays: number | null;
}

/** The next step for a key. */
export type Step = "none" | "read" | "blocked" | "create" | "rotate" | "replace" | "expire";

/** What each step changes at the service. */
export const STEPS: Readonly<
  Record<Step, { readonly creates: boolean; readonly deletes: readonly ("previous" | "current")[] }>
> = {
  none: { creates: false, deletes: [] },
  // Reads the key in the kept response to the open creation.
  read: { creates: false, deletes: [] },
  // A creation is open, and no person has acted.
  blocked: { creates: false, deletes: [] },
  // Creates the first key.
  create: { creates: true, deletes: [] },
  // In place: the current key becomes the previous one.
  rotate: { creates: true, deletes: ["previous"] },
  // The engine creates another resource, updates the consumers, and deletes this one.
  replace: { creates: true, deletes: ["previous", "current"] },
  // The overlap of the previous key is over.
  expire: { creates: false, deletes: ["previous"] },
};

/**
 * Why the current key is due for a rotation: `rotation.trigger` is new, or the key has reached its age.
 * `waiting`: it has reached its age, but the previous key is still valid.
 */
export type Due = "trigger" | "age" | "waiting";

/** A day in milliseconds. */
const DAY = 86_400_000;

/**
 * Decides the next step.
 *
 * @param now Milliseconds since the epoch.
 * @param outcome Of the open creation.
 */
export function stepOf(
  state: KeyState,
  rotation: Rotation,
  now: number,
  outcome: CreationOutcome["kind"],
): Step {
  const step = stepOfKeys(state, rotation, now);
  // By any other trigger than that of the creation. Going back to the last used one makes nothing due: the
  // creation stays open, and blocks nothing.
  const hasPersonActed = isNewTrigger(state.openCreation?.trigger ?? null, rotation);
  switch (outcome) {
    case "settled":
      return step;
    case "readable":
      return "read"; // Whatever the trigger: nothing else could track the key.
    // Today's setting may be wrong, or missing. Once it is right, the next update reads the key.
    case "known":
    case "proposable":
      return hasPersonActed ? step : "blocked";
    // No setting will find the key. Only another creation has to wait for a person.
    case "lost":
      return STEPS[step].creates && !hasPersonActed ? "blocked" : step;
  }
}

/** Decides the next step as if no creation were open. */
function stepOfKeys(state: KeyState, rotation: Rotation, now: number): Step {
  if (state.current === null) return "create";
  const due = dueOf(state, rotation, now);
  if (due === "trigger" || due === "age") return (rotation.overlapDays ?? 0) > 0 ? "rotate" : "replace";
  return state.previous !== null && !isPreviousValid(state, now) ? "expire" : "none";
}

/** Returns whether, and why, the current key is due for a rotation; `null` if it is not, or there is none. */
export function dueOf(state: KeyState, rotation: Rotation, now: number): Due | null {
  const { current, trigger } = state;
  if (current === null) return null;
  if (isNewTrigger(trigger, rotation)) return "trigger";
  if (!isOld(current, rotation, now)) return null;
  return isPreviousValid(state, now) ? "waiting" : "age";
}

/**
 * Returns when the current key was created or took over, if that is later than now by more than a day: a run
 * had a wrong clock. Nothing is corrected: if today's is the wrong one, an overlap would end too early.
 */
export function futureTimeOf({ current, rotatedAt }: KeyState, now: number): string | null {
  const times = [rotatedAt, current?.createdAt].filter((time) => time != null);
  return times.find((time) => Date.parse(time) > now + DAY) ?? null;
}

/** Whether a person has set another trigger than the one that was used. */
export function isNewTrigger(used: string | null, { trigger }: Rotation): boolean {
  return trigger !== null && trigger !== used;
}

/** Returns a state whose overlap ends as it is declared today; as stored if `overlapDays` is not set. */
export function withOverlapOf(state: KeyState, { overlapDays }: Rotation): KeyState {
  const { previous, rotatedAt } = state;
  if (previous === null || rotatedAt === null || overlapDays === null) return state;
  return { ...state, previousExpiresAt: daysAfter(Date.parse(rotatedAt), overlapDays) };
}

/** Returns a state in which a created key has taken over from the current one. */
export function withNewKey(state: KeyState, key: Key, rotation: Rotation, now: number): KeyState {
  const { current, trigger, openCreation } = state;
  const promoted = {
    current: key,
    previous: current,
    // The time of its creation may be days ago, which would leave no overlap.
    rotatedAt: new Date(now).toISOString(),
    previousExpiresAt: null,
    // Whatever trigger led to the creation, today's counts as used.
    trigger: rotation.trigger ?? openCreation?.trigger ?? trigger,
    openCreation: null,
  };
  return withOverlapOf(promoted, rotation);
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
