import { connect } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startSandbox, type Fault } from "../../../provider/src/sandbox/index.js";
import { call, received } from "./calls.ts";

test.each<[string, { faults?: Fault[]; latency?: number }]>([
  ["hanging before the headers", { faults: [{ kind: "hang", at: "headers" }] }],
  ["hanging in the body", { faults: [{ kind: "hang", at: "body" }] }],
  ["slow", { faults: [{ kind: "slow", bytesPerSecond: 0.1 }] }],
  ["late", { latency: 3_600_000 }],
])("close ends requests that are %s, at once", async (_name, options) => {
  const sandbox = await startSandbox(options);
  const failed = call(sandbox, "createApiKey")
    .then((response) => response.text())
    .then(
      () => false,
      () => true,
    );
  await received(sandbox, 1);
  const started = performance.now();
  await sandbox.close();
  expect(await failed).toBe(true);
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("close ends connections that have sent nothing", async () => {
  const sandbox = await startSandbox();
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1").resume();
  await once(socket, "connect");
  await call(sandbox, "listWebhooks"); // Accepted later than the idle connection, so that one is known by now.
  const ended = once(socket, "close");
  await sandbox.close();
  await ended;
});

test("close may be called again, and what the sandbox held stays readable", async () => {
  const sandbox = await startSandbox();
  await call(sandbox, "createApiKey");
  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();
  expect(sandbox.apiKeys).toHaveLength(1);
  expect(sandbox.requests).toHaveLength(1);
  await expect(call(sandbox, "listWebhooks")).rejects.toThrow();
});

test("a port can be chosen, and one that is in use is refused with a remedy", async () => {
  await using first = await startSandbox();
  const port = Number(new URL(first.url).port);
  await expect(startSandbox({ port })).rejects.toThrow(
    `127.0.0.1:${port}: it is in use. Choose another port`,
  );
  await first.close();
  await using second = await startSandbox({ port });
  expect(second.url).toBe(`http://127.0.0.1:${port}`);
});
