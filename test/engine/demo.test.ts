import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { inheritedEnv, mustRun } from "../../provider/tools/child-process.ts";

it("the demo prints what the picture in README.md shows", async () => {
  const env = { ...inheritedEnv(), FORCE_COLOR: "1" };
  const output = await mustRun(process.execPath, ["provider/tools/demo.ts"], { cwd: ROOT, env });
  // After a change of the demo: add -u to this test's command, and run `npm run docs`.
  await expect(recordingOf(output)).toMatchFileSnapshot(join(ROOT, "docs/pictures/demo.txt"));
});

/** Removes what differs between two runs: progress, times, the port, the key, and the order of resources. */
function recordingOf(output: string): string {
  const lines = output
    .replaceAll(/ \([\d.]+s\)/g, "")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:4010")
    .replaceAll(/(?<=\*{12})\w{4}/g, "4d2f")
    .replaceAll(/(?<=sha256:)\w+/g, "9f86d081884c7d65")
    .split("\n")
    .filter((line) => !NOT_RECORDED.test(stripVTControlCharacters(line)));
  const sorted: string[] = [];
  for (const line of lines) {
    const key = sortKey(line);
    let index = sorted.length;
    while (key !== "" && index > 0 && sortKey(sorted[index - 1] ?? "") > key) index -= 1;
    sorted.splice(index, 0, line);
  }
  return sorted.join("\n").replaceAll(/\n{3,}/g, "\n\n");
}

/** A line about a resource, such as ` +  pulumi:pulumi:Stack partners-demo created`. */
const RESOURCE = /^ [ +~-] {2}pulumi\S*:/;
const NOT_RECORDED = /^ .* (?:creating|updating|refreshing|deleting|running)\b|^Done in|^Duration:/;

/** Returns the text to sort a line by among its neighbors, or `""` for a line that stays where it is. */
function sortKey(line: string): string {
  const text = stripVTControlCharacters(line);
  return RESOURCE.test(text) ? text : "";
}
