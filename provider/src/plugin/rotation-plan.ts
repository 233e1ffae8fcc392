import { keyInputs, type KeyInputs, type RotationInputs } from "./key-inputs.js";
import type { Properties } from "./boundary.js";
import { stateOf, type KeyState } from "./key-state.js";
import { DAY, dayOf, dayText } from "./rotation-days.js";

/**
 * What is to be done about a key next: one thing at a time.
 * - `none`
 * - `find` the key in the kept response to its creation, or to that of a rotation
 * - `adopt` the key that `existingApiKey` names now
 * - `rotate` in place: make a key, and keep the present one as the previous one
 * - `replace` the resource: the engine makes a new one, updates dependents, and deletes this one
 * - `expire`: delete the previous key, whose time is up
 */
export type RotationStep = "none" | "find" | "adopt" | "rotate" | "replace" | "expire";

/** What is to be done, and what a person should be told of it. */
export interface RotationPlan {
  readonly step: RotationStep;
  /** A sentence without a full stop; `null` where the engine's own display says enough. */
  readonly notice: string | null;
}

/** Decides from outputs and from what the program says now. @param now Milliseconds since the epoch. */
export function planFor(olds: Properties, news: Properties, now: number): RotationPlan {
  const state = stateOf(olds);
  const inputs = keyInputs(news);
  if (state.apiKey === null || state.memory.unread !== null) return plan("find");
  if (adoptsAnother(state, inputs)) {
    const until = fateText(inputs.rotation, now);
    return plan("adopt", `another key takes the place of ${nameOf(olds)}, which ${until}`);
  }
  const due = dueText(state, inputs.rotation, now);
  if (due !== null) {
    if (!isInPlace(inputs)) return plan("replace", `${nameOf(olds)} ${due} and is replaced`);
    return plan(
      "rotate",
      `${nameOf(olds)} ${due}; once there is a new key, it ${fateText(inputs.rotation, now)}`,
    );
  }
  return plan(isPreviousExpired(state, inputs.rotation, now) ? "expire" : "none");
}

/** Whether the time of the previous key is up. A smaller `overlapDays` shortens it: with 0 it is up at once. */
export function isPreviousExpired(state: KeyState, { overlapDays }: RotationInputs, now: number): boolean {
  if (state.previousApiKey === null) return false;
  const promised = timeOf(state.previousExpiresAt);
  const shortened = timeOf(state.rotatedAt) + (overlapDays ?? Infinity) * DAY;
  return !(Math.min(promised, Number.isNaN(shortened) ? Infinity : shortened) > now);
}

/** A resource that names an existing key would adopt it again if it were replaced, so its key rotates in place. */
function isInPlace({ rotation, existingApiKey }: KeyInputs): boolean {
  return existingApiKey !== null || (rotation.overlapDays ?? 0) !== 0;
}

/** A key that was adopted before, and has been rotated since, is not adopted again. */
function adoptsAnother({ apiKey, memory }: KeyState, { existingApiKey }: KeyInputs): boolean {
  return existingApiKey !== null && existingApiKey !== apiKey && existingApiKey !== memory.adopted;
}

/** Why a key is due for rotation; `null` if it is not. */
function dueText(state: KeyState, { trigger, afterDays }: RotationInputs, now: number): string | null {
  if (trigger != null && trigger !== state.memory.trigger)
    return "is rotated because rotation.trigger changed";
  if (typeof afterDays !== "number") return null;
  const since = dayOf(timeOf(state.rotatedAt ?? state.createdAt));
  if (Number.isNaN(since)) return `is of unknown age, so it is due for rotation (afterDays: ${afterDays})`;
  if (since + afterDays > dayOf(now)) return null;
  return `has been due for rotation since ${dayText(since + afterDays)} (in use since ${dayText(since)}, afterDays: ${afterDays})`;
}

function fateText({ overlapDays }: RotationInputs, now: number): string {
  if (!overlapDays) return "stays valid until the next pulumi up, which deletes it";
  const until = new Date(now + overlapDays * DAY).toISOString().slice(0, "2026-02-19T12:00".length);
  return `stays valid as previousApiKey until ${until}Z, and the first pulumi up after that deletes it`;
}

function nameOf(olds: Properties): string {
  const { fingerprint } = olds;
  return typeof fingerprint === "string" ? `key ${fingerprint}` : "a key";
}

function plan(step: RotationStep, notice: string | null = null): RotationPlan {
  return { step, notice };
}

function timeOf(time: string | null): number {
  return time === null ? NaN : Date.parse(time);
}
