import { expect, it } from "vitest";

import { FILES, page, sectionOf, tableWith } from "./pages.ts";

/** The sources, with strings that are continued on the next line in one piece. */
const SOURCE = FILES.filter((file) => /^provider\/src\/.*\.ts$/.test(file))
  .map(page)
  .join("\n")
  .replaceAll(/["'`] \+\s+["'`]/g, "")
  .replaceAll("${does}", "does");

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
  const known = `${SOURCE} the stack is currently locked, pending operations`;
  const parts = quoted.flatMap((message) => message.split(/ ?… ?|\d+/)).filter((part) => part.includes(" "));
  expect(parts.filter((part) => !known.includes(part.trim()))).toEqual([]);
});
