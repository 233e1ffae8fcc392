import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { copyBuild, ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { LONG } from "../support/random.ts";
import { blocksOf } from "./support.ts";

const README = "README.md";
const EXAMPLES = "examples/README.md";
/** The sandbox port in both files. */
const PORT = /\b4010\b/g;

it("every block of README.md does what it says", async () => {
  const port = String(await freePort());
  const shell = await commandsOf(README, port);
  const programs = (await blocksOf(README, "ts")).map((block) => block.replaceAll(PORT, port));

  // CI runs the blocks for the clone. The demo checks itself.
  const ci = await readFile(join(ROOT, ".ci/run"), "utf8");
  const inClone = shell.filter((block) => block.startsWith("npm ci"));
  for (const command of inClone) expect(ci).toContain(`\n${command} || exit 1\n`);
  const [install = "", sandbox = "", configure = "", apply = "", repair = "", destroy = "", ...others] =
    shell.filter((block) => !inClone.includes(block));
  expect(others, "a block that this test does not run").toEqual([]);
  expect(sandbox).toContain(port);
  const [, typed = ""] =
    /type `([^`]+)` and press Enter/.exec(await readFile(join(ROOT, README), "utf8")) ?? [];

  const { checkout, engine } = await clone();
  await writeFile(join(engine.dir, "program.ts"), programs[0] ?? "");
  await writeFile(join(engine.dir, "addition.ts"), programs.slice(1).join("\n"));
  const script = [
    install,
    "mkfifo typed; exec 3<> typed", // Stands for the keyboard in the sandbox's terminal.
    ...inTheBackground(`${sandbox} <&3`),
    configure,
    "cp ../program.ts index.ts",
    apply,
    `echo "${typed}" >&3; until grep "is now" sandbox.log; do sleep 0.1; done`,
    repair,
    // As the README says before the addition.
    "printf demo-token | pulumi config set --secret euToken",
    "cat ../addition.ts >> index.ts",
    "pulumi up --yes",
    destroy,
    "tail -n 4 sandbox.log",
  ].join("\n");
  const stdout = await mustRunShell(script, { cwd: checkout, env: engine.env, timeoutMs: 170_000 });
  for (const line of (await blocksOf(README, "text")).join("").trimEnd().split("\n"))
    expect(stdout).toContain(line.trim());
  expect(stdout).toMatch(/^pk_live_/m); // stack output --show-secrets
  expect(stdout).toMatch(/\+ 2 created[^]*DELETE \/api-key\/\{api_key\} 200\nDELETE/);
});

it("the blocks of examples/README.md are known, and in a long run do what they say", async () => {
  const port = String(await freePort());
  const [sandbox = "", run = "", copy = "", upgrade = "", ...others] = await commandsOf(EXAMPLES, port);
  expect(others, "a block that this test does not run").toEqual([]);
  expect([`${sandbox}\n${run}`, copy, upgrade].map((block) => block.split("\n").length)).toEqual([3, 3, 3]);
  const destroy = "pulumi destroy --remove";
  expect(await readFile(join(ROOT, EXAMPLES), "utf8")).toContain(`\`${destroy}\``);
  if (!LONG) return; // The README packs, installs, applies and destroys with the same commands.

  const { checkout, engine } = await clone();
  await cp(join(ROOT, "examples/quickstart"), join(checkout, "examples/quickstart"), { recursive: true });
  const script = [
    ...inTheBackground(sandbox),
    `(\n${run}\n${destroy}\n)`,
    copy,
    run.replace("cd examples/quickstart && ", ""),
    'echo "// A change" >> ../pulumi-partners/provider/dist/index.js; cd ../pulumi-partners',
    upgrade,
    "tail -n 1 node_modules/pulumi-partners/dist/index.js",
    destroy,
  ].join("\n");
  const stdout = await mustRunShell(script, { cwd: checkout, env: engine.env, timeoutMs: 170_000 });
  expect(stdout).toContain("// A change");
  expect(stdout.match(/\+ 4 created/g)).toHaveLength(2);
});

/** Creates an engine with a built clone in its folder. */
async function clone() {
  const engine = await engineEnv({ PULUMI_SKIP_CONFIRMATIONS: "true" });
  onTestFinished(() => engine.dispose());
  const checkout = join(engine.dir, "pulumi-partners");
  await copyBuild(checkout);
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  return { checkout, engine };
}

/** Returns the command blocks of a file, with another port for the sandbox. */
async function commandsOf(page: string, port: string): Promise<string[]> {
  return (await blocksOf(page, "sh")).map((block) => block.trim().replaceAll(PORT, port));
}

/** Starts a sandbox as in a second terminal, and waits until it is ready. */
function inTheBackground(sandbox: string): string[] {
  return [
    `${sandbox} > sandbox.log 2>&1 &`,
    "for _ in $(seq 300); do grep -q PARTNERS_BASE_URL sandbox.log && break; kill -0 $! || break; sleep 0.1; done",
    "grep PARTNERS_BASE_URL sandbox.log || { cat sandbox.log; exit 1; }",
  ];
}

/**
 * Returns a port that is free now. If another process takes it meanwhile, the sandbox and the test fail at
 * once.
 */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
