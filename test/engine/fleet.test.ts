import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, Native, NativeProvider, sandboxStack, statesOf, UNCHANGED } from "./support.ts";

it("a fleet over two pages shows what changes and what drifted, and is restored by a destroy", async () => {
  const states: Record<number, partners.WebhookState> = { 101: "active", 102: "active", 103: "active" };
  const { sandbox, stack, run, results } = await sandboxStack(
    () => {
      const fleet = new partners.PartnerWebhookStates("fleet", { states, stateOnDestroy: "restore" });
      return Promise.resolve({ states: fleet.states, initialStates: fleet.initialStates });
    },
    { webhooks: { 101: "disabled", 102: "disabled", 103: "disabled" }, pageSize: 2, pageStyle: "token" },
  );
  const found = statesOf(sandbox);
  /** Returns the changed webhooks. The CLI shows them in inputs and outputs. */
  const shown = () => [...new Set(results.at(-1)?.stdout.match(/~ \d+ *: .*/g))];
  const updated = { error: "", changes: { update: 1, same: 1 } };

  const created = { error: "", changes: { create: 2 } };
  expect(await run("preview")).toEqual({ ...created, requests: { GET: 2 } });
  expect(await run("up")).toEqual({ ...created, requests: { GET: 2, PATCH: 3 } });
  expect(await stack.outputs()).toEqual({ states, initialStates: found });

  states[102] = "disabled";
  expect(await run("preview", "--diff")).toEqual({ ...updated, requests: {} });
  expect(shown()).toEqual(['~ 102: "active" => "disabled"']);
  expect(await run("up")).toEqual({ ...updated, requests: { GET: 2, PATCH: 1 } });

  sandbox.setWebhookState(103, "disabled");
  expect(await run("refresh", "--diff")).toEqual({ ...updated, requests: { GET: 2 } });
  expect(shown()).toEqual(['~ 103: "active" => "disabled"']);
  expect(await run("up")).toEqual({ ...updated, requests: { GET: 2, PATCH: 1 } });

  const requests = { GET: 2, PATCH: 2 };
  expect(await run("destroy")).toEqual({ error: "", changes: { delete: 2 }, requests });
  expect(statesOf(sandbox)).toEqual(found);
});

it("webhooks move into and out of a fleet without a PATCH, and can only be declared once", async () => {
  let inFleet: number[] = [];
  let stateOnDestroy: partners.StateOnDestroy = "restore";
  let others: pulumi.Input<"leave" | partners.WebhookState> = "leave";
  let program = (): Promise<void> => {
    const states = Object.fromEntries(inFleet.map((id) => [id, "disabled" as const]));
    if (inFleet.length > 0) new partners.PartnerWebhookStates("fleet", { states, others, stateOnDestroy });
    for (const webhookId of [101, 102, 103].filter((id) => !inFleet.includes(id)))
      new partners.PartnerWebhookState(`webhook-${webhookId}`, {
        webhookId,
        state: "disabled",
        stateOnDestroy,
      });
    return Promise.resolve();
  };
  const { sandbox, stack } = await sandboxStack(() => program());
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
  program = () => {
    const fleet = new partners.PartnerWebhookStates("fleet", { states: { 101: "active" } });
    const args = { webhookId: pulumi.output(101), state: "active" } as const;
    // So that the message names the fleet first.
    new partners.PartnerWebhookState("orders", args, { dependsOn: fleet });
    return Promise.resolve();
  };
  const twice = await stack.preview();
  expect(twice.ok).toBe(false);
  expect(twice.stdout).toContain(
    'Webhook 101 is declared twice, by PartnerWebhookStates "fleet" and PartnerWebhookState "orders". Remove one',
  );
});

// Each Provider of the native plugin is a process of its own.
it("a webhook stays as it is when its Provider is renamed without an alias, and is restored by a destroy", async () => {
  let name = "eu";
  const { sandbox, stack } = await sandboxStack(() => {
    const settings = { baseUrl: sandbox.url, accessToken: sandbox.accessToken };
    const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    new Native("PartnerWebhookState", "orders", args, { provider: new NativeProvider(name, settings) });
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

it("the webhook ID __proto__ in an output fails the preview", async () => {
  const { run, results } = await sandboxStack(() => {
    const ids = pulumi.output(["__proto__"]);
    const states = ids.apply((all) => Object.fromEntries(all.map((id) => [id, "active" as const])));
    new partners.PartnerWebhookStates("fleet", { states });
    return Promise.resolve();
  });
  const { error } = await run("preview");
  expect([error, results.at(-1)?.stdout].join()).toContain('states has the key "__proto__"');
});
