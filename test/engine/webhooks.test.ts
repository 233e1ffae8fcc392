/** Webhooks at services that the contract allows, whose lists have their own habits. */
import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import {
  declareFleet,
  declareWebhook,
  loseAnswers,
  program,
  stackFor,
  statesOf,
  UNCHANGED,
  type PartnerApiServer,
} from "./support.ts";

type States = Record<string, partners.WebhookState>;

/** Changes the list of a service. @param change Gets the records `{ id, status }`. */
function list(api: PartnerApiServer, change: (records: object[]) => unknown): void {
  api.answers.listWebhooks = () => ({
    body: change(Array.from(api.webhooks, ([id, status]) => ({ id, status }))),
  });
}

/** A service that refuses with a 409 to do what is already so. */
function refuseRepetitions(api: PartnerApiServer): void {
  const { setWebhookState } = api.answers;
  api.answers.setWebhookState = (webhookId, state) =>
    api.webhooks.get(webhookId) === state
      ? { status: 409, body: { error: `the webhook is already ${state}` } }
      : setWebhookState(webhookId, state);
}

it("a list with a date, a size, a count and a link next to it is complete, also if it is empty", async () => {
  let others: partners.OtherWebhooks = "disabled";
  const { api, stack, run } = await stackFor(async () => {
    const { webhooks } = await partners.getPartnerWebhooks();
    const states: States = webhooks.length > 0 ? { 101: "active" } : {};
    declareFleet("dynamic", "fleet", { states, others });
    return { count: webhooks.length };
  });
  list(api, (data) => ({
    data,
    last_updated: "2026-11-25T10:20:30Z",
    size: data.length,
    webhook_count: data.length,
    links: { documentation: "https://partners.example.com/docs/webhooks" },
  }));
  expect(await run("up")).toMatchObject({ error: "", requests: { PATCH: 1 } });
  expect([statesOf(api), await stack.outputs()]).toEqual([
    { 101: "active", 102: "disabled", 103: "disabled" },
    { count: 3 },
  ]);
  // Others are covered when the fleet changes, or after a refresh.
  api.webhooks.set(104, "active");
  expect(await run("refresh")).toMatchObject({ error: "", changes: { update: 1 } });
  expect(await run("up")).toMatchObject({ error: "", requests: { PATCH: 1 } });
  api.webhooks.clear();
  others = "active";
  expect(await run("up")).toMatchObject({ error: "" });
  expect(await stack.outputs()).toEqual({ count: 0 });
});

it("an incomplete list stops what needs all webhooks, and causes no query", async () => {
  let needsAll = false;
  const { api, stack, run } = await stackFor(async () => {
    declareWebhook("dynamic", "orders", { webhookId: 101, state: "disabled" });
    if (needsAll) declareFleet("dynamic", "fleet", { states: { 102: "active" }, others: "disabled" });
    if (needsAll) await partners.getPartnerWebhooks();
  });
  list(api, (data) => ({ data: data.slice(0, 2), has_more: true, next_cursor: "abc" }));
  const queries = (): string[] => api.requests.filter((request) => request.includes("?"));
  expect((await stack.up()).error).toBe("");
  needsAll = true;
  const { ok, error, stdout } = await stack.preview();
  expect([ok, stdout + error]).toEqual([false, expect.stringMatching(/\/has_more|\/next_cursor/)]);
  expect(error + stdout).toContain("set complete in PARTNERS_RESPONSES to true");
  expect(queries()).toEqual([]);
  needsAll = false;
  expect(await run("destroy")).toMatchObject({ error: "" });
});

it("no PATCH is sent for what the list shows, whatever the stack recorded", async () => {
  let state: partners.WebhookState = "active";
  const { api, run } = await stackFor(
    program(() => {
      declareWebhook("native", "orders", { webhookId: 101, state });
    }),
  );
  refuseRepetitions(api);
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1 } });
  api.webhooks.set(101, "disabled");
  state = "disabled";
  expect(await run("up")).toMatchObject({ error: "", changes: { update: 1 }, requests: { GET: 1 } });
  // After a lost response, the repetition gets a 409, and a fresh list shows that it is done.
  loseAnswers(api, "setWebhookState");
  state = "active";
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 2, PATCH: 2 } });
  expect(await run("refresh", UNCHANGED)).toMatchObject({ error: "" });
});

