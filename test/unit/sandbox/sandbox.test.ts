import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";

import { API_ROOT, OPERATIONS, type Operation } from "../../../provider/src/api/operations.js";
import {
  startSandbox,
  type LoggedRequest,
  type Sandbox,
  type SandboxOptions,
} from "../../../provider/src/sandbox/sandbox.js";

const WEBHOOKS = [
  { webhookId: 7, state: "active" },
  { webhookId: 8, state: "disabled" },
] as const;

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ webhooks: WEBHOOKS, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

function call(
  { url, accessToken }: Sandbox,
  operation: Operation,
  parameter: string | number = "",
  init: RequestInit = {},
): Promise<Response> {
  const { method, template } = OPERATIONS[operation];
  const path = template.replace(/\{\w+\}/, () => encodeURIComponent(parameter));
  const headers = { authorization: `Bearer ${accessToken}` };
  return fetch(url + API_ROOT + path, { method, headers, ...init });
}

test("a created key is valid until it is deleted", async () => {
  const sandbox = await start();
  const response = await call(sandbox, "createApiKey");
  const { apiKey } = (await response.json()) as { apiKey: string };
  expect([response.status, apiKey]).toEqual([201, expect.stringMatching(/^pk_live_[\w-]{32}$/)]);
  const whoami = () => fetch(`${sandbox.url}/whoami`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect([sandbox.apiKeys, sandbox.verify(apiKey), (await whoami()).status]).toEqual([[apiKey], true, 200]);

  expect((await call(sandbox, "deleteApiKey", apiKey)).status).toBe(200);
  expect([sandbox.apiKeys, sandbox.verify(apiKey), (await whoami()).status]).toEqual([[], false, 401]);
  expect((await call(sandbox, "deleteApiKey", apiKey)).status).toBe(404);
});

test("webhooks are listed, activated and disabled", async () => {
  const sandbox = await start();
  expect((await call(sandbox, "disableWebhook", 7)).status).toBe(200);
  expect((await call(sandbox, "activateWebhook", 8)).status).toBe(200);
  expect((await call(sandbox, "activateWebhook", 9)).status).toBe(404);
  const list = await call(sandbox, "listWebhooks");
  expect([list.status, list.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await list.json()).toMatchObject([{ webhookId: 7, state: "disabled" }, { state: "active" }]);
});

test("a test can add, change and remove webhooks; wrong IDs throw", async () => {
  const sandbox = await start();
  sandbox.setWebhookState(7, "disabled");
  sandbox.removeWebhook(8);
  sandbox.addWebhook(9, "active");
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 7: "disabled", 9: "active" });
  expect(() => {
    sandbox.setWebhookState(1, "active");
  }).toThrow("has no webhook 1");
  expect(() => {
    sandbox.addWebhook(7, "active");
  }).toThrow("already has a webhook 7");
  expect(() => {
    sandbox.setWebhookState(9, "off" as "active");
  }).toThrow('The state of webhook 9 must be "active" or "disabled".');
});

test("webhooks are given as a list or, as in a program, by ID", async () => {
  const sandbox = await start({ webhooks: { 8: "disabled", 7: "active" } });
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 7: "active", 8: "disabled" });
  expect((await start({ webhooks: {} })).webhooks.size).toBe(0);
});

