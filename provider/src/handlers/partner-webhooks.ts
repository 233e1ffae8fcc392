import type { ResourceHandlers } from "./contract.js";
import type { PluginProcess } from "./process.js";

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
      const found = await (await plugin.open()).webhooks.all();
      const webhooks = found.map(({ webhookId, state, record }) => ({ webhookId, state, record }));
      // As text: a record can hold anything, also what has a meaning to the engine.
      return { outputs: { webhooks: JSON.stringify(webhooks) } };
    },
  };
}
