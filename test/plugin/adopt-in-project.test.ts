import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { fingerprint } from "../../provider/src/plugin/key-identity.js";
import { sandboxFor } from "./partners.ts";
import { inState, scriptedProject } from "./scripted-cli.ts";

const KEY = "pk_live_existing_key_0001";
const HELD = { fingerprint: fingerprint(KEY), previousApiKey: null };

/** A project, and `adopt` in it, with the key in a variable. */
async function projectWith(resources: readonly object[], config: Readonly<Record<string, object>> = {}) {
  const { folder, run } = await scriptedProject(await sandboxFor(), resources, config);
  const adoptKey = (name: string, ...args: string[]) =>
    run(["adopt", "--api-key-env", "CHECKOUT_KEY", "--name", name, ...args], { CHECKOUT_KEY: KEY });
  return { folder, adoptKey, adopt: () => run(["adopt"]) };
}

it("the commands it runs do not inherit the key", async () => {
  const { folder, adoptKey } = await projectWith([]);
  expect(await adoptKey("checkout")).toMatchObject({ code: 0 });
  const inherited = await readFile(join(folder, "inherited"), "utf8");
  expect(inherited).toContain("PARTNERS_BASE_URL=");
  expect(inherited).not.toContain(KEY);
});

it.each([
  ["is there already", {}, "has this key already, as old"],
  ["is about to be deleted", { delete: true }, "is about to delete this key, which was replaced as old"],
])("a key that %s is refused", async (_what, more, message) => {
  const { folder, adoptKey } = await projectWith([inState("PartnerApiKey", "old", HELD, more)]);
  const ended = await adoptKey("checkout", "--import-file", "key.json");
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain(message);
  expect(await readdir(folder)).not.toContain("key.json");
});

it("a previous key, of which nothing is known, is warned about", async () => {
  const outputs = { fingerprint: "sha256:0", previousApiKey: { ciphertext: "…" } };
  const { adoptKey } = await projectWith([inState("PartnerApiKey", "old", outputs)]);
  const { code, stderr } = await adoptKey("checkout", "--import-file", "key.json");
  expect(code).toBe(0);
  expect(stderr).toContain("WARNING: the previous key of old is going to be deleted.");
});

it("a setting that is there already is not given to a second key", async () => {
  const config = { "shop:myShopApiKey": {}, "other:checkoutApiKey": {} };
  const { adoptKey } = await projectWith([], config);
  for (const name of ["my-shop", "my.shop", "my_shop"]) {
    const ended = await adoptKey(name);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("has myShopApiKey already");
  }
  // Of another project, and where none is needed.
  expect(await adoptKey("checkout")).toMatchObject({ code: 0 });
  expect(await adoptKey("my-shop", "--import-file", "key.json")).toMatchObject({ code: 0 });
});

it("a name gets neither at the terminal, nor at the CI system that reads the log", async () => {
  const name = "a\n::set-output name=x::y\u001b[2J\u009b";
  const { adopt, adoptKey } = await projectWith([
    inState("PartnerWebhookState", name, { webhookId: 101 }),
    inState("PartnerApiKey", name, HELD),
  ]);
  for (const { stderr } of [await adopt(), await adoptKey("checkout")]) {
    expect(stderr).toContain("a?::set-output name=x::y?[2J?");
    expect(stderr.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(stderr).not.toMatch(/^::/m);
  }
});
