import type { WebhookState } from "../api/operations.js";
import { isArray, isEmpty, membersOf, normalizeName, walk } from "./document.js";
import type { DocumentNode, JsonObject } from "./document.js";
import { asWord, isScalar, parsePointer, resolvePointer, type ResponseMapping } from "./mapping.js";
import { printPointer } from "./candidates.js";

/** The state of one webhook, as read from its record. */
export interface StateReading {
  /** `null` if the state is unknown. */
  readonly state: WebhookState | null;
  /**
   * The setting that would make the state readable; `null` if it is known. `active` stands for both `active` and `disabled`:
   * the state field was found, but its value is unknown.
   */
  readonly missing: "webhookState" | "active" | null;
}

/** The states of all records, in order, and the JSON Pointer of the state field, relative to a record. */
export interface StateReadings {
  readonly states: readonly StateReading[];
  readonly pointer: string | null;
}

/** What a field indicates: a state, an unknown word, or anything that makes the state ambiguous. */
type Evidence = WebhookState | "unknown word" | "ambiguous" | null;
type Words = ReadonlyMap<string, WebhookState>;

/** The names of state fields, without `is` and `webhook`. */
const ACTIVE = /^(?:active|enabled)$/;
const INACTIVE = /^(?:disabled|inactive)$/;
const STATE = /^(?:state|status)$/;
const DISABLED_AT = /^(?:disabled|deactivated)at$/;
const ENABLED_AT = /^(?:enabled|activated)at$/;
const ACTIVE_WORDS = ["active", "enabled", "on"];
const DISABLED_WORDS = ["disabled", "inactive", "off"];

/** Parts of other names and values that indicate a stopped webhook. */
const STOPPED =
  /paus|suspen[ds]|block|delet|archiv|revok|expired|stop|disab|deactiv|inactiv|remov|cancel|terminat|trash|pending|unsubscr|muted|snooz|quarantin|frozen|locked|banned|halted|onhold|ended|turnedoff|^(?:is)?off$/i;
/** Parts of names of conditions that a working webhook meets. */
const REQUIRED =
  /verified|confirmed|approved|valid$|healthy|ready|running|subscribed|published|connected|online|working/;
/** Names of status fields, for which only the values in {@link GOOD} are harmless. */
const CONDITION =
  /^(?!.*deliver).*(?:status|state|lifecycle|health|phase|breaker)(?:name|text|label|code|reason)?$/;
const GOOD =
  /^(?:|0|20[0-9]|active|enabled|on|ok|up|good|healthy|normal|ready|running|live|verified|valid|confirmed|approved|succe[a-z]*|completed?|delivered|published|connected|closed|none|true)$/i;
const WORD = /^[a-z]{1,20}(?:[-_ ]?[a-z]{1,20})?$/i;
const TIME = /at$|on$|date|time|from|since|until|end|expir|valid/;
const END = /expir|until|end|validto/;
/** Names of members and of objects that are unrelated to the state. */
const OTHER_NAME =
  /^(?:can(?!cel)|last|next)|url|link|href|event|topic|(?<!status|state)name$|title|descri|able$|count$|ips$|id$/;
const OTHER_OBJECT =
  /^last|deliver(?:y|ies)$|event|topic|action|scope|owner|user|account|creat|response|request|stats|error/;
const INNER_OBJECT = /^(?:attributes|webhook)$/;

const DATE = /^(?:[0-9]{4}-[0-9]{2}-|[A-Z][a-z]{2}, [0-9]{1,2} )/;
/** Earlier times mean "not set": year 1 (Go, .NET), year 0 (MySQL), 1970. */
const FIRST_TIME = Date.UTC(1971, 0);
/** The tolerated clock skew in milliseconds. */
const CLOCK_SKEW = 24 * 60 * 60 * 1000;

/** Reads the states of all records, in order. A state is unknown if anything in its record contradicts it. */
export function readStates(records: readonly JsonObject[], mapping: ResponseMapping): StateReadings {
  const words: Words = new Map([
    ...(mapping.active ?? ACTIVE_WORDS).map((word) => [asWord(word), "active"] as const),
    ...(mapping.disabled ?? DISABLED_WORDS)
      .filter((word) => !mapping.active?.map(asWord).includes(asWord(word)))
      .map((word) => [asWord(word), "disabled"] as const),
  ]);
  if (mapping.webhookState !== undefined) {
    const pointer = mapping.webhookState;
    const name = normalizeName(parsePointer(pointer)?.at(-1) ?? "");
    const read = (value: unknown): Evidence => {
      if (!isScalar(value)) return null;
      const state = words.get(asWord(value)) ?? readField(name, value, words, null);
      // If the mapping has words for a state, nothing else means that state.
      const isExcluded = isState(state) && mapping[state] !== undefined && !words.has(asWord(value));
      return isState(state) && !isExcluded ? state : "unknown word";
    };
    return { states: records.map((record) => combine([read(resolvePointer(record, pointer))])), pointer };
  }

  const rows = records.map(fieldsOf);
  // Numbers are flags only if every record has them and all are 0 or 1. Otherwise they are counts.
  const numbers = rows.map((nodes) =>
    nodes.filter((node) => isOwn(node) && isFlag(node.name) && isNumeric(node.value)),
  );
  const areFlags = numbers.every(
    (nodes) => nodes.length > 0 && nodes.every(({ value }) => flagOf(value) !== null),
  );
  let pointer: string | null = null;
  const states = rows.map((nodes, index) => {
    if (!areFlags && numbers[index]?.length !== 0) return combine(["ambiguous"]);
    const enabledAt = nodes.filter(({ name }) => ENABLED_AT.test(bareName(name)));
    const wasEnabled = enabledAt.length === 0 ? null : enabledAt.every(({ value }) => isPast(timeOf(value)));
    const evidence = nodes.map((node) => readNode(node, words, wasEnabled));
    const reading = combine(evidence);
    const node = nodes[evidence.findIndex(isState)];
    if (reading.state !== null && node !== undefined) pointer ??= printPointer(node);
    return reading;
  });
  return { states, pointer };
}

