import type { ResponseMapping } from "../responses.js";
import { candidates, pointerText, type Explanation } from "./explanation.js";
import { isArray, isObject, parseBody, type JsonObject } from "./json.js";
import { parsePointer, resolve } from "./pointer.js";
import { kindOfStateField, STATE_NAMES } from "./state-fields.js";
import { isScalar } from "./state-words.js";
import { describeStructure } from "./structure.js";
import { findWebhookArray } from "./webhook-array.js";
import { readColumns, readFields } from "./webhook-fields.js";
import { ID_NAMES, readWebhookIds, toWebhookId } from "./webhook-id.js";
import { readStates, statePaths } from "./webhook-state.js";

const FIELD_NAMES: ReadonlySet<string> = new Set([...ID_NAMES, ...STATE_NAMES]);

/**
 * Explains how `readWebhookList` reads a response.
 *
 * @returns `null` if the response is not JSON, so that there is nothing to point at.
 */
export function explainWebhookList(text: string, mapping: ResponseMapping): Explanation | null {
  const body = parseBody(text);
  if (!body.ok) return null;
  const root = body.value;
  const list = findWebhookArray(root, mapping);
  if (list.problem !== undefined) {
    const arrays = candidates(
      root,
      (value) => isArray(value) && (value.length === 0 || value.some(isObject)),
    );
    return {
      pointers: {},
      missing: { setting: "webhooks", candidates: arrays },
      structure: describeStructure(root),
    };
  }
  const { records } = list;
  const [first] = records;
  const webhooks = { webhooks: [pointerText(list.path)] };
  if (first === undefined) return { pointers: webhooks, missing: null, structure: describeStructure(root) };

  const columns = readColumns(records, FIELD_NAMES);
  const found = readWebhookIds(records, columns, mapping.webhookId);
  if (found.problem !== undefined) {
    const ids = candidates(first, (value) => toWebhookId(value) !== null);
    return {
      pointers: webhooks,
      missing: { setting: "webhookId", candidates: ids },
      structure: describeStructure(first),
    };
  }
  const pointers = { ...webhooks, webhookId: [pointerText(found.path)] };
  const readings = readStates(records, columns, mapping);
  const index = readings.findIndex(({ state }) => state === null);
  const unread = records[index];
  const states = statePaths(records, columns, mapping).map(pointerText);
  const known = { ...pointers, ...(states.length > 0 && { webhookState: states }) };
  if (unread === undefined) return { pointers: known, missing: null, structure: describeStructure(first) };
  const structure = describeStructure(unread);
  if (readings[index]?.problem === null && hasStateWord(unread, mapping)) {
    return { pointers: known, missing: { setting: "active", candidates: [] }, structure };
  }
  const id = pointerText(found.path);
  const scalars = candidates(unread, (value, name) => name !== "" && isScalar(value));
  const setting = { setting: "webhookState", candidates: scalars.filter((path) => path !== id) } as const;
  return { pointers: known, missing: setting, structure };
}

/** Whether it is known where the state of a record is, so that only the word there can be unknown. */
function hasStateWord(record: JsonObject, { webhookState }: ResponseMapping): boolean {
  if (webhookState !== undefined) return isScalar(resolve(record, parsePointer(webhookState)));
  const fields = readFields(record, FIELD_NAMES);
  return fields.some(({ name, value }) => kindOfStateField(name) === "word" && isScalar(value));
}
