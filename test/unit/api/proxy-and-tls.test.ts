import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { startConnectProxy, type Reaction } from "../../support/connect-proxy.ts";
import {
  createAuthority,
  resolveTestNames,
  startTlsFront,
  trust,
  type Authority,
  type CertificateFacts,
  type TlsFrontOptions,
} from "../../support/tls.ts";
import { clientFor, InstantClock, requestFailureOf, sandboxFor } from "./support.ts";

/** A name, as what is loopback never meets a proxy. */
const HOST = "partners.test";

const stranger = await createAuthority("X");
let trusted: Authority;
let undo: (() => void)[] = [];
beforeAll(async () => {
  trusted = await createAuthority();
  undo = [trust(trusted), resolveTestNames()];
});
afterAll(() => {
  for (const step of undo) step();
});
beforeEach(() => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
});

interface Options extends TlsFrontOptions, Partial<CertificateFacts> {
  readonly authority?: Authority;
  /** Puts a proxy in front of it, and into HTTPS_PROXY. @default none */
  readonly proxy?: readonly Reaction[];
}

/** A sandbox behind TLS, and a client that goes there by name. */
async function secureSandbox(given: Options = {}) {
  const { authority = trusted, hosts = [HOST, "localhost"], proxy, ...options } = given;
  const sandbox = await sandboxFor();
  const front = await startTlsFront(sandbox.url, await authority.issue({ ...options, hosts }), options);
  const target = { url: `https://${HOST}:${front.port}`, accessToken: sandbox.accessToken };
  const targets = { [new URL(target.url).host]: front.port };
  const connectProxy = await startConnectProxy({ targets, ...(proxy && { reactions: proxy }) });
  onTestFinished(async () => {
    for (const server of [connectProxy, front]) await server.close();
  });
  if (proxy) vi.stubEnv("HTTPS_PROXY", connectProxy.url.replace("://", "://user:p%40ssw0rd@"));
  const client = clientFor(target, { clock: new InstantClock() });
  return { ...target, sandbox, front, proxy: connectProxy, client };
}

describe("a certificate", () => {
  it.each<[string, Options, string]>([
    ["of an unknown authority", { authority: stranger }, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["that has expired", { notAfter: new Date(Date.now() - 86_400_000) }, "CERT_HAS_EXPIRED"],
    ["for another host", { hosts: ["elsewhere.test"] }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that a reset handshake keeps back", { handshake: "reset" }, "ECONNRESET"],
  ])(
    "%s is refused before anything is sent, so that a creation is tried again",
    async (_what, options, code) => {
      const { client, sandbox } = await secureSandbox(options);
      const failure = await requestFailureOf(client.createApiKey());
      expect(failure).toMatchObject({ cause: { kind: "connection", code }, effect: "none", attempts: 4 });
      expect(sandbox.requests).toEqual([]);
    },
  );

  it("that is right is enough, and HTTP/2 is never agreed on, although the server offers it", async () => {
    const { client, sandbox, front } = await secureSandbox();
    await client.listWebhooks();
    await client.createApiKey();
    const through = await secureSandbox({ proxy: ["tunnel"] });
    await through.client.createApiKey();
    expect(sandbox.requests).toHaveLength(2);
    for (const protocol of [...front.protocols, ...through.front.protocols])
      expect([false, "http/1.1"]).toContain(protocol);
  });
});

describe("a proxy", () => {
  it("sees host and port, gets its own credentials, and sees nothing else in clear", async () => {
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
    ["garbage", "HTTPParserError"],
  ] as const)(
    "that answers %s lets nothing through, so that a creation is tried again",
    async (reaction, code) => {
      const proxy = [...Array<Reaction>(5).fill(reaction), "tunnel" as const];
      const { client, sandbox } = await secureSandbox({ proxy });
      const failure = await requestFailureOf(client.createApiKey());
      expect(failure).toMatchObject({ effect: "none", attempts: 4, cause: { kind: "connection", code } });
      expect(JSON.stringify(failure)).not.toContain("ssw0rd");
      await client.createApiKey();
      expect(sandbox.requests).toHaveLength(1);
    },
  );

  it.each([
    [HOST, 0],
    [`other.test, .test`, 0],
    ["other.test", 1],
  ])("is left out as NO_PROXY=%s says: used %d times", async (value, times) => {
    vi.stubEnv("NO_PROXY", value);
    const { client, proxy, sandbox } = await secureSandbox({ proxy: ["tunnel"] });
    await client.listWebhooks();
    expect(proxy.heads).toHaveLength(times);
    expect(sandbox.requests).toHaveLength(1);
  });

  it("never stands between us and this machine, as it would see the token in clear", async () => {
    const { proxy } = await secureSandbox({ proxy: ["tunnel"] });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const plain = await sandboxFor();
    const { url, accessToken } = plain;
    await clientFor(plain).createApiKey();
    await clientFor({ url: url.replace("127.0.0.1", "localhost"), accessToken }).listWebhooks();
    expect(plain.requests).toHaveLength(2);
    expect(proxy.seen()).toHaveLength(0);
  });

  it.each(["proxy.example.com:3128", "http://user:p4ssword@proxy example:1"])(
    "that is not a URL is a wrong setting, which is not repeated: %s",
    (value) => {
      vi.stubEnv("HTTPS_PROXY", value);
      const create = (): unknown => clientFor({ url: `https://${HOST}`, accessToken: "t" });
      const text = expect.stringMatching(/^The proxy in (?!.*p4ssword)/) as string;
      expect(create).toThrow(expect.objectContaining({ problems: [{ kind: "environment", text }] }));
    },
  );
});
