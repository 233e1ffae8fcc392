import { afterEach, describe, expect, it } from "vitest";

import type { PartnerClient } from "../../../provider/src/api/client.js";
import {
  ApiStatusError,
  ConnectionError,
  PartnerError,
  TimeoutError,
} from "../../../provider/src/api/errors.js";
import { startSandbox, type Fault, type Sandbox, type SandboxOptions } from "../../support/sandbox.ts";
import { clientFor, FakeTiming, failureOf, listen } from "./support.js";

let sandbox: Sandbox;
let client: PartnerClient;
const timing = { current: new FakeTiming() };

async function start(faults: Fault[], options: SandboxOptions = {}, times = {}): Promise<void> {
  timing.current = new FakeTiming();
  sandbox = await startSandbox({ ...options, faults });
  client = clientFor(sandbox, { timing: timing.current, requestTimeout: 150, ...times });
}

afterEach(async () => {
  await client.close();
  await sandbox.close();
});

function posts(): number {
  return sandbox.requests.filter(({ method }) => method === "POST").length;
}

describe("a creation whose answer is lost", () => {
  const lost: [string, Fault][] = [
    ["a reset after the effect", { kind: "reset", effect: true }],
    ["a reset before the effect", { kind: "reset" }],
    ["a close after the effect", { kind: "fin", effect: true }],
    ["silence after the effect", { kind: "hang", at: "headers", effect: true }],
    ["a 500 after the effect", { kind: "status", status: 500, effect: true }],
    ["a 502 after the effect", { kind: "status", status: 502, effect: true }],
    [
      "a 503 with Retry-After",
      { kind: "status", status: 503, headers: { "retry-after": "1" }, effect: true },
    ],
    ["a 504 after the effect", { kind: "status", status: 504, effect: true }],
    ["a 408 after the effect", { kind: "status", status: 408, effect: true }],
    ["a redirect after the effect", { kind: "redirect", location: "/thanks", effect: true }],
  ];

  it.each(lost)("by %s is not repeated, and the error says that a key may exist", async (_what, fault) => {
    await start([{ ...fault, times: Infinity }]);
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error).toBeInstanceOf(PartnerError);
    expect(error.effect).toBe("possible");
    expect(error.message).toContain("A key may exist on the server");
    expect(error.message).toMatch(/Look at the service for a key made about 20\d\d-/);
    expect(posts()).toBe(1);
  });

  it("in mid-body keeps the bytes that came", async () => {
    await start([{ kind: "truncate", bytes: 20 }]);
    const created = await client.createApiKey();
    expect(created.whole).toBe(false);
    expect(created.response).toHaveLength(20);
    expect(posts()).toBe(1);
  });

  it.each<[string, Fault]>([
    ["a reset", { kind: "resetMidBody" }],
    ["silence", { kind: "hang", at: "body" }],
  ])("in mid-body by %s never throws", async (_what, fault) => {
    await start([fault]);
    expect(await client.createApiKey()).toMatchObject({ whole: false });
    expect(posts()).toBe(1);
  });
});

describe("a creation that certainly had no effect", () => {
  it("is repeated after 429, however often, and not counted", async () => {
    await start([{ kind: "rateLimit", retryAfter: 1, times: 6 }]);
    await client.createApiKey();
    expect(posts()).toBe(7);
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(timing.current.sleeps.filter((ms) => ms > 900 && ms <= 1000)).toHaveLength(6);
  });

  it("is given up when nothing at all gets through for as long as an operation may take", async () => {
    await start([{ kind: "rateLimit", retryAfter: 4, times: Infinity }]);
    expect(await failureOf(client.createApiKey())).toMatchObject({ status: 429, effect: "none" });
    expect(posts()).toBe(4); // At 0, 4, 8 and 12 s, of 10 s.
  });

  it("is repeated while the connection is refused", async () => {
    await start([]);
    await sandbox.close();
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain("ECONNREFUSED (4 attempts). Nothing was changed on the server.");
    expect(timing.current.sleeps).toEqual([100, 200, 400]);
  });

  it.each([400, 401, 403, 404, 409, 422])(
    "is not repeated after %d, and the error says so",
    async (status) => {
      await start([{ kind: "status", status }]);
      const error = (await failureOf(client.createApiKey())) as PartnerError;
      expect(error).toMatchObject({ status, effect: "none" });
      expect(error.message).toContain("Nothing was changed on the server.");
      expect(posts()).toBe(1);
    },
  );
});

