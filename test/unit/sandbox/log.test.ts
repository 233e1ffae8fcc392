import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { startSandbox } from "../../../provider/src/sandbox/index.js";
import { call, received, watch } from "./calls.ts";

test("the log says what was asked, answered and changed", async () => {
  await using sandbox = await startSandbox({ accessToken: "t0ken", basePath: "/eu" });
  const before = Date.now();
  const response = await call(sandbox, "disableWebhook", 101);
  const [entry] = sandbox.requests;
  expect(entry).toMatchObject({
    operation: "disableWebhook",
    method: "PATCH",
    path: "/eu/api/v1/partners/webhooks/101/disable",
    status: 200,
    effect: true,
    connection: 1,
    bodyBytes: 0,
    requestId: response.headers.get("x-request-id"),
  });
  expect(entry?.headers["authorization"]).toBe("Bearer t0ken");
  expect(entry?.receivedAt).toBeGreaterThanOrEqual(before);
  expect(entry?.receivedAt).toBeLessThanOrEqual(Date.now());
});

test("what changes nothing is logged as without effect", async () => {
  await using sandbox = await startSandbox();
  await call(sandbox, "activateWebhook", 101); // It is active already.
  await call(sandbox, "activateWebhook", 999);
  await call(sandbox, "deleteApiKey", "none");
  await call(sandbox, "listWebhooks");
  expect(sandbox.requests.map(({ status, effect }) => [status, effect])).toEqual([
    [200, false],
    [404, false],
    [404, false],
    [200, false],
  ]);
});

test("requests that are no operation are logged as well, with their path as sent", async () => {
  await using sandbox = await startSandbox();
  await fetch(`${sandbox.url}/whoami`);
  await fetch(`${sandbox.url}/a%2Fb?c=d`);
  expect(sandbox.requests.map(({ operation, path, status }) => [operation, path, status])).toEqual([
    [null, "/whoami", 401],
    [null, "/a%2Fb?c=d", 404],
  ]);
});

test("request bodies are counted", async () => {
  await using sandbox = await startSandbox();
  await call(sandbox, "createApiKey", "", { body: "äöü" });
  expect(sandbox.requests[0]?.bodyBytes).toBe(6);
});

test("every response has a request id of its own", async () => {
  await using sandbox = await startSandbox({ faults: [{ kind: "html" }, { kind: "status", status: 500 }] });
  const ids: (string | null)[] = [];
  for (let i = 0; i < 3; i++) ids.push((await call(sandbox, "listWebhooks")).headers.get("x-request-id"));
  ids.push((await fetch(`${sandbox.url}/nowhere`)).headers.get("x-request-id"));
  expect(ids).toEqual(sandbox.requests.map(({ requestId }) => requestId));
  expect(new Set(ids).size).toBe(4);
});

test("connections are told apart", async () => {
  await using sandbox = await startSandbox();
  for (let i = 0; i < 3; i++) await watch(sandbox, "listWebhooks");
  expect(sandbox.requests.map(({ connection }) => connection)).toEqual([1, 2, 3]);
});

test("requests over one connection have one number", async () => {
  await using sandbox = await startSandbox();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 3; i++) {
    const [response] = (await once(get(sandbox.url, { agent }), "response")) as [IncomingMessage];
    await once(response.resume(), "end");
  }
  expect(sandbox.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
});

test("a request is in the log while it waits for its answer, and a log once taken stays as it is", async () => {
  await using sandbox = await startSandbox({ latency: 100 });
  const answered = call(sandbox, "listWebhooks");
  await received(sandbox, 1);
  const taken = sandbox.requests;
  await answered;
  await call(sandbox, "listWebhooks");
  expect(taken.map(({ status }) => status)).toEqual([null]);
  expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200]);
});

test("clearing the log forgets what was", async () => {
  await using sandbox = await startSandbox();
  await call(sandbox, "listWebhooks");
  sandbox.clearRequests();
  expect(sandbox.requests).toEqual([]);
  await call(sandbox, "createApiKey");
  expect(sandbox.requests).toHaveLength(1);
});
