import type { Properties } from "../shared/properties.js";
import type { KeyInputs, RotationInputs } from "./key-inputs.js";
import type { KeyState } from "./key-state.js";
import { fingerprint } from "./key-name.js";
import { rereadKey, type KeyReadingSettings } from "./stored-key.js";
import type { Notice, RotationReason } from "../shared/problems.js";

/**
 * The next step for a key:
 * - `none`
 * - `create` the first key, after an earlier creation that left none
 * - `read` the stored responses again: a key was not found yet, or the mapping has changed
 * - `rotate` in place: create a key, and keep the current one as the previous key
 * - `replace` the resource: the engine creates a new one, updates dependents, and deletes this one
 * - `expire` the previous key: delete it, because its overlap is over
 * - `blocked`: a key is needed, but an earlier creation was lost, and nobody has looked for its key yet
 */
export type RotationStep = "none" | "create" | "read" | "rotate" | "replace" | "expire" | "blocked";

/** Decides the next step, and which warnings to show before it. @param now Milliseconds since the epoch. */
export function planRotation(
  state: KeyState,
  rotation: RotationInputs,
  settings: KeyReadingSettings,
  now: number,
): { readonly step: RotationStep; readonly notices: readonly Notice[] } {
  const { lostCreationAt: at } = state;
  const { step, notices } = planKnown(state, rotation, settings, now);
  if (at === null) return { step, notices };
  const needsKey = step === "create" || step === "rotate" || step === "replace";
  return { step: needsKey ? "blocked" : step, notices: [{ kind: "lostCreation", at, needsKey }, ...notices] };
}

/** Decides the next step from what is known, whatever may have been lost. */
function planKnown(
  state: KeyState,
  rotation: RotationInputs,
  settings: KeyReadingSettings,
  now: number,
): { readonly step: RotationStep; readonly notices: readonly Notice[] } {
  const { current, previous } = state;
  if (state.unread !== null) return { step: "read", notices: [] };
  if (current === null) return { step: "create", notices: [] };
  const currentFingerprint = fingerprint(current.apiKey);
  const reread = rereadKey(current, settings);
  if (reread !== null && reread.apiKey !== current.apiKey) {
    const next = fingerprint(reread.apiKey);
    return { step: "read", notices: [{ kind: "reread", fingerprint: currentFingerprint, next }] };
  }
  const pointerNotices: Notice[] =
    reread === null ? [{ kind: "pointerFindsNothing", fingerprint: currentFingerprint }] : [];
  if (previous !== null && (rereadKey(previous, settings) ?? previous).apiKey !== previous.apiKey)
    return { step: "read", notices: pointerNotices };

  const why = rotationReason(state, rotation, now);
  if (why !== null) {
    const end = overlapEnd(rotation, now);
    const hasOverlap = end > now;
    const validUntil = hasOverlap ? new Date(end).toISOString() : null;
    const notice: Notice = { kind: "rotation", fingerprint: currentFingerprint, why, validUntil };
    const step = hasOverlap ? "rotate" : "replace";
    return { step, notices: [notice, ...previousKeyNotices(state, now, !hasOverlap)] };
  }
  if (isPreviousExpired(state, rotation, now))
    return { step: "expire", notices: previousKeyNotices(state, now, false) };
  return { step: "none", notices: pointerNotices };
}

/** Returns when the old key expires if it is rotated now. Both times are milliseconds since the epoch. */
export function overlapEnd({ overlapDays }: RotationInputs, now: number): number {
  return now + (overlapDays ?? 0) * DAY;
}

/** Returns when the current key is due for rotation by age, ISO 8601; `null` for never. */
export function rotationDueAt(state: KeyState, rotation: RotationInputs): string | null {
  const due = new Date((dueDay(state, rotation) ?? NaN) * DAY);
  // Also invalid if a date in the state is out of range.
  return Number.isNaN(due.getTime()) ? null : due.toISOString();
}

/**
 * Returns the day from which the current key is due for rotation by age; `null` for never, `NaN` if its age
 * is unknown.
 */
