/** What our other tests rely on and would not notice: a fault that never happens, or that leaves another effect than it says. */
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";

import { API_ROOT } from "../../../provider/src/api/operations.js";
import {
  RawBody,
  SHAPES,
  startSandbox,
  type Fault,
  type Sandbox,
  type SandboxOptions,
} from "../../support/sandbox.ts";

async function start(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

function call({ url, accessToken }: Sandbox, method: string, path: string): Promise<Response> {
  return fetch(url + API_ROOT + path, { method, headers: { authorization: `Bearer ${accessToken}` } });
}

/** What comes over a connection for the creation of a key, and how it ends: "open" if 300 ms pass in silence. */
async function createOnWire({ url, accessToken }: Sandbox): Promise<{ body: string | null; end: string }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let [text, end] = ["", "open"];
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.on("end", () => (end = "fin"));
  socket.on("error", () => (end = "reset"));
  socket.setTimeout(300, () => socket.destroy());
  socket.write(`POST ${API_ROOT}/api-key HTTP/1.1\r\nhost: sandbox\r\nconnection: close\r\n`);
  socket.write(`authorization: Bearer ${accessToken}\r\n\r\n`);
  await new Promise((resolve) => socket.once("close", resolve));
  const [head, body] = text.split("\r\n\r\n", 2);
  return { body: head ? (body ?? "") : null, end };
}

test.each<[Fault, body: (real: string) => string | null, end: string]>([
  [{ kind: "reset" }, () => null, "reset"],
  [{ kind: "fin" }, () => null, "fin"],
  [{ kind: "hang", at: "headers" }, () => null, "open"],
  [{ kind: "html" }, () => "<!doctype html><html><body><h1>Welcome</h1></body></html>", "fin"],
  [{ kind: "hang", at: "body" }, (real) => real.slice(0, real.length / 2), "open"],
  [{ kind: "resetMidBody" }, (real) => real.slice(0, real.length / 2), "reset"],
  [{ kind: "truncate", bytes: 20 }, (real) => real.slice(0, 20), "fin"],
  [{ kind: "slow", bytesPerSecond: 200 }, (real) => real, "fin"],
])("%j sends what it says, and is performed if it says so", async (fault, expected, end) => {
  const sandbox = await start({ faults: [fault, { ...fault, effect: true }] });
  const first = await createOnWire(sandbox);
  const sendsReal = expected("{}") !== expected("{}{}");
  expect(sandbox.apiKeys).toHaveLength(sendsReal ? 1 : 0);
  expect(first).toEqual({ body: expected(JSON.stringify({ apiKey: sandbox.apiKeys[0] })), end });
  await createOnWire(sandbox);
  expect(sandbox.apiKeys).toHaveLength(sendsReal ? 2 : 1);
});

test("faults happen in order, to the requests they name, and not after they are cleared", async () => {
  const sandbox = await start({
    faults: [
      { kind: "status", status: 500, operation: "createApiKey" },
      { kind: "status", status: 501, times: 2 },
      { kind: "status", status: 503, skip: 1, times: Infinity },
    ],
  });
  const list = async () => (await call(sandbox, "GET", "/webhooks")).status;
  expect([await list(), await list(), await list(), await list()]).toEqual([501, 501, 200, 503]);
  expect((await call(sandbox, "POST", "/api-key")).status).toBe(500);
  sandbox.clearFaults();
  expect(await list()).toBe(200);
});

test("a body may be bytes with headers of their own, from a fault and from a shape", async () => {
  const gzipped = gzipSync('{"apiKey":"k"}');
  const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
  const sandbox = await start({
    shape: { ...SHAPES.flat, apiKey: ({ key }) => new RawBody(`<key>${key}</key>`, { link: "next" }) },
    faults: [{ kind: "status", status: 202, headers, body: gzipped }],
  });
  const faulty = await call(sandbox, "POST", "/api-key");
  expect([faulty.status, faulty.headers.get("content-type")]).toEqual([202, "text/plain"]);
  expect(await faulty.text()).toBe('{"apiKey":"k"}');
  const raw = await call(sandbox, "POST", "/api-key");
  expect([raw.status, raw.headers.get("link")]).toEqual([201, "next"]);
  expect(await raw.text()).toBe(`<key>${sandbox.apiKeys[0] ?? ""}</key>`);
});
