import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import { declareKey, HOSTS, loseAnswers, refuse, stackFor } from "./support.ts";

/** What a host does after a failure is tested for both in the unit tests. */
const FORMS = LONG ? HOSTS : (["native"] as const);

/** Older SDKs have no such hooks. */
const itWithHooks = "ErrorHook" in pulumi ? it : it.skip;

itWithHooks.each(FORMS)(
  "a hook that always says yes creates no second key, and does not erase the state (%s)",
  async (host) => {
    let trigger = "1";
    let failures = 0;
    const { api, stack, run } = await stackFor(() => {
      const again = new pulumi.ErrorHook("again", () => (failures += 1) > 0);
      const opts = { hooks: { onError: [again] } };
      const key = declareKey(host, "checkout", { rotation: { trigger, overlapDays: 7 } }, opts);
      return { apiKey: key.apiKey };
    });
    expect(await run("up")).toMatchObject({ error: "" });
    const outputs = await stack.outputs();
    trigger = "2";
    loseAnswers(api, "createApiKey");
    const lost = await run("up");
    expect(lost).toMatchObject({ error: "", requests: { POST: 1 } });
    expect(lost.printed).toMatch(/warning: .*A key may have been created/);
    expect(failures).toBeLessThan(10);
    const again = await run("up");
    expect(again.printed, "the next run says it again").toContain("A key may have been created");
    expect([again.requests, await stack.outputs()]).toEqual([{}, outputs]);
    trigger = "3";
    // Refusals have no effect, so the repetitions are sent.
    refuse(api, "createApiKey", 403, 2);
    expect(await run("up")).toMatchObject({ error: "", requests: { POST: 3 } });
    expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 2 } });
  },
);

// Since 3.274, the engine repeats a creation that failed partway as an update.
itWithHooks.each(FORMS)(
  "a hook that always says yes does not repeat a first creation that was lost (%s)",
  async (host) => {
    const { api, stack, run } = await stackFor(() => {
      const again = new pulumi.ErrorHook("again", () => true);
      declareKey(host, "checkout", {}, { hooks: { onError: [again] } });
    });
    loseAnswers(api, "createApiKey");
    const said = expect.stringContaining("A key may have been created") as string;
    const lost = await run("up");
    expect(lost).toMatchObject({ printed: said, requests: { POST: 1 } });
    // In TypeScript, no consumer of the key gets a null.
    expect(lost.error).toMatch(host === "dynamic" ? /^PartnerApiKey "checkout" has no key yet/ : /^$/);
    const state = JSON.stringify((await stack.exportStack()).deployment);
    expect(state).toContain('"apiKey":null');
    // Nothing new is reached, so the engine itself ends the repetitions, and keeps the state.
    const again = await run("up");
    expect(again).toMatchObject({ error: expect.stringContaining("update failed") as string, printed: said });
    expect(again.requests).not.toHaveProperty("POST");
    expect(JSON.stringify((await stack.exportStack()).deployment)).toContain('"apiKey":null');
  },
);
