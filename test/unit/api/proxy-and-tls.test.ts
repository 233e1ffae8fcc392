import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import type { PartnerClient } from "../../../provider/src/api/client.js";
import { SettingsError } from "../../../provider/src/api/errors.js";
import {
  startConnectProxy,
  type ConnectProxy,
  type ConnectProxyOptions,
} from "../../support/connect-proxy.ts";
import { startSandbox, type Fault, type Sandbox } from "../../support/sandbox.ts";
import {
  createAuthority,
  resolveTestNames,
  startTlsFront,
  trust,
  type Authority,
  type CertificateFacts,
  type TlsFront,
  type TlsFrontOptions,
} from "../../support/tls.ts";
import { clientFor, InstantClock, requestFailureOf, type Target } from "./support.ts";

/** A name, as what is loopback never meets a proxy. */
const HOST = "partners.test";

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

interface SecureSandbox extends Target {
  readonly sandbox: Sandbox;
  readonly front: TlsFront;
  readonly client: PartnerClient;
}

interface SecureOptions extends TlsFrontOptions, Partial<CertificateFacts> {
  readonly authority?: Authority;
  readonly faults?: readonly Fault[];
  readonly operationTimeout?: number;
}

/** A sandbox behind TLS, and a client that goes there by name. */
async function secureSandbox(options: SecureOptions = {}): Promise<SecureSandbox> {
  const {
    authority = trusted,
    hosts = [HOST, "localhost"],
    faults = [],
    operationTimeout = 10_000,
  } = options;
  const sandbox = await startSandbox({ faults });
  const front = await startTlsFront(sandbox.url, await authority.issue({ ...options, hosts }), options);
  onTestFinished(async () => {
    await front.close();
    await sandbox.close();
  });
  const target = { url: `https://${HOST}:${front.port}`, accessToken: sandbox.accessToken };
  return {
    ...target,
    sandbox,
    front,
    client: clientFor(target, { clock: new InstantClock(), operationTimeout }),
  };
}

/** The same, through a proxy in HTTPS_PROXY. */
async function proxiedSandbox(
  proxyOptions: Partial<ConnectProxyOptions> = {},
  options: SecureOptions = {},
): Promise<SecureSandbox & { readonly proxy: ConnectProxy }> {
  const direct = await secureSandbox(options);
  const proxy = await startConnectProxy({
    targets: { [new URL(direct.url).host]: direct.front.port },
    ...proxyOptions,
  });
  onTestFinished(() => proxy.close());
  vi.stubEnv("HTTPS_PROXY", proxy.url.replace("://", "://user:p%40ssw0rd@"));
  const { operationTimeout = 10_000 } = options;
  return { ...direct, proxy, client: clientFor(direct, { clock: new InstantClock(), operationTimeout }) };
}

