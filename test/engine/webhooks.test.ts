import type * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { declareFleet, stackFor, statesOf } from "./support.ts";

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
