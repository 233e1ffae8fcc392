import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  parseResponseMapping,
  readApiKey,
  readWebhookList,
  reportsFailure,
  type ResponseMapping,
} from "../../../provider/src/api/responses.js";
import { MARKER, documents, mappings } from "./arbitraries.ts";

// When a property fails, fast-check prints the seed and the path with which to repeat it.
const RUNS = { numRuns: 1500 };
const link = fc.option(fc.oneof(fc.string(), fc.constant('</2>; rel="next"')), { nil: undefined });

describe("any text, with any mapping", () => {
  it("is read or refused, and never an exception", () => {
    fc.assert(
      fc.property(
        fc.oneof(documents, fc.json(), fc.string({ unit: "binary" })),
        link,
        mappings,
        (text, header, mapping) => {
          expect(readApiKey(text, mapping).readable).toBeTypeOf("boolean");
          const headers = { "x-next-page": header, "content-range": text };
          expect(readWebhookList(text, header, mapping, headers).readable).toBeTypeOf("boolean");
          expect(reportsFailure(text)).toBeTypeOf("boolean");
        },
      ),
      RUNS,
    );
  });

  it("never has a value in a message", () => {
    fc.assert(
      fc.property(documents, mappings, (text, mapping) => {
        const key = readApiKey(text, mapping);
        const list = readWebhookList(text, undefined, mapping);
        const messages = [key, list].flatMap((reading) => (reading.readable ? [] : [reading.problem]));
        if (list.readable) for (const { problem } of list.webhooks.values()) messages.push(problem ?? "");
        expect(messages.join("\n")).not.toContain(MARKER);
        // Nothing that a terminal or a CI log would take for a command, either.
        expect(messages.join("")).toMatch(/^[ -~]*$/);
      }),
      RUNS,
    );
  });

  it("gives only what is in it", () => {
    fc.assert(
      fc.property(documents, mappings, (text, mapping) => {
        const key = readApiKey(text, mapping);
        if (key.readable) {
          // Text that is no JSON may be the key as it is.
          expect(text).toContain(text.includes('"') ? JSON.stringify(key.apiKey) : key.apiKey);
          expect(key.keyId ?? "").not.toContain(key.apiKey);
        }
        const list = readWebhookList(text, undefined, mapping);
        if (!list.readable) return;
        for (const { webhookId, state, problem } of list.webhooks.values()) {
          expect(list.webhooks.get(webhookId)?.webhookId).toBe(webhookId);
          expect(Number.isSafeInteger(webhookId) && webhookId > 0).toBe(true);
          expect(state === null || problem === null).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it("leaves the prototypes alone, and is not moved by them", () => {
    const polluted = { key: `sk_live_${MARKER}`, rel: "next", webhooks: [{ id: 1 }], success: false };
    const mapping = Object.create(null) as ResponseMapping;
    const read = (text: string): string =>
      JSON.stringify([readApiKey(text, mapping), readWebhookList(text, undefined, mapping)]);
    fc.assert(
      fc.property(documents, (text) => {
        const before = read(text);
        Object.assign(Object.prototype, polluted);
        let after: string;
        try {
          after = read(text);
        } finally {
          for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name);
        }
        expect(after).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      RUNS,
    );
  }, 30_000); // A prototype that changes makes everything slow.
});

describe("any setting", () => {
  it("is accepted or refused, never an exception, and never has a value in a message", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), documents, mappings), (value) => {
        const { mapping, problems } = parseResponseMapping(value);
        expect(problems.join("\n")).not.toContain(MARKER);
        expect(parseResponseMapping(mapping)).toEqual({ mapping, problems: [] });
      }),
      RUNS,
    );
  });
});
