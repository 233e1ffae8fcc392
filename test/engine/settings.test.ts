import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, Native, NativeProvider, sandboxFor, sandboxStack } from "./support.ts";

function keyAndWebhooks(): Promise<void> {
  new partners.PartnerApiKey("checkout");
  for (const webhookId of [101, 102])
    new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
  return Promise.resolve();
}

it("a preview reports missing, rejected and misspelled settings, and tolerates an unreachable server", async () => {
  const none = { PARTNERS_BASE_URL: "", PARTNERS_ACCESS_TOKEN: "" };
  const { sandbox, stack } = await sandboxStack(keyAndWebhooks, {}, { env: none });
  const missing = await stack.preview();
  expect(missing.ok).toBe(false);
  expect(missing.stdout).toMatch(/partners:baseUrl(.|\n)*PARTNERS_ACCESS_TOKEN/);

  await stack.configure({ baseUrl: sandbox.url, accessToken: "wrong-token" });
  const rejected = await stack.preview();
  expect(rejected.ok).toBe(false);
  expect(rejected.stdout).toMatch(/401(.|\n)*\[PARTNERS_STATUS\]/);
  expect(rejected.stdout).not.toMatch(/wrong-token|plain text/);
  expect(countRequests(sandbox)).toEqual({ GET: 1 }); // One request for all webhooks.

  const baseUrl = "http://127.0.0.1:1";
  await stack.configure({ baseUrl, baseURL: baseUrl, "responses.webhooks": "/outgoing" });
  await stack.pulumi("config", "set", "--plaintext", "partners:accessToken", sandbox.accessToken);
  const warned = await stack.preview();
  expect(warned).toMatchObject({ ok: true, changes: { create: 4 } });
  for (const text of ["plain text", '"partners:baseURL"', "--path"]) expect(warned.stdout).toContain(text);
});

it("a lowercase proxy variable needs the no_proxy that docs/troubleshooting.md names", async () => {
  const https_proxy = "http://127.0.0.1:9";
  const files = {
    "package.json": "{}",
    "index.js": 'new (require("pulumi-partners").PartnerApiKey)("checkout");',
  };
  for (const [no_proxy, ok] of [
    ["localhost", false],
    ["127.0.0.1", true],
  ] as const) {
    const { stack } = await sandboxStack(undefined, {}, { files, env: { https_proxy, no_proxy } });
    const { stdout, ...result } = await stack.preview();
    expect(result.ok, stdout).toBe(ok);
    if (!ok)
      expect(stdout).toMatch(/Failed to connect to proxy(.|\n)*UNAVAILABLE: No connection established/);
  }
});

it("a new access token changes no resource; refresh and destroy use the previous one unless given --run-program", async () => {
  const env = { PARTNERS_ACCESS_TOKEN: "" };
  const { sandbox, stack, run } = await sandboxStack(keyAndWebhooks, {}, { env });
  await stack.configure({ accessToken: sandbox.accessToken });
  expect(await stack.up()).toMatchObject({ ok: true });
  await stack.configure({ accessToken: sandbox.rotateAccessToken() });
  expect((await run("refresh")).error).toMatch(/401(.|\n)*\[PARTNERS_STATUS\]/);
  expect(await run("up")).toEqual({ error: "", changes: { same: 4 }, requests: {} });
  await stack.configure({ accessToken: sandbox.rotateAccessToken() });
  expect(await stack.destroy({ flags: ["--run-program"] })).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});

it("a key that is not found in the response is kept, and the next update with a mapping finds it", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      const { apiKey } = new partners.PartnerApiKey("checkout");
      return Promise.resolve({ apiKey });
    },
    { shape: "unreadable" },
  );
  const expectKept = async (): Promise<void> => {
    const { ok, stdout, stderr, eventLog } = await stack.up();
    expect(ok).toBe(false);
    const state = await stack.stateFile();
    for (const key of sandbox.apiKeys) expect(stdout + stderr + eventLog + state).not.toContain(key);
    expect(stdout).toContain("partners:responses.apiKey");
  };

  await expectKept();
  await stack.refresh(); // Clears the engine's mark of a failed creation.
  await expectKept();
  await stack.configure({ responses: JSON.stringify({ apiKey: "/result/token" }) });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ apiKey: sandbox.apiKeys[0] });
  expect(countRequests(sandbox)).toEqual({ GET: 1, POST: 1 });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});

it("plain HTTP to another machine is allowed by a setting, with one warning for each account in every run", async () => {
  // Not a loopback address by its text, but one that reaches the sandbox.
  const plain = (url: string): string => url.replace("127.0.0.1", "0.0.0.0");
  const allowTokenOverPlainHttp = true;
  const eu = await sandboxFor();
  const { sandbox, stack } = await sandboxStack(
    async () => {
      await keyAndWebhooks();
      const settings = { baseUrl: plain(eu.url), accessToken: eu.accessToken, allowTokenOverPlainHttp };
      const headers = { "X-Tenant": pulumi.secret("tenant-of-eu") };
      const provider = new partners.Provider("eu", { ...settings, headers });
      new partners.PartnerApiKey("checkout-eu", {}, { provider });
      const native = {
        ...settings,
        allowTokenOverPlainHttp: "true",
        headers: JSON.stringify({ "X-Tenant": "tenant-of-us" }),
      };
      const us = new NativeProvider("us", native);
      new Native("PartnerApiKey", "checkout-us", {}, { provider: us });
    },
    {},
    { env: { PARTNERS_BASE_URL: "" } },
  );
  await stack.configure({ baseUrl: plain(sandbox.url), allowTokenOverPlainHttp: "true" });
  await stack.pulumi(
    "config",
    "set",
    "--secret",
    "--path",
    'partners:headers["X-Gateway-Key"]',
    "key-of-the-gateway",
  );
  // The second one changes nothing.
  for (const operation of ["up", "preview", "refresh", "destroy"] as const) {
    const { ok, stdout, stderr, eventLog } = await stack[operation]();
    expect(ok, stdout).toBe(true);
    // Under "Diagnostics": of the default account, and of each Provider.
    expect(
      stdout.match(/^ {4}warning: (?:pulumi-partners: )?plain http:/gm),
      `${operation}\n${stdout}`,
    ).toHaveLength(3);
    const places = stdout + stderr + eventLog + (await stack.stateFile());
    expect(places).not.toMatch(/tenant-of-|key-of-the-gateway/);
  }
  expect([sandbox.apiKeys, eu.apiKeys]).toEqual([[], []]);
  expect(new Set(sandbox.requests.map(({ headers }) => headers["x-gateway-key"]))).toEqual(
    new Set(["key-of-the-gateway"]),
  );
  const tenants = new Set(eu.requests.map(({ headers }) => headers["x-tenant"]));
  expect(tenants).toEqual(new Set(["tenant-of-eu", "tenant-of-us"]));
});
