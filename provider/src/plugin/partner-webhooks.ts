import type { Handlers } from "./boundary.js";
import { openSession } from "./session.js";

/** The handlers behind `getPartnerWebhooks`, of which the engine only ever calls `read`: nothing is created here. */
export const partnerWebhooks: Handlers = {
  check: (_olds, inputs) => Promise.resolve({ inputs, problems: [] }),
  diff: () => ({ changes: false, replaces: [] }),
  create: neverCalled,
  update: neverCalled,
  delete: neverCalled,

  async read(_id, olds) {
    // Only a refresh hands over an earlier list. That one is of no use to anybody, as every run of the program reads anew,
    // and a new one would be reported as drift of the stack.
    if (typeof olds["webhooks"] === "string") return { props: olds };
    const found = await (await openSession()).webhooks.all();
    const webhooks = found.map(({ webhookId, state, record }) => ({ webhookId, state, record }));
    // As text: a record can hold anything, also what has a meaning to the engine.
    return { props: { webhooks: JSON.stringify(webhooks) } };
  },
};

function neverCalled(): Promise<never> {
  return Promise.reject(new Error());
}
