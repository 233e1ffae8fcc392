import * as pulumi from "@pulumi/pulumi";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { age, expectShown, sandboxStack, UNCHANGED } from "./support.ts";

/** Creates a key with a changeable `rotation`. */
async function keyInUse() {
  const args: partners.PartnerApiKeyArgs = {};
  /**
   * The keys that work while services switch to the current one. If it were the only one, the rotation would
   * cause downtime.
   */
  const switching: { keys: readonly string[] } = { keys: [] };
  const started = await sandboxStack(() => {
    const key = new partners.PartnerApiKey("checkout", args);
    const apiKey = key.apiKey.apply((value) => {
      switching.keys = started.sandbox.apiKeys;
      return value;
    });
    return Promise.resolve({ apiKey, previousApiKey: key.previousApiKey });
  });
  return { ...started, args, switching };
}

it("with overlap, a due key is rotated in place, and the old key is deleted after the overlap", async () => {
  const { sandbox, stack, run, args, switching } = await keyInUse();
  // Before a key is created or rotated, a request checks the access token.
  args.rotation = { afterDays: 90, overlapDays: 7 };
  expect(await run("up")).toMatchObject({ error: "" });
  const [old] = sandbox.apiKeys;
  await age(stack.statePath, 92);
  const preview = await stack.preview(UNCHANGED);
  expect(preview.ok).toBe(false);
  await expectShown("docs/keys.md", preview.stdout);
  expect(preview.stdout).toContain(new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10));
  sandbox.clearRequests();
  const updated = { error: "", changes: { update: 1, same: 1 } };
  expect(await run("up")).toEqual({ ...updated, requests: { GET: 1, POST: 1 } });
  const [, present] = sandbox.apiKeys;
  expect(switching.keys).toEqual([old, present]);
  expect(await stack.outputs()).toEqual({ apiKey: present, previousApiKey: old });
  for (const key of sandbox.apiKeys) expect(await stack.stateFile()).not.toContain(key);

  await age(stack.statePath, 7);
  // A request compares the clocks before a key is deleted by its age.
  expect(await run("up")).toEqual({ ...updated, requests: { GET: 1, DELETE: 1 } });
  expect(await stack.outputs()).toEqual({ apiKey: present, previousApiKey: null });

  // --replace replaces a leaked key at once, together with its previous key.
  args.rotation = { trigger: "leaked", afterDays: 90, overlapDays: 7 };
  expect(await stack.up()).toMatchObject({ ok: true });
  const leaked = sandbox.apiKeys;
  const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout";
  expect(await stack.up({ flags: ["--replace", urn] })).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toHaveLength(1);
  expect(leaked).not.toContain(sandbox.apiKeys[0]);
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});

it("without overlap, the key is replaced, and if deleting the old key fails, the next up deletes it", async () => {
  const { sandbox, run, args, switching } = await keyInUse();
  expect(await run("up")).toMatchObject({ error: "" });
  const [old] = sandbox.apiKeys;
  args.rotation = { trigger: "1", overlapDays: 0 };
  sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403 });
  expect(await run("up")).toMatchObject({
    error: expect.stringContaining("403") as string,
    requests: { GET: 1, POST: 1, DELETE: 1 },
  });
  const [, present] = sandbox.apiKeys;
  expect(switching.keys).toEqual([old, present]);
  expect(await run("up")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  expect(sandbox.apiKeys).toEqual([present]);
});

it("each warning is shown at its resource, also in a component and after a refresh", async () => {
  const args = { rotation: { trigger: "1", overlapDays: 0 } };
  const { stack } = await sandboxStack(() => {
    const parent = new pulumi.ComponentResource("test:Shop", "shop");
    new partners.PartnerApiKey("one", args);
    new partners.PartnerApiKey("two", args, { parent });
    new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" }, { parent });
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.refresh(UNCHANGED)).toMatchObject({ ok: true });
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
  args.rotation = { trigger: "2", overlapDays: 0 };
  const { eventLog, stdout } = await stack.preview();
  const events = eventLog.split("\n").map((line) => JSON.parse(line) as EngineEvent);
  const warned = events.flatMap(({ diagnosticEvent: event }) =>
    event?.severity === "warning" ? [event.urn] : [],
  );
  const urn = "urn:pulumi:dev::test::";
  const type = "pulumi-nodejs:dynamic/partners:PartnerApiKey";
  expect(warned.toSorted()).toEqual([`${urn}${type}::one`, `${urn}test:Shop$${type}::two`]);
  expect(stdout).not.toContain("__urn");
});
