import type { ResponseMapping } from "../responses/mapping.js";
import { isRecord, UNKNOWN, type Properties } from "./contract.js";
import { fingerprint, presentOf, previousOf, reread, type KeyState } from "./key-state.js";
import type { Notice, RotationReason } from "./problems.js";

/** The argument `rotation`, as `check` has let it through. */
export interface RotationInputs {
  readonly trigger?: string | null;
  readonly afterDays?: number | null;
  readonly overlapDays?: number | null;
}

/** Reads `rotation` from inputs that `check` has let through. */
export function rotationOf({ rotation }: Properties): RotationInputs {
  return isRecord(rotation) ? rotation : {};
}

/** Whether a preview cannot tell yet what becomes of the key. An unknown trigger counts as a new one. */
export function isUnsettled({ rotation }: Properties): boolean {
  const { afterDays, overlapDays } = rotationOf({ rotation });
  return [rotation, afterDays, overlapDays].some((value) => value === UNKNOWN);
}

/** What is wrong with `rotation`, a sentence each. Values that are not known yet are right. */
export function rotationProblems(rotation: unknown): string[] {
  if (rotation == null || rotation === UNKNOWN) return [];
  if (!isRecord(rotation)) return ["rotation must be an object such as { afterDays: 90, overlapDays: 7 }."];
  const { trigger, afterDays, overlapDays, ...others } = rotation;
  const problems: string[] = [];
  if (Object.keys(others).length > 0)
    problems.push("rotation has an unknown property. Valid properties: trigger, afterDays, overlapDays.");
  if (trigger != null && typeof trigger !== "string") problems.push("rotation.trigger must be a string.");
  if (!isDays(afterDays, 1)) problems.push("rotation.afterDays must be a whole number of days, 1 to 36500.");
  if (!isDays(overlapDays, 0))
    problems.push("rotation.overlapDays must be a whole number of days, 0 to 36500.");
  if (afterDays != null && overlapDays == null)
    problems.push(
      "rotation.afterDays needs overlapDays: the days for which the old key stays valid, or 0 to delete it in the same update.",
    );
  if (typeof afterDays === "number" && typeof overlapDays === "number" && overlapDays > afterDays)
    problems.push(
      "rotation.overlapDays must not exceed afterDays: the next rotation would delete the previous key early.",
    );
  return problems;
}

/**
 * What is to be done about a key next: one thing at a time.
 * - `none`
 * - `read` a kept response: its key was not found yet, or the mapping has changed
 * - `rotate` in place: create a key, and keep the present one as the previous one
 * - `replace` the resource: the engine creates a new one, updates dependents, and deletes this one
 * - `expire`: delete the previous key, whose time is up
 */
export type RotationStep = "none" | "read" | "rotate" | "replace" | "expire";

/** What is to be done, by `perform` in api-key.ts, and what a person is told of it. */
export interface RotationPlan {
  readonly step: RotationStep;
  readonly notices: readonly Notice[];
}

/** Decides what is to be done from what is in state, what the program says, and the mapping. @param now Milliseconds since the epoch. */
export function planRotation(
  state: KeyState,
  rotation: RotationInputs,
  mapping: ResponseMapping,
  now: number,
): RotationPlan {
  const present = presentOf(state);
  if (present === null || state.internal.unread !== null) return { step: "read", notices: [] };
  const own = fingerprint(present.apiKey);
  const rereading = reread(present, mapping);
  const previous = previousOf(state);
  const { previousExpiresAt: validUntil } = state;
  const ends: Notice[] =
    previous === null
      ? []
      : [
          {
            kind: "previousKeyEnds",
            fingerprint: fingerprint(previous.apiKey),
            validUntil,
            early: timeOf(validUntil) > now,
          },
        ];
  if (rereading.apiKey !== present.apiKey) {
    const next = fingerprint(rereading.apiKey);
    return { step: "read", notices: [{ kind: "reread", fingerprint: own, next }] };
  }
  const missed: Notice[] = rereading.missed ? [{ kind: "pointerFindsNothing", fingerprint: own }] : [];
  if (previous !== null && reread(previous, mapping).apiKey !== previous.apiKey)
    return { step: "read", notices: missed };

  const why = rotationReason(state, rotation, now);
  if (why !== null) {
    const end = overlapEnd(rotation, now);
    const notice: Notice = {
      kind: "rotation",
      fingerprint: own,
      why,
      validUntil: end > now ? minuteText(end) : null,
    };
    return { step: end > now ? "rotate" : "replace", notices: [notice, ...ends] };
  }
  if (isPreviousExpired(state, rotation, now)) return { step: "expire", notices: ends };
  return { step: "none", notices: missed };
}

