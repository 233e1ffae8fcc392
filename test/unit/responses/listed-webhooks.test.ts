import fc from "fast-check";
import { expect, it } from "vitest";

import { readWebhookList } from "../../../provider/src/api/responses.js";

const webhooks = fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 60 }), active: fc.boolean() }), {
  selector: ({ id }) => id,
});

// When it fails, fast-check prints the seed and the path with which to repeat it.
it("a list has each webhook once, in its order, and no other", () => {
  fc.assert(
    fc.property(webhooks, (records) => {
      const list = readWebhookList(JSON.stringify(records), undefined, {});
      if (!list.readable) throw new Error(list.problem);
      const expected = records.map((record) => {
        const state = record.active ? "active" : "disabled";
        return { webhookId: record.id, state, problem: null, record };
      });
      expect([...list.webhooks.values()]).toEqual(expected);
      expect([...list.webhooks.keys()]).toEqual(records.map(({ id }) => id));
      expect(list.webhooks.size).toBe(records.length);
      for (let id = 0; id <= 61; id += 1) {
        const one = expected.find(({ webhookId }) => webhookId === id);
        expect(list.webhooks.get(id)).toEqual(one);
        expect(list.webhooks.has(id)).toBe(one !== undefined);
      }
    }),
  );
});
