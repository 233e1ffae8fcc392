import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { CANARIES } from "../support/canary.ts";
import type { Ended } from "../../provider/tools/process.ts";
import type { Fault } from "../support/sandbox.ts";
import { ROOT, runAlone, scriptedProject, webhookInState, type Script } from "./command-line.ts";
import { sandboxFor as sandboxOf } from "./partners.ts";

// `runAlone` searches all output for these secrets.
const { token: TOKEN, webhookSecret } = CANARIES;

const sandboxFor = (...faults: Fault[]) => sandboxOf({ accessToken: TOKEN, faults });

/** Starts a service that returns the same response to every request. Returns its URL. */
async function serviceOf(status: number, body: string, headers = {}): Promise<string> {
  return (await sandboxFor({ kind: "status", status, body, headers, times: Infinity })).url;
}

/** The settings, as variables and as stack configuration. */
const inEnvironment = (url: string) => ({ PARTNERS_BASE_URL: url, PARTNERS_ACCESS_TOKEN: TOKEN });
const inStack = (url: string) => ({
  "partners:baseUrl": { value: url },
  "partners:accessToken": { value: TOKEN, secret: true },
});
const NOWHERE = "http://127.0.0.1:1";

const doctorIn = async (script: Script, env = {}) => (await scriptedProject(script)).run(["doctor"], env);

const pendingKey = (type: string, name: string) => ({
  type,
  resource: {
    urn: `urn:pulumi:dev::shop::partners:index:PartnerApiKey::${name}`,
    type: "partners:index:PartnerApiKey",
  },
});

/** Returns the checks in the output, such as `service ok`. */
function statuses({ stdout }: Ended): string[] {
  const lines = stdout.matchAll(/^(ok|warning|failed) +([a-z-]+) /gm);
  return [...lines].map(([, status = "", name = ""]) => `${name} ${status}`);
}

describe("docs/doctor.md shows the output of the doctor", () => {
  /** Returns the first text block below a heading. */
  async function sample(heading: string): Promise<string> {
    const page = await readFile(join(ROOT, "docs/doctor.md"), "utf8");
    const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
    return /^```text\n(.*?)^```$/ms.exec(section)?.[1] ?? "";
  }

  /** Replaces the values that differ between machines with those in the docs. */
  function asShown({ stdout }: Ended, url: string): string {
    return stdout.replace(/^(ok +node +).*$/m, "$124.21.0").replace(url, "http://127.0.0.1:4010");
  }

  it("if all is well, after one request, and names every check and exit code", async () => {
    const sandbox = await sandboxFor();
    const resources = [webhookInState("orders", 101), webhookInState("refunds", 103)];
    const env = { PARTNERS_REQUEST_TIMEOUT: "20" };
    const ended = await doctorIn({ config: inStack(sandbox.url), resources }, env);
    expect(asShown(ended, sandbox.url)).toBe(await sample("Check a project"));
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(sandbox.requests).toMatchObject([{ method: "GET" }]);

    const page = await readFile(join(ROOT, "docs/doctor.md"), "utf8");
    for (const check of statuses(ended)) expect(page).toContain(`\n| \`${check.split(" ")[0] ?? ""}\``);
    for (const code of [0, 1, 2]) expect(page).toContain(`\n| ${code} `);
  });

  it("if the list is not recognized", async () => {
    const hook = (ref: number) => ({ ref, mode: "go" });
    const url = await serviceOf(200, JSON.stringify({ incoming: [hook(1)], outgoing: [hook(2), hook(3)] }));
    const ended = await doctorIn({ config: inStack(url) });
    const shown = asShown(ended, url).split("\n");
    for (const line of (await sample("Fix a list that is not recognized")).split("\n"))
      expect(shown).toContain(line);
    expect(ended.code).toBe(1);
  });
});

it("without a project and the Pulumi CLI, it checks the environment, and prints no colors to a pipe", async () => {
  const env = inEnvironment((await sandboxFor()).url);
  const ended = await runAlone(["doctor"], env);
  const checks = "node ok,pulumi-cli failed,stack ok,settings ok,service ok,shape ok,webhooks ok";
  expect(statuses(ended).join()).toBe(checks);
  expect(ended).toMatchObject({ code: 1, stderr: "" });
  expect(ended.stdout).toContain("The Pulumi CLI is not on PATH. Install it: https:");
  expect(ended.stdout).toContain(" From the environment: PARTNERS_BASE_URL, PARTNERS_ACCESS_TOKEN.\n");
  expect(ended.stdout).toMatch(/^ +101 {2}active {4}-$/m);
  expect(ended.stdout).not.toContain("\u001b");
  expect((await runAlone(["doctor"], { ...env, FORCE_COLOR: "1" })).stdout).toContain("\u001b[32mok");
  const { stdout } = await runAlone(["doctor"]);
  expect(stdout).toMatch(/environment variable PARTNERS_BASE_URL\. Set .* PARTNERS_ACCESS_TOKEN\./);
});

