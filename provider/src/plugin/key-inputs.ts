import { canBeSent, isMasked } from "../api/responses/key-value.js";
import type { Properties } from "./boundary.js";
import { UNKNOWN } from "./wire.js";

/** `rotation`, as `check` has let it through; a preview may have values in it that are not known yet. */
export interface RotationInputs {
  readonly trigger?: string | null;
  readonly afterDays?: number | null;
  readonly overlapDays?: number | null;
}

/** The inputs that a program gives. */
export interface KeyInputs {
  readonly rotation: RotationInputs;
  /** Secret. */
  readonly existingApiKey: string | null;
}

/** Reads inputs that `check` has let through. */
export function keyInputs(news: Properties): KeyInputs {
  const { rotation, existingApiKey } = news;
  return {
    rotation: isRecord(rotation) ? rotation : {},
    existingApiKey: typeof existingApiKey === "string" ? existingApiKey : null,
  };
}

/** The inputs of a key as they stand in state, but for the stamps: those that a program gives, and the account. */
export function completeInputs({ rotation, existingApiKey }: Properties, account: string): Properties {
  return {
    account,
    ...(rotation != null && { rotation }),
    ...(existingApiKey != null && { existingApiKey }),
  };
}

/** What is wrong with the inputs, a sentence each, without any value of a secret. Values that are not known yet are right. */
export function keyProblems({ rotation, existingApiKey }: Properties): string[] {
  const problems: string[] = [];
  if (existingApiKey != null && existingApiKey !== UNKNOWN && !isWholeKey(existingApiKey)) {
    problems.push(
      "existingApiKey must be the whole key, 1 to 4096 visible ASCII characters, and not a masked form of it.",
    );
  }
  if (rotation == null || rotation === UNKNOWN) return problems;
  if (!isRecord(rotation))
    return [...problems, "rotation must be an object such as { afterDays: 90, overlapDays: 7 }."];
  return [...problems, ...rotationProblems(rotation)];
}

function rotationProblems({ trigger, afterDays, overlapDays }: Properties): string[] {
  const problems: string[] = [];
  if (trigger != null && typeof trigger !== "string") problems.push("rotation.trigger must be a string.");
  if (!isDays(afterDays, 1)) problems.push("rotation.afterDays must be a whole number of days, 1 to 36500.");
  if (!isDays(overlapDays, 0))
    problems.push("rotation.overlapDays must be a whole number of days, 0 to 36500.");
  if (afterDays != null && overlapDays == null) problems.push(OVERLAP_MISSING);
  if (typeof afterDays === "number" && typeof overlapDays === "number" && overlapDays > afterDays) {
    problems.push(
      `rotation.overlapDays (${overlapDays}) must not exceed afterDays (${afterDays}): the next rotation would delete the previous key before its time.`,
    );
  }
  return problems;
}

const OVERLAP_MISSING = `rotation.afterDays needs overlapDays beside it, because a rotation by age comes when nobody is looking: say for how many days the old key shall stay valid, longer than any consumer of the key goes without a successful "pulumi up". With 0, the old key is deleted at the end of the very update that makes the new one.`;

/** A hundred years: beyond it, dates become meaningless. */
const MOST_DAYS = 36_500;

function isDays(value: unknown, least: number): boolean {
  if (value == null || value === UNKNOWN) return true;
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= MOST_DAYS;
}

function isWholeKey(value: unknown): boolean {
  return canBeSent(value) && !isMasked(value) && value !== "." && value !== "..";
}

function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
