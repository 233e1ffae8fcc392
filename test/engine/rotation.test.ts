import * as partners from "pulumi-partners";
import type { Sandbox, SandboxOptions } from "../support/sandbox.ts";
import { describe, expect, it } from "vitest";

import type { TestStack } from "../support/stack.ts";
import { expectShown } from "./docs.ts";
import { age, Consumer, startService, type Service } from "./rotation-support.ts";
import { sandboxStack } from "./support.ts";

const UNCHANGED = { flags: ["--expect-no-changes"] };

/** A key that is rotated as told, and a service that uses it all the time. */
async function keyAtWork(
  options: SandboxOptions = {},
  opts: ConstructorParameters<typeof partners.PartnerApiKey>[2] = {},
): Promise<{
  sandbox: Sandbox;
  stack: TestStack;
  service: Service;
  say: (rotation: partners.RotationArgs) => void;
}> {
  let args: partners.PartnerApiKeyArgs = {};
  let url = "";
  const { sandbox, stack } = await sandboxStack(() => {
    const key = new partners.PartnerApiKey("checkout", args, opts);
    new Consumer("service", { url, apiKey: key.apiKey });
    const { apiKey, previousApiKey, rotatedAt, previousExpiresAt } = key;
    return Promise.resolve({ apiKey, previousApiKey, rotatedAt, previousExpiresAt });
  }, options);
  const service = await startService(sandbox);
  url = service.url;
  return { sandbox, stack, service, say: (rotation) => (args = { rotation }) };
}

/** The requests that changed keys since the last call. */
function changes(sandbox: Sandbox): string[] {
  const methods = sandbox.requests.map(({ method }) => method).filter((method) => method !== "GET");
  sandbox.clearRequests();
  return methods;
}

describe("a rotation without overlap", () => {
  it("replaces the key, and the service that uses it all the time is never rejected", async () => {
    const { sandbox, stack, service, say } = await keyAtWork();
    say({ trigger: "1" });
    expect(await stack.up()).toMatchObject({ ok: true });
    const [old] = sandbox.apiKeys;
    expect(await stack.up(UNCHANGED)).toMatchObject({ ok: true });

    say({ trigger: "2" });
    const preview = await stack.preview();
    expect(preview.stdout).toContain("rotation.trigger changed and is replaced");
    changes(sandbox);
    expect(await stack.up()).toMatchObject({ ok: true, changes: { replace: 1, update: 1 } });
    expect(changes(sandbox)).toEqual(["POST", "DELETE"]);
    expect(sandbox.apiKeys).not.toContain(old);
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    expect(await stack.outputs()).toMatchObject({ apiKey: sandbox.apiKeys[0], rotatedAt: null });
    expect(Object.keys(service.answers)).toEqual(["200"]);
  });

  it("works on a service that allows one key, with deleteBeforeReplace; without it, the error says so", async () => {
    const oneKey = { oneKeyAtATime: true };
    const { sandbox, stack, say } = await keyAtWork(oneKey, { deleteBeforeReplace: true });
    say({ trigger: "1" });
    await stack.up();
    say({ trigger: "2" });
    changes(sandbox);
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(changes(sandbox)).toEqual(["DELETE", "POST"]);

    const other = await keyAtWork(oneKey);
    await other.stack.up();
    other.say({ trigger: "2" });
    const failed = await other.stack.up();
    expect(failed).toMatchObject({ ok: false });
    expect(failed.stdout).toContain("set the resource option deleteBeforeReplace");
    expect(other.sandbox.apiKeys).toHaveLength(1);
  });
});

describe("a rotation with overlap", () => {
  it("keeps both keys valid, does nothing meanwhile, and deletes the old one with the first up afterwards", async () => {
    const { sandbox, stack, service, say } = await keyAtWork();
    say({ trigger: "1", overlapDays: 7 });
    expect(await stack.up()).toMatchObject({ ok: true });
    say({ trigger: "2", overlapDays: 7 });
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 2 } });
    const [old, present] = sandbox.apiKeys;
    expect(await stack.outputs()).toMatchObject({
      apiKey: present,
      previousApiKey: old,
      rotatedAt: expect.any(String) as string,
      previousExpiresAt: expect.any(String) as string,
    });
    const state = await stack.stateFile();
    for (const key of sandbox.apiKeys) expect(state).not.toContain(key);
    changes(sandbox);

    await age(stack, 6);
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    expect(await stack.refresh(UNCHANGED)).toMatchObject({ ok: true });
    expect(await stack.up(UNCHANGED)).toMatchObject({ ok: true });
    expect(changes(sandbox)).toEqual([]);
    await age(stack, 1);
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: false });
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1 } });
    expect(sandbox.apiKeys).toEqual([present]);
    expect(await stack.outputs()).toMatchObject({ previousApiKey: null, previousExpiresAt: null });
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    expect(Object.keys(service.answers)).toEqual(["200"]);
  });

  it("leaves nothing behind when it is destroyed in the time of overlap", async () => {
    const { sandbox, stack, say } = await keyAtWork();
    say({ overlapDays: 7 });
    await stack.up();
    say({ trigger: "2", overlapDays: 7 });
    await stack.up();
    expect(sandbox.apiKeys).toHaveLength(2);
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("revokes the previous key at once when overlapDays becomes 0", async () => {
    const { sandbox, stack, service, say } = await keyAtWork();
    await stack.up();
    say({ trigger: "leaked", overlapDays: 7 });
    await stack.up();
    const [, present] = sandbox.apiKeys;
    say({ trigger: "leaked", overlapDays: 0 });
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1 } });
    expect(sandbox.apiKeys).toEqual([present]);
    expect(Object.keys(service.answers)).toEqual(["200"]);
  });
});

describe("a rotation by age", () => {
  it.each([
    ["in place", 7, "update", "By age"],
    ["by replacement", 0, "replace", "Without overlap"],
  ])(
    "%s: the preview says that it is due and since when, and up does it once",
    async (_how, overlapDays, step, heading) => {
      const { sandbox, stack, say } = await keyAtWork();
      say({ afterDays: 90, overlapDays });
      expect(await stack.up()).toMatchObject({ ok: true });
      await age(stack, 89);
      expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
      await age(stack, 3);
      const due = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
      const preview = await stack.preview(UNCHANGED);
      expect(preview).toMatchObject({ ok: false });
      await expectShown("rotation.md", heading, preview.stdout);
      expect(preview.stdout).toContain(`has been due for rotation since ${due}`);
      const [old] = sandbox.apiKeys;
      expect(await stack.up()).toMatchObject({ ok: true, changes: { [step]: expect.any(Number) as number } });
      expect(sandbox.apiKeys.at(-1)).not.toBe(old);
      expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
      expect(await stack.destroy()).toMatchObject({ ok: true });
      expect(sandbox.apiKeys).toEqual([]);
    },
  );
});
