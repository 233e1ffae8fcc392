import { describe, expect, it } from "vitest";

import type { PartnerError } from "../../../provider/src/api/errors.js";
import type { Fault } from "../../support/sandbox.ts";
import type { Reaction } from "../../support/connect-proxy.ts";
import { failureOf } from "./support.js";
import { loggingClient, proxiedSandbox, setUpTls } from "./tls-support.ts";

setUpTls();

describe("a proxy that does not open a tunnel", () => {
  const refusals: [string, Reaction, string][] = [
    ["answers 407", 407, "The proxy did not open a way to the service"],
    ["answers 502", 502, "The proxy did not open a way to the service"],
    ["closes the connection", "fin", "The proxy did not open a way to the service"],
    ["resets the connection", "reset", "(DNS, firewall, proxy, TLS)"],
    ["answers nonsense", "garbage", "What answered does not speak HTTP"],
  ];

  it.each(refusals)("but %s: nothing was sent, so a creation is tried again", async (_how, reaction) => {
    const server = await proxiedSandbox({ reactions: [reaction, reaction, "tunnel"] });
    const { client, lines } = loggingClient(server);
    await client.createApiKey();
    expect(lines).toHaveLength(3);
    expect(server.proxy.heads).toHaveLength(3);
    expect(server.sandbox.requests).toHaveLength(1);
    expect(server.sandbox.apiKeys).toHaveLength(1);
  });

  it.each(refusals)("but always %s: the error denies any effect", async (_how, reaction, remedy) => {
    const server = await proxiedSandbox({ reactions: [reaction] });
    const { client } = loggingClient(server);
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error).toMatchObject({ code: "PARTNERS_CONNECTION", effect: "none" });
    expect(error.message).toContain("(4 attempts). Nothing was changed on the server.");
    expect(error.message).toContain(remedy);
    expect(server.proxy.heads).toHaveLength(4);
    expect(server.sandbox.requests).toEqual([]);
  });

  it("but hangs: the operation ends in time, and what was given up is never sent", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const server = await proxiedSandbox({ reactions: [held] });
    const { client } = loggingClient(server, { operationTimeout: 300 });
    const startedAt = performance.now();
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(error).toMatchObject({ code: "PARTNERS_TIMEOUT", effect: "none" });
    expect(server.proxy.openConnections()).toBe(1);
    release();
    await expect.poll(() => server.proxy.openConnections()).toBe(0);
    expect(server.sandbox.requests).toEqual([]);
  });

  it("but hangs: its connections end with the client", async () => {
    const server = await proxiedSandbox({ reactions: [new Promise(() => undefined)] });
    const { client } = loggingClient(server, { operationTimeout: 200 });
    await Promise.all([failureOf(client.createApiKey()), failureOf(client.listWebhooks())]);
    await client.close();
    await expect.poll(() => server.proxy.openConnections()).toBe(0);
  });

  it("as there is none fails without a request", async () => {
    const server = await proxiedSandbox();
    await server.proxy.close();
    const error = (await failureOf(loggingClient(server).client.createApiKey())) as PartnerError;
    expect(error.message).toContain("ECONNREFUSED (4 attempts). Nothing was changed on the server.");
  });
});

describe("a tunnel that breaks while a request is under way", () => {
  it.each<[string, Fault]>([
    ["RST", { kind: "reset", effect: true, times: Infinity }],
    ["FIN", { kind: "fin", effect: true, times: Infinity }],
  ])("by %s leaves a creation unrepeated, and the error says that a key may exist", async (_how, fault) => {
    const server = await proxiedSandbox({}, [fault]);
    const { client, lines } = loggingClient(server);
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error.effect).toBe("possible");
    expect(error.message).toContain("A key may exist on the server");
    expect(lines).toHaveLength(1);
    expect(server.sandbox.requests).toHaveLength(1);
  });

  it("is opened again for what may be repeated", async () => {
    const server = await proxiedSandbox({}, [{ kind: "reset", times: 3 }]);
    const { client, lines } = loggingClient(server);
    await client.activateWebhook(103);
    expect(lines).toHaveLength(4);
    expect(server.sandbox.requests).toHaveLength(4);
    expect(server.proxy.heads).toHaveLength(4);
  });
});
