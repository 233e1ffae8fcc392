import { expect, it } from "vitest";

import { otherServer } from "../../../provider/src/plugin/resource-messages.ts";
import { FILES, page, sectionOf, tableWith } from "./pages.ts";

/** The messages that the tests of the code list, and one that they do not. */
const MESSAGES = [
  ...FILES.filter((file) => file.endsWith("-messages.txt")).map(page),
  otherServer("one address", "another one", String).message,
].join("\n");

it("docs/troubleshooting.md has a row for each code", () => {
  const codes = page("provider/src/partner-api/errors.ts").match(/(?<=\| ")PARTNERS_\w+(?=")/g) ?? [];
  expect(codes).toContain("PARTNERS_RESOURCE");
  const rows = tableWith(page("docs/troubleshooting.md"), "code").map((row) => row["code"]);
  expect(rows.sort()).toEqual([...codes, "PARTNERS_BUG"].sort());
});

it("the messages that docs/pipelines.md quotes are those of the code, or of Pulumi", () => {
  const rows = sectionOf(page("docs/pipelines.md"), "## When a job fails").match(/^\| .*?(?= \|)/gm) ?? [];
  const quoted = rows.flatMap((cell) => cell.match(/(?<=`)[^`]+(?=`)/g) ?? []);
  expect(quoted.length).toBeGreaterThan(5);
  const known = `${MESSAGES} the stack is currently locked, pending operations`;
  const parts = quoted.flatMap((message) => message.split(/ ?… ?|\d+/)).filter((part) => part.includes(" "));
  expect(parts.filter((part) => !known.includes(part.trim()))).toEqual([]);
});
