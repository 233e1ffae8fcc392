import { describe, expect, it, onTestFinished } from "vitest";

import { parseBaseUrl } from "../../../provider/src/api/base-url.js";
import { createConnections } from "../../../provider/src/api/connections.js";
import type { PartnerError } from "../../../provider/src/api/errors.js";
import { exchange } from "../../../provider/src/api/http.js";
import { API_ROOT } from "../../../provider/src/api/operations.js";
import { call, operations } from "./calls.ts";
import { failureOf, listen } from "./support.js";
import { HOST, loggingClient, secureSandbox, setUpTls } from "./tls-support.ts";

setUpTls();

describe("a handshake", () => {
  it("that is reset is no evidence that anything was sent, so that a creation too is tried again", async () => {
    const server = await secureSandbox({ handshake: "reset" });
    const { client, lines } = loggingClient(server);
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error.message).toContain("ECONNRESET (4 attempts). Nothing was changed on the server.");
    expect(error.effect).toBe("none");
    expect(lines).toHaveLength(4);
    expect(server.sandbox.requests).toEqual([]);
  });

  it.each(operations)("that stalls ends %s in time", async (operation) => {
    const server = await secureSandbox({ handshake: "stall" });
    const { client } = loggingClient(server, { operationTimeout: 300 });
    const startedAt = performance.now();
    const error = (await failureOf(call(client, operation))) as PartnerError;
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(error).toMatchObject({ code: "PARTNERS_TIMEOUT", effect: "none" });
    expect(error.message).toContain("no connection came about in time");
  });

  it("that comes through after the request was given up does not send it", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { sandbox, front, url, accessToken } = await secureSandbox({ handshake: held });
    const baseUrl = parseBaseUrl(url);
    if ("problem" in baseUrl) throw new Error(baseUrl.problem);
    const connections = createConnections(baseUrl, accessToken, 4);
    onTestFinished(() => connections.close());
    const given = { method: "POST", path: `${API_ROOT}/api-key`, fresh: true, keepBody: 0 } as const;
    const times = { connectTimeout: 100, requestTimeout: 5_000, remaining: 5_000 };
    expect(await exchange(connections, { ...given, ...times })).toMatchObject({
      kind: "unanswered",
      sent: false,
      reason: "timeout",
    });
    expect(front.openConnections()).toBe(1);
    release();
    // undici has its connection now, comes to start the request, and is told not to.
    await expect.poll(() => front.openConnections()).toBe(0);
    expect(sandbox.requests).toEqual([]);
  });

  it("with a server that speaks plain HTTP fails without a request", async () => {
    const plain = await listen((_request, response) => response.end("[]"));
    onTestFinished(() => plain.close());
    const { client } = loggingClient({
      ...plain,
      url: plain.url.replace("http://127.0.0.1", `https://${HOST}`),
    });
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error.effect).toBe("none");
    expect(error.message).toContain("What answered does not speak TLS: check the port");
    expect(plain.requests).toEqual([]);
  });
});
