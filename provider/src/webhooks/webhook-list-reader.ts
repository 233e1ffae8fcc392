import {
  isArray,
  isObject,
  nameSet,
  nodesOf,
  normalizeName,
  parseDocument,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { incompleteSignOf, type Headers, type IncompleteSign } from "./incomplete-sign-reader.js";
import { identify, idPointers, type IdentifiedRecord, type IdProblem } from "./webhook-id-reader.js";
import { isSet, readState, type StateReading } from "./webhook-state-reader.js";

/** One webhook of a list. */
export type WebhookReading = IdentifiedRecord & StateReading;

/** A list that was read. */
export interface WebhookListReading {
  readonly isReadable: true;
  /** The JSON Pointer to the records. */
  readonly pointer: string;
  /** Whether the service sent `null` for an empty list. */
  readonly isNull: boolean;
  /** By ID, in the order of the service. */
  readonly webhooks: ReadonlyMap<number, WebhookReading>;
  /** `null` if nothing says that the list is incomplete. */
  readonly incompleteSign: IncompleteSign | null;
}

/** A list that cannot be read, in most cases before a setting says where it is. */
export interface UnreadableList {
  readonly isReadable: false;
  readonly problem: "not JSON" | "not found" | "error" | IdProblem;
  /** The member of `responses` that would help; `null` if none would. */
  readonly setting: "webhooks" | "webhookId" | null;
  /** The JSON Pointers that it can have, each of which would work. */
  readonly pointers: readonly string[];
}

/** The names on the way to the list in documented bodies and usual frameworks. Others may lead to users. */
const LIST_NAMES = nameSet(
  "data embedded items result results list value values entries nodes models hydraMember configurations " +
    "extensions sinks content records rows docs",
);
/** The ends of further such names. */
const LIST_END = /(?:hook|subscription|endpoint)s?(?:list)?$/;
/** What the names of members beside a `null` contain that may say why there is no list. */
const ERROR = /error|fault/;
const MESSAGE = /message/; // It may also be "success".

/** Reads a list of webhooks. Never throws. @param headers By lower-case name. */
export function readWebhookList(
  text: string,
  headers: Headers,
  mapping: ResponseMapping,
): WebhookListReading | UnreadableList {
  const document = parseDocument(text);
  if (document === undefined) return unreadable("not JSON", null);
  const list = findList(document, mapping);
  if (list === "error") return unreadable("error", null);
  if (list === null) return unreadable("not found", "webhooks", listPointers(document));
  const { records, pointer, isNull } = list;
  const identified = identify(records, mapping);
  if (typeof identified === "string") return unreadable(identified, "webhookId", idPointers(records));
  const webhooks = identified.records.map((each) => ({ ...each, ...readState(each.record, mapping) }));
  return {
    isReadable: true,
    pointer,
    isNull,
    webhooks: new Map(webhooks.map((webhook) => [webhook.webhookId, webhook])),
    incompleteSign: incompleteSignOf(document, { ...identified, records }, headers, mapping),
  };
}

function unreadable(
  problem: UnreadableList["problem"],
  setting: UnreadableList["setting"],
  pointers: readonly string[] = [],
): UnreadableList {
  return { isReadable: false, problem, setting, pointers };
}

/** The records of a list, and the JSON Pointer to them. */
interface RecordList {
  readonly records: readonly JsonObject[];
  readonly pointer: string;
  readonly isNull: boolean;
}

/**
 * Finds the list at the setting, or the only array of objects reached through well-known names. Services in
 * Go send `null` for an empty array: without an array, the only such `null` counts as one.
 */
function findList(document: unknown, { webhooks: setting }: ResponseMapping): RecordList | "error" | null {
  if (setting !== undefined) {
    const value = resolvePointer(document, setting);
    if (isRecords(value)) return { records: value, pointer: setting, isNull: false };
    return value === null ? emptyList(document, setting) : null;
  }
  const mayLeadToList = ({ name, parent }: DocumentNode): boolean => parent === null || isListName(name);
  const nodes = nodesOf(document, (node) => isObject(node.value) && mayLeadToList(node)).filter(
    mayLeadToList, // Not the other members of objects on the way.
  );
  const [list, ...others] = nodes.filter(({ value }) => isRecords(value));
  if (others.length > 0) return null;
  if (list !== undefined)
    return { records: list.value as JsonObject[], pointer: list.pointer, isNull: false };
  const [empty, ...otherNulls] = nodes.filter(({ value }) => value === null);
  return empty === undefined || otherNulls.length > 0 ? null : emptyList(document, empty.pointer, MESSAGE);
}

/**
 * Reads a `null` as an empty list, unless something beside it says why there is none.
 *
 * @param doubt Names that leave it to a person whether it is one.
 */
function emptyList(document: unknown, pointer: string, doubt?: RegExp): RecordList | "error" | null {
  const tokens = pointer.split("/");
  const objects = tokens.map((_, index) => resolvePointer(document, tokens.slice(0, index).join("/")));
  const names = objects.flatMap((object) => {
    const members = Object.entries(isObject(object) ? object : {});
    return members.filter(([, value]) => isSet(value)).map(([member]) => normalizeName(member));
  });
  if (names.some((name) => ERROR.test(name))) return "error";
  if (names.some((name) => doubt?.test(name))) return null;
  return { records: [], pointer, isNull: true };
}

function isListName(name: string): boolean {
  return LIST_NAMES.has(name) || LIST_END.test(name);
}

function isRecords(value: unknown): value is readonly JsonObject[] {
  return isArray(value) && value.every(isObject);
}

/** Returns the JSON Pointers to possible lists: those with IDs, or all if none has any. */
function listPointers(document: unknown): string[] {
  const lists = nodesOf(document, ({ value }) => isObject(value)).filter(
    ({ value, name }) => isRecords(value) || (value === null && isListName(name)),
  );
  const withIds = lists.filter(({ value }) => isRecords(value) && idPointers(value).length > 0);
  return pointersOf(withIds.length > 0 ? withIds : lists);
}
