import { expect, it } from "vitest";

import { nodesOf, parseDocument, parseWithExactIntegers, provesWhole } from "../../provider/src/json.js";
import { readWebhookList } from "../../provider/src/responses/webhook-list-reader.js";
import { K } from "./responses/support.ts";

it("a document may begin with a byte order mark", () => {
  expect(parseDocument('\ufeff{"id":7}')).toEqual({ id: 7 });
  expect(parseDocument("\ufeff\ufeff7")).toBeUndefined();
  expect(parseDocument("")).toBeUndefined();
});

it("an exact integer is what stands in the text as digits", () => {
  const text = '{"id":12345678901234567890,"small":7,"text":"7","other":[-7,7.0,7e3]}';
  const other = [-7, 7, 7000];
  expect(parseWithExactIntegers(text)).toEqual({ id: 12345678901234567890n, small: 7n, text: "7", other });
});

it("a document of 300,000 levels is walked without recursion; with exact integers, it is not JSON", () => {
  const text = "[".repeat(300_000) + "]".repeat(300_000);
  expect(nodesOf(parseDocument(text)).reduce((count) => count + 1, 0)).toBe(250_000);
  expect(parseWithExactIntegers(text)).toBeUndefined();
});

it("a list is not proven to be complete if there are more than 250,000 values next to it", () => {
  const log = `{"codes":[0${",0".repeat(90_000)}]}`;
  const complete = (logs: string) => {
    const list = readWebhookList(`{"items":[{"id":1}],"logs":[${logs}]}`, {}, 200, {});
    return list.readable && list.complete;
  };
  expect(complete(`${log},${log}`)).toBe(true);
  expect(complete(`${log},${log},${log}`)).toBe(false);
});

it.each<[text: string, whole: boolean]>([
  [`{"apiKey":"${K}"}`, true],
  [`\uFEFF [{"apiKey":"${K}"}]\n`, true],
  [`"${K}"`, true],
  ["{}", true],
  [`{"apiKey":"${K}"`, false],
  [`"${K}`, false],
  [K, false],
  ["4917012345", false],
  ["true", false],
  ["", false],
])("that %j is whole is proved by the text alone: %s", (text, whole) => {
  expect(provesWhole(parseDocument(text))).toBe(whole);
});

it.each([`{"a":[{"b":"c"}]}`, `[1,{"a":"}"}]`, `"a\\"b"`])("no start of %s counts as whole", (text) => {
  const starts = Array.from({ length: text.length }, (_, end) => text.slice(0, end));
  expect(starts.filter((start) => provesWhole(parseDocument(start)))).toEqual([]);
});
