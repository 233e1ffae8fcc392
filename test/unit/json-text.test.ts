import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { withoutSpecialValues } from "../../provider/src/handlers/contract.js";
import { ObjectText, parseDocument, TOO_MANY_VALUES } from "../../provider/src/json-text.js";
import { nodesOf } from "../../provider/src/json.js";
import { readWebhookList } from "../../provider/src/responses/webhook-list-reader.js";
import { runSeed } from "../support/random.ts";

const RUNS = { numRuns: 300, seed: runSeed() };
const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 });
const documents = fc
  .tuple(
    fc.oneof(fc.jsonValue(), objects, fc.dictionary(fc.string(), fc.oneof(objects, fc.jsonValue()))),
    fc.nat(2),
  )
  .map(([value, spaces]) => JSON.stringify(value, null, spaces));

function parseAll(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe("a document", () => {
  it("has the values that JSON.parse returns, or is not JSON for either", () => {
    const broken = fc
      .tuple(documents, fc.nat(), fc.constantFrom("", ",", "{", "}", "[", "]", '"', "\\", "1"))
      .map(([text, at, character]) => {
        const index = at % (text.length + 1);
        return text.slice(0, index) + character + text.slice(index + 1);
      });
    fc.assert(
      fc.property(fc.oneof(documents, broken), (text) => {
        const all = [...nodesOf(parseDocument(text))].map(({ value, depth }) => [depth, value]);
        const expected = [...nodesOf(parseAll(text))].map(({ value, depth }) => [depth, value]);
        expect(withoutSpecialValues(all)).toEqual(withoutSpecialValues(expected));
      }),
      RUNS,
    );
  });

  it("keeps the objects of an array as text, unless the array holds anything else", () => {
    const object = expect.any(ObjectText) as unknown;
    expect(parseDocument('{"a":[{"b":[{}]},{}],"c":[{},1]}')).toEqual({ a: [object, object], c: [{}, 1] });
  });

  it.each([
    ["100,001 numbers", `[1${",1".repeat(100_000)}]`],
    ["an object with 100,001 members in an array", `[{"a":[1${",1".repeat(100_000)}]}]`],
    ["500,001 objects", `[{}${",{}".repeat(500_000)}]`],
  ])("is not parsed if it has %s", (_, text) => {
    expect(parseDocument(text)).toBe(TOO_MANY_VALUES);
    const list = readWebhookList(text, {}, 200, {});
    expect(list).toMatchObject({ readable: false, reason: "too many values" });
  });

  it("is not proven to hold a complete list if it has more than 250,000 values next to it", () => {
    const log = `{"codes":[0${",0".repeat(90_000)}]}`;
    const complete = (logs: string) => {
      const list = readWebhookList(`{"items":[{"id":1}],"logs":[${logs}]}`, {}, 200, {});
      return list.readable && list.complete;
    };
    expect(complete(`${log},${log}`)).toBe(true);
    expect(complete(`${log},${log},${log}`)).toBe(false);
  });
});
