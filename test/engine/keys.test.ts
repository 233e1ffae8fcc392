/** Keys that get lost, or are not recognized, and what a person then does. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";

import { declareKey, loseAnswers, replaceAnswers, stackFor } from "./support.ts";

const URN = "urn:pulumi:dev::test::partners:index:PartnerApiKey::checkout";

/** A stack with one key. What happens to keys is the same in both forms; life.test.ts runs both. */
async function keyStack() {
  const rotation = { trigger: "1", overlapDays: 0 };
  const declare = () => ({ apiKey: pulumi.secret(declareKey("native", "checkout", { rotation }).apiKey) });
  return { ...(await stackFor(declare)), rotation };
}

it("after a lost creation, preview, up --replace and destroy work, and a plain up creates no second key", async () => {
  const { api, run } = await keyStack();
  loseAnswers(api, "createApiKey");
  const lost = await run("up");
  expect(lost.requests).toEqual({ GET: 1, POST: 1 });
  expect(lost.error).toMatch(/A key may have been created.*\[PARTNERS_\w+\]/s);
  const blocked = await run("up");
  expect([blocked.error, blocked.requests]).toEqual([expect.stringMatching(/./), {}]);
  expect(await run("preview")).toMatchObject({ error: "", requests: {} });
  expect(await run("up", "--replace", URN)).toMatchObject({ error: "", requests: { GET: 1, POST: 1 } });
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  loseAnswers(api, "createApiKey");
  expect((await run("up")).error).toContain("A key may have been created");
  expect(await run("destroy")).toMatchObject({ error: "", requests: {} });
});

it("a key that is not found in the response is kept, and read with a pointer", async () => {
  const { api, stack, run, rotation } = await keyStack();
  const token = "pk_live_7hG5fD3sA1qW9eR7tY5u";
  replaceAnswers(api, "createApiKey", () => {
    api.keys.add(token);
    return { status: 201, body: { result: { token, signature: "9f8e7d6c5b4a3f2e1d0c9b8a" } } };
  });
  expect((await run("up")).error).toContain("/result/token");
  expect(await run("refresh")).toMatchObject({ error: "" }); // Clears the engine's mark of a failed creation.
  expect((await run("up")).error).toContain("/result/token");
  await stack.pulumi("config", "set", "--path", "partners:responses.apiKey", "/result/token");
  rotation.trigger = "2";
  expect(await run("up")).toMatchObject({ error: "", requests: {} });
  expect(await stack.outputs()).toEqual({ apiKey: token });
  expect(await stack.stateFile()).not.toContain(token);
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
});

it("of a response that is far too long, the stack keeps the start, and creates no second key", async () => {
  const { api, run } = await keyStack();
  replaceAnswers(api, "createApiKey", () => ({ status: 201, body: { padding: "x".repeat(9 * 2 ** 20) } }));
  expect((await run("up")).error).toMatch(/longer than 1 MiB.*A key may have been created.*\[PARTNERS_/s);
  const blocked = await run("up");
  expect([blocked.error, blocked.requests]).toEqual([expect.stringContaining("was cut off"), {}]);
  expect(await run("destroy")).toMatchObject({ error: "", requests: {} });
});

it("a trigger in YAML may be a number, which Pulumi makes of configuration, and needs no overlapDays", async () => {
  const program = `name: test
runtime: yaml
config:
  rotate: { type: string }
resources:
  checkout:
    type: partners:PartnerApiKey
    properties: { rotation: { trigger: "\${rotate}" } }
`;
  const { api, stack, run } = await stackFor(undefined, { files: { "Pulumi.yaml": program } });
  await stack.pulumi("config", "set", "rotate", "20260219");
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, POST: 1 } });
  const [first] = api.keys;
  await stack.pulumi("config", "set", "rotate", "20260220");
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, POST: 1, DELETE: 1 } });
  expect([api.keys.size, api.keys.has(first ?? "")]).toEqual([1, false]);
});
