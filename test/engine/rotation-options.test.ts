import * as partners from "pulumi-partners";
import { describe, expect, it } from "vitest";

import { sandboxStack } from "./support.ts";
import type { SandboxOptions } from "../support/sandbox.ts";

type Options = NonNullable<ConstructorParameters<typeof partners.PartnerApiKey>[2]>;

const URN = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout";

/** A key, and what the program says of it. */
async function key(rotation: partners.RotationArgs, opts: Options = {}, options: SandboxOptions = {}) {
  const said = { rotation, opts };
  const { sandbox, stack } = await sandboxStack(() => {
    const { apiKey } = new partners.PartnerApiKey("checkout", { rotation: said.rotation }, said.opts);
    return Promise.resolve({ apiKey });
  }, options);
  return { sandbox, stack, said };
}

describe("a rotation that fails between making the new key and deleting the old one", () => {
  it("by replacement deletes the old one with the next up, without making another", async () => {
    const { sandbox, stack, said } = await key({ trigger: "1" });
    await stack.up();
    sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403 });
    said.rotation = { trigger: "2" };
    expect(await stack.up()).toMatchObject({ ok: false });
    const [, present] = sandbox.apiKeys;
    expect(present).toBeDefined();
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([present]);
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  it("in place, because the answer is unreadable, goes on when the mapping is set", async () => {
    const { sandbox, stack, said } = await key({ overlapDays: 7 }, {}, { shape: "unreadable" });
    const mapping = (apiKey: string): object => ({ value: JSON.stringify({ apiKey }) });
    const configure = (apiKey: string): Promise<void> =>
      stack.configure({ "partners:responses": mapping(apiKey) as { value: string } });
    await configure("/result/token");
    expect(await stack.up()).toMatchObject({ ok: true });
    await configure("/nowhere");
    said.rotation = { trigger: "2", overlapDays: 7 };
    const failed = await stack.up();
    const [old = "", fresh = ""] = sandbox.apiKeys;
    expect(failed.stdout).toContain("A key EXISTS on the server now.");
    expect(failed.stdout).toContain("the key from before stays in use");
    const state = await stack.stateFile();
    for (const secret of [old, fresh]) {
      expect(failed.stdout + failed.stderr + failed.eventLog).not.toContain(secret);
      expect(state).not.toContain(secret);
    }
    await stack.refresh(); // Clears the engine's own mark.
    expect(await stack.up()).toMatchObject({ ok: false });
    await configure("/result/token");
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(await stack.outputs()).toEqual({ apiKey: fresh });
    expect(sandbox.apiKeys).toEqual([old, fresh]);
    expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([]);
  });
});

describe("Pulumi's own options", () => {
  it("protect blocks a replacement and not a rotation in place", async () => {
    const { sandbox, stack, said } = await key({ trigger: "1" }, { protect: true });
    await stack.up();
    said.rotation = { trigger: "2" };
    const blocked = await stack.preview();
    expect(blocked).toMatchObject({ ok: false });
    expect(blocked.stdout).toContain("protect");
    said.rotation = { trigger: "2", overlapDays: 7 };
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toHaveLength(2);
  });

  it("retainOnDelete leaves the old key of a replacement alive, and not the previous key of an overlap", async () => {
    const { sandbox, stack, said } = await key({ trigger: "1" }, { retainOnDelete: true });
    await stack.up();
    said.rotation = { trigger: "2" };
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toHaveLength(2);
    said.rotation = { trigger: "3", overlapDays: 7 };
    await stack.up();
    said.rotation = { trigger: "3", overlapDays: 0 };
    await stack.up();
    expect(sandbox.apiKeys).toHaveLength(2);
  });

  it("replacementTrigger bypasses overlapDays", async () => {
    const { sandbox, stack, said } = await key({ overlapDays: 7 }, { replacementTrigger: "1" });
    await stack.up();
    const [old] = sandbox.apiKeys;
    said.opts = { replacementTrigger: "2" };
    expect(await stack.up()).toMatchObject({ ok: true, changes: { replace: 1 } });
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(sandbox.apiKeys).not.toContain(old);
  });

  it("pulumi up --replace revokes a leaked key at once, its previous one too", async () => {
    const { sandbox, stack, said } = await key({ overlapDays: 7 });
    await stack.up();
    said.rotation = { trigger: "2", overlapDays: 7 };
    await stack.up();
    const leaked = sandbox.apiKeys;
    expect(leaked).toHaveLength(2);
    expect(await stack.up({ flags: ["--replace", URN] })).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(leaked).not.toContain(sandbox.apiKeys[0]);
    expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  });
});

it("afterDays without overlapDays fails the preview, with the reason", async () => {
  const { stack } = await key({ afterDays: 90 });
  const { ok, stdout } = await stack.preview();
  expect(ok).toBe(false);
  expect(stdout).toContain("rotation.afterDays needs overlapDays beside it, because");
});
