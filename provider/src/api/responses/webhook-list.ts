import type { ResponseMapping, WebhookListReading } from "../responses.js";
import { parseBody } from "./json.js";
import { ListedWebhooks } from "./listed-webhooks.js";
import { isComplete } from "./paging.js";
import { STATE_NAMES } from "./state-fields.js";
import { findWebhookArray } from "./webhook-array.js";
import { readColumns } from "./webhook-fields.js";
import { ID_NAMES, readWebhookIds } from "./webhook-id.js";
import { readStates } from "./webhook-state.js";

const FIELD_NAMES: ReadonlySet<string> = new Set([...ID_NAMES, ...STATE_NAMES]);

/**
 * Reads the response of `listWebhooks`.
 *
 * @param text the body.
 * @param linkHeader the `Link` header, several joined with commas; `undefined` if there was none.
 * @param mapping what the user has said about the responses of the service; `{}` if nothing.
 * @param headers all headers of the response; those that tell of further pages count as much as what is in the body.
 * @returns the webhooks, or why there is no list of them: sentences that name paths and the setting to use, never a value.
 * Never throws.
 * @example readWebhookList('[{"id":7,"active":true}]', undefined, {}) // webhooks: 7 → state "active"; complete: true
 */
export function readWebhookList(
  text: string,
  linkHeader: string | undefined,
  mapping: ResponseMapping,
  headers?: Readonly<Record<string, string | string[] | undefined>>,
): WebhookListReading {
  const body = parseBody(text);
  if (!body.ok) return { readable: false, problem: body.problem };
  const list = findWebhookArray(body.value, mapping);
  if (list.problem !== undefined) return { readable: false, problem: list.problem };

  const { records, path } = list;
  const complete = isComplete(body.value, path, records.length, linkHeader, headers);
  if (records.length === 0) return { readable: true, webhooks: new Map(), complete };

  const columns = readColumns(records, FIELD_NAMES);
  const found = readWebhookIds(records, columns, mapping.webhookId);
  if (found.problem !== undefined) return { readable: false, problem: found.problem };

  const states = readStates(records, columns, mapping);
  return { readable: true, webhooks: new ListedWebhooks(records, found.ids, states), complete };
}
