import { describe, expect, onTestFinished, test } from "vitest";

import { API_ROOT } from "../../../provider/src/api/operations.js";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../../provider/src/sandbox/sandbox.js";

async function start(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Sends a request. @returns The status, and the body. */
async function send(sandbox: Sandbox, method: string, path: string, accessToken = sandbox.accessToken) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(sandbox.url + API_ROOT + path, { method, headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function createKey(sandbox: Sandbox, accessToken?: string) {
  const { status, body } = await send(sandbox, "POST", "/api-key", accessToken);
  expect(status).toBe(201);
  return body;
}

async function deleteKey(sandbox: Sandbox, parameter: unknown, accessToken?: string): Promise<number> {
  return (await send(sandbox, "DELETE", `/api-key/${String(parameter)}`, accessToken)).status;
}

describe("keys", () => {
  test('"same" returns the key that exists, and a new one when none does', async () => {
    const sandbox = await start({ keys: "same" });
    const first = await createKey(sandbox);
    expect(await createKey(sandbox)).toEqual(first);
    expect(sandbox.apiKeys).toEqual([first["apiKey"]]);
    expect([await deleteKey(sandbox, first["apiKey"]), sandbox.apiKeys]).toEqual([200, []]);
    expect(await createKey(sandbox)).not.toEqual(first);
  });

  test('"same" returns a key that existed at the start', async () => {
    const sandbox = await start({ keys: "same", apiKeys: ["pk_old"] });
    expect(await createKey(sandbox)).toEqual({ apiKey: "pk_old" });
  });

  test('"oneRecord" replaces the value of the key, and keeps its ID', async () => {
    const sandbox = await start({ keys: "oneRecord" });
    const [first, second] = [await createKey(sandbox), await createKey(sandbox)];
    expect([second["id"], second["apiKey"]]).not.toContain(first["apiKey"]);
    expect(second["id"]).toBe(first["id"]);
    expect(sandbox.apiKeys).toEqual([second["apiKey"]]);
    expect([await deleteKey(sandbox, first["apiKey"]), sandbox.apiKeys.length]).toEqual([404, 1]);
    expect([await deleteKey(sandbox, first["id"]), sandbox.apiKeys]).toEqual([200, []]);
  });

  test('"byId" finds keys only by the ID in the response', async () => {
    const sandbox = await start({ keys: "byId" });
    const [first, second] = [await createKey(sandbox), await createKey(sandbox)];
    expect(first["id"]).not.toBe(second["id"]);
    expect([await deleteKey(sandbox, first["apiKey"]), sandbox.apiKeys.length]).toEqual([404, 2]);
    expect(await deleteKey(sandbox, first["id"])).toBe(200);
    expect(sandbox.apiKeys).toEqual([second["apiKey"]]);
    expect(await deleteKey(sandbox, first["id"])).toBe(404);
  });

  test('"refused" reports a quota with the status of a success, and creates nothing', async () => {
    const sandbox = await start({ keys: "refused", apiKeys: ["pk_1", "pk_2"] });
    expect(await createKey(sandbox)).toEqual({ success: false, error: "quota of 2 keys reached" });
    expect(sandbox.apiKeys).toEqual(["pk_1", "pk_2"]);
    expect(await deleteKey(sandbox, "pk_1")).toBe(200);
  });
});

test("delay holds back each response, after the request has taken effect", async () => {
  const sandbox = await start({ delay: 300 });
  const startedAt = performance.now();
  const created = createKey(sandbox);
  await expect.poll(() => sandbox.apiKeys.length, { interval: 5 }).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(290);
  await created;
  expect(performance.now() - startedAt).toBeGreaterThan(290);
});

describe("other accounts", () => {
  const options = { accessToken: "one", otherAccounts: ["two"], webhooks: { 7: "active" } } as const;

  test("have their own keys, and their own webhooks with the same IDs", async () => {
    const sandbox = await start({ ...options, apiKeys: ["pk_one"] });
    const { apiKey } = await createKey(sandbox, "two");
    expect([sandbox.apiKeys, sandbox.account("two").apiKeys]).toEqual([["pk_one"], [apiKey]]);
    expect([await deleteKey(sandbox, "pk_one", "two"), await deleteKey(sandbox, apiKey)]).toEqual([404, 404]);
    expect([sandbox.verify("pk_one"), sandbox.verify(String(apiKey))]).toEqual([true, true]);

    expect((await send(sandbox, "PATCH", "/webhooks/7/disable", "two")).status).toBe(200);
    const states = ["one", "two"].map((token) => sandbox.account(token).webhooks.get(7));
    expect([states, sandbox.webhooks.get(7)]).toEqual([["active", "disabled"], "active"]);
  });

  test("are not reached with another token, nor with the old one of the first account", async () => {
    const sandbox = await start(options);
    expect((await send(sandbox, "GET", "/webhooks", "three")).status).toBe(401);
    const rotated = sandbox.rotateAccessToken();
    const statuses = [rotated, "one", "two"].map(async (token) => {
      return (await send(sandbox, "GET", "/webhooks", token)).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
    expect(sandbox.account(rotated).webhooks).toEqual(sandbox.webhooks);
    expect(() => sandbox.account("one")).toThrow("The sandbox has no account with this access token.");
  });
});