/** Until when the old key stays valid if it is rotated now, both in milliseconds since the epoch. */
export function overlapEnd({ overlapDays }: RotationInputs, now: number): number {
  return now + (overlapDays ?? 0) * DAY;
}

/** Inputs that `check` adds so that a preview can show why a key is rotated. They are for display only: {@link planRotation} decides. */
export interface RotationStamps {
  /** Since when there has been the present key, a date. */
  readonly keySince?: string;
  /** When it falls due, a date. */
  readonly rotationDue?: string;
}

/** @param olds The inputs in state; empty for a new resource, and for one that is replaced. @param now Milliseconds since the epoch. */
export function rotationStamps(olds: Properties, news: Properties, now: number): RotationStamps {
  const rotation = rotationOf(news);
  const today = dayOf(now);
  const triggered = rotation.trigger != null && rotation.trigger !== rotationOf(olds).trigger;
  const afterDays = typeof rotation.afterDays === "number" ? rotation.afterDays : null;
  const known = typeof olds["keySince"] === "string" ? dayOf(Date.parse(olds["keySince"])) : NaN;
  const due = afterDays !== null && known + afterDays <= today;
  const since = olds["account"] === undefined || triggered || due ? today : known;
  if (Number.isNaN(since)) return {};
  return {
    keySince: dayText(since),
    ...(afterDays !== null && { rotationDue: dayText(since + afterDays) }),
  };
}

/** Why a key is due for rotation; `null` if it is not. */
function rotationReason(
  { internal, rotatedAt, createdAt }: KeyState,
  { trigger, afterDays }: RotationInputs,
  now: number,
): RotationReason | null {
  if (trigger != null && trigger !== internal.trigger) return { kind: "trigger" };
  if (typeof afterDays !== "number") return null;
  const since = dayOf(timeOf(rotatedAt ?? createdAt));
  if (Number.isNaN(since)) return { kind: "unknownAge" };
  if (since + afterDays > dayOf(now)) return null;
  return { kind: "age", since: dayText(since), due: dayText(since + afterDays), afterDays };
}

/** Whether the previous key has expired. A smaller `overlapDays` shortens it: with 0 it is up at once. */
function isPreviousExpired(state: KeyState, { overlapDays }: RotationInputs, now: number): boolean {
  if (state.previousApiKey === null) return false;
  const promised = timeOf(state.previousExpiresAt);
  const shortened = timeOf(state.rotatedAt) + (overlapDays ?? Infinity) * DAY;
  return !(Math.min(promised, Number.isNaN(shortened) ? Infinity : shortened) > now);
}

/** A hundred years: beyond it, dates become meaningless. */
const MOST_DAYS = 36_500;

function isDays(value: unknown, least: number): boolean {
  if (value == null || value === UNKNOWN) return true;
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= MOST_DAYS;
}

/** Milliseconds of a day. Ages count in days of UTC, so that a nightly run that starts a little earlier is not a day late. */
const DAY = 86_400_000;

function dayOf(time: number): number {
  return Math.floor(time / DAY);
}

function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, "2026-02-19".length);
}

function minuteText(time: number): string {
  return `${new Date(time).toISOString().slice(0, "2026-02-19T12:00".length)}Z`;
}

function timeOf(time: string | null): number {
  return time === null ? NaN : Date.parse(time);
}
