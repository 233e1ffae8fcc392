import type { WebhookState } from "../operations.js";
import { isIsoDate } from "./key-value.js";
import { isStopWord, type StateWords } from "./state-words.js";

/** What kind of field a name (normalised) makes. */
export type StateFieldKind =
  "active-flag" | "disabled-flag" | "word" | "disabled-at" | "stop-flag" | "stop-time";

/**
 * What a field tells: the state, or that the webhook has been stopped in a way that may not be what the API calls
 * disabled. Then it is not known to be active.
 */
export type StateClaim = WebhookState | "stopped";

const KINDS: ReadonlyMap<string, StateFieldKind> = new Map([
  ...["active", "isactive", "enabled", "isenabled"].map((name) => [name, "active-flag"] as const),
  ...["disabled", "isdisabled", "inactive", "isinactive"].map((name) => [name, "disabled-flag"] as const),
  ...["state", "status", "webhookstate", "webhookstatus"].map((name) => [name, "word"] as const),
  ...["disabledat", "deactivatedat"].map((name) => [name, "disabled-at"] as const),
  ...["paused", "suspended", "blocked", "revoked", "expired", "deleted", "archived"]
    .flatMap((name) => [name, `is${name}`])
    .map((name) => [name, "stop-flag"] as const),
  ...["deletedat", "archivedat"].map((name) => [name, "stop-time"] as const),
]);

/** Times before this are no times: year 1 (Go, .NET), year 0 (MySQL) and 1970 stand for "not set". */
const FIRST_YEAR = 1971;
/** The least number taken for a time since 1970, in seconds or milliseconds: September 2001. */
const FIRST_EPOCH = 1_000_000_000;

/** The names (normalised) of all fields that may tell the state. */
export const STATE_NAMES: readonly string[] = [...KINDS.keys()];

/** What kind of field a name (normalised) makes; `null` if fields of this name do not tell the state. */
export function kindOfStateField(name: string): StateFieldKind | null {
  return KINDS.get(name) ?? null;
}

/** Whether a kind of field tells the state by true and false. */
export function isFlag(kind: StateFieldKind): boolean {
  return kind === "active-flag" || kind === "disabled-flag" || kind === "stop-flag";
}

/** What a field of some kind tells; `null` if its value tells nothing. */
export function stateOf(kind: StateFieldKind, value: unknown, words: StateWords): StateClaim | null {
  switch (kind) {
    case "word":
      return words(value) ?? (isStopWord(value) ? "stopped" : null);
    case "stop-flag":
      return toBoolean(value) === true ? "stopped" : null;
    case "stop-time":
      return isTime(value) ? "stopped" : null;
    case "disabled-at":
      if (value === null) return "active";
      return isTime(value) ? "disabled" : null;
    case "active-flag":
    case "disabled-flag": {
      const flag = toBoolean(value);
      if (flag === null) return null;
      return flag === (kind === "active-flag") ? "active" : "disabled";
    }
  }
}

/** The boolean that a value is, 0 and 1 included; `null` if it is none. */
export function toBoolean(value: unknown): boolean | null {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : null;
}

function isTime(value: unknown): boolean {
  if (typeof value === "number") return value >= FIRST_EPOCH;
  return typeof value === "string" && isIsoDate(value) && Number(value.slice(0, 4)) >= FIRST_YEAR;
}
