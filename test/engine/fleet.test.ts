import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { describe, expect, it } from "vitest";

import type { Result } from "../support/stack.ts";
import {
  countRequests,
  expectShown,
  Native,
  NativeProvider,
  sandboxStack,
  statesOf,
  UNCHANGED,
} from "./support.ts";

const IDS = Array.from({ length: 12 }, (_, index) => 101 + index);

function all(state: partners.WebhookState, except: Record<number, partners.WebhookState> = {}) {
  return { ...Object.fromEntries(IDS.map((id) => [id, state])), ...except };
}

it("a fleet goes through preview, up, no change, change, drift, repair, a failure, others and destroy", async () => {
  let args: partners.PartnerWebhookStatesArgs = { states: all("active"), stateOnDestroy: "restore" };
  const { sandbox, stack } = await sandboxStack(
    () => {
      const { states, initialStates } = new partners.PartnerWebhookStates("fleet", args);
      return Promise.resolve({ states, initialStates });
    },
    { webhooks: [...IDS, 7].map((webhookId) => ({ webhookId, state: "disabled" })) },
  );
  let shown: Result | undefined;
  const run = async (operation: "preview" | "up" | "refresh" | "destroy", options = {}) => {
    shown = await stack[operation](options);
    return { ok: shown.ok, changes: shown.changes, requests: countRequests(sandbox) };
  };
  const same = { ok: true, changes: { same: 2 } };
  const update = { ok: true, changes: { update: 1, same: 1 } };

  expect(await run("preview")).toEqual({ ok: true, changes: { create: 2 }, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ok: true, changes: { create: 2 }, requests: { GET: 1, PATCH: 12 } });
  expect(await stack.outputs()).toEqual({ states: all("active"), initialStates: all("disabled") });
  expect(await run("up", UNCHANGED)).toEqual({ ...same, requests: {} });
  expect(await run("refresh", UNCHANGED)).toEqual({ ...same, requests: { GET: 1 } });

  args = { ...args, states: all("active", { 103: "disabled", 105: "disabled" }) };
  expect(await run("preview", { flags: ["--diff"] })).toEqual({ ...update, requests: {} });
  const marked = shown?.stdout.split("--outputs:--")[0]?.match(/~ \d+ *: .*/g);
  expect(marked).toEqual(['~ 103: "active" => "disabled"', '~ 105: "active" => "disabled"']);
  expect(await run("preview")).toEqual({ ...update, requests: {} });
  expect(shown?.stdout).toContain("[diff: ~states]");
  expect(await run("up")).toEqual({ ...update, requests: { GET: 1, PATCH: 2 } });

  sandbox.setWebhookState(110, "disabled");
  expect(await run("refresh", { flags: ["--diff"] })).toEqual({ ...update, requests: { GET: 1 } });
  expect(shown?.stdout).toMatch(/~ 110 *: "active" => "disabled"/);
  expect(await run("up")).toEqual({ ...update, requests: { GET: 1, PATCH: 1 } });

  args = { ...args, states: Object.fromEntries(IDS.slice(1).map((id) => [id, "active" as const])) };
  expect(await run("preview")).toEqual({ ...update, requests: {} });
  expect(shown?.stdout).toMatch(/webhook 101 .* is no longer declared here.* sets it to "disabled"/);

  args = { ...args, states: all("disabled") };
  const refusal = { kind: "status", operation: "disableWebhook", status: 409, times: 2 } as const;
  sandbox.inject({ ...refusal, body: '{"message":"being migrated"}' });
  expect(await run("up")).toMatchObject({ ok: false, requests: { GET: 1, PATCH: 10 } });
  expect(shown?.error).toMatch(/2 of 10 webhooks could not be changed(.|\n)*"being migrated"/);
  expect(await run("up")).toEqual({ ...update, requests: { GET: 1, PATCH: 2 } });

  args = { states: { 101: "disabled" }, others: "active", stateOnDestroy: "restore" };
  expect(await run("up")).toEqual({ ...update, requests: { GET: 1, PATCH: 12 } });
  expect(shown?.stdout).toContain('"others" covers 12 webhooks that are not "active"');
  sandbox.setWebhookState(7, "disabled");
  expect(await run("refresh")).toEqual({ ...update, requests: { GET: 1 } });
  expect(shown?.stdout).toContain('"others" covers 1 webhook that is not "active": 7.');
  expect(await run("preview", UNCHANGED)).toMatchObject({ ok: false, requests: {} });
  expect(await run("up")).toEqual({ ...update, requests: { GET: 1, PATCH: 1 } });

  expect(await run("destroy")).toEqual({ ok: true, changes: { delete: 2 }, requests: { GET: 1, PATCH: 12 } });
  expect(new Set(Object.values(statesOf(sandbox)))).toEqual(new Set(["disabled"]));
});

