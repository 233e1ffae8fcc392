import {
  isArray,
  isObject,
  isScalar,
  nameSet,
  nodesOf,
  normalizeName,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import { asWord, type ResponseMapping } from "../bodies/response-mapping.js";
import { STATES, type WebhookState } from "../partner-api/operations.js";

/** The state of a webhook, as read from its record. */
export interface StateReading {
  /** `null` if it is ambiguous or not shown. */
  readonly state: WebhookState | null;
  /** The JSON Pointer to what says so, relative to the record; `null` if nothing does. */
  readonly statePointer: string | null;
}

/**
 * What one member says about the state. `running`: it does not stop the webhook, but another member may.
 * `unclear`: nobody can tell. `null`: nothing.
 */
type Evidence = WebhookState | "running" | "unclear" | null;

/** Objects whose members count as those of the record. Others, such as `fallbackWebhook`, are only linked. */
const OWN_OBJECTS = nameSet("attributes webhook webhookEndpoint");
/** What the names of own members may begin with. */
const PREFIX = /^(?:is|webhook)/;
const FLAGS = [
  { names: nameSet("active enabled"), whenTrue: "active", whenFalse: "disabled" },
  { names: nameSet("disabled"), whenTrue: "disabled", whenFalse: "active" },
  { names: nameSet("paused"), whenTrue: "disabled", whenFalse: "running" },
] as const;
const TRUE = ["true", "1"];
const FALSE = ["false", "0"];
const STOPPED_TIME = nameSet("disabledAt pausedAt");
/** What stops a webhook, and what may follow if the value is a time. */
const STOPS =
  "disabled|deactivated|inactivated|inactive|paused|suspended|stopped|halted|blocked|muted|silenced|" +
  "snoozed|frozen|turnedoff|switchedoff";
const TIMES = "at|on|since|date|time|datetime|timestamp";
/**
 * The names that count in the same way at a pointer that a person set: a stop with a time. Under any other
 * name, a missing value says nothing: a typing error would show every webhook as active.
 */
const STOPPED_TIME_AT_POINTER = new RegExp(
  `(?<!un|not|last|first|prev|previous|next|scheduled)(?:${STOPS}|^off)(?:by[a-z]+)?(?:${TIMES})$`,
);
/** A date or a Unix time after 2000. Earlier ones are unclear. */
const TIME = /^(?:2\d{3}-|[1-9]\d{9})/;
/** A date that is not set, as Go, MySQL and Unix spell it. */
const ZERO_TIME = /^(?:0001-01-01|0000-00-00|1970-01-01[t ]00:00:00|-62135596800)/;
const WORD_FIELD = nameSet("state status");
const ACTIVE_WORD = /^(?:active|enabled)$/;
const DISABLED_WORD = /^(?:disabled|inactive|paused?|suspended)(?:by[a-z]+)?$/;
/**
 * Any other member with such a name makes the state ambiguous if it is set, even deep in the record. Wide: a
 * miss would show a stopped webhook as active.
 */
const STOPPED = new RegExp(
  `(?:${STOPS}|deleted|archived|revoked|banned|cancell?ed)(?:by[a-z]+)?(?:${TIMES}|until)?$`,
);

/** Reads the state of a webhook at the setting, or from all members of its record, if they agree. */
export function readState(record: JsonObject, mapping: ResponseMapping): StateReading {
  const { webhookState: setting } = mapping;
  if (setting !== undefined) return { state: readStateAt(record, setting, mapping), statePointer: setting };
  const members = valuesIn(record).map((node) => ({ node, evidence: evidenceOf(node, mapping) }));
  const state = combine(members.map(({ evidence }) => evidence));
  const decisive = members.find(({ evidence }) => state !== null && stateAlone(evidence) === state);
  return { state, statePointer: decisive?.node.pointer ?? null };
}

/** Reads the state at a JSON Pointer that a person set, under any name. A missing value counts as null. */
export function readStateAt(
  record: JsonObject,
  pointer: string,
  mapping: ResponseMapping,
): WebhookState | null {
  const value = resolvePointer(record, pointer) ?? null;
  const usual = isStoppedTime(pointer)
    ? readStoppedTime(value)
    : (readNamed(nameAt(pointer).replace(PREFIX, ""), value) ?? readWord(value));
  return stateAlone(applyWords(usual, value, mapping));
}

/** Whether the member at a JSON Pointer has the name of a time since which a webhook is stopped. */
export function isStoppedTime(pointer: string): boolean {
  return STOPPED_TIME_AT_POINTER.test(nameAt(pointer));
}

function nameAt(pointer: string): string {
  return normalizeName(pointer.slice(pointer.lastIndexOf("/") + 1));
}

/** Whether a value is a time at which something happened. */
export function isTime(value: unknown): boolean {
  return isScalar(value) && TIME.test(asWord(value));
}

/** Returns the values in a record, except those in arrays: they are about events and targets. */
export function valuesIn(record: JsonObject): DocumentNode[] {
  return nodesOf(record, ({ value }) => !isArray(value));
}

/** Returns the members of a record, and those of the objects in it that count as its own. */
export function ownMembersOf(record: JsonObject): DocumentNode[] {
  return nodesOf(record, isOwnObject).filter(isOwnMember);
}

/** Whether a node is one of {@link ownMembersOf}. */
export function isOwnMember({ parent }: DocumentNode): boolean {
  return parent !== null && isOwnObject(parent);
}

/** Whether a node is the record, or an object directly in it whose members count as those of the record. */
function isOwnObject({ name, parent }: DocumentNode): boolean {
  return parent === null || (parent.parent === null && OWN_OBJECTS.has(name));
}

/** Combines what members say: `null` if one is unclear, if two disagree, or if none says anything. */
function combine(evidence: readonly Evidence[]): WebhookState | null {
  const says = (one: Evidence): boolean => evidence.includes(one);
  if (says("unclear") || (says("active") && says("disabled"))) return null;
  if (says("disabled")) return "disabled";
  return says("active") || says("running") ? "active" : null;
}

/** Returns the state that a member shows if no other says anything. */
function stateAlone(evidence: Evidence): WebhookState | null {
  if (evidence === "running") return "active";
  return evidence === "unclear" ? null : evidence;
}

/** Reads an own member by its name. Any other can only make the state unclear. */
function evidenceOf(node: DocumentNode, mapping: ResponseMapping): Evidence {
  const own = isOwnMember(node) ? readOwnMember(node, mapping) : null;
  return own ?? (STOPPED.test(node.name) && isSet(node.value) ? "unclear" : null);
}

/** The words in the settings count for `state` and `status` even if no pointer is set. */
function readOwnMember({ name, value }: DocumentNode, mapping: ResponseMapping): Evidence {
  const shortName = name.replace(PREFIX, "");
  return WORD_FIELD.has(shortName)
    ? applyWords(readWord(value), value, mapping)
    : readNamed(shortName, value);
}

/** Reads a flag, or the time at which a webhook was stopped. */
function readNamed(name: string, value: unknown): Evidence {
  if (STOPPED_TIME.has(name)) return readStoppedTime(value);
  const flag = FLAGS.find(({ names }) => names.has(name));
  if (flag === undefined || value === null) return null;
  const text = isScalar(value) ? asWord(value) : "";
  if (TRUE.includes(text)) return flag.whenTrue;
  return FALSE.includes(text) ? flag.whenFalse : "unclear";
}

function readStoppedTime(value: unknown): Evidence {
  if (!isSet(value)) return "running";
  return isTime(value) ? "disabled" : "unclear";
}

function readWord(value: unknown): Evidence {
  if (value === null) return null;
  const word = typeof value === "string" ? normalizeName(value) : "";
  if (ACTIVE_WORD.test(word)) return "active";
  return DISABLED_WORD.test(word) ? "disabled" : "unclear";
}

/**
 * Reads a value by the words in the settings. A state with words is shown by them alone: with
 * `active: ["LIVE"]`, the value `active` is unclear, and `disabled` still counts.
 */
function applyWords(usual: Evidence, value: unknown, mapping: ResponseMapping): Evidence {
  const isWordFor = (state: WebhookState): boolean | undefined =>
    isScalar(value) && mapping[state]?.some((word) => asWord(word) === asWord(value));
  const state = STATES.find(isWordFor);
  if (state !== undefined) return state;
  const usualState = stateAlone(usual);
  return usualState !== null && mapping[usualState] !== undefined ? "unclear" : usual;
}

/** Whether a value is neither empty, nor false, nor a time that is not set. */
export function isSet(value: unknown): boolean {
  if (isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some((member) => member !== null && member !== "");
  if (!isScalar(value)) return true; // A bigint.
  return value !== null && !["", ...FALSE].includes(asWord(value)) && !ZERO_TIME.test(asWord(value));
}
