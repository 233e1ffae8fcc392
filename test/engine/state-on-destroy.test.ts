import * as partners from "pulumi-partners";
import type { Sandbox } from "pulumi-partners/sandbox";
import { expect, it } from "vitest";

import { expectShown } from "./docs.ts";
import { countRequests, sandboxStack } from "./support.ts";

const KINDS = ["leave", "restore", "active", "disabled"] as const;
/** Each kind has a webhook that is found active, 1 to 4, and one that is found disabled, 5 to 8. */
const FOUND = KINDS.flatMap((kind, index) => [
  { kind, webhookId: index + 1, found: "active" as const },
  { kind, webhookId: index + 5, found: "disabled" as const },
]);
const OPPOSITE = { active: "disabled", disabled: "active" } as const;
const seeds = { webhooks: FOUND.map(({ webhookId, found }) => ({ webhookId, state: found })) };

/** Declares every webhook in the opposite of the state it is found in. */
function declare(prefix = "webhook", kindOf = (kind: partners.StateOnDestroy) => kind): Promise<void> {
  for (const { kind, webhookId, found } of FOUND) {
    const args = { webhookId, state: OPPOSITE[found], stateOnDestroy: kindOf(kind) };
    new partners.PartnerWebhookState(`${prefix}-${webhookId}`, args);
  }
  return Promise.resolve();
}

function states(sandbox: Sandbox): Record<number, string> {
  return Object.fromEntries(sandbox.webhooks);
}

const MANAGED = {
  1: "disabled",
  2: "disabled",
  3: "disabled",
  4: "disabled",
  5: "active",
  6: "active",
  7: "active",
  8: "active",
};
const LEFT = {
  ...{ 1: "disabled", 5: "active" }, // leave
  ...{ 2: "active", 6: "disabled" }, // restore
  ...{ 3: "active", 7: "active" },
  ...{ 4: "disabled", 8: "disabled" },
};

it.each(["destroy", "removal from the program"])(
  "%s leaves each webhook as stateOnDestroy says",
  async (how) => {
    const { sandbox, stack } = await sandboxStack(() => declare(), seeds);
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(states(sandbox)).toEqual(MANAGED);
    countRequests(sandbox);
    stack.setProgram(() => Promise.resolve());
    const left = how === "destroy" ? await stack.destroy() : await stack.up();
    expect(left).toMatchObject({ ok: true });
    expect(left.changes["delete"]).toBe(how === "destroy" ? 9 : 8);
    expect(states(sandbox)).toEqual(LEFT);
    expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: 4 });
  },
);

it("a destroy that runs the program leaves each webhook as stateOnDestroy says", async () => {
  const { sandbox, stack } = await sandboxStack(() => declare(), seeds);
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.destroy({ flags: ["--run-program"] })).toMatchObject({ ok: true });
  expect(states(sandbox)).toEqual(LEFT);
});

it("changing stateOnDestroy changes the state file only, and what a destroy does", async () => {
  let kindOf = (kind: partners.StateOnDestroy): partners.StateOnDestroy => kind;
  const { sandbox, stack } = await sandboxStack(() => declare("webhook", kindOf), seeds);
  expect(await stack.up()).toMatchObject({ ok: true });
  countRequests(sandbox);
  kindOf = (kind) => (kind === "leave" ? "restore" : kind === "restore" ? "leave" : kind);
  const { stdout } = await stack.preview();
  await expectShown("webhooks.md", "When a webhook is no longer declared", stdout);
  expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 4, same: 5 } });
  expect(countRequests(sandbox)).not.toHaveProperty("PATCH");
  expect(states(sandbox)).toEqual(MANAGED);
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(states(sandbox)).toEqual({ ...LEFT, 1: "active", 5: "disabled", 2: "disabled", 6: "active" });
});

it("a rename without an alias changes nothing at the service, whatever stateOnDestroy says", async () => {
  let prefix = "webhook";
  const { sandbox, stack } = await sandboxStack(() => declare(prefix), seeds);
  expect(await stack.up()).toMatchObject({ ok: true });
  countRequests(sandbox);
  prefix = "renamed";
  expect(await stack.preview()).toMatchObject({ ok: true, changes: { create: 8, delete: 8, same: 1 } });
  expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 8, delete: 8, same: 1 } });
  expect(countRequests(sandbox)).toEqual({ GET: 2 });
  expect(states(sandbox)).toEqual(MANAGED);
  for (const operation of ["preview", "refresh"] as const)
    expect(await stack[operation]({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  // What a webhook was before it was first managed is forgotten: "restore" gives back what the new resource found.
  expect(states(sandbox)).toEqual({ ...LEFT, 2: "disabled", 6: "active" });
});

it("a rename with an alias keeps the state to restore", async () => {
  let renamed = false;
  const { sandbox, stack } = await sandboxStack(() => {
    const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" } as const;
    if (renamed) new partners.PartnerWebhookState("sales", args, { aliases: [{ name: "orders" }] });
    else new partners.PartnerWebhookState("orders", args);
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  renamed = true;
  expect(await stack.up()).toMatchObject({ ok: true, changes: { same: 2 } });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.webhooks.get(101)).toBe("active");
});

it("retainOnDelete forgets the resource and leaves the webhook; protect refuses the destroy", async () => {
  let protect = true;
  const { sandbox, stack } = await sandboxStack(() => {
    const args = { state: "disabled", stateOnDestroy: "active" } as const;
    new partners.PartnerWebhookState("kept", { ...args, webhookId: 101 }, { retainOnDelete: true });
    new partners.PartnerWebhookState("guarded", { ...args, webhookId: 102 }, { protect });
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  const refused = await stack.destroy();
  expect(refused.ok).toBe(false);
  expect(refused.stdout).toContain("protected");
  expect(sandbox.webhooks.get(102)).toBe("disabled");
  protect = false;
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "disabled", 102: "active", 103: "disabled" });
});
