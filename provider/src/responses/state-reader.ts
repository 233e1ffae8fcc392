import type { WebhookState } from "../api/operations.js";
import { isEmpty, normaliseName, walk, type DocumentNode, type JsonObject } from "./document.js";
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

/** What the name of a field means: a flag, a flag turned around, a word, a time, or being stopped in some other way. */
type Kind = "active" | "disabled" | "word" | "disabledAt" | "enabledAt" | "stop";

/** What a field says: a state, a word that is not known, or something that makes the state ambiguous. */
type Evidence = WebhookState | "unknown word" | "ambiguous" | null;

type Words = ReadonlyMap<string, WebhookState>;

interface Field {
  readonly kind: Kind;
  readonly node: DocumentNode;
}

const KINDS: readonly (readonly [kind: Kind, name: RegExp])[] = [
  ["active", /^(?:active|enabled)$/],
  ["disabled", /^(?:disabled|inactive)$/],
  ["word", /^(?:state|status)$/],
  ["disabledAt", /^(?:disabled|deactivated)at$/],
  ["enabledAt", /^(?:enabled|activated)at$/],
  ["stop", /^(?!.*(?:url|link|href)).*(?:paus|suspend|block|delet|archiv|revok|expired|stopped)/],
];
const DEFAULT_WORDS: Words = new Map([
  ...["active", "enabled", "on"].map((word) => [word, "active"] as const),
  ...["disabled", "inactive", "off"].map((word) => [word, "disabled"] as const),
]);
const INNER_NAME = /^(?:attributes|webhook)$/;
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
  const flags = new Map<string, number>();
  for (const { node } of rows.flat()) {
    const isBit = isNumeric(node.value) && flagOf(node.value) !== null;
    if (isBit) flags.set(placeOf(node), (flags.get(placeOf(node)) ?? 0) + 1);
  }
  let place: string | null = null;
  const states = rows.map((fields) => {
    const enabledAt = fields.filter(({ kind }) => kind === "enabledAt").map(({ node }) => timeOf(node.value));
    const evidence = fields.map(({ kind, node }) => {
      // Numbers are flags only where every record has 0 or 1; elsewhere they are counts.
      const isFlag = !isNumeric(node.value) || flags.get(placeOf(node)) === records.length;
      if (!isFlag && (kind === "active" || kind === "disabled")) return "ambiguous";
      return readField(kind, node.value, words, enabledAt);
    });
    const reading = combine(evidence);
    const field = fields[evidence.findIndex(isState)];
    if (reading.state !== null && field !== undefined) place ??= printPointer(field.node);
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

function fieldsOf(record: JsonObject): Field[] {
  return [...membersOf(record)].flatMap((node) => {
    const kind = kindOf(node.name);
    return kind === null ? [] : [{ kind, node }];
  });
}

function kindOf(name: string): Kind | null {
  const bareName = name.replace(/^(?:is)?(?:webhook|hook)?(?:is)?/, "");
  return KINDS.find(([, names]) => names.test(bareName))?.[0] ?? null;
}

/** @param enabledAt the times at which the record says that it was enabled; `NaN` for one that never came. */
function readField(kind: Kind, value: unknown, words: Words, enabledAt: readonly number[]): Evidence {
  const flag = flagOf(value);
  const time = timeOf(value);
  switch (kind) {
    case "active":
    case "disabled":
      if (flag === null) return value === null ? null : "ambiguous";
      return flag === (kind === "active") ? "active" : "disabled";
    case "word":
      return (isScalar(value) && words.get(asWord(value))) || (value === null ? null : "unknown word");
    case "disabledAt":
      if (value === null) return enabledAt.some(Number.isNaN) ? null : "active";
      return Number.isNaN(time) || enabledAt.some((other) => other >= time) ? "ambiguous" : "disabled";
    case "stop":
      return flag === false || value === "" || isEmpty(value) ? null : "ambiguous";
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
  if (/^(?:true|yes|1)$/.test(word)) return true;
  return /^(?:false|no|0)$/.test(word) ? false : null;
}

/** A time in milliseconds since 1970; `NaN` for what is not a time, or stands for none. */
function timeOf(value: unknown): number {
  let time = Number.NaN;
  if (typeof value === "string" && DATE.test(value)) time = Date.parse(value);
  else if (isNumeric(value)) time = Number(value) * (Number(value) < 1e11 ? 1000 : 1);
  return time >= FIRST_TIME ? time : Number.NaN;
}
