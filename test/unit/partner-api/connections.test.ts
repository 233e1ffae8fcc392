/** Proxies, TLS and slow networks. */
import dns, { type LookupAddress } from "node:dns";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { startConnectProxy, type Reaction } from "../../support/connect-proxy.ts";
import { startLateServer } from "../../support/late-server.ts";
import { startTcpServer } from "../../support/tcp-server.ts";
import {
  createAuthority,
  resolveTestNames,
  startTlsFront,
  trust,
  type Authority,
} from "../../support/tls.ts";
import { clientFor, errorOf, InstantClock, KEY, listen, TOKEN } from "./support.ts";

/** A host name, because the client never uses a proxy for this machine. */
const HOST = "partners.test";
const PASSWORD = "p@ssw0rd";

const trusted = await createAuthority();
const untrusted = await createAuthority("X");
trust(trusted);
resolveTestNames();

interface Options {
  readonly authority?: Authority;
  /** What a proxy does, which HTTPS_PROXY names. @default no proxy */
  readonly proxy?: readonly Reaction[];
}

/** Starts a server behind TLS, and a client that connects to it by its host name. */
async function secureServer(given: Options = {}) {
  const { authority = trusted, proxy = ["tunnel"] } = given;
  const server = await listen((_request, response) => response.end("[]"));
  const front = await startTlsFront(server.url, await authority.issue({ hosts: [HOST] }));
  const connectProxy = await startConnectProxy(front.port, proxy);
  onTestFinished(async () => {
    for (const { close } of [connectProxy, front]) await close();
  });
  const address = connectProxy.url.replace("://", `://user:${encodeURIComponent(PASSWORD)}@`);
  const env = given.proxy && { HTTPS_PROXY: address };
  const url = `https://${HOST}:${front.port}`;
  const client = clientFor(url, { clock: new InstantClock(), env: env ?? {} });
  return { url, requests: server.requests, front, proxy: connectProxy, client };
}

it("an untrusted certificate is refused before anything is sent, so a creation is repeated", async () => {
  const { client, requests } = await secureServer({ authority: untrusted });
  const error = await errorOf(client.createApiKey());
  expect(error).toMatchObject({ code: "PARTNERS_CONNECTION", effect: "none", isUnreachable: true });
  expect(error.message).toContain("(UNABLE_TO_VERIFY_LEAF_SIGNATURE) after 6 attempts. The certificate");
  expect(requests).toEqual([]);
});

it("a reset during the handshake sends nothing, so a creation is repeated", async () => {
  const server = await startTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
  onTestFinished(() => server.close());
  const client = clientFor(`https://${HOST}:${server.port}`, { clock: new InstantClock() });
  const error = await errorOf(client.createApiKey());
  expect(error).toMatchObject({ effect: "none" });
  expect(error.summary).toContain("the connection failed (ECONNRESET) after 6 attempts");
});

it.each([{}, { proxy: ["tunnel"] }] satisfies Options[])(
  "HTTP/2 is never used although the server offers it: %j",
  async (options) => {
    const { client, requests, front } = await secureServer(options);
    await client.listWebhooks();
    await client.createApiKey();
    expect(requests).toHaveLength(2);
    for (const protocol of front.protocols) expect([false, "http/1.1"]).toContain(protocol);
  },
);

