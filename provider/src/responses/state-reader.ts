import type { WebhookState } from "../api/operations.js";
import { isArray, isEmpty, membersOf, normaliseName, walk } from "./document.js";
import type { DocumentNode, JsonObject } from "./document.js";
import { asWord, isScalar, parsePointer, resolvePointer, type ResponseMapping } from "./mapping.js";
import { printPointer } from "./candidates.js";

/** What a record says about the state of its webhook. */
export interface StateReading {
  /** `null` if the state is unknown. */
  readonly state: WebhookState | null;
  /**
   * Which setting would tell the state; `null` where it is known. `active` stands for the pair `active` and `disabled`: a
   * field for the state was found, and its value is not known.
   */
  readonly missing: "webhookState" | "active" | null;
}

/** The states of all records, in their order, and the JSON Pointer, relative to a record, of the first field that told one. */
export interface StateReadings {
  readonly states: readonly StateReading[];
  readonly place: string | null;
}

/** What a field says: a state, a word that is not known, or something that makes the state ambiguous. */
type Evidence = WebhookState | "unknown word" | "ambiguous" | null;
type Words = ReadonlyMap<string, WebhookState>;

/** The fields for the state, by their names without `is` and `webhook`. */
const ACTIVE = /^(?:active|enabled)$/;
const INACTIVE = /^(?:disabled|inactive)$/;
const STATE = /^(?:state|status)$/;
const DISABLED_AT = /^(?:disabled|deactivated)at$/;
const ENABLED_AT = /^(?:enabled|activated)at$/;
const ACTIVE_WORDS = ["active", "enabled", "on"];
const DISABLED_WORDS = ["disabled", "inactive", "off"];

/** Parts of other names, and of words under them, that say that a webhook is stopped. */
const STOPPED =
  /paus|suspen[ds]|block|delet|archiv|revok|expired|stop|disab|deactiv|inactiv|remov|cancel|terminat|trash|pending|unsubscr|muted|snooz|quarantin|frozen|locked|banned|halted|onhold|ended|turnedoff|^(?:is)?off$/i;
/** Parts of names of what has to be true before a webhook works. */
const REQUIRED =
  /verified|confirmed|approved|valid$|healthy|ready|running|subscribed|published|connected|online|working/;
/** Names of words about a webhook of which only some are known to be good. */
const CONDITION =
  /^(?!.*deliver).*(?:status|state|lifecycle|health|phase|breaker)(?:name|text|label|code|reason)?$/;
const GOOD =
  /^(?:|0|20[0-9]|active|enabled|on|ok|up|good|healthy|normal|ready|running|live|verified|valid|confirmed|approved|succe[a-z]*|completed?|delivered|published|connected|closed|none|true)$/i;
const WORD = /^[a-z]{1,20}(?:[-_ ]?[a-z]{1,20})?$/i;
const TIME = /at$|on$|date|time|from|since|until|end|expir|valid/;
const END = /expir|until|end|validto/;
/** Names of what is about something else than the state, in a record or as an object in it. */
const OTHER_NAME =
  /^(?:can(?!cel)|last|next)|url|link|href|event|topic|(?<!status|state)name$|title|descri|able$|count$|ips$|id$/;
const OTHER_OBJECT =
  /^last|deliver(?:y|ies)$|event|topic|action|scope|owner|user|account|creat|response|request|stats|error/;
const INNER_OBJECT = /^(?:attributes|webhook)$/;

const DATE = /^(?:[0-9]{4}-[0-9]{2}-|[A-Z][a-z]{2}, [0-9]{1,2} )/;
/** Earlier times stand for "not set": year 1 (Go, .NET), year 0 (MySQL), 1970. */
const FIRST_TIME = Date.UTC(1971, 0);
/** How far a clock may be off. In milliseconds. */
const CLOCK_SKEW = 24 * 60 * 60 * 1000;

