import type { WebhookState } from "../api/operations.js";
import { isObject, normaliseName, type JsonObject } from "./document.js";
import { isFieldName, parsePointer, resolvePointer } from "./json-pointer.js";
import { asWord, isScalar, type ResponseMapping } from "./mapping.js";

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

type Kind = "active" | "disabled" | "word" | "disabledAt" | "activatedAt" | "stop";

/** A member that the records have in common. */
interface Field {
  readonly kind: Kind;
  readonly pointer: string;
  /** In how many records it is a number. */
  numbers: number;
  /** Whether one of these numbers is not 0 or 1. */
  counts: boolean;
}

const ACTIVE: StateReading = { state: "active", missing: null };
const DISABLED: StateReading = { state: "disabled", missing: null };
const NO_FIELD: StateReading = { state: null, missing: "webhookState" };
const NO_WORD: StateReading = { state: null, missing: "active" };

const DEFAULT_WORDS: ReadonlyMap<string, WebhookState> = new Map([
  ...["active", "enabled", "on"].map((word) => [word, "active"] as const),
  ...["disabled", "inactive", "off"].map((word) => [word, "disabled"] as const),
]);

const STATE_NAME =
  /^(?:is)?(?:webhook|hook)?(?:is)?(?:(active|enabled)|(disabled|inactive)|(state|status)|(disabledat|deactivatedat)|(activatedat|enabledat))$/;
const KINDS = ["active", "disabled", "word", "disabledAt", "activatedAt"] as const;
/** Being stopped in one of these ways may or may not be what the API calls disabled. */
const STOP_NAME = /paus|suspend|block|delet|archiv|revok|expired|stopped/;
const LINK_NAME = /url|link|href/;
/** Objects in a record whose members count as its own. */
const INNER_NAME = /^(?:attributes|webhook)$/;

const DATE =
  /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,+Z-]{2,30})?|[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{5,8} (?:GMT|UTC|[+-][0-9]{4}))$/;
const EPOCH = /^[0-9]{9,13}$/;
/** Earlier times stand for "not set": year 1 (Go, .NET), year 0 (MySQL), 1970. */
const FIRST_TIME = Date.UTC(1971, 0);

/** Whether a name (normalised) is one under which the state of a webhook may be. */
export function isStateName(name: string): boolean {
  return STATE_NAME.test(name);
}

/** Reads the states of all records. Where anything in a record speaks against a state, it is unknown. */
export function readStates(records: readonly JsonObject[], mapping: ResponseMapping): StateReadings {
  const wordState = createWords(mapping);
  if (mapping.webhookState !== undefined) {
    const pointer = parsePointer(mapping.webhookState);
    const kind = kindOf(normaliseName(pointer?.at(-1) ?? ""));
    const read = (record: JsonObject): StateReading =>
      stateAt(resolvePointer(record, pointer), kind, wordState, mapping);
    return { states: records.map(read), place: mapping.webhookState };
  }

  const eachField = createFieldReader();
  for (const record of records) {
    eachField(record, (field, value) => {
      if (!isNumeric(value)) return;
      field.numbers += 1;
      field.counts ||= Number(value) > 1;
    });
  }
  let place: string | null = null;
  const states = records.map((record) => {
    const evidence = new Evidence();
    eachField(record, (field, value) => {
      evidence.add(field, value, records.length, wordState);
    });
    const reading = evidence.combine();
    if (reading.state !== null) place ??= evidence.pointer;
    return reading;
  });
  return { states, place };
}

/** What the fields of one record say together. */
class Evidence {
  pointer: string | null = null;
  readonly #states = new Set<WebhookState>();
  #unclear = false;
  #unknownWord = false;
  #neverDisabled = false;
  #neverActivated = false;
  #disabledAt = 0;
  #activatedAt = 0;

  add(field: Field, value: unknown, records: number, wordState: Words): void {
    switch (field.kind) {
      case "stop":
        if (isSet(value)) this.#unclear = true;
        return;
      case "disabledAt": {
        const time = timeOf(value);
        if (time === undefined) this.#unclear = true;
        else if (time === null) this.#neverDisabled = true;
        else this.#disabledAt = Math.max(this.#disabledAt, time);
        this.pointer ??= field.pointer;
        return;
      }
      case "activatedAt": {
        const time = timeOf(value) ?? null;
        if (time === null) this.#neverActivated = true;
        else this.#activatedAt = Math.max(this.#activatedAt, time);
        return;
      }
      case "word": {
        const state = isScalar(value) ? wordState(value) : null;
        if (state !== null) this.#claim(state, field);
        else if (value !== null) this.#unknownWord = true;
        return;
      }
      case "active":
      case "disabled": {
        if (value === null) return;
        const isFlag = !isNumeric(value) || (field.numbers === records && !field.counts);
        const flag = isFlag ? flagOf(value) : null;
        if (flag === null) this.#unclear = true;
        else this.#claim(flag === (field.kind === "active") ? "active" : "disabled", field);
      }
    }
  }