describe("a proxy", () => {
  it("sees only the host, the port and its own credentials in plain text", async () => {
    const { client, requests, proxy, url } = await secureServer({ proxy: ["tunnel"] });
    await client.createApiKey();
    await client.deleteApiKey(KEY);
    const basic = Buffer.from(`user:${PASSWORD}`).toString("base64");
    for (const head of proxy.heads) {
      expect(head).toContain(`CONNECT ${new URL(url).host} HTTP/1.1`);
      expect(head).toContain(`proxy-authorization: Basic ${basic}`);
    }
    expect(requests).toHaveLength(2);
    for (const { headers } of requests) expect(headers).not.toHaveProperty("proxy-authorization");
    for (const secret of [TOKEN, KEY, "Bearer", "/api/v1/partners"])
      expect(proxy.seen().includes(secret)).toBe(false);
  });

  it.each([
    [407, "UND_ERR_ABORTED", "The proxy refused the connection: check HTTPS_PROXY"],
    ["fin", "UND_ERR_PRX_CONN", "The proxy refused the connection: check HTTPS_PROXY"],
    ["unreachable", "ECONNREFUSED", "Check partners:baseUrl, the network and any proxy."],
  ] as const)("that is %s sends nothing, so a creation is repeated", async (reaction, code, remedy) => {
    const isOpen = reaction !== "unreachable";
    const { client, requests, proxy } = await secureServer({ proxy: [isOpen ? reaction : "tunnel"] });
    if (!isOpen) await proxy.close();
    const error = await errorOf(client.createApiKey());
    expect(error).toMatchObject({ code: "PARTNERS_CONNECTION", effect: "none", isUnreachable: true });
    expect(error.message).toContain(`(${code}) after 6 attempts. ${remedy}`);
    expect(error.message + (error.stack ?? "")).not.toContain("ssw0rd");
    expect(requests).toEqual([]);
  });

  it("is never used for this machine, because it would see the token in plain text", async () => {
    const { proxy } = await secureServer({ proxy: ["tunnel"] });
    const { url, requests } = await listen((_request, response) => response.end("[]"));
    await clientFor(url, { env: { HTTP_PROXY: proxy.url } }).createApiKey();
    expect(requests).toHaveLength(1);
    expect(proxy.seen()).toHaveLength(0);
  });

  it.each(["proxy.example.com:3128", "http://user:p4ssword@proxy example:1", "socks5://proxy.example:1"])(
    "that cannot be used is an error that does not repeat its address: %s",
    (value) => {
      for (const name of ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]) {
        const create = (): unknown => clientFor(`https://${HOST}`, { env: { [name]: value } });
        expect(create, name).toThrow(
          "The environment sets an invalid proxy: HTTPS_PROXY and HTTP_PROXY must be http:// or https:// URLs.",
        );
      }
    },
  );
});

/** Resolves each host name to an address where a server is, and to an IPv6 address where none is. */
function resolveToBothFamilies(): void {
  const addresses = [4, 6].map((family) => ({ address: family === 4 ? "127.0.0.1" : "::1", family }));
  type Callback = (error: Error | null, addresses: LookupAddress[]) => void;
  const resolve = (_host: string, _options: object, callback: Callback): void => {
    callback(null, addresses);
  };
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(resolve as typeof dns.lookup);
  onTestFinished(() => {
    lookup.mockRestore();
  });
}

it.each<[where: string, url: (port: number) => string, isProxy: boolean, result: string]>([
  ["to the server", (port) => `http://late.test:${port}`, false, "200"],
  ["to a proxy, which then refuses", () => `https://${HOST}`, true, "UND_ERR_ABORTED"],
])(
  "a slow network without IPv6 is not given up after 250 ms on the way %s",
  async (_where, url, isProxy, result) => {
    const server = await startLateServer();
    resolveToBothFamilies();
    const env = isProxy ? { HTTPS_PROXY: `http://late.test:${server.port}` } : {};
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const list = clientFor(url(server.port), { clock: new InstantClock(), env, log }).listWebhooks();
    server.accept(400);
    await Promise.allSettled([list]);
    expect(lines[0]).toContain(`status=${result} attempt=1`);
    expect(Number(/ms=(\d+)/.exec(lines[0] ?? "")?.[1])).toBeGreaterThan(250);
  },
);

it("a connection that is made after its attempt has ended sends nothing", async () => {
  const server = await startLateServer();
  const options = { clock: new InstantClock(), requestTimeout: 200 };
  const client = clientFor(`http://127.0.0.1:${server.port}`, options);
  const error = await errorOf(client.createApiKey());
  expect(error).toMatchObject({ code: "PARTNERS_TIMEOUT", effect: "none" });
  expect(error.summary).toMatch(/: timed out while connecting after \d attempts$/);
  const attempts = Number(/\d(?= attempts)/.exec(error.summary ?? "")?.[0]);
  server.accept(1);
  await expect.poll(() => server.connections(), { timeout: 10_000 }).toBe(attempts);
  await clientFor(`http://127.0.0.1:${server.port}`).listWebhooks();
  expect(server.requests()).toBe(1);
});
