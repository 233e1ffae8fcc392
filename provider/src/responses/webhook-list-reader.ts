import type { UnreadableList } from "../api/errors.js";
import {
  isObject,
  nodesOf,
  parseDocument,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../json.js";
import { isComplete, readTotal, type ResponseHeaders } from "./completeness.js";
import { findList, groupState, listCandidates } from "./list-finder.js";
import type { ResponseMapping } from "./mapping.js";
import { findNextPage, FIRST_PAGE, readPageEnd, type NextPage } from "./next-page.js";
import { isDeleted, ownNodesOf, readState, type LocatedState, type StateReading } from "./state-reader.js";
import { findId, rankOf, toWebhookId, type IdProblem } from "./webhook-id.js";

export interface WebhookReading extends StateReading {
  /** A positive safe integer. */
  readonly webhookId: number;
  /** As it was sent. */
  readonly record: JsonObject;
}

export type WebhookListReading =
  | {
      readonly readable: true;
      readonly webhooks: ReadonlyMap<number, WebhookReading>;
      /** The records that are not objects, or without a usable ID. The others can be managed. */
      readonly odd: readonly OddRecord[];
      /** Whether nothing indicates further webhooks. */
      readonly complete: boolean;
      /**
       * Whether a webhook that is missing does not exist. An empty list may be one of something else, or a
       * failure.
       */
      readonly provesAbsence: boolean;
      /** Why it proves no absence, if neither further pages nor an empty list are the reason. */
      readonly doubt: ListDoubt | null;
      /**
       * JSON Pointers to the values found, by setting. `webhookId` and `webhookState` are relative to a
       * record.
       */
      readonly pointers: Readonly<Partial<Record<"webhooks" | "webhookId" | "webhookState", string>>>;
      /** The number of records, also of those that are no webhooks. */
      readonly recordCount: number;
      /** The number of webhooks on all pages, if the response shows it; `null` if not. */
      readonly total: number | null;
      /** How to request the next page; `null` if there is none, or nothing says how. */
      readonly next: NextPage | null;
    }
  | UnreadableList;

type Field = Pick<DocumentNode, "pointer">;

/**
 * `part`: the response has similar records elsewhere, or only the webhooks in one state. `odd`: a record
 * without a usable ID may be the webhook that is missing.
 */
export type ListDoubt = "part" | "odd";

/** A record that is not a webhook that can be managed. */
export interface OddRecord {
  /** Its position in the list, from 1. */
  readonly position: number;
  readonly reason: IdProblem | "not an object";
}

/**
 * Reads a webhook list, or a page of one. Does not detect failures: see `reportsFailure`. Never throws.
 *
 * @param position Of the page in the list. @default the first page
 * @example readWebhookList('[{"id":7,"active":true}]', {}, 200, {}) // webhooks: 7 → state "active";
 * complete: true
 */
export function readWebhookList(
  text: string,
  headers: ResponseHeaders,
  status: number,
  mapping: ResponseMapping,
  position = FIRST_PAGE,
): WebhookListReading {
  const document = status === 204 && text.trim() === "" ? null : parseDocument(text); // 204: an empty list.
  if (document === undefined) return refuse("webhooks", "not JSON");
  const list = findList(document, mapping);
  if (typeof list === "string") return refuse("webhooks", list, listCandidates(document, mapping));

  const { records } = list;
  const webhooks = new Map<number, WebhookReading>();
  const odd: OddRecord[] = [];
  let deleted = 0;
  const pointers: Partial<Record<string, string>> = {};
  const note = (setting: string, field: Field | null): void => {
    if (pointers[setting] !== undefined) return; // Making a pointer takes long.
    const pointer = field?.pointer ?? null;
    if (pointer !== null) pointers[setting] = pointer;
  };
  note("webhooks", list);
  const objects = records.filter(isObject);
  const rank = rankOf(nodesOfEach(objects));
  for (const [index, record] of records.entries()) {
    if (record === null) {
      odd.push({ position: index + 1, reason: "not an object" });
      continue;
    }
    const nodes = ownNodesOf(record);
    const id = findId(record, nodes, rank, mapping, list.keys?.[index]);
    if (isDeleted(record, nodes, mapping)) deleted += 1;
    else if (typeof id === "string") odd.push({ position: index + 1, reason: id });
    else {
      const group = list.groups?.[index];
      const { state, missing, field } = readGrouped(readState(record, nodes, mapping), group, mapping);
      webhooks.set(id.webhookId, { webhookId: id.webhookId, state, missing, record });
      note("webhookId", id.field);
      if (state !== null) note("webhookState", field);
    }
  }
  const [first, ...rest] = new Set(odd.flatMap(({ reason }) => (reason === "not an object" ? [] : reason)));
  if (first !== undefined && webhooks.size === 0 && position.known.size === 0) {
    const reason = rest.length === 0 && first !== "several" ? first : "none";
    return refuse("webhookId", reason, idCandidates(objects));
  }
  if (webhooks.size + odd.length + deleted < records.length)
    return refuse("webhookId", "not unique", idCandidates(objects));

  const ids = [...webhooks.keys()];
  const others = records.length - webhooks.size;
  const newIds = ids.filter((id) => !position.known.has(id));
  const read = {
    pages: position.number,
    records: position.known.size + newIds.length + position.othersBefore + others,
  };
  const extent = { parts: list.parts, length: records.length };
  const end = readPageEnd(document, headers, extent, mapping, position);
  const isWhole = status !== 206 && !list.isPart && isComplete(document, extent, headers, read, end);
  const complete = mapping.complete ?? isWhole;
  const isRightList = read.records > 0 || mapping.complete === true;
  const mayHaveNext =
    !isWhole || !complete || mapping.nextPage !== undefined || mapping.pageParameter !== undefined;
  const page = { ...extent, lastId: ids.at(-1) ?? null };
  const oddDoubt = haveOtherIds(odd) ? null : "odd";
  return {
    readable: true,
    webhooks,
    odd,
    complete,
    provesAbsence: complete && isRightList && haveOtherIds(odd),
    doubt: list.isPart && !complete ? "part" : oddDoubt,
    pointers,
    recordCount: records.length,
    total: readTotal(document, extent, headers),
    next: mayHaveNext ? findNextPage(document, headers, page, mapping, position) : null,
  };
}

/** Whether odd records are other webhooks than any with a usable ID. If not, one may be the missing one. */
export function haveOtherIds(odd: readonly OddRecord[]): boolean {
  return odd.every(({ reason }) => reason === "not a number");
}

function* nodesOfEach(records: readonly JsonObject[]): Generator<DocumentNode[]> {
  for (const record of records) yield ownNodesOf(record);
}

/** Adds what the name of the array of a record says about its state. */
function readGrouped(own: LocatedState, group: string | undefined, mapping: ResponseMapping): LocatedState {
  if (group === undefined || mapping.webhookState !== undefined) return own;
  const state = groupState(group, mapping);
  if (state === null || own.state === state) return own;
  return own.state === null
    ? { state, missing: null, field: null }
    : { ...own, state: null, missing: "webhookState" };
}

/** Returns the JSON Pointers to possible IDs. In two records, an ID has two values. */
function idCandidates([first, second]: readonly JsonObject[]): string[] {
  const isCandidate = ({ value, pointer }: DocumentNode): boolean => {
    const other = second === undefined || pointer === null ? undefined : resolvePointer(second, pointer);
    return toWebhookId(value) !== null && toWebhookId(other) !== toWebhookId(value);
  };
  return pointersOf(nodesOf(first).filter(isCandidate));
}

function refuse(
  setting: UnreadableList["setting"],
  reason: UnreadableList["reason"],
  candidates: readonly string[] = [],
): UnreadableList {
  return { readable: false, setting, reason, candidates };
}
