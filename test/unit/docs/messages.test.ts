import { expect, it } from "vitest";

import { willChange } from "../../../provider/src/webhooks/webhook-messages.ts";
import { FILES, page, sectionOf } from "./pages.ts";

/** The messages that the tests of the code list. */
const MESSAGES = FILES.filter((file) => file.endsWith("-messages.txt"))
  .map(page)
  .join("\n");

it("the codes that docs/troubleshooting.md lists are those of the code", () => {
  const codes = page("provider/src/partner-api/errors.ts").match(/(?<=\| ")PARTNERS_\w+(?=")/g) ?? [];
  expect(codes).toContain("PARTNERS_RESOURCE");
  const listed = sectionOf(page("docs/troubleshooting.md"), "## Codes").match(/^- `\w+`/gm) ?? [];
  expect(listed).toEqual([...codes, "PARTNERS_BUG"].map((code) => `- \`${code}\``));
});

it("the messages that docs/troubleshooting.md quotes are those of the code", () => {
  const rows = sectionOf(page("docs/troubleshooting.md"), "## Messages").match(/^\| .*?(?= \|)/gm) ?? [];
  const quoted = rows.flatMap((cell) => cell.match(/(?<=`)[^`]+(?=`)/g) ?? []);
  expect(quoted.length).toBeGreaterThan(20);
  const parts = quoted.flatMap((message) => message.split(/ ?… ?|\d+/)).filter((part) => part.includes(" "));
  expect(parts.filter((part) => !MESSAGES.includes(part.trim()))).toEqual([]);
});

it("the guides and the picture of the demo show what the code says", () => {
  const { text } = willChange("states", "active", [101]);
  const picture = page("docs/pictures/demo.svg").replaceAll(/<[^>]*>/g, "");
  for (const shown of [page("docs/get-started.md"), page("docs/webhooks.md"), picture])
    expect(shown).toContain(text);
  const headings = picture.match(/(?<=━━ ).*?(?= ━)/g) ?? [];
  expect(headings).toHaveLength(2);
  for (const heading of headings) expect(page("provider/tools/demo.ts")).toContain(`heading("${heading}")`);
});
