/** The picture of the demo in README: `npm run demo:picture` runs the demo and writes docs/demo.svg. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { demoLines } from "./demo-picture/lines.ts";
import { terminal } from "./demo-picture/svg.ts";
import { runProcess } from "./process.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Where the picture lies. */
export const PICTURE = join(ROOT, "docs/demo.svg");

/** Runs the demo, and draws what it printed. @throws {Error} if the demo fails. */
export async function drawDemo(): Promise<string> {
  const { code, stdout, stderr } = await runProcess(process.execPath, ["test/support/demo.ts"], {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1" },
    timeoutMs: 900_000, // The first run on a machine may have to build the Pulumi CLI.
  });
  if (code !== 0) throw new Error(`The demo ended with ${code}: ${stderr}${stdout}`);
  return terminal(demoLines(stdout), "What npm run demo prints, without progress and times");
}

if (import.meta.main) await writeFile(PICTURE, await drawDemo());
