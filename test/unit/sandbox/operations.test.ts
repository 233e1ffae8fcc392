import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { API_ROOT } from "../../../provider/src/api/operations.js";
import { startSandbox, type Sandbox } from "../../../provider/src/sandbox/index.js";
import { call, pathOf } from "./calls.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({
    webhooks: [
      { webhookId: 7, state: "active" },
      { webhookId: 8, state: "disabled" },
    ],
  });
});
afterEach(() => sandbox.close());

describe("API keys", () => {
  test("a created key is answered with 201 and is live", async () => {
    const response = await call(sandbox, "createApiKey");
    expect(response.status).toBe(201);
    const { apiKey } = (await response.json()) as { apiKey: string };
    expect(apiKey).toMatch(/^pk_live_[\w-]{32}$/);
    expect(sandbox.apiKeys).toEqual([apiKey]);
    expect(sandbox.verify(apiKey)).toBe(true);
  });

  test("two keys differ, and are listed oldest first", async () => {
    const keys: string[] = [];
    for (let i = 0; i < 2; i++) {
      keys.push(((await (await call(sandbox, "createApiKey")).json()) as { apiKey: string }).apiKey);
    }
    expect(sandbox.apiKeys).toEqual(keys);
    expect(new Set(keys).size).toBe(2);
  });

  test("a deleted key is gone, and deleting it again is a 404", async () => {
    await call(sandbox, "createApiKey");
    const [key = ""] = sandbox.apiKeys;
    expect((await call(sandbox, "deleteApiKey", key)).status).toBe(200);
    expect(sandbox.verify(key)).toBe(false);
    expect((await call(sandbox, "deleteApiKey", key)).status).toBe(404);
  });

  test("a key works over HTTP for as long as it is live", async () => {
    await call(sandbox, "createApiKey");
    const [key = ""] = sandbox.apiKeys;
    const use = () => fetch(`${sandbox.url}/whoami`, { headers: { authorization: `Bearer ${key}` } });
    expect((await use()).status).toBe(200);
    await call(sandbox, "deleteApiKey", key);
    expect((await use()).status).toBe(401);
    expect((await fetch(`${sandbox.url}/whoami`)).status).toBe(401);
  });

  test("keys given at the start are live and can be deleted", async () => {
    await using other = await startSandbox({ apiKeys: ["old key/1"] });
    expect(other.apiKeys).toEqual(["old key/1"]);
    expect((await call(other, "deleteApiKey", "old key/1")).status).toBe(200);
    expect(other.apiKeys).toEqual([]);
  });

  test("hostile keys contain every character that means something in a URL, and survive only if encoded", async () => {
    await using hostile = await startSandbox({ keyAlphabet: "hostile" });
    for (let i = 0; i < 50; i++) await call(hostile, "createApiKey");
    for (const key of hostile.apiKeys) {
      for (const character of "/+=%?#") expect(key).toContain(character);
      const headers = { authorization: `Bearer ${hostile.accessToken}` };
      const careless = await fetch(`${hostile.url}${API_ROOT}/api-key/${key}`, { method: "DELETE", headers });
      expect(careless.status).toBe(404);
      expect(hostile.verify(key)).toBe(true);
      expect((await call(hostile, "deleteApiKey", key)).status).toBe(200);
    }
    expect(hostile.apiKeys).toEqual([]);
  });
});