  combine(): StateReading {
    if (this.#neverDisabled && !this.#neverActivated) this.#states.add("active");
    if (this.#disabledAt > this.#activatedAt) this.#states.add("disabled");
    else if (this.#disabledAt > 0) this.#unclear = true;

    if (this.#unclear || this.#states.size > 1) return NO_FIELD;
    if (this.#unknownWord) return NO_WORD;
    if (this.#states.has("active")) return ACTIVE;
    return this.#states.has("disabled") ? DISABLED : NO_FIELD;
  }

  #claim(state: WebhookState, field: Field): void {
    this.#states.add(state);
    this.pointer ??= field.pointer;
  }
}

type Words = (value: string | number | boolean | null) => WebhookState | null;

/** The state that a value stands for: a word that is set, or a default of a state for which none is set. */
function createWords(mapping: ResponseMapping): Words {
  const words = new Map<string, WebhookState>();
  for (const word of mapping.active ?? []) words.set(asWord(word), "active");
  for (const word of mapping.disabled ?? []) words.set(asWord(word), "disabled");
  for (const [word, state] of DEFAULT_WORDS) {
    if (mapping[state] === undefined && !words.has(word)) words.set(word, state);
  }
  return (value) => words.get(asWord(value)) ?? null;
}

/** The state in the field that `webhookState` points at. */
function stateAt(
  value: unknown,
  kind: Kind | null,
  wordState: Words,
  mapping: ResponseMapping,
): StateReading {
  if (!isScalar(value)) return NO_FIELD;
  const state = wordState(value) ?? stateByName(value, kind);
  // Where words are set for a state, nothing else means it.
  const isSetOtherwise = state !== null && wordState(value) === null && mapping[state] !== undefined;
  if (state === null || isSetOtherwise) return NO_WORD;
  return state === "active" ? ACTIVE : DISABLED;
}

/** What a value means by the name of its field: true is active in `enabled`, disabled in `disabled`, and unknown in `paused`. */
function stateByName(value: unknown, kind: Kind | null): WebhookState | null {
  if (kind === "disabledAt") {
    const time = timeOf(value);
    if (time === undefined) return null;
    return time === null ? "active" : "disabled";
  }
  const flag = kind === "word" && typeof value !== "boolean" ? null : flagOf(value);
  if (flag === null || kind === null || kind === "stop" || kind === "activatedAt") return null;
  return flag === (kind !== "disabled") ? "active" : "disabled";
}

type FieldReader = (record: JsonObject, take: (field: Field, value: unknown) => void) => void;

/** A reader of the fields of records that remembers what each name means, because the records of a list repeat the same few. */
function createFieldReader(path = ""): FieldReader {
  const fields = new Map<string, Field | FieldReader | null>();
  const learn = (rawName: string): Field | FieldReader | null => {
    const name = normaliseName(rawName);
    const pointer = `${path}/${isFieldName(rawName) ? rawName : "*"}`;
    const kind = kindOf(name);
    if (kind !== null) return { kind, pointer, numbers: 0, counts: false };
    return path === "" && INNER_NAME.test(name) ? createFieldReader(pointer) : null;
  };
  return (record, take) => {
    for (const name of Object.keys(record)) {
      let field = fields.get(name);
      if (field === undefined) fields.set(name, (field = learn(name)));
      if (field === null) continue;
      const value = record[name];
      if (typeof field !== "function") take(field, value);
      else if (isObject(value)) field(value, take);
    }
  };
}

function kindOf(name: string): Kind | null {
  const found = STATE_NAME.exec(name);
  if (found !== null)
    return KINDS[found.slice(1).findIndex((group) => (group as string | undefined) !== undefined)] ?? null;
  return STOP_NAME.test(name) && !LINK_NAME.test(name) ? "stop" : null;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^[0-9]{1,15}$/.test(value));
}

function flagOf(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string" && typeof value !== "number") return null;
  const word = asWord(value);
  if (word === "true" || word === "yes" || word === "1") return true;
  return word === "false" || word === "no" || word === "0" ? false : null;
}

/** A time in milliseconds since 1970; `null` for null, `undefined` for what is not a time, or stands for none. */
function timeOf(value: unknown): number | null | undefined {
  if (value === null) return null;
  let time = Number.NaN;
  if (typeof value === "number" || (typeof value === "string" && EPOCH.test(value))) {
    time = Number(value) < 1e11 ? Number(value) * 1000 : Number(value);
  } else if (typeof value === "string" && DATE.test(value)) time = Date.parse(value);
  return time >= FIRST_TIME ? time : undefined;
}

/** Whether a member is set: not empty, not zero, and not false in any form. */
function isSet(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  if (value === null || flagOf(value) === false || value === "") return false;
  return !(typeof value === "string" && DATE.test(value) && timeOf(value) === undefined);
}
