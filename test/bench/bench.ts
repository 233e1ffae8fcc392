/**
 * `npm run bench` measures what a user waits for, as a part of what the engine takes anyway. It prints
 * medians, and asserts nothing, because they depend on the machine.
 *
 * --rounds 5   measurements of each command     --latency 0   milliseconds that the service takes to respond
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

import manifest from "../../provider/package.json" with { type: "json" };
import { startSandbox } from "../../provider/dist/sandbox/sandbox.js";
import { mustRun } from "../../provider/tools/child-process.ts";
import { providePulumi } from "../../provider/tools/engine/pulumi-cli.ts";
import { buildPlugin } from "../../provider/tools/release/plugin-tarball.ts";
import { createTestStack, type TestStack } from "../support/stack.ts";
import { startTime } from "./start-time.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, latency: { type: "string", default: "0" } },
});
const ROUNDS = Number(options.rounds);
/** Milliseconds for one command. */
const LIMIT = 600_000;

/** The measured commands, in the order in which they run. */
const COMMANDS = {
  up: (stack: TestStack) => stack.up({ timeoutMs: LIMIT }),
  unchanged: (stack: TestStack) => stack.up({ timeoutMs: LIMIT }),
  preview: (stack: TestStack) => stack.preview({ timeoutMs: LIMIT }),
  refresh: (stack: TestStack) => stack.refresh({ timeoutMs: LIMIT }),
  destroy: (stack: TestStack) => stack.destroy({ timeoutMs: LIMIT }),
} as const;
type Command = keyof typeof COMMANDS;

/** The files of a project. */
type Project = Readonly<Record<string, string>>;

/** A JavaScript program for the webhooks in `IDS`. */
function javascript(count: number, program: string): Project {
  const ids = `const IDS = Array.from({ length: ${count} }, (_, index) => index + 1);`;
  const files = { "package.json": '{ "type": "module" }', "index.js": `${ids}\n${program}\n` };
  return { "Pulumi.yaml": "name: test\nruntime: nodejs\n", ...files };
}

const dynamic = (count: number): Project =>
  javascript(
    count,
    `import { PartnerWebhookState } from "pulumi-partners";
for (const webhookId of IDS) new PartnerWebhookState("webhook-" + webhookId, { webhookId, state: "active" });`,
  );

const fleet = (count: number): Project =>
  javascript(
    count,
    `import { PartnerWebhookStates } from "pulumi-partners";
new PartnerWebhookStates("fleet", { states: Object.fromEntries(IDS.map((id) => [id, "active"])) });`,
  );

/** What a dynamic resource costs, whatever it does: handlers that do nothing. */
const floor = (count: number): Project =>
  javascript(
    count,
    `import * as pulumi from "@pulumi/pulumi";
const nothing = {
  async check(_olds, news) { return { inputs: news }; },
  async diff() { return { changes: false }; },
  async create(inputs) { return { id: String(inputs.webhookId), outs: inputs }; },
  async read(id, props) { return { id, props }; },
  async update(_id, _olds, news) { return { outs: news }; },
  async delete() {},
};
class Nothing extends pulumi.dynamic.Resource {
  constructor(name, args) { super(nothing, name, args); }
}
for (const webhookId of IDS) new Nothing("webhook-" + webhookId, { webhookId, state: "active" });`,
  );

/** A program in YAML, which runs with the executable. */
function yaml(count: number): Project {
  const resources = Array.from({ length: count }, (_, index) => [
    `webhook-${index + 1}`,
    { type: "partners:PartnerWebhookState", properties: { webhookId: index + 1, state: "active" } },
  ]);
  const program = { name: "test", runtime: "yaml", resources: Object.fromEntries(resources) as object };
  return { "Pulumi.yaml": JSON.stringify(program) };
}

// The executable that users install.
const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
await providePulumi(["yaml"]);
const { path } = await buildPlugin(folder);
await mustRun("tar", ["-xzf", basename(path)], { cwd: folder });

/** What is compared, and with what. */
const CASES: readonly [name: string, ours: Project, other: Project][] = [
  ["50 webhooks, dynamic, × handlers that do nothing", dynamic(50), floor(50)],
  ["200 webhooks, dynamic, × handlers that do nothing", dynamic(200), floor(200)],
  ["a fleet of 300 × one dynamic resource each", fleet(300), dynamic(300)],
  ["1 webhook, native YAML, × an empty YAML stack", yaml(1), yaml(0)],
];

/** Runs all commands of a project once. @returns Their wall times in milliseconds. */
async function measure(files: Project): Promise<Record<Command, number>> {
  const webhooks = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [index + 1, "disabled" as const]),
  );
  await using sandbox = await startSandbox({ webhooks, latency: Number(options.latency) });
  const env = {
    PARTNERS_BASE_URL: sandbox.url,
    PARTNERS_ACCESS_TOKEN: sandbox.accessToken,
    NODE_COMPILE_CACHE: "", // The tests cache compiled code, but users do not.
  };
  const stack = await createTestStack({ files, env });
  const plugin = ["resource", "partners", manifest.version, "--reinstall", "--file", path];
  if (!("package.json" in files)) await stack.pulumi("plugin", "install", ...plugin);
  const times: Partial<Record<Command, number>> = {};
  for (const [command, run] of Object.entries(COMMANDS) as [Command, (typeof COMMANDS)[Command]][]) {
    const { ok, ms, error } = await run(stack);
    if (!ok) throw new Error(`${command}: ${error}`);
    times[command] = ms;
  }
  await stack.dispose();
  return times as Record<Command, number>;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

const start = await startTime([join(folder, "pulumi-resource-partners")], 15);
console.log(`The native plugin starts in ${start.toFixed(0)} ms.\n`);
console.log("Each cell: seconds of ours / of the other = the ratio\n");
console.log(`| | ${Object.keys(COMMANDS).join(" | ")} |`);
console.log(`| --- | ${Object.keys(COMMANDS).fill("--:").join(" | ")} |`);
for (const [name, ours, other] of CASES) {
  const measured: { readonly own: Record<Command, number>; readonly other: Record<Command, number> }[] = [];
  // In turns, so that a disturbance of the machine affects both.
  for (let round = 0; round < ROUNDS; round += 1)
    measured.push({ own: await measure(ours), other: await measure(other) });
  const cells = (Object.keys(COMMANDS) as Command[]).map((command) => {
    const one = median(measured.map(({ own }) => own[command])) / 1000;
    const two = median(measured.map((both) => both.other[command])) / 1000;
    return `${one.toFixed(2)} / ${two.toFixed(2)} = ${(one / two).toFixed(2)}`;
  });
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
await rm(folder, { recursive: true });
