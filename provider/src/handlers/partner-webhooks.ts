import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { PluginProcess } from "./process.js";

/** A webhook as programs see it. */
export type ListedWebhook = Pick<WebhookReading, "webhookId" | "state" | "record">;

/** All webhooks of the account. @throws {PartnerError} if the list cannot be read, or has further pages. */
export async function listWebhooks(plugin: PluginProcess): Promise<ListedWebhook[]> {
  const found = (await (await plugin.open()).webhooks.look([])).all();
  return found.map(({ webhookId, state, record }) => ({ webhookId, state, record }));
}
