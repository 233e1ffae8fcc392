import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { copyBuild, ROOT } from "../../provider/tools/checkout.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { mustRunShell } from "../../provider/tools/child-process.ts";
import { pythonEnv } from "../../provider/tools/engine/python-sdk.ts";
import { LONG } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { blocksOf, environmentFor, exampleProject, sandboxFor, sandboxStack, statesOf } from "./support.ts";

const README = "README.md";
const GUIDE = "docs/get-started.md";
const EXAMPLES = "examples/README.md";
/** The sandbox port in the pages. */
const PORT = /\b4010\b/g;

it("the program of README.md does the same in TypeScript, YAML and Python", async () => {
  const [typescript = ""] = await blocksOf(README, "ts");
  const sandbox = await sandboxFor();
  const { engine, pulumi } = await exampleProject("quickstart", environmentFor(sandbox));
  await writeFile(join(engine.dir, "quickstart/index.ts"), typescript);
  await pulumi("stack", "init", "dev");
  await pulumi("up", "--yes", "--skip-preview");
  const results = [{ sandbox, outputs: await pulumi("stack", "output", "--json") }];

  const [yaml = ""] = await blocksOf(README, "yaml");
  const [python = ""] = await blocksOf(README, "python");
  const env = await pythonEnv(await temporaryFolder());
  const programs: { files: Record<string, string>; env?: Record<string, string> }[] = [
    { files: { "Pulumi.yaml": `name: test\nruntime: yaml\n${yaml}` } },
    ...(env
      ? [{ files: { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": python }, env }]
      : []),
  ];
  for (const options of programs) {
    const { sandbox, stack } = await sandboxStack(undefined, {}, options);
    expect((await stack.up()).error).toBe("");
    results.push({ sandbox, outputs: JSON.stringify(await stack.outputs()) });
  }
  for (const { sandbox, outputs } of results) {
    expect([sandbox.apiKeys.length, statesOf(sandbox)[103]]).toEqual([1, "active"]);
    expect(Object.keys(JSON.parse(outputs) as object)).toEqual(["apiKey"]);
  }
});

it("CI runs the commands of README.md", async () => {
  // The demo checks itself.
  const ci = await readFile(join(ROOT, ".ci/run"), "utf8");
  const commands = await blocksOf(README, "sh");
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(ci).toContain(`\n${command.trim()} || exit 1\n`);
});

it("every block of docs/get-started.md does what it says", async () => {
  const port = String(await freePort());
  const [install, add, configure, sandbox, check, first, key, repair, destroy, ...teams] = (await commandsOf(
    GUIDE,
    port,
  )) as [string, string, string, string, string, string, string, string, string, ...string[]];
  const [webhookProgram = "", keyProgram = "", ...others] = await blocksOf(GUIDE, "ts");
  expect(others, "a program that this test does not run").toEqual([]);
  // source-plugin.test.ts adds the plugin. installed.test.ts packs it and installs it from a server.
  expect([add, ...teams].map((block) => block.split("\n").at(-1)?.replace(/ \S*$/, ""))).toEqual([
    "pulumi package add",
    "pulumi package add",
    "pulumi plugin install resource partners 0.1.0 --file",
    "pulumi plugin install resource partners 0.1.0 --server https://files.example.com/plugins --checksum",
  ]);
  const text = await readFile(join(ROOT, GUIDE), "utf8");
  const [typed = ""] = /(?<=sandbox's terminal with `)[^`]+/.exec(text) ?? [];
  const account = configure
    .replace("https://partners.example.com", `http://127.0.0.1:${port}`)
    .replace("pulumi config set --secret", "printf demo-token | pulumi config set --secret");
  expect(text).toContain("the address `http://127.0.0.1:4010` and the token `demo-token`");

  const { checkout, engine } = await clone();
  await writeFile(join(engine.dir, "webhook.ts"), webhookProgram);
  await writeFile(join(engine.dir, "key.ts"), keyProgram);
  const script = [
    install,
    "mkfifo typed; exec 3<> typed", // Stands for the keyboard in the sandbox's terminal.
    ...inTheBackground(`${sandbox} <&3`),
    account,
    check,
    "cp ../webhook.ts index.ts",
    first,
    "cat ../key.ts >> index.ts",
    key,
    `echo "${typed}" >&3; until grep "is now" sandbox.log; do sleep 0.1; done`,
    repair,
    destroy,
    "tail -n 2 sandbox.log",
  ].join("\n");
  const stdout = await mustRunShell(script, { cwd: checkout, env: engine.env, timeoutMs: 170_000 });
  for (const line of (await blocksOf(GUIDE, "text")).join("").trimEnd().split("\n"))
    expect(stdout).toContain(line.trim());
  expect(stdout).toMatch(/^ok +webhooks +3 on the server/m); // the doctor
  expect(stdout).toMatch(/apiKey +pk_live_/); // stack output --show-secrets
  expect(stdout).toMatch(/DELETE \/api-key\/\{api_key\} 200/);
});

it("the blocks of examples/README.md and the upgrade are known, and in a long run do what they say", async () => {
  const port = String(await freePort());
  const [sandbox = "", run = "", copy = "", ...others] = await commandsOf(EXAMPLES, port);
  const [upgrade = ""] = (await commandsOf("docs/versions.md", port)).map((block) =>
    block.replaceAll("../my-stack", "../my-quickstart"),
  );
  expect(others, "a block that this test does not run").toEqual([]);
  expect([`${sandbox}\n${run}`, copy, upgrade].map((block) => block.split("\n").length)).toEqual([3, 3, 3]);
  const destroy = "pulumi destroy --remove";
  expect(await readFile(join(ROOT, EXAMPLES), "utf8")).toContain(`\`${destroy}\``);
  if (!LONG) return; // docs/get-started.md packs, installs, applies and destroys with the same commands.

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
