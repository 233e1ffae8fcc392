import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxStack } from "./support.ts";

it("N webhooks of which K differ cost 1 GET and K PATCH, unchanged ones nothing, and a refresh 1 GET", async () => {
  const [n, k] = [60, 25];
  const ids = Array.from({ length: n }, (_, index) => index + 1);
  const differing = new Set(ids.slice(0, k));
  let wanted: "active" | "disabled" = "active";
  const { sandbox, stack } = await sandboxStack(
    () => {
      for (const webhookId of ids) {
        const state = differing.has(webhookId) ? wanted : "active";
        new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state });
      }
      return Promise.resolve();
    },
    {
      webhooks: ids.map((webhookId) => ({
        webhookId,
        state: differing.has(webhookId) ? "disabled" : "active",
      })),
    },
  );

  expect(await stack.preview()).toMatchObject({ ok: true });
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  expect(await stack.up()).toMatchObject({ ok: true, changes: { create: n + 1 } });
  expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: k });
  expect(await stack.up()).toMatchObject({ ok: true, changes: { same: n + 1 } });
  expect(countRequests(sandbox)).toEqual({});
  expect(await stack.refresh()).toMatchObject({ ok: true, changes: { same: n + 1 } });
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  wanted = "disabled";
  expect(await stack.up()).toMatchObject({ ok: true, changes: { update: k, same: n + 1 - k } });
  expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: k });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(countRequests(sandbox)).toEqual({});
});
