import type * as partners from "pulumi-partners";
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";

import { age, declareKey, program, refuse, stackFor, UNCHANGED, urnOf, type Host } from "./support.ts";

/** Declares a key with a changeable `rotation`. */
async function keyInUse(host: Host, rotation: partners.RotationArgs) {
  const args = { rotation };
  /** The keys that work while consumers switch to the current one. One alone would mean downtime. */
  const switching: { keys: readonly string[] } = { keys: [] };
  const started = await stackFor(
    program(() => {
      const key = declareKey(host, "checkout", args);
      const apiKey = key.apiKey.apply((value) => {
        switching.keys = [...started.api.keys];
        return value;
      });
      return { apiKey: pulumi.secret(apiKey), previousApiKey: pulumi.secret(key.previousApiKey) };
    }),
  );
  return { ...started, args, switching };
}

it("with overlap, a due key is rotated in place, and the old key is deleted after the overlap", async () => {
  const { api, stack, run, args, switching } = await keyInUse("dynamic", { afterDays: 90, overlapDays: 7 });
  expect(await run("up")).toMatchObject({ error: "" });
  const [old] = api.keys;
  await age(stack.statePath, 92);
  const due = await run("preview");
  expect(due).toMatchObject({ error: "", changes: { update: 1 }, requests: {} });
  expect(due.printed).toMatch(/rotates the key .* of "checkout".* stays valid until \d{4}-\d\d-\d\d/);
  const updated = { error: "", changes: { update: 1, same: 1 } };
  expect(await run("up")).toMatchObject({ ...updated, requests: { GET: 1, POST: 1 } });
  const [, present] = api.keys;
  expect(switching.keys).toEqual([old, present]);
  expect(await stack.outputs()).toEqual({ apiKey: present, previousApiKey: old });
  for (const key of api.keys) expect(await stack.stateFile()).not.toContain(key);

  await age(stack.statePath, 7);
  expect(await run("up")).toMatchObject({ ...updated, requests: { DELETE: 1 } });
  expect(await stack.outputs()).toEqual({ apiKey: present, previousApiKey: null });
  expect(await run("preview", UNCHANGED)).toMatchObject({ error: "", requests: {} });

  // --replace replaces a leaked key at once, together with its previous key.
  args.rotation = { trigger: "leaked", afterDays: 90, overlapDays: 7 };
  expect(await run("up")).toMatchObject(updated);
  const leaked = [...api.keys];
  const urn = urnOf("dynamic", "PartnerApiKey", "checkout");
  expect(await run("up", "--replace", urn)).toMatchObject({ error: "", requests: { POST: 1, DELETE: 2 } });
  expect(api.keys.size).toBe(1);
  expect(leaked).not.toContain([...api.keys][0]);
});

it("without overlap, the key is replaced, and if deleting the old key fails, the next up deletes it", async () => {
  const { api, run, args, switching } = await keyInUse("native", { trigger: "1", overlapDays: 0 });
  expect(await run("up")).toMatchObject({ error: "" });
  const [old] = api.keys;
  args.rotation = { trigger: "2", overlapDays: 0 };
  refuse(api, "deleteApiKey", 403);
  expect(await run("up")).toMatchObject({
    error: expect.stringContaining("403") as string,
    requests: { GET: 1, POST: 1, DELETE: 1 },
  });
  const [, present] = api.keys;
  expect(switching.keys).toEqual([old, present]);
  expect(await run("up")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  expect([...api.keys]).toEqual([present]);
});
