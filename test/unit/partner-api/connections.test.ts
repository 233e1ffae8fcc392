/** Proxies, TLS and slow networks. */
import dns, { type LookupAddress } from "node:dns";
import type { Socket } from "node:net";
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
import { clientFor, createKey, errorOf, InstantClock, KEY, listen, TOKEN } from "./support.ts";

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

/** Where a client connects. */
interface Place {
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Demands = Parameters<typeof startTlsFront>[2];

async function tls(
  demands: Demands,
  host = HOST,
  authority = trusted,
  days?: [from: number, until: number],
): Promise<Place> {
  const server = await listen((_request, response) => response.end("[]"));
  const identity = await authority.issue({ hosts: [host], ...(days && { days }) });
  const front = await startTlsFront(server.url, identity, demands);
  onTestFinished(() => front.close());
  return { url: `https://${HOST}:${front.port}` };
}

/** A server without TLS. @param answer What it does after the first bytes of each connection. */
async function tcp(scheme: "http" | "https", answer: (socket: Socket) => unknown): Promise<Place> {
  const server = await startTcpServer((socket) => socket.once("data", () => answer(socket)));
  onTestFinished(() => server.close());
  return { url: `${scheme}://${HOST}:${server.port}` };
}

async function closedPort(): Promise<Place> {
  const server = await startTcpServer(() => undefined);
  await server.close();
  return { url: `http://${HOST}:${server.port}` };
}

function unknownHost(): Promise<Place> {
  const error = Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
  type Callback = (error: Error) => void;
  const fail = (_host: string, _options: object, callback: Callback): void => {
    callback(error);
  };
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(fail as typeof dns.lookup);
  onTestFinished(() => {
    lookup.mockRestore();
  });
  return Promise.resolve({ url: `https://${HOST}` });
}

async function proxy(reaction: Reaction): Promise<Place> {
  const { url, close } = await startConnectProxy(1, [reaction]);
  onTestFinished(close);
  return behind(Promise.resolve({ url }));
}

/** A server behind a proxy at the given place. */
async function behind(place: Promise<Place>): Promise<Place> {
  return { url: `https://${HOST}`, env: { HTTPS_PROXY: (await place).url } };
}

const LONG_HEADERS = `HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(300_000)}`;

const PLACES = {
  "a closed port": closedPort,
  "an unknown host": unknownHost,
  "a reset in the handshake": () => tcp("https", (socket) => socket.resetAndDestroy()),
  "a close in the handshake": () => tcp("https", (socket) => socket.end()),
  "a reset after the request": () => tcp("http", (socket) => socket.resetAndDestroy()),
  "a close after the request": () => tcp("http", (socket) => socket.end()),
  "long headers": () => tcp("http", (socket) => socket.write(LONG_HEADERS)),
  "a server without TLS": () => tcp("https", (socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n")),
  "an old TLS": () => tls({ version: "TLSv1.1" }),
  "a certificate of an unknown CA": () => tls({}, HOST, untrusted),
  "a certificate of another host": () => tls({}, "other.test"),
  "an expired certificate": () => tls({}, HOST, trusted, [-2, -1]),
  "a certificate of tomorrow": () => tls({}, HOST, trusted, [0.5, 1]),
  "a client certificate, TLS 1.2": () => tls({ version: "TLSv1.2", certificate: true }),
  "a client certificate, TLS 1.3": () => tls({ version: "TLSv1.3", certificate: true }),
  "a proxy that refuses the host": () => proxy(403),
  "a proxy that refuses the user": () => proxy(407),
  "a proxy without the host": () => proxy(502),
  "a proxy that closes": () => proxy("fin"),
  "a proxy at a closed port": () => behind(closedPort()),
  "a proxy that wants NTLM": () => proxy("NTLM"),
  "a proxy that wants another Basic": () => proxy("Basic"),
  "a proxy with another certificate": () => behind(tls({}, "other.test")),
  "a proxy of an unknown CA": () => behind(tls({}, HOST, untrusted)),
} satisfies Record<string, () => Promise<Place>>;

const ADDRESS = "Check partners:baseUrl, the network and any proxy.";
const HEADERS = "The headers of the response are longer than 256 KiB: check partners:baseUrl.";
const HANDSHAKE = "The TLS handshake failed: check partners:baseUrl. Client certificates are not supported.";
const CERTIFICATE =
  "The certificate was rejected: check partners:baseUrl. For a private CA, set NODE_EXTRA_CA_CERTS.";
const NO_TLS = "The server does not speak TLS: check the port in partners:baseUrl.";
const OLD_TLS = "The server has no TLS 1.2 or newer: let its owner update it.";
const EXPIRED =
  "The server's certificate has expired: let its owner renew it, unless this machine's clock is wrong.";
const TOMORROW = "The server's certificate is not valid yet: check the clock.";
const OTHER_HOST = "The server's certificate is for another host: check the host in partners:baseUrl.";
const PROXY_TLS = "TLS with the proxy failed: check HTTPS_PROXY. For a private CA, set NODE_EXTRA_CA_CERTS.";
const LOGIN_METHOD = "The proxy does not accept Basic logins: set HTTPS_PROXY to a local proxy that logs in.";
const PROXY = "The proxy did not connect: check HTTPS_PROXY, or add the host to NO_PROXY.";
const REFUSED = "The proxy refuses this host: allow it, or add it to NO_PROXY.";
const LOGIN =
  "The proxy rejected the login: check the user and the password in HTTPS_PROXY, percent-encoded.";
const AGAIN = "Run this again later.";

/** `once`: what another attempt cannot mend. `sent`: only a creation is then not repeated. */
type Retry = "six times" | "six times, sent" | "once" | "once, sent";

it.each<[what: keyof typeof PLACES, code: string, retry: Retry, remedy: string]>([
  ["a closed port", "ECONNREFUSED", "six times", ADDRESS],
  ["an unknown host", "ENOTFOUND", "six times", ADDRESS],
  ["a reset in the handshake", "ECONNRESET", "six times", ADDRESS],
  ["a close in the handshake", "ECONNRESET", "six times", ADDRESS],
  ["a reset after the request", "ECONNRESET", "six times, sent", AGAIN],
  ["a close after the request", "UND_ERR_SOCKET", "six times, sent", AGAIN],
  ["long headers", "UND_ERR_HEADERS_OVERFLOW", "once, sent", HEADERS],
  ["a server without TLS", "ERR_SSL_WRONG_VERSION_NUMBER", "once", NO_TLS],
  ["an old TLS", "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "once", OLD_TLS],
  ["a certificate of an unknown CA", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "once", CERTIFICATE],
  ["a certificate of another host", "ERR_TLS_CERT_ALTNAME_INVALID", "once", OTHER_HOST],
  ["an expired certificate", "CERT_HAS_EXPIRED", "once", EXPIRED],
  ["a certificate of tomorrow", "CERT_NOT_YET_VALID", "once", TOMORROW],
  ["a client certificate, TLS 1.2", "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", "once", HANDSHAKE],
  ["a client certificate, TLS 1.3", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "once, sent", HANDSHAKE],
  ["a proxy that refuses the host", "PROXY_403", "once", REFUSED],
  ["a proxy that refuses the user", "PROXY_407", "once", LOGIN],
  ["a proxy without the host", "PROXY_502", "six times", PROXY],
  ["a proxy that closes", "UND_ERR_PRX_CONN", "six times", PROXY],
  ["a proxy at a closed port", "ECONNREFUSED", "six times", ADDRESS],
  ["a proxy that wants NTLM", "PROXY_407_NOT_BASIC", "once", LOGIN_METHOD],
  ["a proxy that wants another Basic", "PROXY_407", "once", LOGIN],
  ["a proxy with another certificate", "PROXY_TLS_ERR_TLS_CERT_ALTNAME_INVALID", "once", PROXY_TLS],
  ["a proxy of an unknown CA", "PROXY_TLS_UNABLE_TO_VERIFY_LEAF_SIGNATURE", "once", PROXY_TLS],
])("a connection that fails because of %s: %s, tried %s", async (what, code, retry, remedy) => {
  const { url, env = {} } = await PLACES[what]();
  const options = { clock: new InstantClock(), env };
  const read = await errorOf(clientFor(url, options).listWebhooks());
  const creation = await errorOf(createKey(clientFor(url, options)));

  const failed = `: the connection failed (${code})`;
  const sixTimes = `${failed} after 6 attempts`;
  const isSent = retry.endsWith("sent");
  expect(read).toMatchObject({ code: "PARTNERS_CONNECTION", mayHaveChanged: false, isUnreachable: true });
  expect(read.message.endsWith(`${retry.startsWith("once") ? failed : sixTimes}. ${remedy}`)).toBe(true);
  expect(creation).toMatchObject({ code: "PARTNERS_CONNECTION", mayHaveChanged: isSent });
  expect(creation.summary?.endsWith(retry === "six times" ? sixTimes : failed)).toBe(true);
});

it.each([{}, { proxy: ["tunnel"] }] satisfies Options[])(
  "HTTP/2 is never used although the server offers it: %j",
  async (options) => {
    const { client, requests, front } = await secureServer(options);
    await client.listWebhooks();
    await createKey(client);
    expect(requests).toHaveLength(2);
    for (const protocol of front.protocols) expect([false, "http/1.1"]).toContain(protocol);
  },
);

describe("a proxy", () => {
  it("sees only the host, the port and its own credentials in plain text", async () => {
    const { client, requests, proxy, url } = await secureServer({ proxy: ["tunnel"] });
    await createKey(client);
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

  it("that only HTTP_PROXY names serves https as well", async () => {
    const { proxy, url } = await secureServer();
    await clientFor(url, { env: { HTTP_PROXY: proxy.url } }).listWebhooks();
    expect(proxy.heads).toHaveLength(1);
  });

  it.each<[what: string, env: (proxy: string) => Record<string, string>]>([
    ["without a scheme", (proxy) => ({ HTTPS_PROXY: proxy.replace("http://", "") })],
    ["besides an invalid HTTP_PROXY", (proxy) => ({ HTTPS_PROXY: proxy, HTTP_PROXY: "http://proxy 1" })],
  ])("%s is used", async (_what, env) => {
    const { proxy, url } = await secureServer();
    const address = proxy.url.replace("://", "://user:pass@");
    await clientFor(url, { env: env(address) }).listWebhooks();
    expect(proxy.heads).toEqual([expect.stringContaining("proxy-authorization: Basic dXNlcjpwYXNz")]);
  });

  it("is never used for this machine, because it would see the token in plain text", async () => {
    const { proxy } = await secureServer({ proxy: ["tunnel"] });
    const { url, requests } = await listen((_request, response) => response.end("[]"));
    await createKey(clientFor(url, { env: { HTTP_PROXY: proxy.url } }));
    expect(requests).toHaveLength(1);
    expect(proxy.seen()).toHaveLength(0);
  });

  it.each([
    "http:/proxy.example:1",
    "http://user:p4ssword@proxy example:1",
    "socks5://proxy.example:1",
    // The parts of an address that a password may contain, and an escape that is none.
    ...["3/4", "3?4", "3#4", "3%4"].map((password) => `http://user:${password}@proxy.example:1`),
  ])("that cannot be used is an error that does not repeat its address: %s", (value) => {
    for (const name of ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]) {
      const create = (): unknown => clientFor(`https://${HOST}`, { env: { [name]: value } });
      expect(create, name).toThrow("must be http:// or https:// URLs. Percent-encode user and password.");
    }
  });
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
  ["to a proxy, which then refuses", () => `https://${HOST}`, true, "PROXY_502"],
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
  const error = await errorOf(createKey(client));
  expect(error).toMatchObject({ code: "PARTNERS_TIMEOUT", mayHaveChanged: false });
  expect(error.summary).toMatch(/: timed out while connecting after \d attempts$/);
  const attempts = Number(/\d(?= attempts)/.exec(error.summary ?? "")?.[0]);
  server.accept(1);
  await expect.poll(() => server.connections(), { timeout: 10_000 }).toBe(attempts);
  await clientFor(`http://127.0.0.1:${server.port}`).listWebhooks();
  expect(server.requests()).toBe(1);
});
