import type { WebhookState } from "../api/operations.js";
import { isArray, isEmpty, normaliseName, walk, type DocumentNode, type JsonObject } from "./document.js";
import { asWord, isScalar, parsePointer, resolvePointer, type ResponseMapping } from "./mapping.js";
import { printPointer } from "./structure.js";

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

/** What the name of a field means: a flag, a flag turned around, a word or a time. */
type Kind = "active" | "disabled" | "word" | "disabledAt" | "enabledAt";

/** What a field says: a state, a word that is not known, or something that makes the state ambiguous. */
type Evidence = WebhookState | "unknown word" | "ambiguous" | null;

type Words = ReadonlyMap<string, WebhookState>;

const KINDS: readonly (readonly [kind: Kind, name: RegExp])[] = [
  ["active", /^(?:active|enabled)$/],
  ["disabled", /^(?:disabled|inactive)$/],
  ["word", /^(?:state|status)$/],
  ["disabledAt", /^(?:disabled|deactivated)at$/],
  ["enabledAt", /^(?:enabled|activated)at$/],
];
/** Parts of names and of words that say that a webhook is stopped. */
const STOPPED =
  /paus|suspend|block|delet|archiv|revok|expired|stop|disab|deactiv|inactiv|remov|cancel|terminat|trash|pending|unsubscr|muted|snooz|quarantin|frozen|locked|banned|halted|onhold|ended|turnedoff|^(?:is)?off$/i;
/** Parts of names of what a webhook has to be before it works. */
const REQUIRED =
  /verified|confirmed|approved|valid$|healthy|ready|running|subscribed|published|connected|online|working/;
/** Names of words about a webhook of which only these are known to be good. */
const CONDITION = /^(?!.*deliver).*(?:status|state|lifecycle|health|phase|breaker)(?:name|text|label|code|reason)?$/;
const GOOD =
  /^(?:|0|20[0-9]|active|enabled|on|ok|up|good|healthy|normal|ready|running|live|verified|valid|confirmed|approved|succe[a-z]*|completed?|delivered|published|connected|closed|none|true)$/i;
const END = /expir|until|end|validto/;
/** Names of what is not about the state of the webhook itself. */
const OTHER_NAME =
  /^(?:can(?!cel)|last|next)|url|link|href|event|topic|tag|(?<!status|state)name$|title|descri|able$|count$|ips$|id$/;
const DEFAULT_WORDS: Words = new Map([
  ...["active", "enabled", "on"].map((word) => [word, "active"] as const),
  ...["disabled", "inactive", "off"].map((word) => [word, "disabled"] as const),
]);
const INNER_NAME = /^(?:attributes|webhook)$/;
/** Objects in a record that speak of something else than the webhook. */
const OTHER_OBJECT =
  /^last|deliver(?:y|ies)$|event|topic|action|tag|scope|owner|user|account|creat|response|request|stats|error/;
/** How far a clock may be off. In milliseconds. */
const CLOCK_SKEW = 24 * 60 * 60 * 1000;
const DATE = /^(?:[0-9]{4}-[0-9]{2}-|[A-Z][a-z]{2}, [0-9]{1,2} )/;
/** Earlier times stand for "not set": year 1 (Go, .NET), year 0 (MySQL), 1970. */
const FIRST_TIME = Date.UTC(1971, 0);

/** Reads the states of all records. Where anything in a record speaks against a state, it is unknown. */
export function readStates(records: readonly JsonObject[], mapping: ResponseMapping): StateReadings {
  const words = wordsOf(mapping);
  if (mapping.webhookState !== undefined) {
    const pointer = parsePointer(mapping.webhookState);
    const kind = kindOf(normaliseName(pointer?.at(-1) ?? ""));
    const read = (value: unknown): Evidence => {
      if (!isScalar(value)) return null;
      const state = words.get(asWord(value)) ?? (kind === null ? null : readField(kind, value, words, []));
      // Where words are set for a state, nothing else means it.
      const isSetOtherwise = isState(state) && mapping[state] !== undefined && !words.has(asWord(value));
      return isState(state) && !isSetOtherwise ? state : "unknown word";
    };
    const states = records.map((record) => combine([read(resolvePointer(record, pointer))]));
    return { states, place: mapping.webhookState };
  }

  const rows = records.map(fieldsOf);
  // Numbers are flags only where every record has 0 or 1; elsewhere they are counts.
  const bits = rows.flat().filter(({ value }) => isNumeric(value) && flagOf(value) !== null);
  const isFlag = (node: DocumentNode): boolean =>
    !isNumeric(node.value) || bits.filter((bit) => placeOf(bit) === placeOf(node)).length === records.length;
  let place: string | null = null;
  const states = rows.map((nodes) => {
    const enabledAt = nodes
      .filter(({ name }) => kindOf(name) === "enabledAt")
      .map(({ value }) => timeOf(value));
    const evidence = nodes.map((node): Evidence => {
      const kind = kindOf(node.name);
      if (kind === null || (kind === "word" && !isOwn(node))) return speaksAgainst(node) ? "ambiguous" : null;
      if (/^(?:active|disabled)$/.test(kind) && isOwn(node) && !isFlag(node)) return "ambiguous";
      const said = readField(kind, node.value, words, enabledAt);
      // Objects in a record may only speak against a state.
      return isOwn(node) ? said : said === "disabled" ? "ambiguous" : null;
    });
    const reading = combine(evidence);
    const node = nodes[evidence.findIndex(isState)];
    if (reading.state !== null && node !== undefined) place ??= printPointer(node);
    return reading;
  });
  return { states, place };
}

