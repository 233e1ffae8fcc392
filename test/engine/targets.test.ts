import { expect, it } from "vitest";

import { declareKey, declareWebhook, stackFor, statesOf } from "./support.ts";

const KEY = "urn:pulumi:dev::test::partners:index:PartnerApiKey::checkout";
const ORDERS = "urn:pulumi:dev::test::partners:index:PartnerWebhookState::orders";

it("--target leaves the others as they are, and a tainted key is replaced; random lives rely on both", async () => {
  let [trigger, isOn] = ["1", true];
  const { api, stack, run } = await stackFor(() => {
    declareKey("native", "checkout", { rotation: { trigger, overlapDays: 7 } });
    const state = isOn ? "active" : "disabled";
    declareWebhook("native", "orders", { webhookId: 101, state });
    declareWebhook("native", "invoices", { webhookId: 102, state });
  });
  expect(await run("up")).toMatchObject({ error: "" });
  const [first] = api.keys;

  // Even what is due for the others is not asked about.
  [trigger, isOn] = ["2", false];
  expect(await run("up", "--target", ORDERS)).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  expect(statesOf(api)).toMatchObject({ 101: "disabled", 102: "active" });
  expect(await run("refresh", "--target", ORDERS)).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(await run("destroy", "--target", ORDERS)).toMatchObject({ error: "", changes: { delete: 1 } });
  expect([...api.keys]).toEqual([first]);

  // A taint asks neither Check nor Diff about the old key: it ends without its overlap.
  trigger = "1";
  await stack.pulumi("state", "taint", KEY, "--yes");
  const tainted = await run("up", "--target", KEY);
  expect(tainted).toMatchObject({ error: "", requests: { GET: 1, POST: 1, DELETE: 1 } });
  expect(await run("up", "--target", KEY)).toMatchObject({ error: "", requests: {} });
  expect([api.keys.size, api.keys.has(first ?? "")]).toEqual([1, false]);
});
