// An approved deployment, with Pulumi's Automation API:
//   node deploy.ts                    shows the plan and its digest; on a terminal, asks whether to apply it
//   node deploy.ts --approve DIGEST   applies the plan if it still has this digest
// Exit codes: 0 applied, or nothing to do; 1 failed; 2 not approved, nothing was changed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { Planned } from "./planned.ts";

const NOT_APPROVED = 2;
/** Milliseconds. Then Pulumi gets one SIGINT and ends cleanly; the pipeline's own timeout would kill it. */
const TIME_LIMIT = 20 * 60_000;

const { approve } = parseArgs({ options: { approve: { type: "string" } } }).values;
const stackName = process.env["PULUMI_STACK"] ?? "production";
const stack = await LocalWorkspace.selectStack({ stackName, workDir: import.meta.dirname });
const show = { onOutput: (text: string) => stdout.write(text), color: "never" } as const;

const planned = new Planned();
const folder = await mkdtemp(join(tmpdir(), "plan-")); // Readable only by its owner: the plan contains outputs.
try {
  const plan = join(folder, "plan.json");
  await stack.preview({ ...show, plan, onEvent: planned.add });
  if (planned.isEmpty) console.log("Nothing to do: neither resources nor outputs change.");
  // With the plan, the engine refuses everything that the preview did not show, including later changes.
  else if (await approved(planned.digest))
    await stack.up({ ...show, plan, signal: AbortSignal.timeout(TIME_LIMIT) });
  else process.exitCode = NOT_APPROVED;
} finally {
  await rm(folder, { recursive: true });
}

async function approved(digest: string): Promise<boolean> {
  console.log(`\nDigest of this plan: ${digest}`);
  if (approve !== undefined) {
    if (approve === digest) return true;
    console.log(`The plan has changed: ${approve} was approved. Nothing was changed.`);
  } else if (stdin.isTTY) {
    const terminal = createInterface({ input: stdin, output: stdout });
    const answer = await terminal.question("Apply it? Only 'yes' is accepted: ");
    terminal.close();
    if (answer === "yes") return true;
    console.log("Nothing was changed.");
  } else {
    console.log(`Nothing was changed. To apply exactly this: node deploy.ts --approve ${digest}`);
  }
  return false;
}
