import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { startSandbox } from "../support/sandbox.ts";
import { expect, it, onTestFinished } from "vitest";

import { ACCOUNTS, GOLDEN_DIR, heldKeys, localized, PROGRAMS } from "../support/golden.ts";
import { countRequests, sandboxStack } from "./support.ts";

it.each(readdirSync(GOLDEN_DIR))("the state %s previews clean, refreshes and destroys", async (file) => {
  const program = PROGRAMS[basename(file, ".json")];
  if (!program) throw new Error(`No program is known for ${file}.`);
  const golden = await readFile(join(GOLDEN_DIR, file), "utf8");
  const keys = heldKeys(JSON.parse(golden) as Parameters<typeof heldKeys>[0]);
  const eu = await startSandbox({
    ...ACCOUNTS.eu,
    apiKeys: keys.eu,
    webhooks: [{ webhookId: 7, state: "disabled" }],
  });
  onTestFinished(() => eu.close());
  const { sandbox, stack } = await sandboxStack(() => program(eu, Infinity), {
    ...ACCOUNTS.default,
    apiKeys: keys.default,
    webhooks: [
      { webhookId: 101, state: "active" },
      { webhookId: 102, state: "disabled" },
    ],
  });
  await stack.importStack(localized(golden, eu));

  const unchanged = { flags: ["--expect-no-changes"] };
  expect(await stack.preview(unchanged)).toMatchObject({ ok: true });
  // An unchanged stack asks for nothing, but for the list where the program reads it.
  expect(countRequests(sandbox)).toEqual(golden.includes("PartnerWebhooks") ? { GET: 1 } : {});
  expect(await stack.refresh(unchanged)).toMatchObject({ ok: true });
  expect(await stack.up(unchanged)).toMatchObject({ ok: true });
  expect(await stack.outputs()).toMatchObject({ apiKey: expect.toBeOneOf(keys.default) as string });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect([sandbox.apiKeys, eu.apiKeys]).toEqual([[], []]);
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "disabled", 102: "disabled" });
  expect(eu.webhooks.get(7)).toBe("active");
});
