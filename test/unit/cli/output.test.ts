import { WriteStream } from "node:tty";
import { afterEach, expect, test, vi } from "vitest";

import { printCheck } from "../../../provider/src/cli/doctor/print.js";
import { paint, printable, printableJson, table } from "../../../provider/src/cli/output.js";

const terminal = (colours: boolean) => ({ isTTY: true, hasColors: () => colours });

test.each([
  ["a terminal with colours", terminal(true), "\u001b[32mok\u001b[39m"],
  ["a terminal without, as with NO_COLOR", terminal(false), "ok"],
  ["a file or a pipe", { isTTY: false, hasColors: () => true }, "ok"],
])("colours go to %s or not", (_what, output, expected) => {
  expect(paint("green", "ok", output)).toBe(expected);
});

test.each([
  ["", "\u001b[31mno\u001b[39m"],
  ["1", "no"],
])("a real terminal with NO_COLOR=%j", (noColor, expected) => {
  const output = Object.assign(Object.create(WriteStream.prototype) as WriteStream, { isTTY: true });
  // Node.js asks more variables than these, `CI` among them: a machine's own must not decide the test.
  for (const name of Object.keys(process.env)) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
  vi.stubEnv("NO_COLOR", noColor === "" ? undefined : noColor);
  expect(paint("red", "no", output)).toBe(expected);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a table has columns two spaces apart, and nothing at the ends of its lines", () => {
  const rows = [
    ["ID", "STATE", "NAME"],
    ["101", "disabled", ""],
    ["7", "active", "orders"],
  ];
  expect(table(rows, "  ")).toBe("  ID   STATE     NAME\n  101  disabled\n  7    active    orders\n");
});

test("a table prints nothing that a terminal would obey", () => {
  expect(table([["a\u001b[2Jb\nc\u009b"]])).toBe("a?[2Jb?c?\n");
});

/** A name that clears the screen, sets an output of a CI job, turns letters around, and forges a line of the doctor. */
const HOSTILE = "a\u001b[2J\u009b2J\r\n::set-output name=x::y\u2028\u202egnp\u2066\u061cok       key";

test("a text from a state is one line that is only read", () => {
  expect(printable(HOSTILE)).toBe("a?[2J?2J??::set-output name=x::y??gnp??ok       key");
  expect(printable('Größe 日本 – "x"')).toBe('Größe 日本 – "x"');
});

test("JSON has the same text for a program, and nothing that a terminal would obey", () => {
  const json = printableJson({ name: HOSTILE });
  expect(JSON.parse(json)).toEqual({ name: HOSTILE });
  expect(json.split("\n").map(printable)).toEqual(json.split("\n"));
  expect(json.split("\n")).toHaveLength(3);
});

test("neither a check nor what goes with it begins a line of its own", () => {
  const check = { check: "stack", status: "ok", detail: HOSTILE, remedy: [HOSTILE] } as const;
  const printed = printCheck(check);
  expect(printed.match(/\n/g)).toHaveLength(2);
  expect(printed.replaceAll("\n", "")).toBe(printable(printed.replaceAll("\n", "")));
});
