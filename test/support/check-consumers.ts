/**
 * Type-checks examples/key-consumers as a user has it: copied out, with the packed provider and the packages it names. They are no
 * part of the workspace: 30 MB and 3,600 files more for every `npm ci`, and Pulumi would fetch their plugins for every program
 * that has them in a `node_modules` below its folder. Then runs it with mocks: does each consumer get the key, as a secret?
 */
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

const folder = await mkdtemp(join(tmpdir(), "key-consumers-"));
try {
  await cp(join(ROOT, "examples/key-consumers"), folder, { recursive: true });
  await cp(join(import.meta.dirname, "key-consumers-mocks.cjs"), join(folder, "mocks.cjs"));
  const pack = ["pack", "--silent", "--workspace=provider", `--pack-destination=${folder}`];
  const tarball = run(ROOT, "npm", ...pack);
  run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", `./${tarball}`);
  run(folder, "npx", "tsc", "--noEmit", "false", "--outDir", "built");
  console.log(`examples/key-consumers is type-checked. ${run(folder, "node", "mocks.cjs")}`);
} finally {
  await rm(folder, { recursive: true });
}

/** What a command printed. What it has to say of a failure is on either stream. */
function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} failed:\n${stdout}`);
  return stdout.trim();
}
