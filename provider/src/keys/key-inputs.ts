import { isObject } from "../json.js";
import { UNKNOWN, unknownArguments, type Properties } from "../shared/properties.js";
import type { InputProblem } from "../shared/problems.js";

/**
 * The argument `rotation`. The values of `RotationArgs`, which documents them, without the promises and
 * outputs of a program.
 */
export interface RotationInputs {
  readonly trigger?: string | null;
  readonly afterDays?: number | null;
  readonly overlapDays?: number | null;
}

/** The inputs of `PartnerApiKey`, after `check`. */
export interface KeyInputs {
  /** `null` if there is no resource yet. */
  readonly account: string | null;
  readonly rotation: RotationInputs;
  /** Whether a preview cannot tell yet what happens to the key. An unknown trigger counts as a new one. */
  readonly isRotationUnknown: boolean;
  /** The date from which the age of the key counts, such as 2026-02-19. `check` adds it for display. */
  readonly keySince: string | null;
}

/** Reads checked inputs. Ignores what is invalid: another version of the program may have written it. */
export function keyInputsOf({ account, rotation, keySince }: Properties): KeyInputs {
  const { trigger, afterDays, overlapDays } = isObject(rotation) ? rotation : {};
  return {
    account: text(account),
    rotation: { trigger: text(trigger), afterDays: number(afterDays), overlapDays: number(overlapDays) },
    isRotationUnknown: [rotation, afterDays, overlapDays].includes(UNKNOWN),
    keySince: text(keySince),
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** Returns the problems with `rotation`. Unknown values are accepted. */
export function rotationProblems(rotation: unknown): InputProblem[] {
  if (rotation == null || rotation === UNKNOWN) return [];
  if (!isObject(rotation)) return [{ kind: "invalidArgument", argument: "rotation" }];
  const { trigger, afterDays, overlapDays } = rotation;
  const problems = unknownArguments("rotation", rotation, ["trigger", "afterDays", "overlapDays"]);
  if (trigger != null && typeof trigger !== "string")
    problems.push({ kind: "invalidArgument", argument: "rotation.trigger" });
  problems.push(...daysProblems("afterDays", afterDays, 1), ...daysProblems("overlapDays", overlapDays, 0));
  if (overlapDays == null) problems.push({ kind: "overlapMissing" });
  if (typeof afterDays === "number" && typeof overlapDays === "number" && overlapDays > afterDays)
    problems.push({ kind: "overlapTooLong" });
  return problems;
}

/** A hundred years. JavaScript's dates end far later. */
const MAX_DAYS = 36_500;

function daysProblems(argument: "afterDays" | "overlapDays", value: unknown, min: number): InputProblem[] {
  if (value == null || value === UNKNOWN) return [];
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= MAX_DAYS) return [];
  return [{ kind: "invalidDays", argument, min, max: MAX_DAYS }];
}
