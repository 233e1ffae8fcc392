import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as partners from "pulumi-partners";
import { startSandbox } from "../support/sandbox.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Check, CheckName, Report } from "../../provider/src/cli/doctor/report.js";
import { VERSION } from "../../provider/src/version.js";
import { findLeaks } from "../support/canary.ts";
import { NPX_RUNS_BUILD, runShell } from "../support/cli.ts";
import { type Ended, runProcess } from "../support/process.ts";
import { createTestStack, type TestStack } from "../support/stack.ts";
import { expectShown } from "./docs.ts";

const PAGE = join(import.meta.dirname, "../../docs/doctor.md");
const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");
const SECRETS = {
  token: "tok_9f8e7d6c5b4a3928",
  euToken: "tok_1a2b3c4d5e6f7a8b",
  other: "unrelated-secret-value",
};

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let eu: typeof sandbox;
let stack: TestStack;

beforeAll(async () => {
  sandbox = await startSandbox({ accessToken: SECRETS.token });
  eu = await startSandbox({
    accessToken: SECRETS.euToken,
    webhooks: [{ webhookId: 7, state: "active" }],
    shape: "words",
  });
  stack = await createTestStack({
    program: () => {
      new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
      new partners.PartnerWebhookState("refunds", { webhookId: 103, state: "disabled" });
      const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken: SECRETS.euToken });
      new partners.PartnerWebhookState("eu-orders", { webhookId: 7, state: "active" }, { provider });
      new partners.PartnerApiKey("checkout");
      return Promise.resolve({});
    },
    config: {
      "partners:baseUrl": { value: sandbox.url },
      "partners:accessToken": { value: SECRETS.token, secret: true },
      "test:other": { value: SECRETS.other, secret: true },
    },
    env: { PARTNERS_REQUEST_TIMEOUT: "20" },
  });
  expect(await stack.up()).toMatchObject({ ok: true });
});

afterAll(async () => {
  await stack.dispose();
  await Promise.all([sandbox.close(), eu.close()]);
});

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const ended = await runProcess(process.execPath, [MAIN, "doctor", ...args], {
    cwd: stack.projectDir,
    env: { ...stack.env, ...env },
  });
  const [apiKey = ""] = sandbox.apiKeys;
  const { stdout, stderr } = ended;
  expect(findLeaks({ stdout, stderr }, { ...SECRETS, apiKey })).toEqual([]);
  return ended;
}