/** Returns the members of a record, and those of its objects `attributes` and `webhook`. */
export function ownNodesOf(record: JsonObject): DocumentNode[] {
  return fieldsOf(record).filter(isOwn);
}

/** Whether an object has a state field with a plausible value. */
export function hasStateField(object: JsonObject): boolean {
  return membersOf(object).some(({ name, value }) => {
    const isWord = isScalar(value) && [...ACTIVE_WORDS, ...DISABLED_WORDS, "paused"].includes(asWord(value));
    return isFlag(name) || (STATE.test(bareName(name)) && isWord);
  });
}

/** Returns the members of a record, and those of the objects and arrays in it. */
function fieldsOf(record: JsonObject): DocumentNode[] {
  const descends = ({ depth, name }: DocumentNode): boolean =>
    depth === 0 || (depth === 1 && !OTHER_OBJECT.test(name));
  return [...walk(record, descends)].slice(1);
}

/** Whether a node is a member of the record itself, not of an unrelated object in it. */
function isOwn({ depth, containerName }: DocumentNode): boolean {
  return depth < 2 || INNER_OBJECT.test(containerName);
}

function isFlag(name: string): boolean {
  return ACTIVE.test(bareName(name)) || INACTIVE.test(bareName(name));
}

function bareName(name: string): string {
  return name.replace(/^(?:is)?(?:webhook|hook)?(?:is)?/, "");
}

/** Reads a node. Objects and arrays in a record can only contradict a state. */
function readNode(node: DocumentNode, words: Words, wasEnabled: boolean | null): Evidence {
  const evidence = readField(node.name, node.value, words, wasEnabled);
  if (isOwn(node) && (evidence !== null || isFlag(node.name))) return evidence;
  return evidence === "disabled" || mayBeStopped(node) ? "ambiguous" : null;
}

/** @param wasEnabled Whether the enabling time of the record is in the past; `null` if it has none. */
function readField(rawName: string, value: unknown, words: Words, wasEnabled: boolean | null): Evidence {
  const name = bareName(rawName);
  if (isFlag(name)) {
    const flag = flagOf(value);
    if (flag === null) return value === null ? null : "ambiguous";
    return flag === ACTIVE.test(name) ? "active" : "disabled";
  }
  if (STATE.test(name)) {
    const state = isScalar(value) ? words.get(asWord(value)) : undefined;
    return state ?? (value === null ? null : "unknown word");
  }
  if (!DISABLED_AT.test(name) || value === "" || value === 0) return null;
  if (value === null) return wasEnabled === false ? null : "active";
  return isPast(timeOf(value)) && wasEnabled === null ? "disabled" : "ambiguous";
}

/** Whether a member that is not a state field indicates that the webhook may be stopped. */
function mayBeStopped({ name, value, parent }: DocumentNode): boolean {
  if (OTHER_NAME.test(name) || DISABLED_AT.test(name)) return false;
  const isFalse = flagOf(value) === false;
  if (STOPPED.test(name) && !isArray(parent?.value)) return !(isFalse || value === "" || isEmpty(value));
  if (REQUIRED.test(name) && isFalse) return true;
  const time = timeOf(value);
  if (!Number.isNaN(time)) return TIME.test(name) && END.test(name) === isPast(time);
  if (!isScalar(value) || value === null) return false;
  const word = asWord(value);
  return CONDITION.test(name)
    ? !GOOD.test(word)
    : WORD.test(word) && STOPPED.test(word.replace(/[^a-z]/g, ""));
}

function combine(evidence: readonly Evidence[]): StateReading {
  const [state, ...others] = new Set(evidence.filter(isState));
  if (evidence.includes("ambiguous") || others.length > 0) return { state: null, missing: "webhookState" };
  if (evidence.includes("unknown word")) return { state: null, missing: "active" };
  return state === undefined ? { state: null, missing: "webhookState" } : { state, missing: null };
}

function isState(evidence: Evidence): evidence is WebhookState {
  return evidence === "active" || evidence === "disabled";
}

function isNumeric(value: unknown): value is number | string {
  return typeof value === "number" || (typeof value === "string" && /^[0-9]{1,15}$/.test(value));
}

function flagOf(value: unknown): boolean | null {
  const word = isScalar(value) ? asWord(value) : "";
  if (/^(?:true|yes|y|1)$/.test(word)) return true;
  return /^(?:false|no|n|0)$/.test(word) ? false : null;
}

/** Reads a time, in milliseconds since 1970; `NaN` if the value is not a time or means "not set". */
function timeOf(value: unknown): number {
  let time = Number.NaN;
  if (typeof value === "string" && DATE.test(value)) time = Date.parse(value);
  else if (isNumeric(value)) time = Number(value) * (Number(value) < 1e11 ? 1000 : 1);
  return time >= FIRST_TIME ? time : Number.NaN;
}

function isPast(time: number): boolean {
  return time <= Date.now() + CLOCK_SKEW;
}
