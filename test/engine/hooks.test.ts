import * as pulumi from "@pulumi/pulumi";
import type * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { declareFleet, declareKey, HOSTS, loseAnswers, refuse, stackFor, type Host } from "./support.ts";

/** Declares a key and a fleet whose failed calls a hook repeats. @param limit How often, at the most. */
async function hookedStack(host: Host, limit: number) {
  const args: { rotation: partners.RotationArgs } = { rotation: { trigger: "1", overlapDays: 7 } };
  const states: Record<number, partners.WebhookState> = {};
  const failures: (readonly string[])[] = [];
  const started = await stackFor(() => {
    let calls = 0;
    const again = new pulumi.ErrorHook("again", ({ errors }) => {
      failures.push(errors);
      return (calls += 1) <= limit;
    });
    const opts = { hooks: { onError: [again] } };
    const key = declareKey(host, "checkout", args, opts);
    if (Object.keys(states).length > 0) declareFleet(host, "fleet", { states: { ...states } }, opts);
    return Promise.resolve({ apiKey: key.apiKey });
  });
  return { ...started, args, states, failures };
}

it.each(HOSTS)(
  "a hook that always says yes creates no second key, and does not erase the state (%s)",
  async (host) => {
    const { api, stack, run, args, failures } = await hookedStack(host, Infinity);
    expect(await run("up")).toMatchObject({ error: "" });
    const outputs = await stack.outputs();
    args.rotation = { trigger: "2", overlapDays: 7 };
    loseAnswers(api, "createApiKey");
    const lost = await run("up");
    expect(lost).toMatchObject({ error: "", requests: { POST: 1 } });
    expect(lost.printed).toMatch(/warning: .*A key may have been created/);
    expect(failures.length).toBeLessThan(10);
    // The next run says it again.
    const again = await run("up");
    expect([again.printed, again.requests]).toEqual([
      expect.stringContaining("A key may have been created"),
      {},
    ]);
    expect(await stack.outputs()).toEqual(outputs);
    args.rotation = { trigger: "3", overlapDays: 7 };
    // Refusals have no effect, so the repetitions are sent.
    refuse(api, "createApiKey", 403, 2);
    expect(await run("up")).toMatchObject({ error: "", requests: { POST: 3 } });
    expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 2 } });
  },
);

it("a hook that repeats a fleet goes on from what was reached", async () => {
  const { api, run, states } = await hookedStack("native", 2);
  Object.assign(states, { 101: "disabled", 102: "disabled", 103: "active" });
  const { setWebhookState } = api.answers;
  let refusals = 2;
  api.answers.setWebhookState = (webhookId, state) =>
    webhookId === 102 && (refusals -= 1) >= 0 ? { status: 403 } : setWebhookState(webhookId, state);
  expect(await run("up")).toMatchObject({ error: "", requests: { PATCH: 5 } });
});
