import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";

import {
  startSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxRequest,
} from "../../../provider/src/sandbox/sandbox.ts";

const ROOT = "/api/v1/partners";

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ webhooks: { 7: "active", 8: "disabled" }, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Sends a request. @returns The status and the body. */
async function send(sandbox: Sandbox, call: string, accessToken = sandbox.accessToken) {
  const [method = "", path = ""] = call.split(" ");
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(sandbox.url + ROOT + path, { method, headers });
  return [response.status, await response.json()] as const;
}

test("a key is valid from its creation to its deletion", async () => {
  const sandbox = await start();
  const [status, body] = await send(sandbox, "POST /api-key");
  const [apiKey = ""] = sandbox.apiKeys;
  expect([status, body]).toEqual([201, { apiKey }]);
  expect(apiKey).toMatch(/^pk_live_[0-9a-f]{32}$/);
  expect(await send(sandbox, `DELETE /api-key/${apiKey}`)).toEqual([200, { success: true }]);
  expect(sandbox.apiKeys.size).toBe(0);
  expect(await send(sandbox, `DELETE /api-key/${apiKey}`)).toEqual([404, { error: "no such API key" }]);
});

test("a key that the test adds is deleted by its encoded value", async () => {
  const sandbox = await start();
  sandbox.apiKeys.add("old/key%");
  expect((await send(sandbox, "DELETE /api-key/old%2Fkey%25"))[0]).toBe(200);
  expect((await send(sandbox, "DELETE /api-key/%E0%A4%A"))[0]).toBe(404);
});

test("webhooks are listed, activated and disabled", async () => {
  const sandbox = await start();
  sandbox.webhooks.set(101, "active").delete(7); // As someone else would.
  expect(await send(sandbox, "PATCH /webhooks/101/disable")).toEqual([200, { success: true }]);
  expect(await send(sandbox, "PATCH /webhooks/8/active")).toEqual([200, { success: true }]);
  expect(await send(sandbox, "PATCH /webhooks/9/active")).toEqual([404, { error: "no such webhook" }]);
  const named = { webhookId: 101, name: "orders", state: "disabled" };
  const other = { webhookId: 8, name: "webhook-8", state: "active" };
  expect(await send(sandbox, "GET /webhooks")).toEqual([200, [other, named]]);
});

test("other paths are no operations, and without the access token, nothing happens", async () => {
  const sandbox = await start();
  for (const call of ["GET /api-key", "GET /webhooks?page=2", "PATCH /webhooks/7/enable", "DELETE /api-key"])
    expect((await send(sandbox, call))[0], call).toBe(404);
  sandbox.apiKeys.add("8");
  for (const call of ["POST /api-key", "DELETE /api-key/8", "GET /webhooks", "PATCH /webhooks/8/active"])
    expect(await send(sandbox, call, "wrong"), call).toEqual([401, { error: "unauthorized" }]);
  expect([[...sandbox.apiKeys], sandbox.webhooks.get(8)]).toEqual([["8"], "disabled"]);
});

test("requests are recorded, and onRequest is called after the response", async () => {
  const reported: SandboxRequest[] = [];
  const sandbox = await start({ onRequest: (request) => reported.push(request) });
  await send(sandbox, "POST /api-key");
  await send(sandbox, "PATCH /webhooks/9/active");
  expect(sandbox.requests).toEqual([
    { method: "POST", path: `${ROOT}/api-key`, status: 201 },
    { method: "PATCH", path: `${ROOT}/webhooks/9/active`, status: 404 },
  ]);
  await sandbox.close();
  expect(reported).toEqual(sandbox.requests);
});

test("a request takes effect before the latency has passed", async () => {
  const sandbox = await start({ latency: 60_000 });
  const response = send(sandbox, "POST /api-key").catch((error: unknown) => error);
  await expect.poll(() => sandbox.apiKeys.size).toBe(1);
  await sandbox.close();
  expect(await response).toBeInstanceOf(TypeError);
});

test("close ends idle and waiting connections, and keeps the account readable", async () => {
  const sandbox = await start();
  const silent = connect(Number(new URL(sandbox.url).port), "127.0.0.1").resume();
  const waiting = connect(Number(new URL(sandbox.url).port), "127.0.0.1").resume();
  waiting.write(`POST ${ROOT}/api-key HTTP/1.1\r\nhost: sandbox\r\ncontent-length: 9\r\n\r\n`);
  await send(sandbox, "GET /webhooks"); // The sandbox accepts this connection after the other two.
  const ended = Promise.all([silent, waiting].map((socket) => once(socket, "close")));
  await Promise.all([sandbox.close(), sandbox.close()]);
  await ended;
  expect(sandbox.webhooks.size).toBe(2);
  await expect(send(sandbox, "GET /webhooks")).rejects.toThrow();
});