it("a Node that is too old is reported before any request", async () => {
  const sandbox = await sandboxFor();
  const NODE_OPTIONS = `--require ${join(ROOT, "test/support/old-node.cjs")}`;
  const { code, stdout, stderr } = await runAlone(["doctor"], {
    ...inEnvironment(sandbox.url),
    NODE_OPTIONS,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^pulumi-partners doctor: .*Node 20\.11\.0 is too old.*\n$/);
  expect(sandbox.requests).toEqual([]);
});

describe("the doctor in a project", () => {
  const config = (settings: Record<string, string>): Script => ({
    config: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`partners:${name}`, { value }]),
    ),
  });
  const pending = ["creating one", "updating two", "deleting three"].map((text) => {
    const [type = "", name = ""] = text.split(" ");
    return pendingKey(type, name);
  });
  const unreadable = { error: `unable to open "postgres://u:${webhookSecret}@127.0.0.1/db"` };

  it.each<[what: string, script: Script, checks: string, output: RegExp]>([
    [
      "without settings",
      {},
      "stack ok,settings failed",
      /set partners:baseUrl .*--secret partners:accessToken/,
    ],
    [
      "with a plain token",
      config({ baseUrl: NOWHERE, accessToken: TOKEN }),
      "settings warning",
      /config set --secret/,
    ],
    [
      "whose stack cannot be read",
      unreadable,
      "stack failed",
      /cannot be read\. To see why, run "pulumi stack ls"\.$/m,
    ],
    ["without a selected stack", { selected: null }, "stack failed", /No stack is selected\./],
    [
      "with misspelled settings",
      config({ baseURL: NOWHERE }),
      "settings warning,settings failed",
      /"partners:baseURL" is not/,
    ],
    [
      "whose last run was interrupted",
      { pending },
      "interrupted warning",
      /changed one, two\. [^]*no stack's "apiKey" or "previousApiKey", delete it\.[^]*--clear-pending-creates/,
    ],
  ])("%s", async (_what, script, checks, output) => {
    const ended = await doctorIn(script);
    expect(statuses(ended).join()).toContain(checks);
    expect(ended.stdout).toMatch(output);
    expect(ended.code).toBe(1);
  });

  it("uses the stack of --stack", async () => {
    const { run, commands } = await scriptedProject({ selected: null });
    const { stdout } = await run(["doctor", "--stack", "prod"]);
    expect(stdout).toMatch(/^ok +stack +prod, account default\.$/m);
    expect(await commands()).toContain("config --show-secrets --json --stack prod --non-interactive");
  });
});

it.each<[what: string, status: number | null, body: string, reason: string]>([
  ["rejects the token", 401, JSON.stringify({ error: `invalid token ${TOKEN}` }), "PARTNERS_STATUS"],
  ["reports a failure", 200, `{"success":false,"error":"${TOKEN}"}`, "PARTNERS_UNREADABLE"],
  ["is not running", null, "", "ECONNREFUSED.*PARTNERS_CONNECTION"],
])("a service that %s fails the check without a leak", async (_what, status, body, reason) => {
  const link = `<https://x.example/${TOKEN}>`;
  const headers = { "x-request-id": TOKEN, "retry-after": "0", link };
  const url = status === null ? NOWHERE : await serviceOf(status, body, headers);
  const ended = await runAlone(["doctor"], { ...inEnvironment(url), PARTNERS_DEBUG: "1" });
  expect(statuses(ended).at(-1)).toBe("service failed");
  expect(ended.stdout).toMatch(new RegExp(`^failed +service +.*${reason}\\]$`, "m"));
  expect(ended.code).toBe(1);
});

