import { expect, it } from "vitest";

import { willChange } from "../../../provider/src/webhooks/webhook-messages.ts";
import { FILES, page, sectionOf } from "./pages.ts";

/** The messages that the tests of the code list. */
const MESSAGES = FILES.filter((file) => file.endsWith("-messages.txt"))
  .map(page)
  .join("\n");

it("the codes that docs/versions.md lists are those of the code", () => {
  const codes = page("provider/src/partner-api/errors.ts").match(/(?<=\| ")PARTNERS_\w+(?=")/g) ?? [];
  expect(codes).toContain("PARTNERS_RESOURCE");
  const listed = sectionOf(page("docs/versions.md"), "### Codes").match(/^- `\w+`/gm) ?? [];
  expect(listed).toEqual([...codes, "PARTNERS_BUG"].map((code) => `- \`${code}\``));
});

it.each([
  ["docs/pipelines.md", "## When a job fails"],
  ["docs/troubleshooting.md", "## Messages about requests"],
  ["docs/troubleshooting.md", "## Messages about keys"],
  ["docs/troubleshooting.md", "## Messages about webhooks"],
  ["docs/troubleshooting.md", "## Messages about settings"],
])("the messages that %s quotes in %j are those of the code, or of Pulumi", (file, heading) => {
  const rows = sectionOf(page(file), heading).match(/^\| .*?(?= \|)/gm) ?? [];
  const quoted = rows.flatMap((cell) => cell.match(/(?<=`)[^`]+(?=`)/g) ?? []);
  expect(quoted.length).toBeGreaterThan(4);
  const pulumi =
    "the stack is currently locked, pending operations, failed to save snapshot, unexpected end of JSON input";
  const known = `${MESSAGES}\n${pulumi}`;
  const parts = quoted.flatMap((message) => message.split(/ ?… ?|\d+/)).filter((part) => part.includes(" "));
  expect(parts.filter((part) => !known.includes(part.trim()))).toEqual([]);
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