it("webhooks move into and out of a fleet without a PATCH, and can only be declared once", async () => {
  let inFleet: number[] = [];
  let stateOnDestroy: partners.StateOnDestroy = "restore";
  let others: pulumi.Input<"leave" | partners.WebhookState> = "leave";
  const { sandbox, stack } = await sandboxStack(() => {
    const states = Object.fromEntries(inFleet.map((id) => [id, "disabled" as const]));
    if (inFleet.length > 0) new partners.PartnerWebhookStates("fleet", { states, others, stateOnDestroy });
    for (const webhookId of [101, 102, 103].filter((id) => !inFleet.includes(id)))
      new partners.PartnerWebhookState(`webhook-${webhookId}`, {
        webhookId,
        state: "disabled",
        stateOnDestroy,
      });
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  stateOnDestroy = "leave";
  expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 3 } });
  countRequests(sandbox);
  for (inFleet of [[101], [101, 102, 103], [102], []]) {
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(countRequests(sandbox)).toEqual({ GET: 1 });
  }
  expect(statesOf(sandbox)).toEqual({ 101: "disabled", 102: "disabled", 103: "disabled" });

  inFleet = [101];
  others = pulumi.output("disabled" as const);
  const covered = await stack.preview();
  expect(covered.ok).toBe(false);
  expect(covered.stdout).toMatch(
    /PartnerWebhookState "webhook-10[23]" and PartnerWebhookStates "fleet" overlap|PartnerWebhookStates "fleet" and PartnerWebhookState "webhook-10[23]" overlap/,
  );
  stack.setProgram(() => {
    const fleet = new partners.PartnerWebhookStates("fleet", { states: { 101: "active" } });
    const args = { webhookId: pulumi.output(101), state: "active" } as const;
    new partners.PartnerWebhookState("orders", args, { dependsOn: fleet }); // So that the message names the fleet first.
    return Promise.resolve();
  });
  const twice = await stack.preview();
  expect(twice.ok).toBe(false);
  await expectShown("docs/webhooks.md", twice.stdout);
});

describe.each(["dynamic", "native"] as const)("a webhook with restore, %s", (host) => {
  it("stays as it is when its Provider is renamed without an alias, and is restored by a destroy", async () => {
    let name = "eu";
    const { sandbox, stack } = await sandboxStack(() => {
      const settings = { baseUrl: sandbox.url, accessToken: sandbox.accessToken };
      const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" } as const;
      if (host === "dynamic") {
        new partners.PartnerWebhookState("orders", args, { provider: new partners.Provider(name, settings) });
      } else {
        const provider = new NativeProvider(name, settings);
        new Native("PartnerWebhookState", "orders", { ...args }, { provider });
      }
      return Promise.resolve();
    });
    expect(await stack.up()).toMatchObject({ ok: true });
    name = "europe";
    const renamed = await stack.up();
    expect(renamed).toMatchObject({ ok: true });
    expect(renamed.stdout).toContain("webhook 101 stays as it is");
    expect(statesOf(sandbox)[101]).toBe("disabled");
    expect(await stack.refresh(UNCHANGED)).toMatchObject({ ok: true });

    sandbox.setWebhookState(101, "active");
    name = "eu";
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(statesOf(sandbox)[101]).toBe("disabled");
    expect(await stack.pulumi("destroy", "--preview-only", "--diff")).toContain('stateOnDestroy: "restore"');
    expect(await stack.destroy({ flags: ["--run-program"] })).toMatchObject({ ok: true });
    expect(statesOf(sandbox)[101]).toBe("active");
  });
});
