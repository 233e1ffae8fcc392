import { UNKNOWN, type Properties } from "../adapter/properties.js";
import { unknownArguments } from "../setting-messages.js";
import { isObject } from "../bodies/json.js";
import { ROTATION_RULES } from "./key-messages.js";
import type { Rotation } from "./rotation.js";

/** The inputs of a `PartnerApiKey`. */
export interface KeyInputs {
  readonly rotation: Rotation;
  /** Whether a preview cannot tell yet what happens to the key. */
  readonly isUnknown: boolean;
}

/** About 100 years, well within the range of Date. */
const MAX_DAYS = 36_500;

/** Reads the arguments of a program. */
export function readKeyArguments({ rotation }: Properties) {
  return { inputs: rotation == null ? {} : { rotation }, problems: problemsOf(rotation) };
}

/** Reads checked inputs. Ignores what is invalid: another version of the program may have written it. */
export function keyInputsOf({ rotation }: Properties): KeyInputs {
  const { trigger, afterDays, overlapDays } = isObject(rotation) ? rotation : {};
  return {
    rotation: {
      trigger: isTrigger(trigger) && trigger !== "" && trigger !== UNKNOWN ? String(trigger) : null,
      afterDays: typeof afterDays === "number" ? afterDays : null,
      overlapDays: typeof overlapDays === "number" ? overlapDays : null,
    },
    isUnknown: [rotation, trigger, afterDays, overlapDays].includes(UNKNOWN),
  };
}

function problemsOf(rotation: unknown): string[] {
  if (rotation == null || rotation === UNKNOWN) return [];
  if (!isObject(rotation)) return [ROTATION_RULES.rotation];
  const known = ["trigger", "afterDays", "overlapDays"];
  const { trigger, afterDays, overlapDays } = rotation;
  const unknown = unknownArguments("rotation", Object.keys(rotation), known);
  const problems: string[] = unknown === null ? [] : [unknown];
  if (trigger != null && !isTrigger(trigger)) problems.push(ROTATION_RULES.trigger);
  if (afterDays != null && !isDays(afterDays, 1)) problems.push(ROTATION_RULES.afterDays);
  if (overlapDays != null && !isDays(overlapDays, 0)) problems.push(ROTATION_RULES.overlapDays);
  if (problems.length > 0 || afterDays == null) return problems;
  if (overlapDays == null) return [ROTATION_RULES.chosenOverlap];
  return Number(overlapDays) >= Number(afterDays) ? [ROTATION_RULES.shortOverlap] : [];
}

/** Whether a value is a text, or a number, which Pulumi makes of a text in the configuration of YAML. */
function isTrigger(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Whether a value is a number of days, or not known yet. */
function isDays(value: unknown, min: number): boolean {
  return value === UNKNOWN || (Number.isInteger(value) && Number(value) >= min && Number(value) <= MAX_DAYS);
}
