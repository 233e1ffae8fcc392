import * as partners from "pulumi-partners";
import { describe, expect, it } from "vitest";

import type { TestStack } from "../support/stack.ts";
import { countRequests, sandboxStack } from "./support.ts";

type Options = NonNullable<ConstructorParameters<typeof partners.PartnerApiKey>[2]>;

const EXISTING = "pk_live_existing_key_0001";
const OTHER = "pk_live_existing_key_0002";
const UNCHANGED = { flags: ["--expect-no-changes"] };

/** A stack that has adopted a key. */
async function adopted(opts: Options = {}) {
  const said: { name: string; args: partners.PartnerApiKeyArgs; opts: Options } = {
    name: "checkout",
    args: { existingApiKey: EXISTING },
    opts,
  };
  const { sandbox, stack } = await sandboxStack(
    () => {
      const { apiKey, previousApiKey } = new partners.PartnerApiKey(said.name, said.args, said.opts);
      return Promise.resolve({ apiKey, previousApiKey });
    },
    { apiKeys: [EXISTING, OTHER] },
  );
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(countRequests(sandbox)).toEqual({});
  return { sandbox, stack, said };
}

async function expectNoneInClear(stack: TestStack): Promise<void> {
  const state = await stack.stateFile();
  for (const secret of [EXISTING, OTHER]) expect(state).not.toContain(secret);
}

describe("an adopted key", () => {
  it("stays when the argument is removed, in clear nowhere, and is deleted by destroy", async () => {
    const { sandbox, stack, said } = await adopted();
    expect(await stack.outputs()).toEqual({ apiKey: EXISTING, previousApiKey: null });
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    expect(await stack.refresh(UNCHANGED)).toMatchObject({ ok: true });
    await expectNoneInClear(stack);
    said.args = {};
    expect(await stack.up(UNCHANGED)).toMatchObject({ ok: true });
    await expectNoneInClear(stack);
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([OTHER]);
  });

  it.each([
    ["a rename without an alias", "renamed", {}],
    ["replacementTrigger", "checkout", { replacementTrigger: "2" }],
    ["replacementTrigger, deleted first", "checkout", { replacementTrigger: "2", deleteBeforeReplace: true }],
  ])("survives %s", async (_what, name, opts) => {
    const { sandbox, stack, said } = await adopted({ replacementTrigger: "1" });
    said.name = name;
    said.opts = opts;
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([EXISTING, OTHER]);
    expect(await stack.outputs()).toMatchObject({ apiKey: EXISTING });
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([OTHER]);
  });

  it("is kept by destroy with retainOnDelete", async () => {
    const { sandbox, stack } = await adopted({ retainOnDelete: true });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([EXISTING, OTHER]);
  });

  it("rotates in place, and loses nothing when it is renamed afterwards", async () => {
    const { sandbox, stack, said } = await adopted();
    said.args = { existingApiKey: EXISTING, rotation: { trigger: "1" } };
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1 } });
    const [, , present = ""] = sandbox.apiKeys;
    expect(await stack.outputs()).toEqual({ apiKey: present, previousApiKey: EXISTING });
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1 } });
    expect(sandbox.apiKeys).toEqual([OTHER, present]);
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    said.name = "renamed";
    const refused = await stack.up();
    expect(refused).toMatchObject({ ok: false });
    expect(refused.stdout).toContain("the key in use would be lost");
    expect(sandbox.apiKeys).toEqual([OTHER, present]);
    await expectNoneInClear(stack);
  });

  it("gives way to another one, and the preview says what becomes of it", async () => {
    const { sandbox, stack, said } = await adopted();
    said.args = { existingApiKey: OTHER, rotation: { overlapDays: 1 } };
    const preview = await stack.preview();
    expect(preview.stdout).toMatch(
      /another key takes the place of key sha256:\w+, which stays valid as previousApiKey until/,
    );
    expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1 } });
    expect(await stack.outputs()).toEqual({ apiKey: OTHER, previousApiKey: EXISTING });
    await expectNoneInClear(stack);
    said.args = { existingApiKey: OTHER, rotation: { overlapDays: 0 } };
    await stack.up();
    expect(sandbox.apiKeys).toEqual([OTHER]);
  });
});

it("a minted key that is renamed without an alias is made anew, and the old one deleted", async () => {
  const said = { name: "checkout" };
  const { sandbox, stack } = await sandboxStack(() => {
    new partners.PartnerApiKey(said.name);
    return Promise.resolve();
  });
  await stack.up();
  const [old] = sandbox.apiKeys;
  said.name = "renamed";
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toHaveLength(1);
  expect(sandbox.apiKeys).not.toContain(old);
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
});
