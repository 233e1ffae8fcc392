import { expect, it } from "vitest";

import { FILES, page } from "./pages.ts";

/** Numbered steps that no test can follow, or that are not for a reader to follow, and why. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  "## Set it up": "it configures GitHub or GitLab; pipeline.test.ts runs the jobs",
  "## How a key is deleted": "the provider does these steps",
};

it("every section with numbered steps is followed by an engine test", () => {
  const pages = FILES.filter((file) => /^docs\/[^/]*\.md$/.test(file) && !file.endsWith("_index.md"));
  const headings = pages.flatMap((file) =>
    `\n${page(file).replaceAll(/^```.*?^```/gms, "")}`
      .split(/\n(?=#)/)
      .filter((section) => /^1\. /m.test(section))
      .map((section) => section.split("\n", 1)[0] ?? ""),
  );
  expect(new Set(headings).size, "two sections have the same name").toBe(headings.length);
  const tests = FILES.filter((file) => /^test\/engine\/.*\.test\.ts$/.test(file)).map(page);
  const isFollowed = (heading: string) => tests.some((text) => text.includes(`"${heading}"`));
  expect(headings.length).toBeGreaterThan(15);
  expect(headings.filter((heading) => !isFollowed(heading) && !(heading in NOT_FOLLOWED))).toEqual([]);
  expect(Object.keys(NOT_FOLLOWED).filter((heading) => !headings.includes(heading))).toEqual([]);
});