async function doctor(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Report> {
  const { code, stdout, stderr } = await run(["--json", ...args], env);
  const report = JSON.parse(stdout) as Report;
  expect({ code, stderr }).toEqual({ code: report.exitCode, stderr: "" });
  return report;
}

function find({ checks }: Report, name: CheckName): Check | undefined {
  return checks.find(({ check }) => check === name);
}

describe("in a project", () => {
  it("all is well, and the webhooks are told with what declares them", async () => {
    sandbox.clearRequests();
    const report = await doctor();
    expect(report.exitCode).toBe(0);
    expect(report.checks.map(({ check, status }) => `${check} ${status}`)).toEqual([
      ...["node ok", "pulumi-cli ok", "pulumi-sdk ok", "plugin ok", "stack ok", "settings ok", "route ok"],
      ...["service ok", "shape ok", "clock ok", "latency ok", "webhooks ok"],
    ]);
    expect(find(report, "stack")?.detail).toBe(
      "dev, account default. Not examined: the accounts of its Providers (--account eu).",
    );
    expect(report.webhooks).toEqual([
      { webhookId: 101, exists: true, state: "active", declaredBy: ["orders"] },
      { webhookId: 102, exists: true, state: "active", declaredBy: [] },
      { webhookId: 103, exists: true, state: "disabled", declaredBy: ["refunds"] },
    ]);
    expect(Object.fromEntries(report.settings.map(({ name, from }) => [name, from]))).toMatchObject({
      baseUrl: "stack configuration",
      accessToken: "stack configuration",
      requestTimeout: "environment",
      operationTimeout: "default",
    });
    expect(sandbox.requests).toMatchObject([{ method: "GET" }]);
  });

  it("another account is that of a Provider, in its own terms", async () => {
    const report = await doctor(["--account", "eu"]);
    expect(report.exitCode).toBe(0);
    expect(report.webhooks).toEqual([
      { webhookId: 7, exists: true, state: "active", declaredBy: ["eu-orders"] },
    ]);
    expect(report.settings[0]).toMatchObject({ name: "baseUrl", from: "Provider" });
    // What a Provider does not say is not taken from the environment.
    expect(report.settings[2]).toMatchObject({ name: "requestTimeout", from: "default" });
    eu.inject({ kind: "status", status: 401 });
    const rejected = await doctor(["--account", "eu"]);
    expect(find(rejected, "service")?.detail).toContain("check the Provider's accessToken");
  });

  it("an account that nobody knows ends it, and names those that there are", async () => {
    const report = await doctor(["--account", "us"]);
    expect(report.exitCode).toBe(1);
    expect(report.checks.at(-1)).toMatchObject({ check: "stack", status: "failed" });
    expect(report.checks.at(-1)?.detail).toContain("Accounts with resources: default, eu.");
  });

  it("a webhook that is declared and does not exist is a failure", async () => {
    sandbox.removeWebhook(103);
    const report = await doctor();
    sandbox.addWebhook(103, "disabled");
    expect(report.exitCode).toBe(1);
    expect(find(report, "webhooks")?.detail).toBe(
      "2 exist; declared in this stack and not in the list: 103.",
    );
    expect(report.webhooks).toContainEqual({
      ...{ webhookId: 103, exists: false, state: null, declaredBy: ["refunds"] },
    });
  });

  it("a structured setting counts as the plugin reads it", async () => {
    const env = { cwd: stack.projectDir, env: stack.env };
    const set = ["config", "set", "--path", "partners:responses.webhookId", "/hook"];
    await runProcess("pulumi", set, env);
    const report = await doctor();
    await runProcess("pulumi", ["config", "rm", "partners:responses"], env);
    expect(find(report, "shape")).toMatchObject({
      status: "failed",
      remedy: ["pulumi config set --path 'partners:responses.webhookId' /webhookId"],
    });
    expect(report.settings.at(-1)).toMatchObject({ name: "responses", from: "stack configuration" });
  });

  it("a token in clear text is warned about", async () => {
    await stack.configure({ "partners:accessToken": { value: SECRETS.token } });
    const report = await doctor();
    await stack.configure({ "partners:accessToken": { value: SECRETS.token, secret: true } });
    expect(find(report, "settings")).toMatchObject({
      status: "warning",
      remedy: ["pulumi config set --secret partners:accessToken", "Then have the service replace the token."],
    });
  });
});

describe("docs/doctor.md", () => {
  /** What differs between runs, as it is in the docs. */
  async function shown(args: readonly string[]): Promise<string> {
    const { stdout } = await run(args);
    const versions = { node: "24.21.0", "pulumi-cli": "3.259.0", "pulumi-sdk": "3.270.0" };
    return Object.entries(versions)
      .reduce(
        (text, [name, version]) => text.replace(new RegExp(`(${name} +)[\\w.+-]+$`, "m"), `$1${version}`),
        stdout,
      )
      .replace(VERSION, "0.1.0")
      .replace(sandbox.url, "http://127.0.0.1:4010")
      .replace(/\d+ ms for/, "34 ms for");
  }

  it("shows what is printed", async () => {
    await expectShown("doctor.md", "All is well", await shown([]));
    await expectShown("doctor.md", "Another account", await shown(["--account", "eu"]));
    await expectShown("doctor.md", "A key on trial", await shown(["--try-create", "--yes"]));
    const strange = await startSandbox({ shape: "unreadable", accessToken: SECRETS.token });
    await stack.configure({ "partners:baseUrl": { value: strange.url } });
    const text = await shown(["--try-create", "--yes"]);
    await stack.configure({ "partners:baseUrl": { value: sandbox.url } });
    await strange.close();
    await expectShown("doctor.md", "A shape that is not recognised", text);
    const [, unread] = await blocks("text", "A key on trial");
    for (const line of (unread ?? "no such block").split("\n")) expect(text).toContain(line.trim());
  });

  it("has commands that run as they are", async () => {
    const commands = await blocks("sh");
    expect(commands).toHaveLength(4);
    const options = { cwd: stack.projectDir, env: stack.env };
    const { code, stderr } = await runShell(NPX_RUNS_BUILD + commands.join(""), options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const json = await readFile(join(stack.projectDir, "doctor.json"), "utf8");
    expect(JSON.parse(json)).toMatchObject({ format: 1, exitCode: 0 });
  });

  it("names every check, status and member", async () => {
    const page = await readFile(PAGE, "utf8");
    const report = await doctor(["--try-create", "--yes"]);
    for (const { check } of report.checks) expect(page).toContain(`\n| \`${check}\``);
    for (const member of Object.keys(report)) expect(page).toContain(`\n| \`${member}\``);
    for (const code of [0, 1, 2, 3]) expect(page).toContain(`\n| ${code} `);
  });
});

/** The code blocks of the page, in a language, of one section or of all. */
async function blocks(language: "sh" | "text", heading?: string): Promise<string[]> {
  const page = await readFile(PAGE, "utf8");
  const text =
    heading === undefined ? page : (page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, block = ""]) => block,
  );
}

describe("a stack that cannot be read is told, and the environment counts", () => {
  it.each([
    ["the passphrase is wrong", [], { PULUMI_CONFIG_PASSPHRASE: "wrong" }, "the passphrase is wrong"],
    ["no stack is selected", [], { PULUMI_STACK: "" }, "no stack is selected"],
    ["there is no such stack", ["--stack", "prod"], {}, "there is no stack of that name"],
    ["nobody is logged in", [], { PULUMI_BACKEND_URL: "https://api.pulumi.invalid" }, `"pulumi `],
    [
      "the CLI is missing",
      [],
      { PATH: join(process.execPath, "..") },
      "The Pulumi CLI was not found on PATH",
    ],
  ])("%s", async (_what, args, env, message) => {
    const report = await doctor(args, {
      ...env,
      PARTNERS_BASE_URL: sandbox.url,
      PARTNERS_ACCESS_TOKEN: SECRETS.token,
    });
    expect(report.exitCode).toBe(1);
    expect(find(report, "stack")).toMatchObject({ status: "failed" });
    expect(find(report, "stack")?.detail).toContain(message);
    expect(find(report, "service")).toMatchObject({ status: "ok" });
    expect(report.webhooks?.[0]).toMatchObject({ declaredBy: null });
  });
});
