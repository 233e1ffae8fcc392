import { expect, test } from "vitest";

import { check, printable, renderCheck } from "../../../provider/src/cli/report.js";

/** A name that would clear the screen, set the output of a CI job, reorder text, and forge a line of the doctor. */
const HOSTILE = "a\u001b[2J\u009b2J\r\n::set-output name=x::y\u2028\u202egnp\u2066\u061cok       key";

test("text from the state cannot control the terminal or start a line", () => {
  expect(printable(HOSTILE)).toBe("a?[2J?2J??::set-output name=x::y??gnp??ok       key");
  expect(printable('Größe 日本 – "x"')).toBe('Größe 日本 – "x"');
});

test("a check prints each text on one line", () => {
  const printed = renderCheck(check("failed", "stack", HOSTILE, HOSTILE, HOSTILE));
  expect(printed.match(/\n/g)).toHaveLength(3);
  expect(printed.replaceAll("\n", "")).toBe(printable(printed.replaceAll("\n", "")));
});