/** The members of a record, and those of its objects `attributes` and `webhook`. */
export function membersOf(record: JsonObject): Generator<DocumentNode, void, undefined> {
  return walk(record, ({ depth, name }) => depth === 0 || (depth === 1 && INNER_NAME.test(name)));
}

/** The normalised name of a member of a record, such as `id` or `webhook/id`. */
export function placeOf({ around, name }: DocumentNode): string {
  return around === "" ? name : `${around}/${name}`;
}

/** What may tell of the state: the members of a record, and of the objects and arrays in it. */
function fieldsOf(record: JsonObject): DocumentNode[] {
  const enters = ({ depth, name }: DocumentNode): boolean =>
    depth === 0 || (depth === 1 && !OTHER_OBJECT.test(name));
  return [...walk(record, enters)].filter(({ depth }) => depth > 0);
}

/** Whether a node is a member of the record itself, as opposed to one of something in it. */
function isOwn({ depth, around }: DocumentNode): boolean {
  return depth < 2 || INNER_NAME.test(around);
}

/** Whether a member of a record that is not a field for the state says that the webhook is stopped, or may be. */
function speaksAgainst({ name, value, parent }: DocumentNode): boolean {
  if (OTHER_NAME.test(name)) return false;
  const flag = flagOf(value);
  if (STOPPED.test(name) && !isArray(parent?.value))
    return !(flag === false || value === "" || isEmpty(value));
  if (REQUIRED.test(name) && flag === false) return true;
  const time = timeOf(value);
  if (Number.isFinite(time))
    return (
      END.test(name) === time < Date.now() && /at$|on$|date|time|from|since|until|end|expir|valid/.test(name)
    );
  if (!isScalar(value) || value === null) return false;
  return CONDITION.test(name)
    ? !GOOD.test(asWord(value))
    : isWord(value) && STOPPED.test(value.replace(/[^a-z]/gi, ""));
}

/** Whether a value is one word, or two, such as `auto_disabled`. */
function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[a-z]{1,20}(?:[-_ ]?[a-z]{1,20})?$/i.test(value);
}

function kindOf(name: string): Kind | null {
  const bareName = name.replace(/^(?:is)?(?:webhook|hook)?(?:is)?/, "");
  return KINDS.find(([, names]) => names.test(bareName))?.[0] ?? null;
}

/** @param enabledAt the times at which the record says that it was enabled; `NaN` for one that never came. */
function readField(kind: Kind, value: unknown, words: Words, enabledAt: readonly number[]): Evidence {
  const flag = flagOf(value);
  const time = timeOf(value);
  const latest = Date.now() + CLOCK_SKEW;
  switch (kind) {
    case "active":
    case "disabled":
      if (flag === null) return value === null ? null : "ambiguous";
      return flag === (kind === "active") ? "active" : "disabled";
    case "word":
      return (isScalar(value) && words.get(asWord(value))) || (value === null ? null : "unknown word");
    case "disabledAt":
      if (value === null) return enabledAt.some((other) => !(other <= latest)) ? null : "active";
      if (value === "" || value === 0) return null;
      return !(time <= latest) || enabledAt.some((other) => other >= time) ? "ambiguous" : "disabled";
    case "enabledAt":
      return null;
  }
}

function combine(evidence: readonly Evidence[]): StateReading {
  const [state, ...others] = new Set(evidence.filter(isState));
  if (evidence.includes("ambiguous") || others.length > 0) return { state: null, missing: "webhookState" };
  if (evidence.includes("unknown word")) return { state: null, missing: "active" };
  return state === undefined ? { state: null, missing: "webhookState" } : { state, missing: null };
}

/** The words that are set, and the default words of a state for which none is set. */
function wordsOf(mapping: ResponseMapping): Words {
  const words = new Map<string, WebhookState>();
  for (const [word, state] of DEFAULT_WORDS) if (mapping[state] === undefined) words.set(word, state);
  for (const word of mapping.active ?? []) words.set(asWord(word), "active");
  for (const word of mapping.disabled ?? []) words.set(asWord(word), "disabled");
  return words;
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
