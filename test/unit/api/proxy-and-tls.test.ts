import { describe, expect, it, onTestFinished } from "vitest";

import { startConnectProxy, type Reaction } from "../../support/connect-proxy.ts";
import {
  createAuthority,
  resolveTestNames,
  startTlsFront,
  trust,
  type Authority,
  type CertificateFacts,
} from "../../support/tls.ts";
import { clientFor, InstantClock, requestFailureOf, sandboxFor } from "./support.ts";

/** A host name, because the client never uses a proxy for loopback addresses. */
const HOST = "partners.test";

const trusted = await createAuthority();
const untrusted = await createAuthority("X");
trust(trusted);
resolveTestNames();

interface Options extends Partial<CertificateFacts> {
  readonly authority?: Authority;
  /** The behavior of a proxy to set as HTTPS_PROXY. @default no proxy */
  readonly proxy?: readonly Reaction[];
}

/** Starts a sandbox behind TLS, and a client that connects to it by its host name. */
async function secureSandbox(given: Options = {}) {
  const { authority = trusted, hosts = [HOST], proxy = ["tunnel"], ...options } = given;
  const sandbox = await sandboxFor();
  const front = await startTlsFront(sandbox.url, await authority.issue({ ...options, hosts }));
  const connectProxy = await startConnectProxy(front.port, proxy);
  onTestFinished(async () => {
    for (const server of [connectProxy, front]) await server.close();
  });
  const env = given.proxy && { HTTPS_PROXY: connectProxy.url.replace("://", "://user:p%40ssw0rd@") };
  const target = { url: `https://${HOST}:${front.port}`, accessToken: sandbox.accessToken };
  const client = clientFor(target, { clock: new InstantClock(), env: env ?? {} });
  return { ...target, sandbox, front, proxy: connectProxy, client };
}

it.each<[string, Options, string]>([
  ["from an unknown authority", { authority: untrusted }, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ["that has expired", { notAfter: new Date(Date.now() - 86_400_000) }, "CERT_HAS_EXPIRED"],
  ["for another host", { hosts: ["elsewhere.test"] }, "ERR_TLS_CERT_ALTNAME_INVALID"],
])(
  "a certificate %s is refused before anything is sent, so a creation is retried",
  async (_, options, code) => {
    const { client, sandbox } = await secureSandbox(options);
    const failure = await requestFailureOf(client.createApiKey());
    expect(failure).toMatchObject({ cause: { kind: "connection", code }, effect: "none", attempts: 4 });
    expect(sandbox.requests).toEqual([]);
  },
);

it.each([{}, { proxy: ["tunnel"] }] satisfies Options[])(
  "HTTP/2 is never used although the server offers it: %j",
  async (options) => {
    const { client, sandbox, front } = await secureSandbox(options);
    await client.listWebhooks();
    await client.createApiKey();
    expect(sandbox.requests).toHaveLength(2);
    for (const protocol of front.protocols) expect([false, "http/1.1"]).toContain(protocol);
  },
);

describe("a proxy", () => {
  it("sees only the host, the port and its own credentials in plain text", async () => {
    const { client, sandbox, proxy, url, accessToken } = await secureSandbox({ proxy: ["tunnel"] });
    await client.createApiKey();
    const [key = ""] = sandbox.apiKeys;
    await client.deleteApiKey(key);
    const basic = Buffer.from("user:p@ssw0rd").toString("base64");
    for (const head of proxy.heads) {
      expect(head).toContain(`CONNECT ${new URL(url).host} HTTP/1.1`);
      expect(head).toContain(`proxy-authorization: Basic ${basic}`);
    }
    expect(sandbox.requests).toHaveLength(2);
    for (const { headers } of sandbox.requests) expect(headers).not.toHaveProperty("proxy-authorization");
    for (const secret of [accessToken, key, "Bearer", "/api/v1/partners"])
      expect(proxy.seen().includes(secret)).toBe(false);
  });

  it.each([
    [407, "UND_ERR_ABORTED"],
    ["fin", "UND_ERR_PRX_CONN"],
  ] as const)("that responds with %s sends nothing, so a creation is retried", async (reaction, code) => {
    const proxy = [...Array<Reaction>(5).fill(reaction), "tunnel" as const];
    const { client, sandbox } = await secureSandbox({ proxy });
    const failure = await requestFailureOf(client.createApiKey());
    expect(failure).toMatchObject({ effect: "none", attempts: 4, cause: { kind: "connection", code } });
    expect(JSON.stringify(failure)).not.toContain("ssw0rd");
    await client.createApiKey();
    expect(sandbox.requests).toHaveLength(1);
  });

  it("that cannot be reached is mentioned, without its credentials", async () => {
    const { client, proxy } = await secureSandbox({ proxy: ["tunnel"] });
    await proxy.close();
    const failure = await requestFailureOf(client.createApiKey());
    expect(failure).toMatchObject({ cause: { code: "ECONNREFUSED" }, effect: "none", mayUseProxy: true });
    expect(JSON.stringify(failure)).not.toContain("ssw0rd");
  });

  it("is never used for this machine, because it would see the token in plain text", async () => {
    const { proxy } = await secureSandbox({ proxy: ["tunnel"] });
    const options = { env: { HTTP_PROXY: proxy.url } };
    const plain = await sandboxFor();
    const { url, accessToken } = plain;
    await clientFor(plain, options).createApiKey();
    await clientFor({ url: url.replace("127.0.0.1", "localhost"), accessToken }, options).listWebhooks();
    expect(plain.requests).toHaveLength(2);
    expect(proxy.seen()).toHaveLength(0);
  });

  it("tunnels plain HTTP to another machine too, so that each creation has a connection of its own", async () => {
    const plain = await sandboxFor();
    const proxy = await startConnectProxy(Number(new URL(plain.url).port), ["tunnel"]);
    onTestFinished(() => proxy.close());
    const target = { ...plain, url: plain.url.replace("127.0.0.1", HOST) };
    const client = clientFor(target, { env: { HTTP_PROXY: proxy.url } });
    await client.listWebhooks();
    await client.createApiKey();
    await client.createApiKey();
    expect(new Set([...plain.connections("GET"), ...plain.connections("POST")]).size).toBe(3);
    expect(proxy.heads.map((head) => head.split(" ")[0])).toEqual(["CONNECT", "CONNECT", "CONNECT"]);
  });

  const notHttp = ["socks5", "SOCKS5", "socks", "socks5h", "ftp"].map(
    (scheme) => `${scheme}://proxy.example:1`,
  );
  it.each(["proxy.example.com:3128", "http://user:p4ssword@proxy example:1", ...notHttp])(
    "that is not an HTTP URL is an error that does not repeat the value: %s",
    (value) => {
      for (const name of ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]) {
        const options = { env: { [name]: value } };
        const create = (): unknown => clientFor({ url: `https://${HOST}`, accessToken: "t" }, options);
        expect(create, name).toThrow(expect.objectContaining({ problems: [{ kind: "invalidProxy" }] }));
      }
    },
  );

  it.each(["http://proxy.example:3128", "HTTPS://proxy.example", ""])("may be %j", async (value) => {
    const options = { env: { HTTPS_PROXY: value, HTTP_PROXY: value } };
    await clientFor({ url: `https://${HOST}`, accessToken: "t" }, options).close();
  });
});
