import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";

import { systemClock } from "../../../provider/src/partner-api/rate-limiter.js";
import { PluginProcess } from "../../../provider/src/plugin/plugin-process.js";

/** Starts a process for a service. The test moves its clock. */
async function start(respond: (response: ServerResponse) => void) {
  const requests: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request.method);
    respond(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const clock = { ahead: 0 };
  const plugin = new PluginProcess({
    env: {},
    notify: () => undefined,
    clock: { ...systemClock, now: () => systemClock.now() + clock.ahead },
  });
  const settings = new Map([
    ["partners:baseUrl", `http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    ["partners:accessToken", "t0ken"],
  ]);
  plugin.configure(settings);
  onTestFinished(async () => {
    await (await plugin.open()).close();
    server.closeAllConnections();
    server.close();
  });
  return { plugin, requests, clock };
}

it("all callers share one response to the list, unless it must be newer", async () => {
  const { plugin, requests } = await start((response) => response.end("[]"));
  const [first, second] = await Promise.all([plugin.requestList(), plugin.requestList()]);
  expect(second.response).toBe(first.response);
  expect((await plugin.requestList(first.requestedAt)).response).toBe(first.response);
  const newer = await plugin.requestList(plugin.now());
  expect(newer.requestedAt).toBeGreaterThan(first.requestedAt);
  expect((await plugin.requestList()).response).toBe(newer.response);
  expect(requests).toEqual(["GET", "GET"]);
});

it("a failure reaches those that wait for it, and is not kept", async () => {
  let status = 403;
  const { plugin, requests } = await start((response) => response.writeHead(status).end("[]"));
  const outcomes = await Promise.allSettled([plugin.requestList(), plugin.requestList()]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected"]);
  status = 200;
  expect((await plugin.requestList()).response.text).toBe("[]");
  expect(requests).toEqual(["GET", "GET"]);
});

it.each([
  [200, true],
  [403, true],
  [401, false],
  [404, false],
  [302, false],
])("before a creation, a %i to the list shows whether the API is there: %s", async (status, isThere) => {
  const { plugin, requests } = await start((response) => response.writeHead(status).end("[]"));
  const asking = Promise.allSettled([plugin.assertReachable(), plugin.assertReachable()]);
  const outcomes = (await asking).map((outcome) => outcome.status === "fulfilled");
  expect(outcomes).toEqual([isThere, isThere]);
  expect(requests).toEqual(["GET"]);
  await plugin.assertReachable().catch(() => undefined);
  expect(requests, "asked again only after a failure").toHaveLength(isThere ? 1 : 2);
});

it("a web page in place of a list shows that the address is wrong", async () => {
  const { plugin } = await start((response) => response.end("<!doctype html><title>Sign in</title>"));
  await expect(plugin.assertReachable()).rejects.toMatchObject({ isUnreachable: true });
});

it("after 30 s without a response, the API is asked again", async () => {
  const { plugin, requests, clock } = await start((response) => response.end("[]"));
  await plugin.assertReachable();
  clock.ahead += 29_000;
  await plugin.assertReachable();
  expect(requests).toHaveLength(1);
  clock.ahead += 2_000;
  await plugin.assertReachable();
  expect(requests).toHaveLength(2);
});