/** Reads the states of all records, in their order. Where anything in a record speaks against a state, it is unknown. */
export function readStates(records: readonly JsonObject[], mapping: ResponseMapping): StateReadings {
  const words: Words = new Map([
    ...(mapping.active ?? ACTIVE_WORDS).map((word) => [asWord(word), "active"] as const),
    ...(mapping.disabled ?? DISABLED_WORDS)
      .filter((word) => !mapping.active?.map(asWord).includes(asWord(word)))
      .map((word) => [asWord(word), "disabled"] as const),
  ]);
  if (mapping.webhookState !== undefined) {
    const place = mapping.webhookState;
    const name = normaliseName(parsePointer(place)?.at(-1) ?? "");
    const read = (value: unknown): Evidence => {
      if (!isScalar(value)) return null;
      const said = words.get(asWord(value)) ?? readField(name, value, words, null);
      // Where words are set for a state, nothing else means it.
      const isSetOtherwise = isState(said) && mapping[said] !== undefined && !words.has(asWord(value));
      return isState(said) && !isSetOtherwise ? said : "unknown word";
    };
    return { states: records.map((record) => combine([read(resolvePointer(record, place))])), place };
  }

  const rows = records.map(fieldsOf);
  // Numbers are flags only if every record has 0 or 1; otherwise they are counts.
  const numbers = rows.map((nodes) =>
    nodes.filter((node) => isOwn(node) && isFlag(node.name) && isNumeric(node.value)),
  );
  const areFlags = numbers.every(
    (nodes) => nodes.length > 0 && nodes.every(({ value }) => flagOf(value) !== null),
  );
  let place: string | null = null;
  const states = rows.map((nodes, index) => {
    if (!areFlags && numbers[index]?.length !== 0) return combine(["ambiguous"]);
    const enabledAt = nodes.filter(({ name }) => ENABLED_AT.test(bareName(name)));
    const wasEnabled = enabledAt.length === 0 ? null : enabledAt.every(({ value }) => isPast(timeOf(value)));
    const evidence = nodes.map((node) => readNode(node, words, wasEnabled));
    const reading = combine(evidence);
    const node = nodes[evidence.findIndex(isState)];
    if (reading.state !== null && node !== undefined) place ??= printPointer(node);
    return reading;
  });
  return { states, place };
}

/** The members of a record, and those of its objects `attributes` and `webhook`. */
export function ownNodesOf(record: JsonObject): DocumentNode[] {
  return fieldsOf(record).filter(isOwn);
}

/** Whether an object has a field for the state, with a value that may be one. */
export function tellsState(object: JsonObject): boolean {
  return membersOf(object).some(({ name, value }) => {
    const isWord = isScalar(value) && [...ACTIVE_WORDS, ...DISABLED_WORDS, "paused"].includes(asWord(value));
    return isFlag(name) || (STATE.test(bareName(name)) && isWord);
  });
}

/** What may tell of the state: the members of a record, and of the objects and arrays in it. */
function fieldsOf(record: JsonObject): DocumentNode[] {
  const enters = ({ depth, name }: DocumentNode): boolean =>
    depth === 0 || (depth === 1 && !OTHER_OBJECT.test(name));
  return [...walk(record, enters)].slice(1);
}

/** Whether a node is a member of the record itself, as opposed to one of something in it. */
function isOwn({ depth, around }: DocumentNode): boolean {
  return depth < 2 || INNER_OBJECT.test(around);
}

function isFlag(name: string): boolean {
  return ACTIVE.test(bareName(name)) || INACTIVE.test(bareName(name));
}

function bareName(name: string): string {
  return name.replace(/^(?:is)?(?:webhook|hook)?(?:is)?/, "");
}

/** What a node says; objects and arrays in a record may only speak against a state. */
function readNode(node: DocumentNode, words: Words, wasEnabled: boolean | null): Evidence {
  const said = readField(node.name, node.value, words, wasEnabled);
  if (isOwn(node) && (said !== null || isFlag(node.name))) return said;
  return said === "disabled" || speaksAgainst(node) ? "ambiguous" : null;
}

/** @param wasEnabled whether the record has a time at which it was enabled (`true`) or will be (`false`). */
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

/** Whether a member of a record that is not a field for the state says that the webhook is stopped, or may be. */
function speaksAgainst({ name, value, parent }: DocumentNode): boolean {
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

/** A time in milliseconds since 1970; `NaN` for what is not a time, or stands for none. */
function timeOf(value: unknown): number {
  let time = Number.NaN;
  if (typeof value === "string" && DATE.test(value)) time = Date.parse(value);
  else if (isNumeric(value)) time = Number(value) * (Number(value) < 1e11 ? 1000 : 1);
  return time >= FIRST_TIME ? time : Number.NaN;
}

function isPast(time: number): boolean {
  return time <= Date.now() + CLOCK_SKEW;
}
