import type * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import {
  declareFleet,
  declareKey,
  declareWebhook,
  HOSTS,
  replaceAnswers,
  stackFor,
  statesOf,
} from "./support.ts";

it("a fleet shows what changes and what drifted, and is restored by a destroy", async () => {
  const states: Record<string, partners.WebhookState> = { 101: "active", 102: "active", 103: "active" };
  const { api, run } = await stackFor(
    () => {
      declareFleet("native", "fleet", { states, stateOnDestroy: "restore" });
    },
    { webhooks: { 101: "disabled", 102: "disabled", 103: "disabled" } },
  );
  const found = statesOf(api);
  /** Returns the changed webhooks. The CLI shows them in inputs and outputs. */
  const shown = (printed: string) => [...new Set(printed.match(/~ "?\d+"? *: .*/g))];
  const once = { error: "", requests: { GET: 1, PATCH: 1 } };
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 3 } });
  states[102] = "disabled";
  const change = [expect.stringMatching(/102"?: "active" => "disabled"/)];
  expect(shown((await run("preview", "--diff")).printed)).toEqual(change);
  expect(await run("up")).toMatchObject(once);
  api.webhooks.set(103, "disabled");
  const drift = [expect.stringMatching(/103"?: "active" => "disabled"/)];
  expect(shown((await run("refresh", "--diff")).printed)).toEqual(drift);
  expect(await run("up")).toMatchObject(once);
  expect(await run("destroy")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 2 } });
  expect(statesOf(api)).toEqual(found);
});

it.each(LONG ? HOSTS : ["native" as const])(
  "a webhook that a fleet drops, and that a resource declares while the release is repeated, ends as declared: %s",
  async (host) => {
    const states: Record<string, partners.WebhookState> = { 101: "active", 102: "active" };
    let isMoved = false;
    const { api, run } = await stackFor(() => {
      declareFleet(host, "fleet", { states, stateOnDestroy: "disabled" });
      if (!isMoved) return;
      const key = declareKey(host, "key");
      declareWebhook(host, "one", { webhookId: 102, state: "active" }, { dependsOn: key });
    });
    expect(await run("up")).toMatchObject({ error: "" });
    delete states[102];
    isMoved = true;
    // The key, and so the resource that depends on it, waits until the release is on the wire.
    const releaseArrived = Promise.withResolvers<undefined>();
    const creationArrived = Promise.withResolvers<undefined>();
    replaceAnswers(api, "createApiKey", async (usual) => {
      creationArrived.resolve(undefined);
      await releaseArrived.promise;
      return usual();
    });
    const refuse = async () => {
      releaseArrived.resolve(undefined);
      await creationArrived.promise;
      return { status: 503 };
    };
    replaceAnswers(api, "setWebhookState", refuse, 1);
    expect(await run("up")).toMatchObject({ error: "", requests: { POST: 1, PATCH: 3 } });
    expect(statesOf(api)).toMatchObject({ 101: "active", 102: "active" });
    expect(await run("up")).toMatchObject({ error: "", changes: {}, requests: {} });
  },
);
