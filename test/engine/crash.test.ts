import type * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { killed } from "../support/killed.ts";
import { LONG } from "../support/random.ts";
import { follow } from "./follow-steps.ts";
import { declareFleet, declareKey, declareWebhook, stackFor, statesOf, WEBHOOKS } from "./support.ts";

/** What each step does, and at which request it is killed. */
const STEPS = [
  ["up", "createApiKey", "active"],
  ["up", "setWebhookState", "disabled"],
  ["destroy", "deleteApiKey", "disabled"],
] as const;

it("after kill -9 of the CLI and the plugin in the middle of a request, repeating the operation converges", async () => {
  let wanted: partners.WebhookState = "active";
  const { api, stack, run } = await stackFor(() => {
    const key = declareKey("dynamic", "checkout");
    // Each resource depends on the one before it, which fixes the order of the requests.
    const args = { webhookId: 101, state: wanted, stateOnDestroy: "restore" } as const;
    const webhook = declareWebhook("dynamic", "orders", args, { dependsOn: key });
    const states = { 102: wanted, 103: wanted };
    declareFleet("dynamic", "fleet", { states, stateOnDestroy: "restore" }, { dependsOn: webhook });
    return { apiKey: key.apiKey };
  });
  for (const [operation, request, state] of STEPS) {
    wanted = state;
    const began = Date.now();
    const arrived = await killed(api, request, () => stack[operation]());

    expect((await run(operation)).error).toContain("pulumi cancel");
    const createsTwice = request === "createApiKey";
    expect(/"type":\s*"creating"/.test(await stack.stateFile())).toBe(createsTwice);
    let again: Awaited<ReturnType<typeof run>> | undefined;
    const people = [
      ["Make sure that no other run is active", () => undefined],
      ["Run the interrupted command again", async () => (again = await run(operation))],
    ] as const;
    if (createsTwice || LONG) {
      const printed = await follow("docs/runbooks.md", "## A run was killed", { stack, people });
      const [lastStep = "", ...interrupted] = (printed[1] ?? "").trim().split("\n");
      expect(interrupted.some((line) => /^creating .*:PartnerApiKey::checkout$/.test(line))).toBe(
        createsTwice,
      );
      // The time that the page prints is in this run, and before the request.
      expect(Date.parse(lastStep)).toBeGreaterThan(began);
      expect(Date.parse(lastStep)).toBeLessThanOrEqual(arrived);
      expect(again?.printed).not.toContain("pending operations");
    } else {
      await stack.pulumi("cancel", "--yes");
      again = await run(operation);
    }
    expect(again).toMatchObject({ error: "" });

    // The only possible loss is a key that was created but not yet saved in the state. Nobody has it.
    const known = operation === "up" ? [(await stack.outputs())["apiKey"]] : [];
    const lost = [...api.keys].filter((key) => !known.includes(key));
    expect(lost).toHaveLength(createsTwice ? 1 : 0);
    for (const key of lost) api.keys.delete(key);
    const states = { 101: state, 102: state, 103: state };
    expect([[...api.keys], statesOf(api)]).toEqual([known, operation === "up" ? states : WEBHOOKS]);
  }
});
