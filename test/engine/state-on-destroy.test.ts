import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxStack, statesOf } from "./support.ts";

const OPPOSITE = { active: "disabled", disabled: "active" } as const;

/** Each is managed in the opposite of the state it is found in. */
const WEBHOOKS = [
  { webhookId: 1, found: "active", stateOnDestroy: "leave", left: "disabled" },
  { webhookId: 2, found: "disabled", stateOnDestroy: "leave", left: "active" },
  { webhookId: 3, found: "active", stateOnDestroy: "restore", left: "active" },
  { webhookId: 4, found: "disabled", stateOnDestroy: "restore", left: "disabled" },
  { webhookId: 5, found: "active", stateOnDestroy: "active", left: "active" },
  { webhookId: 6, found: "disabled", stateOnDestroy: "active", left: "active" },
  { webhookId: 7, found: "active", stateOnDestroy: "disabled", left: "disabled" },
  { webhookId: 8, found: "disabled", stateOnDestroy: "disabled", left: "disabled" },
] as const;

/** Webhooks that leave the stack by being removed from the program; the others leave by `pulumi destroy`. */
const REMOVED = new Set([3, 5]);

it("a webhook that is no longer managed is left as stateOnDestroy says, and a rename undoes nothing", async () => {
  let prefix = "webhook";
  let ids = WEBHOOKS.map(({ webhookId }): number => webhookId);
  const { sandbox, stack } = await sandboxStack(
    () => {
      for (const { webhookId, found, stateOnDestroy } of WEBHOOKS.filter((one) =>
        ids.includes(one.webhookId),
      )) {
        // Only an alias keeps the state that "restore" goes back to.
        const aliases = stateOnDestroy === "restore" ? [{ name: `webhook-${webhookId}` }] : [];
        const args = { webhookId, state: OPPOSITE[found], stateOnDestroy };
        new partners.PartnerWebhookState(`${prefix}-${webhookId}`, args, { aliases });
      }
      return Promise.resolve();
    },
    { webhooks: WEBHOOKS.map(({ webhookId, found }) => ({ webhookId, state: found })) },
  );
  const managed = Object.fromEntries(WEBHOOKS.map(({ webhookId, found }) => [webhookId, OPPOSITE[found]]));
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(statesOf(sandbox)).toEqual(managed);

  prefix = "renamed";
  countRequests(sandbox);
  expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 6, delete: 6, same: 3 } });
  expect(countRequests(sandbox)).not.toHaveProperty("PATCH");
  expect(statesOf(sandbox)).toEqual(managed);

  ids = ids.filter((id) => !REMOVED.has(id));
  expect(await stack.up()).toMatchObject({ ok: true, changes: { delete: REMOVED.size } });
  expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: REMOVED.size });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(statesOf(sandbox)).toEqual(
    Object.fromEntries(WEBHOOKS.map(({ webhookId, left }) => [webhookId, left])),
  );
});