describe("a certificate", () => {
  const DAY = 86_400_000;
  it.each<[string, SecureOptions & { untrusted?: boolean }, string]>([
    ["of an authority that nobody knows", { untrusted: true }, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["that has expired", { notAfter: new Date(Date.now() - DAY) }, "CERT_HAS_EXPIRED"],
    ["for another host", { hosts: ["elsewhere.test"] }, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("%s is refused before anything is sent", async (_what, { untrusted, ...options }, code) => {
    const { client, sandbox } = await secureSandbox({
      ...options,
      ...(untrusted && { authority: await createAuthority("X") }),
    });
    const { cause, effect } = await requestFailureOf(client.createApiKey());
    expect({ cause, effect }).toEqual({ cause: { kind: "connection", code }, effect: "none" });
    expect(sandbox.requests).toEqual([]);
  });

  it("that is right is enough, and HTTP/2 is never agreed on, although the server offers it", async () => {
    const { client, sandbox, front } = await secureSandbox();
    await client.listWebhooks();
    await client.createApiKey();
    const through = await proxiedSandbox();
    await through.client.createApiKey();
    expect(sandbox.requests).toHaveLength(2);
    for (const protocol of [...front.protocols, ...through.front.protocols])
      expect([false, "http/1.1"]).toContain(protocol);
  });
});

describe("a TLS handshake", () => {
  it("that is reset proves that nothing was sent, so that a creation is tried again", async () => {
    const { client, sandbox } = await secureSandbox({ handshake: "reset" });
    expect(await requestFailureOf(client.createApiKey())).toMatchObject({
      cause: { kind: "connection", code: "ECONNRESET" },
      effect: "none",
      attempts: 4,
    });
    expect(sandbox.requests).toEqual([]);
  });

  it("that takes too long ends the operation in time, and what was given up is never sent", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    const { client, sandbox, front } = await secureSandbox({
      handshake: held.then(() => undefined),
      operationTimeout: 200,
    });
    const startedAt = performance.now();
    const { cause, effect } = await requestFailureOf(client.createApiKey());
    expect({ cause, effect }).toEqual({ cause: { kind: "timeout", sent: false }, effect: "none" });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    release(undefined);
    await expect.poll(() => front.openConnections()).toBe(0);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("a proxy", () => {
  it("sees host and port, gets its own credentials, and sees nothing else in clear", async () => {
    const { client, sandbox, proxy, url, accessToken } = await proxiedSandbox();
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
    [502, "UND_ERR_ABORTED"],
    ["fin", "UND_ERR_PRX_CONN"],
    ["garbage", "HTTPParserError"],
  ] as const)(
    "that answers %s lets nothing through, so that a creation is tried again",
    async (reaction, code) => {
      const always = await proxiedSandbox({ reactions: [reaction] });
      const failure = await requestFailureOf(always.client.createApiKey());
      expect(failure).toMatchObject({ effect: "none", attempts: 4, cause: { kind: "connection", code } });
      expect(JSON.stringify(failure)).not.toContain("ssw0rd");
      const twice = await proxiedSandbox({ reactions: [reaction, reaction, "tunnel"] });
      await twice.client.createApiKey();
      expect(twice.sandbox.apiKeys).toHaveLength(1);
      expect(always.sandbox.requests).toEqual([]);
    },
  );

  it("whose tunnel breaks behind a creation leaves it unrepeated", async () => {
    const fault: Fault = { kind: "reset", effect: true, times: Infinity };
    const { client, sandbox } = await proxiedSandbox({}, { faults: [fault] });
    expect(await requestFailureOf(client.createApiKey())).toMatchObject({ effect: "possible", attempts: 1 });
    expect(sandbox.requests).toHaveLength(1);
  });

  it.each([
    [HOST, 0],
    [`other.test, .test`, 0],
    ["other.test", 1],
  ])("is left out as NO_PROXY=%s says: used %d times", async (value, times) => {
    vi.stubEnv("NO_PROXY", value);
    const { client, proxy, sandbox } = await proxiedSandbox();
    await client.listWebhooks();
    expect(proxy.heads).toHaveLength(times);
    expect(sandbox.requests).toHaveLength(1);
  });

  it("never stands between us and this machine, as it would see the token in clear", async () => {
    const { proxy } = await proxiedSandbox();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    await using plain = await startSandbox();
    await clientFor(plain).createApiKey();
    await clientFor({
      ...plain,
      url: plain.url.replace("127.0.0.1", "localhost"),
      accessToken: plain.accessToken,
    }).listWebhooks();
    expect(plain.requests).toHaveLength(2);
    expect(proxy.seen()).toHaveLength(0);
  });

  it.each(["proxy.example.com:3128", "http://user:p4ssword@proxy example:1"])(
    "that is not a URL is a wrong setting, which is not repeated: %s",
    (value) => {
      vi.stubEnv("HTTPS_PROXY", value);
      const create = (): unknown => clientFor({ url: `https://${HOST}`, accessToken: "t" });
      expect(create).toThrow(SettingsError);
      expect(create).not.toThrow("p4ssword");
    },
  );
});
