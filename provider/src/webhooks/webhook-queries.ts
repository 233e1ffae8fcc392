import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { ResourceError } from "../shared/problems.js";
import { findWebhook, isFound, type WebhookQuery } from "../webhook-search.js";
import { unknownStates } from "./fleet-model.js";
import { shownWebhook, type ShownWebhook } from "./shown-webhook.js";

/** A webhook as a program sees it; `full` is not for programs. */
export type ListedWebhook = ShownWebhook & Pick<WebhookReading, "record">;

/**
 * Lists all webhooks of the account. The records may hold special values: see `withoutSpecialValues`.
 *
 * @throws {PartnerError} if the list cannot be read or has further pages that cannot be read.
 */
export async function listWebhooks(plugin: PluginProcess): Promise<readonly ListedWebhook[]> {
  const listed = await readWebhooks(plugin);
  return listed.map((webhook) => ({ ...shownWebhook(plugin, webhook), record: webhook.record }));
}

/**
 * Finds the only webhook with a URL or a name, in the same list.
 *
 * @throws {PartnerError} as {@link listWebhooks} does, and if not exactly one webhook matches.
 */
export async function findOnlyWebhook(
  plugin: PluginProcess,
  query: WebhookQuery,
): Promise<Omit<ShownWebhook, "full">> {
  const listed = await readWebhooks(plugin);
  const shown = listed.map((webhook) => shownWebhook(plugin, webhook));
  const found = findWebhook(shown, query);
  if (!isFound(found)) throw new ResourceError({ kind: "noMatch", failure: found });
  const { webhookId, state, url, name } = found;
  return { webhookId, state, url, name };
}

/** A webhook that can be imported. */
export interface ListedResource {
  /** The ID for an import. */
  readonly id: string;
  /** The name by which a person recognizes it; empty if its record has none. */
  readonly name: string;
}

/**
 * Lists what can be imported: the webhooks. Keys are not listed, because the Partner API cannot list them.
 *
 * @param state Only webhooks in this state. @default all
 * @throws {PartnerError} as {@link listWebhooks} does, and if the list does not show the state of a webhook
 * to filter.
 */
export async function listResources(plugin: PluginProcess, state?: WebhookState): Promise<ListedResource[]> {
  const listed = await readWebhooks(plugin);
  const unknown = state === undefined ? null : unknownStates(listed);
  if (unknown) throw new ResourceError(unknown);
  return listed
    .filter((webhook) => state === undefined || webhook.state === state)
    .map((webhook) => {
      const { url, name } = shownWebhook(plugin, webhook);
      return { id: String(webhook.webhookId), name: name ?? url ?? "" };
    });
}

async function readWebhooks(plugin: PluginProcess): Promise<readonly WebhookReading[]> {
  const { webhooks } = await plugin.open();
  return (await webhooks.list()).all();
}
