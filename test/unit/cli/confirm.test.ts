import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

import { confirm } from "../../../provider/src/cli/confirm.js";

test.each([
  ["y\n", true],
  ["YES \n", true],
  ["n\n", false],
  ["\n", false],
  ["yesterday\n", false],
  ["", false], // The end of the input.
])("the answer %j means %s", async (typed, agreed) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(typed);
  expect(await confirm("Make a key?", input, output)).toBe(agreed);
  output.end();
  expect(await text(output)).toContain("Make a key? [y/N] ");
});

test.each([
  ["y\r", true],
  ["\u0003", false], // Ctrl-C
  ["\u0004", false], // Ctrl-D
])("what is typed at a terminal, %j, means %s", async (typed, agreed) => {
  const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
  const answer = confirm("Make a key?", input, output);
  input.write(typed);
  expect(await answer).toBe(agreed);
});