function dueDay({ rotatedAt, current }: KeyState, { afterDays }: RotationInputs): number | null {
  if (typeof afterDays !== "number") return null;
  return dayOf(Date.parse(rotatedAt ?? current?.createdAt ?? "")) + afterDays;
}

/**
 * Returns the inputs that `check` adds so that the diff shows why a key is rotated: the date from which its
 * age counts, and the date on which it is due. {@link planRotation} does not use them.
 *
 * @param olds The inputs in the state; empty for a new resource and for a replacement.
 * @param now Milliseconds since the epoch.
 */
export function rotationDisplayInputs(olds: KeyInputs, news: KeyInputs, now: number): Properties {
  const afterDays = news.rotation.afterDays ?? null;
  const since = needsNewKey(olds, news, now) ? dayOf(now) : sinceDay(olds, now);
  if (Number.isNaN(since)) return {};
  return {
    keySince: dayText(since),
    ...(afterDays !== null && { rotationDue: dayText(since + afterDays) }),
  };
}

/** Whether an update with these inputs creates or rotates a key, as far as the inputs tell. */
export function needsNewKey(olds: KeyInputs, { rotation }: KeyInputs, now: number): boolean {
  const { trigger, afterDays } = rotation;
  const isTriggered = trigger != null && trigger !== olds.rotation.trigger;
  const isDue = typeof afterDays === "number" && sinceDay(olds, now) + afterDays <= dayOf(now);
  return olds.account === null || isTriggered || isDue;
}

/** Returns the day from which the age of a key counts, as its inputs show it; `NaN` if it is unknown. */
function sinceDay({ keySince }: KeyInputs, now: number): number {
  const day = keySince === null ? NaN : dayOf(Date.parse(keySince));
  return isFuture(day, dayOf(now)) ? NaN : day;
}

/** Returns why a key is due for rotation; `null` if it is not due. */
function rotationReason(state: KeyState, rotation: RotationInputs, now: number): RotationReason | null {
  const { trigger, afterDays } = rotation;
  if (trigger != null && trigger !== state.trigger) return { kind: "trigger" };
  const due = dueDay(state, rotation);
  if (due === null || typeof afterDays !== "number") return null;
  const since = due - afterDays;
  if (Number.isNaN(due) || isFuture(since, dayOf(now))) {
    // A wrong clock wrote the date. The rotation would delete a previous key that may still be in use.
    const isPreviousValid = state.previous !== null && Date.parse(state.previousExpiresAt ?? "") > now;
    return isPreviousValid ? null : { kind: "unknownAge" };
  }
  return due > dayOf(now) ? null : { kind: "age", since: dayText(since), due: dayText(due) };
}

/** Returns a notice about the deletion of the previous key, if there is one. */
function previousKeyNotices(state: KeyState, now: number, replaced: boolean): Notice[] {
  if (state.previous === null) return [];
  const early = Date.parse(state.previousExpiresAt ?? "") > now;
  return [{ kind: "previousKeyEnds", fingerprint: fingerprint(state.previous.apiKey), early, replaced }];
}

/** Whether a day is later than clocks that work can make it. */
function isFuture(day: number, today: number): boolean {
  return day > today + 1;
}

/** Whether the previous key has expired. A smaller `overlapDays` shortens its overlap; 0 ends it at once. */
export function isPreviousExpired(state: KeyState, { overlapDays }: RotationInputs, now: number): boolean {
  if (state.previous === null) return false;
  const planned = state.overlapDays ?? 0;
  const shortenedBy = Math.max(0, planned - (overlapDays ?? planned)) * DAY;
  // A key without an expiry date has expired.
  return !(Date.parse(state.previousExpiresAt ?? "") - shortenedBy > now);
}

/**
 * Milliseconds in a day. Ages count calendar days in UTC, so a nightly run that starts slightly early is not
 * a day late.
 */
const DAY = 86_400_000;

function dayOf(time: number): number {
  return Math.floor(time / DAY);
}

function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, "2026-02-19".length);
}
