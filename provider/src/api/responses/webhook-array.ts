import type { ResponseMapping } from "../responses.js";
import { isFailureReport } from "./failure-report.js";
import { isArray, isObject, type JsonObject } from "./json.js";
import { normalise } from "./names.js";
import { findPaths, printPaths } from "./paths.js";
import { parsePointer, resolve, type Pointer } from "./pointer.js";
import { hasWebhookId } from "./webhook-id.js";

/** How many names the path of a list that is found without a setting may have. */
const MAX_DEPTH = 3;
const LIST_NAMES = new Set(["webhooks", "hooks"]);
/** Names that an empty list may have. An empty `tags` beside other things would otherwise make all webhooks "gone". */
const EMPTY_LIST_NAMES = new Set([
  ...["data", "items", "list", "results", "result", "records", "entries", "values", "elements"],
  ...["content", "response", "payload", "rows", "objects", "collection"],
]);
/** What else a response may hold besides its list; never looked into. */
const NOT_THE_LIST = new Set([
  ...["error", "errors", "warnings", "messages", "notices", "included"],
  ...["link", "links", "meta", "metadata", "page", "pageable", "paging", "pagination", "sort", "filters"],
]);

const SET_LIST = "Set partners:responses.webhooks to the JSON Pointer of the array of webhooks.";
const FAILURE =
  "The response reports a failure, although its status says success, so no list in it is believed. Its text is not shown here: ask the service for the list by other means to see it, and check partners:accessToken.";

/** The list of webhooks and where it is, or why it is refused. */
export type WebhookArray =
  | { readonly records: readonly JsonObject[]; readonly path: Pointer; readonly problem?: undefined }
  | { readonly problem: string };

interface FoundArray {
  readonly elements: readonly unknown[];
  readonly path: Pointer;
  /** Whether the name says that this is the list. */
  readonly named: boolean;
}

/** Finds the array of webhooks in the response of `listWebhooks`. */
export function findWebhookArray(root: unknown, mapping: ResponseMapping): WebhookArray {
  // Also against the mapping: an empty list beside a failure would make all webhooks "gone".
  if (isFailureReport(root)) return { problem: FAILURE };
  if (mapping.webhooks !== undefined) {
    const path = parsePointer(mapping.webhooks);
    const value = resolve(root, path);
    if (path !== undefined && isArray(value)) return asRecords(value, path);
    const what = value === undefined ? "points at nothing in the response" : "does not point at an array";
    return refuse(`partners:responses.webhooks ${what}.`, root);
  }
  if (isArray(root)) return asRecords(root, []);
  if (!isObject(root)) return refuse("The response holds no list of webhooks.", root);

  const arrays: FoundArray[] = [];
  collect(root, [], arrays);
  const named = arrays.filter((array) => array.named);
  const [only, second] = named.length > 0 ? named : arrays;
  if (only === undefined) return refuse("No list of webhooks was recognised in the response.", root);
  if (second !== undefined) return refuse("More than one array could be the list of webhooks.", root);
  if (only.elements.length === 0 && !mayBeEmpty(only)) {
    return refuse(
      "The only array of the response is empty, and its name does not say that it is the list.",
      root,
    );
  }
  return asRecords(only.elements, only.path);
}

function mayBeEmpty(array: FoundArray): boolean {
  const name = normalise(array.path.at(-1) ?? "");
  return EMPTY_LIST_NAMES.has(name) || name.includes("hook");
}

function collect(object: JsonObject, path: Pointer, into: FoundArray[]): void {
  const isRecord = hasWebhookId(object);
  for (const [rawName, value] of Object.entries(object)) {
    const name = normalise(rawName);
    if (NOT_THE_LIST.has(name)) continue;
    const valuePath = [...path, rawName];
    if (isArray(value)) {
      const named = LIST_NAMES.has(name);
      // An array inside what has an id of its own is a part of a record. An empty one may be the list as well as any other.
      const possible = !isRecord && (value.length === 0 || value.some(isObject));
      if (named || possible) into.push({ elements: value, path: valuePath, named });
    } else if (isObject(value) && valuePath.length < MAX_DEPTH) {
      collect(value, valuePath, into);
    }
  }
}

function asRecords(elements: readonly unknown[], path: Pointer): WebhookArray {
  return elements.every(isObject)
    ? { records: elements, path }
    : { problem: `The list of webhooks holds something that is not an object. ${SET_LIST}` };
}

function refuse(what: string, root: unknown): WebhookArray {
  const paths = printPaths(
    findPaths(root, (value) => isArray(value) && (value.length === 0 || value.some(isObject))),
  );
  return { problem: `${what}${paths === "" ? "" : ` Candidates: ${paths}.`} ${SET_LIST}` };
}
