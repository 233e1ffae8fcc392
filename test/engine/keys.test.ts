/** Keys at services that the contract allows: what gets lost, and what a person then does. */
import * as pulumi from "@pulumi/pulumi";
import type * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import {
  declareKey,
  loseAnswers,
  program,
  replaceAnswers,
  stackFor,
  urnOf,
  type PartnerApiServer,
} from "./support.ts";

const URN = urnOf("native", "PartnerApiKey", "checkout");

/** A stack with one key. What happens to keys is the same in both forms; life.test.ts runs both. */
async function keyStack(rotation: partners.RotationArgs = { overlapDays: 0 }) {
  const args: { rotation: partners.RotationArgs } = { rotation };
  const started = await stackFor(
    program(() => ({ apiKey: pulumi.secret(declareKey("native", "checkout", args).apiKey) })),
  );
  return { ...started, args };
}

/** The service returns an ID beside the key, under this name, and deletes by the key. */
function returnIds(api: PartnerApiServer, name: string): void {
  let count = 0;
  api.answers.createApiKey = () => {
    const key = `pk_live_8dK2mQ7xW4vR9tY1zN${String((count += 1)).padStart(4, "0")}`;
    api.keys.add(key);
    return { status: 201, body: { id: `key_${count}`, [name]: key } };
  };
}

it("up --replace of a key that was deleted at the service works", async () => {
  const { api, run } = await keyStack();
  returnIds(api, "api_key");
  expect(await run("up")).toMatchObject({ error: "" });
  api.keys.clear();
  const replaced = await run("up", "--replace", URN);
  expect(replaced).toMatchObject({ error: "", changes: { replace: 1 }, requests: { POST: 1, DELETE: 1 } });
  expect(replaced.printed).toMatch(/warning: .*checkout/s);
  expect(api.keys.size).toBe(1);
});

it("after a lost creation, preview, up --replace and destroy work, and a plain up creates no second key", async () => {
  const { api, run } = await keyStack();
  loseAnswers(api, "createApiKey");
  const lost = await run("up");
  expect(lost).toMatchObject({ requests: { GET: 1, POST: 1 } });
  expect(lost.error).toMatch(/A key may have been created.*\[PARTNERS_\w+\]/s);
  expect(await run("up")).toMatchObject({ requests: {}, error: expect.stringMatching(/./) as string });
  expect(await run("preview")).toMatchObject({ error: "", requests: {} });
  expect(await run("up", "--replace", URN)).toMatchObject({ error: "", requests: { GET: 1, POST: 1 } });
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  loseAnswers(api, "createApiKey");
  expect((await run("up")).error).toContain("A key may have been created");
  expect(await run("destroy")).toMatchObject({ error: "", requests: {} });
});

it("a DELETE whose response is lost, and which gets a 404 when it is repeated, succeeds", async () => {
  const { api, run } = await keyStack();
  returnIds(api, "key");
  expect(await run("up")).toMatchObject({ error: "" });
  loseAnswers(api, "deleteApiKey");
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 2 } });
  expect(api.keys.size).toBe(0);
});

it("the advice after a 404 to a deletion never loses a live key, whichever pointer is set", async () => {
  const { api, stack, run } = await keyStack();
  returnIds(api, "key");
  expect(await run("up")).toMatchObject({ error: "" });
  api.keys.clear();
  const { error } = await run("destroy");
  const pointers = [...new Set(error.match(/(?<=["\s])\/(?:id|key)\b/g))].sort();
  expect(pointers, error).toEqual(["/id", "/key"]);
  for (const pointer of pointers) {
    await stack.configure({ responses: JSON.stringify({ apiKeyId: pointer }) });
    // The key that is gone counts as gone now, and one that works is deleted.
    expect(await run("destroy", "--run-program")).toMatchObject({ error: "" });
    expect(await run("up")).toMatchObject({ error: "" });
    expect(api.keys.size).toBe(1);
    expect(await run("destroy")).toMatchObject({ error: "" });
    expect(api.keys.size).toBe(0);
    expect(await run("up")).toMatchObject({ error: "" });
    api.keys.clear();
  }
});

it.each([
  ["a wrong host", (url: string) => url.replace("127.0.0.1", "localhost.invalid").replace("http", "https")],
  ["a wrong port", () => "http://127.0.0.1:1"],
  ["a wrong scheme", (url: string) => url.replace("http:", "https:")],
  ["a wrong path", (url: string) => `${url}/gateway`],
])("a new stack with %s fails in the preview", async (_what, change) => {
  const { api, stack, run } = await keyStack();
  await stack.configure({ baseUrl: change(api.url), accessToken: api.accessToken, requestTimeout: "1" });
  const { error, requests } = await run("preview");
  expect(error).toMatch(/\[PARTNERS_\w+\]/);
  expect(requests).not.toHaveProperty("POST");
});

it('a YAML program whose trigger is "" does not rotate an existing key', async () => {
  const yaml = (rotation: string): string =>
    `name: test\nruntime: yaml\nresources:\n  checkout:\n    type: partners:PartnerApiKey\n    properties: { rotation: ${rotation} }\n`;
  const files = { "Pulumi.yaml": yaml("{ overlapDays: 7 }") };
  const { api, stack, run } = await stackFor(undefined, { files });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, POST: 1 } });
  await stack.write("Pulumi.yaml", yaml('{ overlapDays: 7, trigger: "" }'));
  expect(await run("up")).toMatchObject({ error: "", requests: {} });
  expect(api.keys.size).toBe(1);
});

it("a key that is not found in the response is kept, and read with a pointer", async () => {
  const { api, stack, run, args } = await keyStack({ trigger: "1", overlapDays: 0 });
  replaceAnswers(api, "createApiKey", () => {
    api.keys.add("pk_live_7hG5fD3sA1qW9eR7tY5u");
    const result = { token: "pk_live_7hG5fD3sA1qW9eR7tY5u", signature: "9f8e7d6c5b4a3f2e1d0c9b8a" };
    return { status: 201, body: { result } };
  });
  expect((await run("up")).error).toContain("/result/token");
  expect(await run("refresh")).toMatchObject({ error: "" }); // Clears the engine's mark of a failed creation.
  expect((await run("up")).error).toContain("/result/token");
  await stack.configure({ responses: JSON.stringify({ apiKey: "/result/token" }) });
  args.rotation = { trigger: "2", overlapDays: 0 };
  expect(await run("up")).toMatchObject({ error: "", requests: {} });
  expect(await stack.outputs()).toEqual({ apiKey: [...api.keys][0] });
  expect(await stack.stateFile()).not.toContain([...api.keys][0]);
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
});

it("a service that returns the same key again loses none", async () => {
  const { api, stack, run, args } = await keyStack({ trigger: "1", overlapDays: 0 });
  expect(await run("up")).toMatchObject({ error: "" });
  const [key] = api.keys;
  api.answers.createApiKey = () => ({ status: 201, body: { apiKey: key } });
  for (const overlapDays of [7, 0]) {
    args.rotation = { trigger: "2", overlapDays };
    expect((await run("up")).error).toMatch(/\[PARTNERS_RESOURCE\]/);
    expect([[...api.keys], await stack.outputs()]).toEqual([[key], { apiKey: key }]);
  }
});
