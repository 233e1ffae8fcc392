import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxStack } from "./support.ts";

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
    ["", false],
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
