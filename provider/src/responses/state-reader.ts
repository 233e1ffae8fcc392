import type { WebhookState } from "../api/operations.js";
import { isEmpty, names, normalizeName, walk, type DocumentNode, type JsonObject } from "./document.js";
import { asWord, isScalar, type ResponseMapping } from "./mapping.js";
import { parsePointer, printPointer, resolvePointer } from "./pointer.js";

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

/**
 * What a field says. `not stopped`: it knows one way to stop a webhook, and this webhook is not stopped in this way. `unclear`: its
 * value has no known meaning. `null`: it is not a state field, or empty.
 */
type Evidence = WebhookState | "not stopped" | "unclear" | null;

const ACTIVE_FLAGS = names("active enabled");
const DISABLED_FLAGS = names("disabled inactive");
const STOPPED_FLAGS = names("paused autoDisabled temporarilyDisabled");
/** What the names of flags, words and times may begin with. */
const PREFIXES = ["is", "webhook", "hook"];
const TRUE = ["true", "yes", "1"];
const FALSE = ["false", "no", "0"];
const STATES = names("state status");
const ACTIVE_WORDS = names("active enabled on live alive running");
const DISABLED_WORDS = names(
  "disabled inactive off paused pause suspended stopped deactivated autoDisabled temporarilyDisabled dead failed",
);
const STOPPED_TIMES = names("disabledAt deactivatedAt pausedAt suspendedAt");
/** Earlier times mean "not set": year 1 (Go, .NET), year 0 (MySQL), 1970. In seconds or milliseconds. */
const FIRST_TIME = 31_536_000;
/** Among configured words: every value that the other state does not have. */
const ANY_OTHER = "*";
/** Objects in a record whose members count as its own. */
const INNER_OBJECTS = names("attributes node webhook hook webhookEndpoint webhookSubscription");

/** Reads the states of all records, in order. */
export function readStates(records: readonly JsonObject[], mapping: ResponseMapping): StateReadings {
  if (mapping.webhookState !== undefined) {
    const pointer = mapping.webhookState;
    return { states: records.map((record) => readPointer(record, pointer, mapping)), pointer };
  }
  let pointer: string | null = null;
  const states = records.map((record) => {
    const nodes = ownNodesOf(record);
    const reading = readFields(nodes, mapping);
    const node = nodes.find((field) => readFields([field], mapping).state === reading.state);
    if (reading.state !== null && node !== undefined) pointer ??= printPointer(node);
    return reading;
  });
  return { states, pointer };
}

/** Returns the members of a record, and those of the objects in it that count as its own. */
export function ownNodesOf(record: JsonObject): DocumentNode[] {
  const isOwn = ({ depth, name }: DocumentNode): boolean =>
    depth === 0 || (depth === 1 && INNER_OBJECTS.has(name));
  return [...walk(record, isOwn)].slice(1);
}

/** Flags decide, then words, then times. Fields that disagree make the state unknown. */
function readFields(
  nodes: readonly Pick<DocumentNode, "name" | "value">[],
  mapping: ResponseMapping,
): StateReading {
  const fields = nodes.map(({ name, value }) => ({ name: bareName(name), value }));
  const flags = fields.map(({ name, value }) => readFlag(name, value));
  const words = fields.map(({ name, value }) => (STATES.has(name) ? readWord(value, mapping) : null));
  const times = fields.map(({ name, value }) => (STOPPED_TIMES.has(name) ? readTime(value) : null));
  const evidence = [...flags, ...words, ...times];
  const [state, ...others] = new Set(evidence.filter(isState));
  if (others.length > 0 || flags.includes("unclear") || times.includes("unclear")) return NOT_FOUND;
  if (words.includes("unclear") && !flags.some(isState)) return UNKNOWN_WORD;
  if (state !== undefined) return { state, missing: null };
  return evidence.includes("not stopped") ? { state: "active", missing: null } : NOT_FOUND;
}

const NOT_FOUND: StateReading = { state: null, missing: "webhookState" };
const UNKNOWN_WORD: StateReading = { state: null, missing: "active" };

/** Reads the state at `responses.webhookState`. A known name is not needed, if the configured words have the value. */
function readPointer(record: JsonObject, pointer: string, mapping: ResponseMapping): StateReading {
  const value = resolvePointer(record, pointer);
  // Some services leave out a member that is null.
  const word = value === undefined ? configuredState("null", mapping, false) : readWord(value, mapping);
  if (isState(word)) return { state: word, missing: null };
  if (!isScalar(value)) return NOT_FOUND;
  const name = normalizeName(parsePointer(pointer)?.at(-1) ?? "");
  const { state } = readFields([{ name, value }], {});
  // If there are words for a state, nothing else means that state.
  return state === null || mapping[state] !== undefined ? UNKNOWN_WORD : { state, missing: null };
}

function readFlag(name: string, value: unknown): Evidence {
  const isActive = ACTIVE_FLAGS.has(name);
  const isStopped = STOPPED_FLAGS.has(name);
  if ((!isActive && !isStopped && !DISABLED_FLAGS.has(name)) || value === null) return null;
  const word = isScalar(value) ? asWord(value) : "";
  if (TRUE.includes(word)) return isActive ? "active" : "disabled";
  if (!FALSE.includes(word)) return "unclear";
  if (isStopped) return "not stopped";
  return isActive ? "disabled" : "active";
}

function readWord(value: unknown, mapping: ResponseMapping): Evidence {
  const configured = isScalar(value) ? configuredState(asWord(value), mapping) : null;
  if (configured !== null || value === null) return configured;
  const name = typeof value === "string" ? normalizeName(value) : "";
  if (mapping.active === undefined && ACTIVE_WORDS.has(name)) return "active";
  return mapping.disabled === undefined && DISABLED_WORDS.has(name) ? "disabled" : "unclear";
}

/** Returns the state with a configured word. @param anyOther Whether `*` counts. */
function configuredState(word: string, mapping: ResponseMapping, anyOther = true): WebhookState | null {
  const states = ["active", "disabled"] as const;
  const has = (state: WebhookState, one: string): boolean =>
    mapping[state]?.map(asWord).includes(one) === true;
  return (
    states.find((state) => has(state, word)) ??
    states.find((state) => anyOther && has(state, ANY_OTHER)) ??
    null
  );
}

function readTime(value: unknown): Evidence {
  if (isEmpty(value)) return "not stopped";
  const time = typeof value === "string" && !/^[0-9]+$/.test(value) ? Date.parse(value) : Number(value);
  return time >= FIRST_TIME ? "disabled" : "unclear";
}

/** Removes prefixes: `isWebhookActive` becomes `active`. */
function bareName(name: string): string {
  const prefix = PREFIXES.find((start) => name.startsWith(start));
  return prefix === undefined ? name : bareName(name.slice(prefix.length));
}

function isState(evidence: Evidence): evidence is WebhookState {
  return evidence === "active" || evidence === "disabled";
}