describe("webhooks", () => {
  test("the list is answered with 200 and shows every webhook", async () => {
    const response = await call(sandbox, "listWebhooks");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual([
      { webhookId: 7, state: "active" },
      { webhookId: 8, state: "disabled" },
    ]);
  });

  test("a query is no part of the path", async () => {
    const headers = { authorization: `Bearer ${sandbox.accessToken}` };
    expect((await fetch(`${sandbox.url}${pathOf("listWebhooks")}?page=2`, { headers })).status).toBe(200);
  });

  test("a webhook can be disabled and activated", async () => {
    expect((await call(sandbox, "disableWebhook", 7)).status).toBe(200);
    expect((await call(sandbox, "activateWebhook", 8)).status).toBe(200);
    expect([...sandbox.webhooks]).toEqual([
      [7, "disabled"],
      [8, "active"],
    ]);
  });

  test.each([9, "x", "7.0", " 7", "0x7"])("webhook %j does not exist", async (id) => {
    expect((await call(sandbox, "disableWebhook", id)).status).toBe(404);
    expect(sandbox.webhooks.get(7)).toBe("active");
  });

  test("somebody can change, add and remove webhooks behind the client's back", async () => {
    sandbox.setWebhookState(7, "disabled");
    sandbox.removeWebhook(8);
    sandbox.addWebhook(9, "active");
    expect(await (await call(sandbox, "listWebhooks")).json()).toEqual([
      { webhookId: 7, state: "disabled" },
      { webhookId: 9, state: "active" },
    ]);
  });

  test("changes to webhooks that do not exist, or exist already, are refused by name", async () => {
    expect(() => {
      sandbox.setWebhookState(1, "active");
    }).toThrow("no webhook 1; it has 7, 8.");
    expect(() => {
      sandbox.removeWebhook(1);
    }).toThrow("no webhook 1; it has 7, 8.");
    expect(() => {
      sandbox.addWebhook(7, "disabled");
    }).toThrow("a webhook 7 already");
    await expect(
      startSandbox({
        webhooks: [
          { webhookId: 1, state: "active" },
          { webhookId: 1, state: "active" },
        ],
      }),
    ).rejects.toThrow("a webhook 1 already");
  });

  test("without options there are some webhooks of both states, and no key", async () => {
    await using standard = await startSandbox();
    expect(new Set(standard.webhooks.values())).toEqual(new Set(["active", "disabled"]));
    expect(standard.apiKeys).toEqual([]);
  });
});

describe("who may ask what", () => {
  const cases = [
    "createApiKey",
    "deleteApiKey",
    "listWebhooks",
    "activateWebhook",
    "disableWebhook",
  ] as const;
  test.each(cases)("%s without the right token is a 401 and changes nothing", async (operation) => {
    await using guarded = await startSandbox({
      apiKeys: ["8"],
      webhooks: [{ webhookId: 8, state: operation === "activateWebhook" ? "disabled" : "active" }],
    });
    const before = [...guarded.webhooks];
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: guarded.accessToken }]) {
      expect((await call(guarded, operation, 8, { headers })).status).toBe(401);
    }
    expect(guarded.apiKeys).toEqual(["8"]);
    expect([...guarded.webhooks]).toEqual(before);
    expect(guarded.requests.some((request) => request.effect)).toBe(false);
  });

  test("the token can be chosen, and rotated", async () => {
    await using chosen = await startSandbox({ accessToken: "t0ken" });
    expect(chosen.accessToken).toBe("t0ken");
    expect((await call(chosen, "listWebhooks")).status).toBe(200);
    const fresh = chosen.rotateAccessToken();
    expect(chosen.accessToken).toBe(fresh);
    const old = { headers: { authorization: "Bearer t0ken" } };
    expect((await call(chosen, "listWebhooks", "", old)).status).toBe(401);
    expect((await call(chosen, "listWebhooks")).status).toBe(200);
  });

  test.each([
    ["GET", pathOf("createApiKey"), 405, "POST"],
    ["GET", pathOf("deleteApiKey", "k"), 405, "DELETE"],
    ["POST", pathOf("listWebhooks"), 405, "GET"],
    ["PUT", pathOf("activateWebhook", 7), 405, "PATCH"],
    ["POST", "/whoami", 405, "GET"],
    ["GET", "/", 404, null],
    ["GET", API_ROOT, 404, null],
    ["GET", `${API_ROOT}/webhooks/`, 404, null],
    ["GET", `/v2${pathOf("listWebhooks")}`, 404, null],
    ["PATCH", `${API_ROOT}/webhooks/7/disabled`, 404, null],
    ["DELETE", `${API_ROOT}/api-key/`, 404, null],
    ["DELETE", `${API_ROOT}/api-key/50%`, 400, null],
  ])("%s %s is a %i", async (method, path, status, allow) => {
    const headers = { authorization: `Bearer ${sandbox.accessToken}` };
    const response = await fetch(sandbox.url + path, { method, headers });
    expect(response.status).toBe(status);
    expect(response.headers.get("allow")).toBe(allow);
  });

  test.each(["/gateway/eu", "gateway/eu/"])(
    "with the base path %j everything is below it",
    async (basePath) => {
      await using prefixed = await startSandbox({ basePath });
      expect(prefixed.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/gateway\/eu$/);
      expect((await call(prefixed, "listWebhooks")).status).toBe(200);
      for (const path of [pathOf("listWebhooks"), `/gateway/us${pathOf("listWebhooks")}`]) {
        expect((await fetch(new URL(path, prefixed.url))).status).toBe(404);
      }
      expect((await fetch(`${prefixed.url}/whoami`)).status).toBe(401);
    },
  );
});