// A JavaScript program can pass anything.
test.each<[string, unknown, string]>([
  ["no options", 8080, "startSandbox needs its options as an object"],
  ["null", null, "startSandbox needs its options as an object"],
  [
    "an unknown option",
    { webhook: {} },
    'startSandbox has no option "webhook". Valid options: port, accessToken',
  ],
  ["webhooks as text", { webhooks: "101" }, "webhooks must be an object such as"],
  ["webhooks as IDs", { webhooks: [101] }, "webhooks must be an object such as"],
  ["an ID that is none", { webhooks: { orders: "active" } }, "A webhook ID must be a positive whole number."],
  ["an ID of zero", { webhooks: [{ webhookId: 0, state: "active" }] }, "must be a positive whole number"],
  ["an ID as text", { webhooks: [{ webhookId: "7", state: "active" }] }, "must be a positive whole number"],
  ["a wrong state", { webhooks: { 7: "on" } }, 'The state of webhook 7 must be "active" or "disabled".'],
  ["a repeated ID", { webhooks: [...WEBHOOKS, ...WEBHOOKS] }, "already has a webhook 7"],
  [
    "a wrong token",
    { accessToken: "a b" },
    "accessToken must be letters, digits and punctuation, without spaces.",
  ],
  ["keys as text", { apiKeys: "key" }, "apiKeys must be an array of texts."],
  ["a wrong port", { port: 70_000 }, "port must be a whole number from 0 to 65535."],
  ["an unknown kind of keys", { keys: "other" }, "keys must be one of: new, same, oneRecord, byId, refused."],
  ["a page size of zero", { pageSize: 0 }, "pageSize must be a whole number, at least 1."],
  ["an unknown style of pages", { pageStyle: "all" }, "pageStyle must be one of: link, next-url, cursor,"],
  ["a negative delay", { delay: -1 }, "delay must be a whole number of milliseconds from 0 to 600000."],
  ["another account as text", { otherAccounts: "b" }, "otherAccounts must be an array of access tokens."],
  [
    "an account that is there twice",
    { otherAccounts: ["b", "b"] },
    "Each account needs its own access token.",
  ],
  [
    "its account again",
    { accessToken: "a", otherAccounts: ["a"] },
    "Each account needs its own access token.",
  ],
  ["onRequest as text", { onRequest: "log" }, "onRequest must be a function."],
])("the sandbox refuses %s with a sentence", async (_what, options, message) => {
  const started = (startSandbox as (options: unknown) => Promise<Sandbox>)(options);
  onTestFinished(() => started.then((sandbox) => sandbox.close()).catch(() => undefined));
  await expect(started).rejects.toThrow(message);
});

test("every operation gets a 401 without the token", async () => {
  const sandbox = await start({ apiKeys: ["8"] });
  for (const operation of Object.keys(OPERATIONS) as Operation[])
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: sandbox.accessToken }])
      expect((await call(sandbox, operation, 8, { headers })).status, operation).toBe(401);
  expect([sandbox.apiKeys, sandbox.webhooks.get(8)]).toEqual([["8"], "disabled"]);
});

test("requests are logged as sent, and onRequest is called after the response", async () => {
  const reported: LoggedRequest[] = [];
  const sandbox = await start({ onRequest: (request) => reported.push(request) });
  await call(sandbox, "createApiKey", "", { body: "äöü" });
  await fetch(`${sandbox.url}/a%2Fb?c=d`, { headers: { "X-Trace": "1" } });
  expect(sandbox.requests).toMatchObject([
    { operation: "createApiKey", method: "POST", path: `${API_ROOT}/api-key`, status: 201 },
    { operation: null, path: "/a%2Fb?c=d", status: 404, headers: { "x-trace": "1" } },
  ]);
  const snapshot = sandbox.requests;
  sandbox.clearRequests();
  expect([sandbox.requests.length, snapshot.length]).toEqual([0, 2]);
  await sandbox.close();
  expect(reported).toEqual(snapshot);
});

test("close ends idle and waiting connections, and keeps the account readable", async () => {
  const sandbox = await start();
  const silent = connect(Number(new URL(sandbox.url).port), "127.0.0.1").resume();
  const waiting = connect(Number(new URL(sandbox.url).port), "127.0.0.1").resume();
  waiting.write(`POST ${API_ROOT}/api-key HTTP/1.1\r\nhost: sandbox\r\ncontent-length: 9\r\n\r\n`);
  await call(sandbox, "listWebhooks"); // The sandbox accepts this connection after the other two.
  const ended = Promise.all([silent, waiting].map((socket) => once(socket, "close")));
  await Promise.all([sandbox.close(), sandbox.close()]);
  await ended;
  expect(sandbox.webhooks.size).toBe(2);
  await expect(call(sandbox, "listWebhooks")).rejects.toThrow();
});
