import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

import * as errors from "../../../provider/src/api/errors.js";
import { messages } from "./messages.ts";
import { page } from "./tables.ts";

/** With every run of white space as one space, as a message and a page break lines in their own places. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function sources(folder: string): string[] {
  return readdirSync(new URL(`../../../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => flat(page(`${folder}/${file}`)));
}

const TEXT = flat(page("docs/troubleshooting.md"));

describe("docs/troubleshooting.md", () => {
  const classes = Object.entries(errors).filter(
    (entry): entry is [string, typeof errors.TimeoutError] =>
      typeof entry[1] === "function" && entry[1].prototype instanceof errors.PartnerError,
  );

  it.each(classes)("has a section for %s and its code", (name, ErrorClass) => {
    const facts = { operation: null, happened: "", effect: "none", remedy: "" } as const;
    const { code } = new ErrorClass(facts);
    expect(TEXT).toContain(`\`${code}\` (\`${name}\`)`);
    expect(TEXT).toMatch(new RegExp(`\\| \\[\`${code}\`\\]\\(#[a-z]+\\) \\|`));
  });

  it("has an entry for each code that a message ends with", () => {
    const codes = sources("provider/src").flatMap(
      (text) => text.match(/(?<=["[])PARTNERS_[A-Z]+(?=["\]])/g) ?? [],
    );
    const printed = new Set(codes.filter((code) => code !== "PARTNERS_DEBUG"));
    expect(printed.size).toBe(classes.length + 1);
    for (const code of printed) expect(TEXT).toContain(`[\`${code}\`](#`);
  });

  const said = messages();
  it("knows where messages stand in the sources", () => {
    expect(said.length).toBeGreaterThan(60);
  });
  it.each(said)("has an entry for: %s", (message) => {
    expect(TEXT).toContain(message);
  });

  const quoted = [...TEXT.matchAll(/\*\*"(.+?)"?\*\*/g)].map(([, quote = ""]) => quote);
  // What docs/upgrade.md shows, the real engine says: test/engine/uninstalled.test.ts.
  const shown = flat(page("docs/upgrade.md"));
  const places = [...sources("provider/src"), ...sources("test/engine"), ...sources("test/support"), shown];
  it.each(quoted)("quotes what is really said: %s", (quote) => {
    const parts = quote.split("…").filter((part) => part.trim() !== "");
    expect(parts).not.toEqual([]);
    const found = places.filter((text) => parts.every((part) => text.includes(part.trim())));
    expect(found, "no source and no test has all parts of it").not.toEqual([]);
  });
});