describe("the shape of the list", () => {
  const POINTER = "'partners:responses.webhookState' '<JSON Pointer>'";
  const VALUE = "'partners:responses.active[0]' '<value that means active>'";
  it.each([
    [{ id: 7, mode: "go", secret: webhookSecret }, POINTER, "/mode"],
    [{ id: 7, state: TOKEN, [TOKEN]: TOKEN }, VALUE, "/state"],
  ])("may leave states unknown, and its values are not shown: %j", async (record, command, field) => {
    const url = await serviceOf(200, JSON.stringify([record]));
    const ended = await runAlone(["doctor"], inEnvironment(url));
    expect(statuses(ended)).toContain("shape warning");
    expect(ended.stdout).toContain(`pulumi config set --path ${command}\n`);
    expect(ended.stdout).toMatch(new RegExp(`Fields of a webhook: .*${field}\\b`));
    expect(ended.stdout).toMatch(/^ +7 {2}unknown +-$/m);
  });

  it("may indicate further pages", async () => {
    const url = await serviceOf(200, `{"webhooks":[{"id":7,"active":true}],"next":"x"}`);
    const ended = await doctorIn({ config: inStack(url), resources: [webhookInState("orders", 8)] });
    expect(statuses(ended).slice(-2)).toEqual(["shape warning", "webhooks warning"]);
    expect(ended.stdout).toContain("pulumi config set --path 'partners:responses.complete' true\n");
    expect(ended.code).toBe(0);
  });
});

it("missing webhooks of the stack are a failure", async () => {
  const { url } = await sandboxFor();
  const resources = [
    webhookInState("orders", 101),
    webhookInState("lost", 7, { type: "partners:index:PartnerWebhookState" }),
    webhookInState("old", 8, { delete: true }),
  ];
  const ended = await doctorIn({ config: inStack(url), resources });
  const expected = "3 on the server, 2 declared in this stack; declared but not in the list: 7.";
  expect(ended.stdout).toContain(`failed   webhooks    ${expected}\n`);
  expect(ended.stdout).toMatch(/^ +7 +missing +lost$/m);
  expect(ended.code).toBe(1);
});

describe("a Provider", () => {
  const providerInState = (type: string, name: string, inputs: object) => ({
    urn: `urn:pulumi:dev::shop::pulumi:providers:${type}::${name}`,
    type: `pulumi:providers:${type}`,
    inputs,
  });
  const SECRET = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: JSON.stringify(TOKEN),
  };

  it("of either form is checked with the settings in the state, but without those of the environment", async () => {
    const list = JSON.stringify({ incoming: [{ ref: 1 }], outgoing: [{ ref: 2 }, { ref: 3 }] });
    const [dynamic, native] = [await sandboxFor(), await serviceOf(200, list)];
    const settings = { "partners:baseUrl": dynamic.url, "partners:accessToken": SECRET };
    const resources = [
      providerInState("pulumi-nodejs", "eu", {
        "partners:explicit": "true",
        ...settings,
        "partners:account": "Europe",
      }),
      providerInState("partners", "us", {
        explicit: "true",
        baseUrl: native,
        accessToken: SECRET,
        account: "us",
      }),
      providerInState("partners", "asia", { explicit: "true", account: "asia" }),
      providerInState("partners", "default_0_1_0", { explicit: "false", account: "default" }),
      providerInState("aws", "aws", {}),
      webhookInState("orders", 101, { outputs: { webhookId: 101, account: "Europe" } }),
    ];
    const { stdout, code } = await doctorIn({ resources }, { PARTNERS_REQUEST_TIMEOUT: "no number" });
    expect(stdout).toContain("ok       stack       dev, accounts Europe, us, asia.\n");
    const [, eu = "", us = "", asia = ""] = stdout.split("\n\nProvider ");
    expect(eu).toMatch(/^eu, account Europe\nok +settings [^]*^ +101 +active +orders$/m);
    expect(us).toContain("failed   shape       The list is not recognized. Set responses.webhooks.\n");
    expect(us).toContain('         responses: {"webhooks":"/incoming"}\n');
    expect(asia).toMatch(/^asia, account asia\nfailed +settings +Set the Provider's baseUrl\. /);
    expect([code, dynamic.requests.length]).toEqual([1, 1]);
  });

  it("does not mix its webhooks with those of another account, and no name can control the terminal", async () => {
    const { url } = await sandboxFor();
    const hostile = "a\n::set-output name=x::y\u001b[2J\u009b\u202e";
    const inputs = { "partners:explicit": "true", "partners:account": hostile };
    const resources = [
      webhookInState(hostile, 101),
      providerInState("pulumi-nodejs", hostile, inputs),
      webhookInState("elsewhere", 103, { outputs: { webhookId: 103, account: "elsewhere" } }),
    ];
    const { stdout } = await doctorIn({ config: inStack(url), resources });
    expect(stdout.match(/a\?::set-output name=x::y\?\[2J\?/g)).toHaveLength(4);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).not.toMatch(/^\s*::/m);
    expect(stdout).toMatch(/^ +103 +\w+ +-$/m);
  });
});
