import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

import { examine } from "../../../provider/src/cli/doctor/examine.js";
import type { Project } from "../../../provider/src/cli/project.js";
import type { Check, CheckName, Report } from "../../../provider/src/cli/doctor/report.js";
import { startSandbox, type Fault, type SandboxOptions } from "../../support/sandbox.ts";
import { findLeaks } from "../../support/canary.ts";

/** What is examined, outside of any project. Nothing else of this machine than its Pulumi CLI, or that it has none, matters. */
interface Scene {
  readonly env: NodeJS.ProcessEnv;
  /** @default none */
  readonly project?: Project;
  /** What the person says who is asked for the consent to a key; nobody is asked without it. */
  readonly consent?: boolean;
}

async function doctor({
  env,
  consent,
  project,
}: Scene): Promise<Report & { told: Check[]; asked: string[] }> {
  const told: Check[] = [];
  const asked: string[] = [];
  const mayCreate = (server: string): Promise<boolean> => {
    asked.push(server);
    return Promise.resolve(consent === true);
  };
  const report = await examine({
    folder: tmpdir(),
    project: project ?? null,
    stack: undefined,
    account: undefined,
    env,
    tell: (check) => told.push(check),
    mayCreate: consent === undefined ? null : mayCreate,
  });
  expect(told).toEqual(report.checks);
  return { ...report, told, asked };
}

/** The exit code as it would be on a machine with a Pulumi CLI. */
function exitCodeOf({ exitCode, checks }: Report): number {
  const failures = checks.filter(({ status, check }) => status === "failed" && check !== "pulumi-cli");
  return exitCode === 1 && failures.length === 0 ? 0 : exitCode;
}

function find({ checks }: Report, name: CheckName): Check {
  const found = checks.find(({ check }) => check === name);
  if (found === undefined) throw new Error(`there is no check "${name}"`);
  return found;
}

async function sandboxFor(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  const env = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  return { sandbox, env };
}

/** A service that answers everything alike. */
async function serviceOf(
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<NodeJS.ProcessEnv> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { PARTNERS_BASE_URL: `http://127.0.0.1:${port}`, PARTNERS_ACCESS_TOKEN: "token" };
}

test("an account that works: one request, and all is told", async () => {
  const { sandbox, env } = await sandboxFor();
  const report = await doctor({ env });
  expect(exitCodeOf(report)).toBe(0);
  expect(sandbox.requests).toMatchObject([{ method: "GET" }]);
  expect(report.checks.map(({ check }) => check)).toEqual([
    ...["node", "pulumi-cli", "plugin", "stack", "settings", "route", "service", "shape", "clock", "latency"],
    "webhooks",
  ]);
  expect(report.shape).toMatchObject({
    pointers: { webhooks: [""], webhookId: ["/webhookId"], webhookState: ["/state"] },
    missing: null,
  });
  expect(report.webhooks).toEqual([
    { webhookId: 101, exists: true, state: "active", declaredBy: null },
    { webhookId: 102, exists: true, state: "active", declaredBy: null },
    { webhookId: 103, exists: true, state: "disabled", declaredBy: null },
  ]);
  expect(report.settings.slice(0, 3)).toEqual([
    { name: "baseUrl", from: "environment", variable: "PARTNERS_BASE_URL" },
    { name: "accessToken", from: "environment", variable: "PARTNERS_ACCESS_TOKEN" },
    { name: "requestTimeout", from: "default", variable: "PARTNERS_REQUEST_TIMEOUT" },
  ]);
  expect(report.key).toBeNull();
});

describe("settings", () => {
  test("that are missing are all named, and nothing is sent", async () => {
    const report = await doctor({ env: {} });
    expect(find(report, "settings")).toMatchObject({ status: "failed" });
    expect(find(report, "settings").detail).toMatch(/PARTNERS_BASE_URL.*PARTNERS_ACCESS_TOKEN/);
    expect(report.settings.filter(({ from }) => from === "missing").map(({ name }) => name)).toEqual([
      "baseUrl",
      "accessToken",
    ]);
    expect(report.checks.at(-1)?.check).toBe("settings");
  });

  test.each([
    ["a plain address elsewhere", "http://partners.example.com", "must start with https://"],
    ["a password in the address", "https://u:hunter22@partners.example.com", "must not contain a user name"],
  ])("with %s", async (_what, baseUrl, problem) => {
    const report = await doctor({ env: { PARTNERS_BASE_URL: baseUrl, PARTNERS_ACCESS_TOKEN: "token" } });
    expect(find(report, "settings").detail).toContain(problem);
    expect(JSON.stringify(report)).not.toContain("hunter22");
  });
});

