import { expect, test } from "vitest";
import { SHAPES, startSandbox, type ShapeName } from "../../../provider/src/sandbox/index.js";
import { call } from "./calls.ts";

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const time: unknown = expect.stringMatching(TIME);
const id: unknown = expect.stringMatching(/^key_[0-9a-f]{12}$/);
const webhooks = [
  { webhookId: 7, state: "active" },
  { webhookId: 8, state: "disabled" },
] as const;
const nestedWebhooks = {
  webhooks: [
    { id: 7, attributes: { state: "active" } },
    { id: 8, attributes: { state: "disabled" } },
  ],
};
const nestedKey = (key: string) => ({ apiKey: { id, prefix: key.slice(0, 12), key, createdAt: time } });

const EXPECTED: Record<ShapeName, { apiKey: (key: string) => unknown; webhooks: unknown }> = {
  flat: { apiKey: (apiKey) => ({ apiKey }), webhooks },
  snake: {
    apiKey: (key) => ({ api_key: key, created_at: time }),
    webhooks: {
      webhooks: [
        { webhook_id: 7, state: "active", updated_at: time },
        { webhook_id: 8, state: "disabled", updated_at: time },
      ],
    },
  },
  envelope: {
    apiKey: (apiKey) => ({ status: "success", data: { apiKey } }),
    webhooks: { status: "success", data: webhooks },
  },
  nested: { apiKey: nestedKey, webhooks: nestedWebhooks },
  byId: { apiKey: nestedKey, webhooks: nestedWebhooks },
  bare: {
    apiKey: (key) => key,
    webhooks: [
      { id: "7", state: "active" },
      { id: "8", state: "disabled" },
    ],
  },
  boolean: {
    apiKey: (apiKey) => ({ apiKey }),
    webhooks: [
      { webhookId: 7, active: true },
      { webhookId: 8, active: false },
    ],
  },
  numeric: {
    apiKey: (apiKey) => ({ apiKey }),
    webhooks: [
      { webhookId: 7, enabled: 1 },
      { webhookId: 8, enabled: 0 },
    ],
  },
  words: {
    apiKey: (apiKey) => ({ apiKey }),
    webhooks: [
      { webhookId: 7, status: "ENABLED" },
      { webhookId: 8, status: "DISABLED" },
    ],
  },
  timestamp: {
    apiKey: (apiKey) => ({ apiKey }),
    webhooks: [
      { webhookId: 7, disabledAt: null },
      { webhookId: 8, disabledAt: time },
    ],
  },
  unreadable: {
    apiKey: (token) => ({ result: { key: expect.stringMatching(/^pk_live_/) as unknown, token } }),
    webhooks: {
      incoming: [{ ref: 1, mode: "go" }],
      outgoing: [
        { ref: 7, mode: "go" },
        { ref: 8, mode: "halt" },
      ],
    },
  },
};

test.each(Object.entries(EXPECTED))("the %s shape is as documented", async (name, expected) => {
  await using sandbox = await startSandbox({ webhooks, shape: name as ShapeName });
  const created: unknown = await (await call(sandbox, "createApiKey")).json();
  expect(created).toEqual(expected.apiKey(sandbox.apiKeys[0] ?? ""));
  const list = await call(sandbox, "listWebhooks");
  expect(list.headers.get("content-type")).toBe("application/json");
  expect(await list.json()).toEqual(expected.webhooks);
});

test("the two secrets of the unreadable shape differ", async () => {
  await using sandbox = await startSandbox({ shape: "unreadable" });
  const { result } = (await (await call(sandbox, "createApiKey")).json()) as {
    result: { key: string; token: string };
  };
  expect(sandbox.verify(result.token)).toBe(true);
  expect(sandbox.verify(result.key)).toBe(false);
});

test("where keys are deleted by id, the key itself is not found", async () => {
  await using sandbox = await startSandbox({ shape: "byId" });
  const { apiKey } = (await (await call(sandbox, "createApiKey")).json()) as {
    apiKey: { id: string; key: string };
  };
  expect((await call(sandbox, "deleteApiKey", apiKey.key)).status).toBe(404);
  expect((await call(sandbox, "deleteApiKey", apiKey.id)).status).toBe(200);
  expect(sandbox.apiKeys).toEqual([]);
});

test("a shape can be of one's own", async () => {
  const apiKey = ({ key }: { key: string }) => [{ answer: key }];
  await using sandbox = await startSandbox({ shape: { ...SHAPES.flat, apiKey } });
  const created: unknown = await (await call(sandbox, "createApiKey")).json();
  expect(created).toEqual([{ answer: sandbox.apiKeys[0] }]);
});

test("a shape that throws is a 500 that says why", async () => {
  const webhooks = () => {
    throw new Error("no list today");
  };
  await using sandbox = await startSandbox({ shape: { ...SHAPES.flat, webhooks } });
  const response = await call(sandbox, "listWebhooks");
  expect(response.status).toBe(500);
  expect(await response.text()).toContain("no list today");
});
