import type { WebhookState } from "../api/operations.js";
import {
  type DocumentNode,
  isObject,
  type JsonObject,
  nodesOf,
  parseDocument,
  resolvePointer,
} from "../json.js";
import { deniesSuccess, isFailedStatus, reportsFailure } from "./failure-report.js";
import { isListName, MAX_DEPTH } from "./list-finder.js";
import type { ResponseMapping } from "./mapping.js";
import { ownNodesOf, readState } from "./state-reader.js";
import { readWebhookId } from "./webhook-id.js";

/** What the response to the change of a webhook says. */
export interface ChangeReading {
  /** Whether it reports a failure. Errors in the record of the webhook may be those of its deliveries. */
  readonly failed: boolean;
  /** The state in the record of the webhook; `null` if it shows none. */
  readonly shown: WebhookState | null;
}

/**
 * Reads the response to the change of a webhook. Many services return its record, with the same names as in
 * the list. Never throws.
 *
 * @example readChange('{"id":7,"active":true,"error":"timed out"}', 7, {}) // failed: false; shown: "active"
 */
export function readChange(text: string, webhookId: number, mapping: ResponseMapping): ChangeReading {
  const document = parseDocument(text);
  const failed = reportsFailure(text);
  const isNamed = ({ value }: DocumentNode): boolean => idIn(value, mapping) === webhookId;
  const named = [...nodesOf(document, (node) => node.depth < MAX_DEPTH && !isNamed(node)).filter(isNamed)];
  const records = named.length > 0 ? named : unnamedRecords(document, mapping);
  // A failed status beside an ID is that of a delivery; beside no ID, the status is part of the report.
  const isOther = ({ name, value }: DocumentNode): boolean =>
    named.length > 0 ? isFailedStatus(name, value) : failed && name === "status";
  const states = new Set(
    records.flatMap(({ value }) => stateIn(value as JsonObject, isOther, mapping) ?? []),
  );
  const [shown = null] = states.size === 1 ? states : [];
  const isRecord = shown !== null && named.some(({ depth }) => depth === 0);
  return { failed: isRecord ? deniesSuccess(document) : failed, shown };
}

/** @param isOther Tells which members do not describe the webhook. */
function stateIn(
  record: JsonObject,
  isOther: (node: DocumentNode) => boolean,
  mapping: ResponseMapping,
): WebhookState | null {
  const { webhookState: pointer } = mapping;
  // A list may leave out what is null, but this may be no record at all.
  if (pointer !== undefined && resolvePointer(record, pointer) === undefined) return null;
  return readState(
    record,
    ownNodesOf(record).filter((node) => !isOther(node)),
    mapping,
  ).state;
}

/** Returns the objects without an ID that may be the record: the root, and those in usual envelopes. */
function unnamedRecords(document: unknown, mapping: ResponseMapping): DocumentNode[] {
  const isRecord = ({ value, name, depth }: DocumentNode): boolean =>
    isObject(value) && (depth === 0 || isListName(name)) && idIn(value, mapping) === undefined;
  return [...nodesOf(document, ({ value, depth }) => isObject(value) && depth < MAX_DEPTH).filter(isRecord)];
}

/** Returns the ID in a record; `null` if it is not clear, and `undefined` if there is none. */
function idIn(value: unknown, mapping: ResponseMapping): number | null | undefined {
  return isObject(value) ? readWebhookId(value, ownNodesOf(value), mapping) : undefined;
}
