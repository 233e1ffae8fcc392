import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { ResourceHandlers } from "./contract.js";
import type { PluginProcess } from "./process.js";

/** A webhook as programs see it. */
export type ListedWebhook = Pick<WebhookReading, "webhookId" | "state" | "record">;

/** All webhooks of the account. @throws {PartnerError} if the list cannot be read, or has further pages. */
export async function listWebhooks(plugin: PluginProcess): Promise<ListedWebhook[]> {
  const found = (await (await plugin.open()).webhooks.look([])).all();
  return found.map(({ webhookId, state, record }) => ({ webhookId, state, record }));
}

/** The handlers behind `getPartnerWebhooks`, of which the engine only ever calls `read`: nothing is created here. */
export function partnerWebhooksHandlers(plugin: PluginProcess): ResourceHandlers {
  const neverCalled = (): Promise<never> => Promise.reject(new Error());
  return {
    check: (_olds, inputs) => Promise.resolve({ inputs, problems: [] }),
    diff: () => ({ changes: false, replaces: [] }),
    preview: () => ({}),
    create: neverCalled,
    update: neverCalled,
    delete: neverCalled,
    adopt: neverCalled,

    async read(olds) {
      // Only a refresh hands over an earlier list. A new one would be reported as drift, and every run of the program reads again.
      if (typeof olds["webhooks"] === "string") return { outputs: olds };
      // As text: a record can hold anything, also what has a meaning to the engine.
      return { outputs: { webhooks: JSON.stringify(await listWebhooks(plugin)) } };
    },
  };
}
