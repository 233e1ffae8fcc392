import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { PartnerClient } from "../../../provider/src/api/client.js";
import { ResourceError } from "../../../provider/src/api/errors.js";
import { startSandbox, type Sandbox } from "../../support/sandbox.ts";
import { clientFor, failureOf, listen } from "./support.js";

let sandbox: Sandbox;
let client: PartnerClient;

beforeEach(async () => {
  sandbox = await startSandbox({ basePath: "/gateway" });
  client = clientFor(sandbox);
});

afterEach(async () => {
  await client.close();
  await sandbox.close();
});

describe("the five operations on the wire", () => {
  it("have the documented methods and paths, below the base path", async () => {
    await client.createApiKey();
    await client.listWebhooks();
    await client.activateWebhook(103);
    await client.disableWebhook(101);
    await client.deleteApiKey(sandbox.apiKeys[0] ?? "");
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path.replace(/pk_.*/, "KEY")}`)).toEqual([
      "POST /gateway/api/v1/partners/api-key",
      "GET /gateway/api/v1/partners/webhooks",
      "PATCH /gateway/api/v1/partners/webhooks/103/active",
      "PATCH /gateway/api/v1/partners/webhooks/101/disable",
      "DELETE /gateway/api/v1/partners/api-key/KEY",
    ]);
    expect(sandbox.apiKeys).toEqual([]);
    expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "disabled", 102: "active", 103: "active" });
  });

  it("send the token, who we are and what we take, and never a body", async () => {
    await client.createApiKey();
    await client.listWebhooks();
    await client.activateWebhook(103);
    for (const { headers, bodyBytes, method } of sandbox.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${sandbox.accessToken}`,
        "user-agent": "pulumi-partners/0.1.0",
        accept: "application/json",
        "accept-encoding": "identity",
      });
      expect(headers).not.toHaveProperty("content-type");
      expect(headers).not.toHaveProperty("transfer-encoding");
      expect(headers["content-length"]).toBe(method === "GET" ? undefined : "0");
      expect(bodyBytes).toBe(0);
    }
  });

  it("read what the server sends", async () => {
    const created = await client.createApiKey();
    expect(created).toMatchObject({ whole: true, requestId: sandbox.requests[0]?.requestId });
    expect(created.response).toContain(sandbox.apiKeys[0]);
    const { webhooks, complete } = await client.listWebhooks();
    expect([...webhooks.values()].map(({ webhookId, state }) => [webhookId, state])).toEqual([
      [101, "active"],
      [102, "active"],
      [103, "disabled"],
    ]);
    expect(complete).toBe(true);
  });

  it("use one connection for what may be repeated, and a fresh one for each creation", async () => {
    await client.listWebhooks();
    await client.createApiKey();
    await client.activateWebhook(101);
    await client.createApiKey();
    await client.listWebhooks();
    const connections = (method: string): number[] => {
      const made = sandbox.requests.filter((request) => request.method === method);
      return [...new Set(made.map(({ connection }) => connection))];
    };
    expect(connections("GET")).toEqual(connections("PATCH"));
    expect(connections("GET")).toHaveLength(1);
    expect(connections("POST")).toHaveLength(2);
    expect(connections("POST")).not.toContain(connections("GET")[0]);
  });

  it("keep to the number of connections that is allowed", async () => {
    await Promise.all(Array.from({ length: 40 }, () => client.activateWebhook(101)));
    expect(new Set(sandbox.requests.map(({ connection }) => connection)).size).toBeLessThanOrEqual(4);
    expect(sandbox.requests).toHaveLength(40);
  });
});

describe("the path of a deletion", () => {
  it.each(["a/b+c=d%e?f#g", "%2e%2e", "..%2f", "ключ", "a b", "...", "a\\b", ";x=1"])(
    "encodes %s",
    async (key) => {
      await sandbox.close();
      sandbox = await startSandbox({ apiKeys: [key] });
      client = clientFor(sandbox);
      await client.deleteApiKey(key);
      expect(sandbox.apiKeys).toEqual([]);
    },
  );

  it.each(["", ".", "..", "\ud800"])("refuses %j, which would address something else", async (key) => {
    expect(await failureOf(client.deleteApiKey(key))).toBeInstanceOf(ResourceError);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("redirects", () => {
  it.each([301, 302, 303, 307, 308])("of %d are not followed, with or without the token", async (status) => {
    const elsewhere = await listen((_request, response) => response.end("[]"));
    sandbox.inject({ kind: "status", status, headers: { location: elsewhere.url }, times: Infinity });
    const error = await failureOf(client.listWebhooks());
    expect(String(error)).toContain(`the server answered ${status}`);
    expect(String(error)).toContain("set partners:baseUrl to the final address");
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });
});
