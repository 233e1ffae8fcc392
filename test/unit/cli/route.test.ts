import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { EnvHttpProxyAgent } from "undici";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { checkRoute } from "../../../provider/src/cli/doctor/route.js";

const VARIABLES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"];

let proxied = 0;
const proxy = createServer((socket) => {
  proxied += 1;
  socket.on("error", () => undefined).end("HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n");
});
beforeAll(async () => {
  await once(proxy.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  proxy.close();
});

/** Whether the agent that the client uses sends a request to the proxy. Nobody listens at the service. */
async function asksProxy(origin: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  for (const name of VARIABLES) vi.stubEnv(name, env[name]);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const agent = new EnvHttpProxyAgent({ connectTimeout: 2_000 });
  proxied = 0;
  await agent.request({ origin, path: "/", method: "GET" }).catch(() => undefined);
  await agent.destroy();
  return proxied > 0;
}

// PROXY stands for the address of the one that is listening.
const ROWS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ["https://localhost:1", {}, "Straight: no proxy is set."],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY" }, "Through the proxy of HTTPS_PROXY, "],
  [
    "https://localhost:1",
    { https_proxy: "PROXY", HTTPS_PROXY: "http://x.invalid" },
    "Through the proxy of https_proxy, ",
  ],
  ["https://localhost:1", { HTTP_PROXY: "PROXY" }, "Through the proxy of HTTP_PROXY, "],
  ["https://localhost:1", { HTTPS_PROXY: "socks5://ADDRESS" }, "Through the proxy of HTTPS_PROXY, "],
  ["https://localhost:1", { https_proxy: "", HTTPS_PROXY: "PROXY" }, "Straight: no proxy is set."],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "*" }, "Straight: NO_PROXY excepts "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "a.test,*" }, "Straight: NO_PROXY excepts "],
  [
    "https://localhost:1",
    { HTTPS_PROXY: "PROXY", NO_PROXY: "a.test, LOCALHOST" },
    "Straight: NO_PROXY excepts ",
  ],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", no_proxy: ".host", NO_PROXY: "*" }, "Through the proxy "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "*host" }, "Through the proxy "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: ".localhost" }, "Straight: NO_PROXY excepts "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "*.localhost" }, "Through the proxy "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "*:1" }, "Straight: NO_PROXY excepts "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "*:2" }, "Through the proxy "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "host" }, "Through the proxy "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "localhost:1" }, "Straight: NO_PROXY excepts "],
  ["https://localhost:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "localhost:2" }, "Through the proxy "],
  ["https://127.0.0.1:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "127.0.0.0/8" }, "Through the proxy "],
  ["https://127.0.0.1:1", { HTTPS_PROXY: "PROXY", NO_PROXY: ".0.0.1" }, "Straight: NO_PROXY excepts "],
  ["https://[::1]:1", { HTTPS_PROXY: "PROXY", NO_PROXY: "[::1]" }, "Straight: NO_PROXY excepts "],
];

describe("the route that is told is the one that is taken", () => {
  test.each(ROWS)("to %s with %j", async (origin, variables, expected) => {
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        value.replace("PROXY", address).replace("ADDRESS", new URL(address).host),
      ]),
    );
    const { status, detail } = checkRoute({ origin, prefix: "", loopback: false }, env);
    expect(status).toBe("ok");
    expect(detail.startsWith(expected), detail).toBe(true);
    expect(await asksProxy(origin, env)).toBe(detail.startsWith("Through"));
  });
});

test("a password in the address of a proxy is not told, nor an address that is none", () => {
  const service = { origin: "https://partners.test", prefix: "", loopback: false };
  const { detail } = checkRoute(service, { HTTPS_PROXY: "http://user:hunter22@proxy.test:3128/hunter22" });
  expect(detail).toBe("Through the proxy of HTTPS_PROXY, proxy.test:3128.");
  expect(checkRoute(service, { HTTPS_PROXY: "hunter22 " }).detail).not.toContain("hunter22");
});

test.each(["proxy:3128", "proxy", "localhost:3128", "ftp:3128", "file:///proxy", "hunter22 "])(
  "a proxy of %j is warned about, as nothing can be sent",
  (address) => {
    const service = { origin: "https://partners.test", prefix: "", loopback: false };
    const check = checkRoute(service, { HTTPS_PROXY: address });
    expect(check.status).toBe("warning");
    expect(check.remedy[0]).toContain("HTTPS_PROXY=http://");
    expect(JSON.stringify(check)).not.toContain("hunter22");
  },
);

test("this machine is never reached through a proxy", () => {
  const service = { origin: "http://127.0.0.1:4010", prefix: "", loopback: true };
  expect(checkRoute(service, { HTTP_PROXY: "http://proxy.test" }).detail).toContain("never through a proxy");
});

test("a check of certificates that is turned off is warned about", () => {
  const service = { origin: "https://partners.test", prefix: "", loopback: false };
  expect(checkRoute(service, { NODE_TLS_REJECT_UNAUTHORIZED: "0" }).status).toBe("warning");
  expect(checkRoute(service, { NODE_EXTRA_CA_CERTS: "/ca.pem" }).detail).toContain("NODE_EXTRA_CA_CERTS");
});
