import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { inheritedEnv, runProcess } from "../../support/process.ts";

const UP = join(import.meta.dirname, "../../../examples/pipeline/ci/up.sh");

/** Stands in for the CLI: it and a process that it has started say what signal they get, and it ends half a second later. */
const CLI = `#!/usr/bin/env node
const { spawn } = require("node:child_process");
const name = process.argv[2] === "up" ? "cli" : "started by it";
process.on("SIGINT", () => console.log(name + ": SIGINT"));
if (name === "cli") {
  const started = spawn(process.argv[0], [__filename], { stdio: ["pipe", "inherit", "inherit"] });
  process.once("SIGINT", () => setTimeout(() => started.stdin.end(), 500));
} else {
  process.stdin.resume();
}
`;

// A second SIGINT makes Pulumi end at once, and the key that is being made is lost.
it("up.sh interrupts Pulumi when the time is over, once, and nothing that Pulumi has started", async () => {
  const dir = await mkdtemp(join(tmpdir(), "up-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "pulumi"), CLI);
  await chmod(join(dir, "pulumi"), 0o755);
  const PATH = [dir, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { ...inheritedEnv(), PATH, UP_TIME_LIMIT: "3s" };
  const { code, stdout } = await runProcess(UP, [], { cwd: dir, env, ownGroup: true });
  expect(stdout).toBe("cli: SIGINT\n");
  expect(code).toBe(124);
}, 30_000);
