import { expect, test } from "vitest";

import { check, printable, renderCheck } from "../../../provider/src/cli/report.js";

/** A name that would clear the screen, set the output of a CI job, reorder text, and forge a line of the doctor. */
const HOSTILE = "a\u001b[2J\u009b2J\r\n::set-output name=x::y\u2028\u202egnp\u2066\u061cok       key";

test("a check prints each text on one line, without characters that control a terminal", () => {
  const text = "a?[2J?2J?::set-output name=x::y?gnp?ok       key";
  expect(renderCheck(check("failed", "stack", HOSTILE, HOSTILE))).toBe(
    `failed   stack       ${text}\n         ${text}\n`,
  );
  expect(printable('Größe 日本 – "x"')).toBe('Größe 日本 – "x"');
});
