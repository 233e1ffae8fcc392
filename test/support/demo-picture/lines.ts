/** Whole lines that are left out: progress, what a shorter line says as well, and times. */
const NOISE = [
  /^@ /,
  / (creating|updating|deleting|refreshing) \(\d+s\)/,
  / running *$/,
  / pulumi:pulumi:Stack /,
  /^ {4}pulumi-nodejs:/, // Unchanged.
  /^(Previewing update|Updating|Refreshing|Destroying) \(/,
  /^Duration: /,
  /^The resources in the stack have been deleted/,
  /^If you want to remove the stack completely/,
  /^Done in /,
];

/** What differs from run to run, and what stands in its place. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/ \(\d+(\.\d+)?m?s\)/, ""],
  [/127\.0\.0\.1:\d+/, "127.0.0.1:4010"],
  [/sha256:[0-9a-f]{16}/, "sha256:0f1e2d3c4b5a6978"],
  [/\*{12}[^']{4}/, "************Ab3d"],
];

/** The lines of the demo as they are shown: without progress, times and chance, so that two runs are the same. */
export function demoLines(output: string): string[] {
  const shown = output
    .replaceAll(/^Outputs:\n(.+\n)+/gm, "") // The demo shows them in a step of its own.
    .split("\n")
    .filter((line) => !NOISE.some((noise) => noise.test(line)))
    .map((line) => VARYING.reduce((text, [varying, fixed]) => text.replace(varying, fixed), line).trimEnd());
  return inOrder(shown.filter((line) => line !== "")).flatMap((line, index) =>
    index > 0 && line.startsWith("━━") ? ["", line] : [line],
  );
}

/** Resources end in any order, so runs of their lines are sorted; a repeated line is progress, too. */
function inOrder(lines: readonly string[]): string[] {
  const runs: string[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run && isResource(line) && isResource(run[0] ?? "")) run.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => [...new Set(run)].sort());
}

function isResource(line: string): boolean {
  return /^ [+~-] {2}pulumi-nodejs:/.test(line);
}
