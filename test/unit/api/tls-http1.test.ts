import { once } from "node:events";
import { constants, createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { startConnectProxy, type ConnectProxy } from "../../support/connect-proxy.ts";
import {
  authority,
  HOST,
  loggingClient,
  secureSandbox,
  setUpTls,
  type SecureSandbox,
} from "./tls-support.ts";

setUpTls();

interface Route {
  readonly how: string;
  /** Leads there from now on. @returns the host to address, and the proxy on the way. */
  readonly open: (server: SecureSandbox) => Promise<{ host: string; proxy: ConnectProxy | null }>;
}

async function proxied({ front }: SecureSandbox, overTls: boolean) {
  const identity = overTls ? { identity: await authority.issue({ hosts: ["localhost"] }) } : {};
  const proxy = await startConnectProxy({ targets: { [`${HOST}:${front.port}`]: front.port }, ...identity });
  onTestFinished(() => proxy.close());
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  return { host: HOST, proxy };
}

const routes: Route[] = [
  { how: "on this machine", open: () => Promise.resolve({ host: "localhost", proxy: null }) },
  { how: "on another machine", open: () => Promise.resolve({ host: HOST, proxy: null }) },
  { how: "behind a proxy", open: (server) => proxied(server, false) },
  { how: "behind a proxy over TLS that offers HTTP/2 itself", open: (server) => proxied(server, true) },
];

describe("a server that prefers HTTP/2", () => {
  it.each(routes)("$how is spoken to in HTTP/1.1, with a fresh connection per creation", async ({ open }) => {
    const server = await secureSandbox();
    const { host, proxy } = await open(server);
    const { sandbox, front, accessToken } = server;
    const { client } = loggingClient({ url: `https://${host}:${front.port}`, accessToken });
    await client.listWebhooks();
    await client.createApiKey();
    await client.activateWebhook(103);
    await Promise.all([client.createApiKey(), client.createApiKey()]);
    await client.disableWebhook(101);
    await client.deleteApiKey(sandbox.apiKeys[0] ?? "");

    const { requests } = sandbox;
    expect(requests.map(({ method }) => method).join(" ")).toBe("GET POST PATCH POST POST PATCH DELETE");
    expect(new Set(front.protocols)).toEqual(new Set(["http/1.1"]));
    const creations = requests.filter(({ method }) => method === "POST");
    const used = new Set(creations.map(({ connection }) => connection));
    expect(used.size).toBe(creations.length);
    expect(requests.filter(({ connection }) => used.has(connection))).toEqual(creations);
    expect(creations.every(({ headers }) => headers["connection"] === "close")).toBe(true);
    // Each connection is a tunnel of its own.
    if (proxy !== null) expect(proxy.heads).toHaveLength(front.protocols.length);
  });

  it.each(["localhost", HOST])("and refuses streams cannot make one creation two, at %s", async (host) => {
    const seen = { streams: 0, http1: 0 };
    const identity = await authority.issue({ hosts: [host] });
    const server = createSecureServer({ ...identity, allowHTTP1: true });
    server.on("stream", (stream) => {
      seen.streams += 1;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    server.on("request", (request, response) => {
      if (request.httpVersionMajor > 1) return;
      seen.http1 += 1;
      response.writeHead(201);
      response.end(`{"apiKey":"pk_live_0123456789abcdef"}`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { client } = loggingClient({ url: `https://${host}:${port}`, accessToken: "token" });
    await client.createApiKey();
    expect(seen).toEqual({ streams: 0, http1: 1 });
  });
});
