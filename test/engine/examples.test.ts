import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox, type SandboxOptions } from "pulumi-partners/sandbox";
import { expect, it, onTestFinished } from "vitest";

import { runPulumi, runShell } from "../support/cli.ts";
import { engineEnv, type Engine } from "../support/engine-env.ts";
import { expectShown } from "./docs.ts";
import { environmentFor } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");

async function sandboxFor(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** An example as a user has it who copied its folder out, with a stack and the account of a sandbox. */
async function copyOut(example: string, sandbox: Sandbox) {
  const engine: Engine = await engineEnv({ ...environmentFor(sandbox), PULUMI_STACK: "dev" });
  onTestFinished(() => engine.dispose());
  const cwd = join(engine.dir, example);
  await cp(join(ROOT, "examples", example), cwd, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(engine.dir, "node_modules"));
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runPulumi(args, { cwd, env: engine.env });
    expect({ code, stderr: code === 0 ? "" : stderr + stdout }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  return { cwd, engine, run };
}

function source(example: string, file = "index.ts"): Promise<string> {
  return readFile(join(ROOT, "examples", example, file), "utf8");
}

/** Starts a stack for an example. */
async function stackOf(example: string, sandbox: Sandbox) {
  const { run } = await copyOut(example, sandbox);
  await run("stack", "init", "dev");
  return {
    run,
    up: () => run("up", "--yes", "--skip-preview"),
    destroy: () => run("destroy", "--yes", "--skip-preview"),
    outputs: async () => JSON.parse(await run("stack", "output", "--json", "--show-secrets")) as unknown,
  };
}

it("webhook-fleet: every webhook that exists is active, except one", async () => {
  const sandbox = await sandboxFor();
  const { run, up, destroy, outputs } = await stackOf("webhook-fleet", sandbox);
  await expectShown("webhooks.md", "All webhooks", await source("webhook-fleet"), "ts");
  await expectShown("webhooks.md", "All webhooks", await run("preview"));
  await up();
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "active", 102: "disabled", 103: "active" });
  sandbox.addWebhook(104, "disabled");
  await up();
  expect(sandbox.webhooks.get(104)).toBe("active");
  expect(await outputs()).toEqual({ managed: 4 });
  await run("preview", "--expect-no-changes");
  await destroy();
});

it("audit: a webhook that exists and is not declared is found", async () => {
  const { run, up, destroy, outputs } = await stackOf("audit", await sandboxFor());
  await expectShown("webhooks.md", "Webhooks that nobody declared", await source("audit"), "ts");
  await expectShown("webhooks.md", "Webhooks that nobody declared", await run("preview"));
  await up();
  expect(await outputs()).toEqual({ undeclared: [102] });
  await destroy();
});

it("accounts: two accounts in one stack", async () => {
  const [us, eu] = [await sandboxFor(), await sandboxFor()];
  const { run, up, destroy, outputs } = await stackOf("accounts", us);
  await run("config", "set", "euBaseUrl", eu.url);
  await run("config", "set", "--secret", "euAccessToken", eu.accessToken);
  await expectShown("accounts.md", "Several accounts", await source("accounts"), "ts");
  await expectShown("accounts.md", "Several accounts", await run("preview"));
  await up();
  expect(await outputs()).toEqual({
    accounts: ["default", "eu"],
    apiKeys: { us: us.apiKeys[0], eu: eu.apiKeys[0] },
  });
  expect([us.webhooks.get(101), eu.webhooks.get(101)]).toEqual(["active", "disabled"]);
  await destroy();
  expect([us.apiKeys, eu.apiKeys]).toEqual([[], []]);
});

it("unit-testing: the tests of the example pass, and fail for a program that is wrong", async () => {
  const [mocks, real] = ["With mocks: what does the program declare?", "With the sandbox: what does it do?"];
  await expectShown("testing.md", mocks, await source("unit-testing", "mocks.test.ts"), "ts");
  await expectShown("testing.md", real, await source("unit-testing", "sandbox.test.ts"), "ts");

  const { cwd, engine } = await copyOut("unit-testing", await sandboxFor());
  const env = { ...engine.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const test = (files = "") => runShell(`../node_modules/.bin/vitest run ${files}`, { cwd, env });
  const passed = await test();
  expect({ code: passed.code, output: passed.code === 0 ? "" : passed.stdout + passed.stderr }).toEqual({
    code: 0,
    output: "",
  });
  expect(passed.stdout).toMatch(/Tests\s+2 passed/);
  await runShell(`sed -i.bak 's/< 100/< 0/' index.ts`, { cwd, env });
  const failed = await test("mocks");
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/Tests\s+1 failed/);
});
