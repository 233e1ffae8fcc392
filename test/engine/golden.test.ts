import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ACCOUNTS, GOLDEN_DIR, goldenProgram, heldKeys, localized } from "../support/golden.ts";
import { countRequests, sandboxFor, sandboxStack, statesOf, UNCHANGED } from "./support.ts";

it.each(readdirSync(GOLDEN_DIR))("the state %s previews clean, refreshes and destroys", async (file) => {
  const golden = await readFile(join(GOLDEN_DIR, file), "utf8");
  const keys = heldKeys(golden);
  const eu = await sandboxFor({
    ...ACCOUNTS.eu,
    apiKeys: keys.eu,
    webhooks: [{ webhookId: 7, state: "disabled" }],
  });
  const { sandbox, stack } = await sandboxStack(() => goldenProgram(eu, Infinity), {
    ...ACCOUNTS.default,
    apiKeys: keys.default,
    webhooks: [
      { webhookId: 101, state: "active" },
      { webhookId: 102, state: "disabled" },
    ],
  });
  await stack.importStack(localized(golden, sandbox, eu));
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
  // An unchanged stack asks for nothing, but for the list where the program reads it.
  expect(countRequests(sandbox)).toEqual(golden.includes("PartnerWebhooks") ? { GET: 1 } : {});
  expect(await stack.refresh(UNCHANGED)).toMatchObject({ ok: true });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect([sandbox.apiKeys, eu.apiKeys]).toEqual([[], []]);
  expect([statesOf(sandbox), statesOf(eu)]).toEqual([{ 101: "disabled", 102: "disabled" }, { 7: "active" }]);
});
