import type { WebhookState } from "../api/operations.js";
import {
  childrenOf,
  isEmpty,
  isScalar,
  nameSet,
  normalizeName,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../json.js";
import { asWord, type ResponseMapping } from "./mapping.js";

/** The state of one webhook, as read from its record. */
export interface StateReading {
  /** `null` if the state is unknown. */
  readonly state: WebhookState | null;
  /**
   * The setting that would help; `null` if the state is known. `active`, also for `disabled`: its word is
   * unknown.
   */
  readonly missing: "webhookState" | "active" | null;
}

/** `field`: where the state was read. */
export type LocatedState = StateReading & { readonly field: Pick<DocumentNode, "pointer"> | null };
/**
 * What a field says. `not stopped`: there are other ways to stop a webhook. `null`: nothing, or it is not a
 * state field.
 */
type Evidence = WebhookState | "not stopped" | "unknown word" | "ambiguous" | null;

/** Flags, with the meaning of true and of false. */
const FLAGS: readonly (readonly [ReadonlySet<string>, Evidence, Evidence])[] = [
  [nameSet("active enabled activated"), "active", "disabled"],
  [nameSet("disabled inactive deactivated"), "disabled", "active"],
  [nameSet("paused suspended autoDisabled temporarilyDisabled"), "disabled", "not stopped"],
];
const STATE = nameSet("state status");
const STOPPED_TIME = nameSet("disabledAt deactivatedAt pausedAt suspendedAt");
const FIELDS = new Set([...STATE, ...STOPPED_TIME, ...FLAGS.flatMap(([flags]) => [...flags])]);
/** What these names may begin with. */
const PREFIX = /^(?:is|webhook|hook)+/;
const TRUE = ["true", "yes", "1"];
const FALSE = ["false", "no", "0"];
const ACTIVE_WORDS = nameSet("active enabled activated on alive running started");
const DISABLED_WORDS = nameSet(
  "disabled inactive off paused pause suspended stopped deactivated terminated blocked blacklisted " +
    "autoDisabled temporarilyDisabled disabledByUser disabledBySystem dead failed",
);
/** Among configured words: every value that the other state does not have. */
const ANY_OTHER = "*";
/** Earlier times mean "not set": year 1 (Go, .NET), year 0 (MySQL), 1970. In seconds or milliseconds. */
const FIRST_TIME = 31_536_000;
/** Objects in a record whose members count as its own. Others, such as `fallbackWebhook`, are only linked. */
const INNER_OBJECT = nameSet("attributes node hook webhook webhookEndpoint webhookSubscription");
/** When a webhook was deleted, or whether it was: many services keep the record for some time. */
const DELETED = nameSet("deleted isDeleted deletedAt deletedDate deletedOn deleteTime removedAt");
const DELETED_WORDS = ["deleted", "removed"];
/** Flags next to which `deleted` is the name of an event. */
const EVENTS = nameSet("created updated");

/**
 * Reads the state in a record, and returns its field; `null` if there is none.
 *
 * @param nodes The result of {@link ownNodesOf}.
 */
export function readState(
  record: JsonObject,
  nodes: readonly DocumentNode[],
  mapping: ResponseMapping,
): LocatedState {
  const { webhookState: pointer } = mapping;
  if (pointer !== undefined) return { ...readPointer(record, pointer, mapping), field: { pointer } };
  const evidence = nodes.map(({ name, value }) => readField(name, value, mapping));
  const field = nodes[evidence.findIndex((one) => one !== null)] ?? null;
  return { ...combine(evidence), field };
}

/**
 * Returns the members of a record, and those of the objects in it that count as its own. An object that is
 * all there is does as well, if its name ends with `hook`.
 */
export function ownNodesOf(record: JsonObject): DocumentNode[] {
  const own: DocumentNode[] = [];
  const members = childrenOf(record);
  for (const node of members) {
    own.push(node);
    const isAll = members.length === 1 && node.name.endsWith("hook");
    if (isAll || INNER_OBJECT.has(node.name)) own.push(...childrenOf(node));
  }
  return own;
}

/** Whether a record says that its webhook was deleted, unless the settings say what its word means. */
export function isDeleted(
  record: JsonObject,
  nodes: readonly DocumentNode[],
  mapping: ResponseMapping,
): boolean {
  const { webhookState: pointer } = mapping;
  const isFlag = ({ value }: DocumentNode): boolean => typeof value === "boolean";
  const hasEvents = nodes.some((node) => EVENTS.has(node.name) && isFlag(node));
  const words =
    pointer === undefined
      ? nodes.filter(({ name }) => STATE.has(name.replace(PREFIX, ""))).map(({ value }) => value)
      : [resolvePointer(record, pointer)];
  const isWord = (value: unknown): boolean =>
    isScalar(value) && DELETED_WORDS.includes(asWord(value)) && readWord(value, mapping) === "unknown word";
  return (
    words.some(isWord) ||
    nodes.some(({ name, value }) => {
      if (!DELETED.has(name) || !isScalar(value)) return false;
      if (TRUE.includes(asWord(value))) return !hasEvents;
      return readTime(value) === "disabled";
    })
  );
}

/** Returns the state that a word means; `null` if it means none. */
export function readStateWord(word: string, mapping: ResponseMapping): WebhookState | null {
  return combine([readWord(word, mapping)]).state;
}

/**
 * Reads the value at `responses.webhookState`. If there are words for a state, no other value means that
 * state.
 */
function readPointer(record: JsonObject, pointer: string, mapping: ResponseMapping): StateReading {
  const value = resolvePointer(record, pointer);
  const reading = combine(value === undefined || isScalar(value) ? [readWord(value, mapping)] : []);
  if (reading.state !== null || !isScalar(value)) return reading;
  const name = normalizeName(pointer.split("/").at(-1) ?? "");
  const byName = combine([readField(name, value, {})]);
  return byName.state === null || mapping[byName.state] !== undefined ? combine(["unknown word"]) : byName;
}

function readField(fullName: string, value: unknown, mapping: ResponseMapping): Evidence {
  const name = fullName.replace(PREFIX, "");
  if (!FIELDS.has(name)) return null; // Almost all of a list's names end here.
  if (STATE.has(name)) return readWord(value, mapping);
  if (STOPPED_TIME.has(name)) return readTime(value);
  const flag = FLAGS.find(([flags]) => flags.has(name));
  if (flag === undefined || value === null) return null;
  const word = isScalar(value) ? asWord(value) : "";
  if (TRUE.includes(word)) return flag[1];
  return FALSE.includes(word) ? flag[2] : "ambiguous";
}

/**
 * Reads a word. A missing member counts as a configured null, because many services leave out what is null.
 */
function readWord(value: unknown, { active, disabled }: ResponseMapping): Evidence {
  const field = value === undefined ? null : value;
  const word = isScalar(field) ? asWord(field) : "";
  for (const one of value === undefined ? [word] : [word, ANY_OTHER]) {
    if (active?.map(asWord).includes(one)) return "active";
    if (disabled?.map(asWord).includes(one)) return "disabled";
  }
  if (value === undefined || value === null) return null;
  if (active === undefined && ACTIVE_WORDS.has(normalizeName(word))) return "active";
  return disabled === undefined && DISABLED_WORDS.has(normalizeName(word)) ? "disabled" : "unknown word";
}

function readTime(value: unknown): Evidence {
  if (isEmpty(value)) return "not stopped";
  if (!isScalar(value)) return "ambiguous";
  const time = typeof value === "string" && Number.isNaN(Number(value)) ? Date.parse(value) : Number(value);
  return time >= FIRST_TIME ? "disabled" : "ambiguous";
}

/** Combines what the fields of a record say. If they disagree, its state is unknown. */
function combine(evidence: readonly Evidence[]): StateReading {
  const states = new Set(evidence.filter((one) => one === "active" || one === "disabled"));
  if (states.size === 0 && evidence.includes("unknown word")) return { state: null, missing: "active" };
  const [state = evidence.includes("not stopped") ? "active" : null] = states;
  const isUnknown = state === null || states.size > 1 || evidence.includes("ambiguous");
  return isUnknown ? { state: null, missing: "webhookState" } : { state, missing: null };
}
