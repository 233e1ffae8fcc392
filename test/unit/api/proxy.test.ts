import { describe, expect, it, onTestFinished, vi } from "vitest";

import { ConfigurationError, type PartnerError } from "../../../provider/src/api/errors.js";
import { startSandbox } from "../../support/sandbox.ts";
import { clientFor, failureOf } from "./support.js";
import { HOST, loggingClient, proxiedSandbox, setUpTls } from "./tls-support.ts";

setUpTls();

describe("a proxy", () => {
  it("sees host and port of the service, and of all else not a byte in clear", async () => {
    const server = await proxiedSandbox();
    const { sandbox, proxy, accessToken } = server;
    const { client } = loggingClient(server);
    await client.listWebhooks();
    await client.createApiKey();
    await client.activateWebhook(103);
    const [key = ""] = sandbox.apiKeys;
    await client.deleteApiKey(key);
    expect(sandbox.requests).toHaveLength(4);
    const seen = proxy.seen();
    expect(seen.length).toBeGreaterThan(4_000); // Handshakes and all: it did pass here.
    expect(seen.includes(`CONNECT ${new URL(server.url).host} HTTP/1.1`)).toBe(true);
    for (const secret of [accessToken, key, "Bearer", "authorization", "/api/v1/partners", "webhook"]) {
      expect(seen.includes(secret), secret).toBe(false);
      expect(seen.includes(Buffer.from(secret).toString("base64").replace(/=+$/, "")), secret).toBe(false);
    }
  });

  it("gets its own credentials, which the service does not, and no error shows", async () => {
    const server = await proxiedSandbox({ reactions: ["tunnel", 407] });
    vi.stubEnv("HTTPS_PROXY", server.proxy.url.replace("://", "://user:p%40ssw0rd@"));
    const { client } = loggingClient(server);
    await client.createApiKey();
    const basic = Buffer.from("user:p@ssw0rd").toString("base64");
    expect(server.proxy.heads[0]).toContain(`proxy-authorization: Basic ${basic}`);
    expect(server.sandbox.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
    const error = (await failureOf(client.createApiKey())) as PartnerError;
    expect(error.message).toContain("check HTTPS_PROXY and the credentials in it");
    for (const secret of ["ssw0rd", basic]) expect(error.message).not.toContain(secret);
  });

  it.each(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY"])("is found in %s", async (variable) => {
    const server = await proxiedSandbox();
    vi.stubEnv("HTTPS_PROXY", undefined);
    vi.stubEnv(variable, server.proxy.url);
    await loggingClient(server).client.listWebhooks();
    expect(server.proxy.heads).toHaveLength(1);
  });

  it.each([
    [HOST, 0],
    [".test", 0],
    ["*", 0],
    [`other.test, ${HOST}`, 0],
    [`${HOST}:443`, 1],
    ["other.test", 1],
    [`x.${HOST}`, 1],
  ])("is left out as NO_PROXY=%s says: used %d times", async (value, times) => {
    const server = await proxiedSandbox();
    vi.stubEnv("NO_PROXY", value);
    await loggingClient(server).client.listWebhooks();
    expect(server.proxy.heads).toHaveLength(times);
    expect(server.sandbox.requests).toHaveLength(1);
  });

  it("is never between us and this machine, as it would see the token in clear", async () => {
    const { proxy, front, sandbox, accessToken } = await proxiedSandbox();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const plain = await startSandbox();
    onTestFinished(() => plain.close());
    const localhost = plain.url.replace("127.0.0.1", "localhost");
    await loggingClient(plain).client.createApiKey();
    await loggingClient({ ...plain, url: localhost }).client.listWebhooks();
    await loggingClient({ url: `https://localhost:${front.port}`, accessToken }).client.createApiKey();
    expect(plain.requests).toHaveLength(2);
    expect(sandbox.requests).toHaveLength(1);
    expect(proxy.seen()).toHaveLength(0);
  });

  it.each(["proxy.example.com:3128", "10.0.0.1:3128", "http://user:p4ssword@proxy example:1", "ftp://proxy"])(
    "that is not a URL is a wrong setting: %s",
    (value) => {
      vi.stubEnv("HTTPS_PROXY", value);
      const make = (): unknown => clientFor({ url: `https://${HOST}`, accessToken: "token" });
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow("HTTPS_PROXY");
      expect(make).not.toThrow("p4ssword");
    },
  );
});
