import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

const DOCS = join(import.meta.dirname, "../../docs");

/** The blocks in a language below a heading of a page of the docs. */
export async function docBlocks(page: string, heading: string, language: string): Promise<string[]> {
  const sections = (await readFile(join(DOCS, page), "utf8")).split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, text = ""]) => text);
}

/**
 * Holds that a page of the docs shows what is so: every line of the first block below a heading is a part of the text. What
 * the CLI prints has progress and times in between, and resources may end in another order.
 *
 * @param text What the CLI printed (`"text"`), or the program of an example (`"ts"`).
 */
export async function expectShown(
  page: string,
  heading: string,
  text: string,
  language: "text" | "ts" = "text",
): Promise<void> {
  const [block = ""] = await docBlocks(page, heading, language);
  expect(block, `docs/${page} shows nothing below "${heading}"`).not.toBe("");
  for (const line of block.split("\n").map((line) => line.trim()))
    expect(text, `docs/${page}`).toContain(line);
}