it("the advice for a state that is an object leads to a state that is read", async () => {
  const { api, stack, run } = await stackFor(
    program(() => {
      declareWebhook("dynamic", "orders", { webhookId: 101, state: "active" });
    }),
  );
  api.answers.listWebhooks = () => ({
    body: Array.from(api.webhooks, ([id, state]) => {
      return { id, status: state === "active" ? { id: 1, name: "Live" } : { id: 2, name: "Parked" } };
    }),
  });
  const { error, printed } = await run("up");
  expect(error).toBe("");
  expect(printed).toMatch(/\/status\/name.*(Live.*Parked|Parked.*Live)/s);
  for (const [path, value] of [
    ["webhookState", "/status/name"],
    ["active[0]", "Live"],
    ["disabled[0]", "Parked"],
  ] as const)
    await stack.pulumi("config", "set", "--path", `partners:responses.${path}`, value);
  api.webhooks.set(101, "disabled");
  expect(await run("up", "--refresh", "--run-program")).toMatchObject({ error: "", requests: { PATCH: 1 } });
  expect(await run("refresh", UNCHANGED)).toMatchObject({ error: "" });
});

it("a named webhook that a list does not show is set, refreshed and released", async () => {
  const { api, run } = await stackFor(
    program(() => {
      const args = { webhookId: 103, state: "active", stateOnDestroy: "disabled" } as const;
      const { state } = declareWebhook("native", "refunds", args);
      return { state };
    }),
  );
  list(api, (data) => ({ data: data.slice(0, 1), has_more: true }));
  expect(await run("preview")).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  expect(await run("refresh", UNCHANGED)).toMatchObject({ error: "" });
  expect(api.webhooks.get(103)).toBe("active");
  expect(await run("destroy")).toMatchObject({ error: "", requests: { PATCH: 1 } });
  expect(api.webhooks.get(103)).toBe("disabled");
  // Only its PATCH tells that it does not exist.
  api.webhooks.delete(103);
  expect((await run("up")).error).toMatch(/103.*\[PARTNERS_\w+\]/s);
});

it("a fleet shows what changes and what drifted, and is restored by a destroy", async () => {
  const states: States = { 101: "active", 102: "active", 103: "active" };
  const { api, run } = await stackFor(
    program(() => {
      declareFleet("native", "fleet", { states, stateOnDestroy: "restore" });
    }),
    { webhooks: { 101: "disabled", 102: "disabled", 103: "disabled" } },
  );
  const found = statesOf(api);
  /** Returns the changed webhooks. The CLI shows them in inputs and outputs. */
  const shown = (printed: string) => [...new Set(printed.match(/~ "?\d+"? *: .*/g))];
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 3 } });
  states[102] = "disabled";
  expect(shown((await run("preview", "--diff")).printed)).toEqual([
    expect.stringMatching(/102"?: "active" => "disabled"/),
  ]);
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  api.webhooks.set(103, "disabled");
  expect(shown((await run("refresh", "--diff")).printed)).toEqual([
    expect.stringMatching(/103"?: "active" => "disabled"/),
  ]);
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  expect(await run("destroy")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 2 } });
  expect(statesOf(api)).toEqual(found);
});

it("a webhook can be declared once, by its resource, by a fleet or by others", async () => {
  let others: pulumi.Input<partners.OtherWebhooks> = "leave";
  const { run } = await stackFor(
    program(() => {
      const fleet = declareFleet("dynamic", "fleet", { states: { 101: "active" }, others });
      const webhookId = others === "leave" ? pulumi.output(101) : 102;
      declareWebhook("dynamic", "orders", { webhookId, state: "active" }, { dependsOn: fleet });
    }),
  );
  for (others of ["leave", "active"] as const) {
    const { error, printed } = await run("preview");
    expect([error !== "", printed]).toEqual([true, expect.stringMatching(/fleet.*orders|orders.*fleet/s)]);
  }
});

it("a refresh in every run repairs drift, as Pulumi's own option says", async () => {
  const options = "name: test\nruntime: nodejs\noptions:\n  refresh: always\n";
  const { api, run } = await stackFor(
    program(() => {
      declareWebhook("dynamic", "orders", { webhookId: 101, state: "active" });
    }),
    { files: { "Pulumi.yaml": options } },
  );
  expect(await run("up")).toMatchObject({ error: "" });
  api.webhooks.set(101, "disabled");
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
});