describe("the service", () => {
  const status = (code: number): Fault => ({ kind: "status", status: code, times: Infinity });

  test.each<[string, Fault, string]>([
    ["rejects the token", status(401), "The access token was rejected"],
    ["forbids it", status(403), "does not permit this"],
    ["is not at this address", status(404), "There is no Partner API at partners:baseUrl"],
    [
      "has moved",
      { kind: "redirect", location: "https://x.test", times: Infinity },
      "Redirects are not followed",
    ],
    ["is a web site", { kind: "html", times: Infinity }, "looks like an HTML page"],
  ])("%s", async (_what, fault, remedy) => {
    const { sandbox, env } = await sandboxFor({ faults: [fault] });
    const report = await doctor({ env, consent: true });
    expect(exitCodeOf(report)).toBe(1);
    expect(find(report, "service")).toMatchObject({ status: "failed" });
    expect(find(report, "service").detail).toContain(remedy);
    expect(find(report, "key")).toMatchObject({ status: "skipped" });
    expect(report.asked).toEqual([]);
    expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("does not answer", async () => {
    const env = { PARTNERS_BASE_URL: "http://127.0.0.1:1", PARTNERS_ACCESS_TOKEN: "token" };
    const report = await doctor({ env });
    expect(find(report, "service").detail).toContain("ECONNREFUSED");
    expect([find(report, "clock").status, find(report, "latency").status]).toEqual(["skipped", "skipped"]);
  });

  test("says in a list that it failed", async () => {
    const report = await doctor({ env: await serviceOf(`{"success":false,"data":[]}`) });
    expect(find(report, "service")).toMatchObject({ status: "failed" });
    expect(report.shape).toBeNull();
  });

  test("stands behind a proxy whose address is none", async () => {
    // The agent reads the variables of the process.
    const env = { PARTNERS_BASE_URL: "https://partners.test", PARTNERS_ACCESS_TOKEN: "token" };
    const before = process.env["https_proxy"];
    process.env["https_proxy"] = "hunter22";
    onTestFinished(() => {
      if (before === undefined) delete process.env["https_proxy"];
      else process.env["https_proxy"] = before;
    });
    const report = await doctor({ env: { ...env, https_proxy: "hunter22" } });
    expect(find(report, "service").detail).toContain("is not a URL");
    expect(JSON.stringify(report)).not.toContain("hunter22");
  });
});

describe("the shape", () => {
  test("that is not recognised is told with its structure and the settings that would help", async () => {
    const { env } = await sandboxFor({ shape: "unreadable" });
    const report = await doctor({ env });
    expect(exitCodeOf(report)).toBe(1);
    expect(find(report, "service").status).toBe("ok");
    expect(find(report, "shape")).toMatchObject({
      status: "failed",
      remedy: [
        "One of these is right:",
        `export PARTNERS_RESPONSES='{"webhooks":"/incoming"}'`,
        `export PARTNERS_RESPONSES='{"webhooks":"/outgoing"}'`,
      ],
    });
    expect(report.shape?.structure).toContain("  outgoing: array of 3");
    expect(report.webhooks).toBeNull();
  });

  test("is recognised when one does what is said, step by step", async () => {
    const { env } = await sandboxFor({ shape: "unreadable" });
    const statuses: string[] = [];
    let responses = "{}";
    for (let step = 0; step < 5; step += 1) {
      const report = await doctor({ env: { ...env, PARTNERS_RESPONSES: responses } });
      const { status, remedy } = find(report, "shape");
      statuses.push(status);
      const last = remedy.at(-1) ?? "";
      responses = (/^export PARTNERS_RESPONSES='(.*)'$/.exec(last)?.[1] ?? "")
        .replace("<value that means active>", "go")
        .replace("<value that means disabled>", "halt");
    }
    expect(statuses).toEqual(["failed", "failed", "warning", "warning", "ok"]);
  });

  test("with further pages is warned about", async () => {
    const report = await doctor({ env: await serviceOf(`{"webhooks":[{"id":7,"active":true}],"next":"x"}`) });
    expect(find(report, "shape")).toMatchObject({ status: "warning" });
    expect(find(report, "shape").detail).toContain("further pages");
  });

  test("of an empty list can only be told in part", async () => {
    const { env } = await sandboxFor({ webhooks: [] });
    const report = await doctor({ env });
    expect(find(report, "shape")).toMatchObject({ status: "ok" });
    expect(find(report, "shape").detail).toContain("The list is empty");
  });
});

test.each([
  ["an hour ahead", 3_600_000, "warning", /^The service is (?:3599|3600|3601) s ahead of this machine/],
  ["a minute behind", -60_000, "warning", /^The service is (?:59|60|61) s behind this machine/],
  ["right", 0, "ok", /same time/],
])("a clock that is %s", async (_what, ahead, status, said) => {
  const date = new Date(Date.now() + ahead).toUTCString();
  const check = find(await doctor({ env: await serviceOf("[]", { date }) }), "clock");
  expect(check.status).toBe(status);
  expect(check.detail).toMatch(said);
});

test("a service that needs half of what a request may take is warned about", async () => {
  const { env } = await sandboxFor({ latency: 300 });
  const report = await doctor({ env: { ...env, PARTNERS_REQUEST_TIMEOUT: "0.5" } });
  expect(find(report, "latency")).toMatchObject({ status: "warning" });
  expect(find(report, "latency").remedy[0]).toContain("requestTimeout");
});

describe("a key on trial", () => {
  test("is made with consent only", async () => {
    const { sandbox, env } = await sandboxFor();
    const report = await doctor({ env, consent: false });
    expect(report.asked).toEqual([sandbox.url]);
    expect(report.key).toMatchObject({ outcome: "not made" });
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(exitCodeOf(report)).toBe(0);
  });

  test("is not made where the stack cannot be read: the environment may be of another account", async () => {
    const { sandbox, env } = await sandboxFor();
    const nowhere = join(tmpdir(), "partners-no-such-folder");
    const project = { root: nowhere, name: "shop", programFolder: nowhere };
    const report = await doctor({ env, project, consent: true });
    expect(find(report, "stack").status).toBe("failed");
    expect(find(report, "key")).toMatchObject({ status: "skipped" });
    expect(report.asked).toEqual([]);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  test.each([
    ["flat", {}, { apiKey: ["/apiKey"] }],
    ["nested", {}, { apiKey: ["/apiKey/key"], apiKeyId: ["/apiKey/id"] }],
    ["bare", {}, { apiKey: [""] }],
    ["byId", { apiKeyId: "/apiKey/id" }, { apiKey: ["/apiKey/key"], apiKeyId: ["/apiKey/id"] }],
    ["unreadable", { apiKey: "/result/token" }, { apiKey: ["/result/token"] }],
  ] as const)("is recognised and gone afterwards: %s", async (shape, mapping, pointers) => {
    const { sandbox, env } = await sandboxFor({ shape, keyAlphabet: "hostile" });
    const responses = JSON.stringify(mapping);
    const report = await doctor({ env: { ...env, PARTNERS_RESPONSES: responses }, consent: true });
    expect(report.key).toMatchObject({ outcome: "deleted", explanation: { pointers } });
    expect(find(report, "key").status).toBe("ok");
    expect(sandbox.apiKeys).toEqual([]);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "POST", "DELETE"]);
  });

  test("that is not found in the response is said to exist, with its structure and what to set", async () => {
    const { sandbox, env } = await sandboxFor({ shape: "unreadable" });
    const report = await doctor({ env, consent: true });
    expect(report.exitCode).toBe(3);
    expect(report.key).toMatchObject({ outcome: "exists", explanation: { missing: { setting: "apiKey" } } });
    const { remedy } = find(report, "key");
    expect(remedy[0]).toContain(
      `A key EXISTS at the service that nobody holds, made at ${report.key?.at ?? ""}`,
    );
    expect(remedy).toContain(`export PARTNERS_RESPONSES='{"apiKey":"/result/token"}'`);
    const [key = ""] = sandbox.apiKeys;
    expect(findLeaks({ report: JSON.stringify(report) }, { key })).toEqual([]);
  });

  test.each<[string, SandboxOptions, number, string, number]>([
    [
      "the creation is refused",
      { faults: [{ kind: "status", status: 403, operation: "createApiKey" }] },
      1,
      "not made",
      0,
    ],
    [
      "another key is in the way",
      { oneKeyAtATime: true, apiKeys: ["pk_live_another-key-1"] },
      1,
      "not made",
      1,
    ],
    [
      "its answer is lost",
      { faults: [{ kind: "reset", effect: true, operation: "createApiKey" }] },
      3,
      "may exist",
      1,
    ],
    [
      "the deletion is refused",
      { faults: [{ kind: "status", status: 403, operation: "deleteApiKey" }] },
      3,
      "exists",
      1,
    ],
    [
      "the deletion breaks",
      { faults: [{ kind: "status", status: 500, operation: "deleteApiKey" }] },
      3,
      "may exist",
      1,
    ],
    ["the service deletes by id", { shape: "byId" }, 3, "exists", 1],
  ])("when %s", async (_what, options, exitCode, outcome, left) => {
    const { sandbox, env } = await sandboxFor(options);
    const report = await doctor({ env, consent: true });
    expect({ exitCode: report.exitCode, outcome: report.key?.outcome }).toEqual({ exitCode, outcome });
    expect(sandbox.apiKeys).toHaveLength(left);
    const { detail, remedy } = find(report, "key");
    const said = [detail, ...remedy].join("\n");
    if (exitCode === 3) {
      expect(said).toMatch(/key (?:EXISTS|may still EXIST|may exist)/);
      expect(said).toMatch(/made (?:at|about) \d{4}-\d\d-\d\dT/);
      expect(said).toContain("delete it there");
    }
    expect(said.includes("partners:responses.apiKeyId")).toBe("shape" in options);
    const keys = Object.fromEntries(sandbox.apiKeys.map((key, index) => [`key ${index}`, key]));
    expect(findLeaks({ report: JSON.stringify(report) }, keys)).toEqual([]);
  });

  test("that is gone already counts as deleted", async () => {
    const fault: Fault = { kind: "status", status: 410, operation: "deleteApiKey", effect: true };
    const { env } = await sandboxFor({ faults: [fault] });
    expect((await doctor({ env, consent: true })).key).toMatchObject({ outcome: "deleted" });
  });
});