describe("what may be repeated", () => {
  it("is, after each kind of fault that passes", async () => {
    await start([
      { kind: "reset" },
      { kind: "status", status: 503 },
      { kind: "resetMidBody", operation: "listWebhooks" },
    ]);
    expect((await client.listWebhooks()).webhooks.size).toBe(3);
    expect(timing.current.sleeps).toEqual([100, 200, 400]);
  });

  it("waits as long as Retry-After says, no less and no more", async () => {
    await start([{ kind: "status", status: 503, headers: { "retry-after": "3" } }]);
    await client.activateWebhook(103);
    expect(timing.current.sleeps).toEqual([3000]);
  });

  it("fails at once if Retry-After lies beyond the deadline, and says how long to wait", async () => {
    await start([{ kind: "status", status: 503, headers: { "retry-after": "3600" }, times: Infinity }]);
    const error = (await failureOf(client.listWebhooks())) as PartnerError;
    expect(error.message).toContain("The server asks to wait 3600 s");
    expect(sandbox.requests).toHaveLength(1);
  });

  it("remembers that an earlier attempt may have had an effect", async () => {
    await start([
      { kind: "reset", effect: true },
      { kind: "status", status: 403 },
    ]);
    const error = (await failureOf(client.disableWebhook(101))) as PartnerError;
    expect(error).toMatchObject({ status: 403, effect: "possible" });
    expect(error.message).toContain("webhook 101: disableWebhook");
    expect(error.message).toContain("The webhook may have been changed.");
  });

  it("gives up after four attempts", async () => {
    await start([{ kind: "hang", at: "headers", times: Infinity }]);
    const error = (await failureOf(client.listWebhooks())) as PartnerError;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(sandbox.requests).toHaveLength(4);
  });

  it("ends with the operation's deadline, even in the middle of an attempt", async () => {
    await start(
      [{ kind: "hang", at: "headers", times: Infinity }],
      {},
      { requestTimeout: 60_000, operationTimeout: 200 },
    );
    expect(await failureOf(client.listWebhooks())).toBeInstanceOf(TimeoutError);
    expect(sandbox.requests).toHaveLength(1);
  });

  it("bounds a body that never stops trickling", async () => {
    await start([{ kind: "slow", bytesPerSecond: 40, times: Infinity }]);
    expect(await failureOf(client.listWebhooks())).toBeInstanceOf(ConnectionError);
  });
});

describe("an error", () => {
  it("holds neither token nor body, and a request id only if it is plain", async () => {
    await start([]);
    const echo = JSON.stringify({ error: `bad token ${sandbox.accessToken}` });
    for (const id of ["plain-id.1", `x-${sandbox.accessToken}`, "::set-output name=a::b"]) {
      sandbox.inject({ kind: "status", status: 400, body: echo, headers: { "x-request-id": id } });
      const error = (await failureOf(client.listWebhooks())) as ApiStatusError;
      expect(error.requestId).toBe(id === "plain-id.1" ? id : null);
      const all = `${error.stack ?? ""} ${JSON.stringify(error)} ${error.message}`;
      expect(all).not.toContain(sandbox.accessToken);
      expect(all).not.toContain("bad token");
      expect(error.cause).toBeUndefined();
    }
  });

  it("of a deletion does not hold the key", async () => {
    const key = "pk_live_canary_0123456789";
    await start([{ kind: "status", status: 400, headers: { "x-request-id": `r-${key}` } }]);
    const error = (await failureOf(client.deleteApiKey(key))) as PartnerError;
    expect(`${error.stack ?? ""}${JSON.stringify(error)}`).not.toContain(key);
    expect(error.message).toContain("deleteApiKey (DELETE /api/v1/partners/api-key/{api_key})");
  });
});

describe("the size of a body", () => {
  it("is bounded for a creation at 4 MiB, and what came is kept", async () => {
    const server = await listen((_request, response) => {
      response.writeHead(201);
      response.end(`{"apiKey":"pk_live_0123456789abcdef","padding":"${"x".repeat(5 * 1024 * 1024)}"}`);
    });
    await start([]);
    const created = await clientFor(server).createApiKey();
    expect(created.whole).toBe(false);
    expect(created.response).toHaveLength(4 * 1024 * 1024);
    expect(created.response).toContain("pk_live_0123456789abcdef");
    expect(server.requests).toHaveLength(1);
    await server.close();
  });

  it("is bounded for a list at 64 MiB, and that is not tried again", async () => {
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const server = await listen((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    await start([]);
    const error = await failureOf(
      clientFor(server, { requestTimeout: 20_000, operationTimeout: 20_000 }).listWebhooks(),
    );
    expect(String(error)).toContain("It has more than 64 MiB");
    expect(server.requests).toHaveLength(1);
    await server.close();
  });

  it("does not matter where nobody reads it", async () => {
    const server = await listen((_request, response) => {
      response.end("x".repeat(3 * 1024 * 1024));
    });
    await start([]);
    await expect(clientFor(server).activateWebhook(101)).resolves.toBeUndefined();
    await server.close();
  });
});

describe("a body that is no text", () => {
  it("is kept in base64", async () => {
    const server = await listen((_request, response) => {
      response.writeHead(201);
      response.end(Buffer.from([0xff, 0xfe, 0x00]));
    });
    await start([]);
    expect((await clientFor(server).createApiKey()).response).toBe("base64://4A");
    await server.close();
  });
});
