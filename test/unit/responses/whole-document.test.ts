import { expect, it } from "vitest";

import { provesWhole } from "../../../provider/src/responses/whole-document.js";
import { K } from "./secrets.ts";

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
  expect(provesWhole(text)).toBe(whole);
});

it.each([`{"a":[{"b":"c"}]}`, `[1,{"a":"}"}]`, `"a\\"b"`])("no start of %s counts as whole", (text) => {
  const starts = Array.from({ length: text.length }, (_, end) => text.slice(0, end));
  expect(starts.filter(provesWhole)).toEqual([]);
});
