import { join } from "node:path";
import { expect, it } from "vitest";

import { configFor, errorOf, KEY, pluginFor, sandboxFor, WEBHOOK } from "./partners.ts";

it("a Node that is too old is told so, before undici is loaded", async () => {
  const sandbox = await sandboxFor();
  const env = { NODE_OPTIONS: `--require ${join(import.meta.dirname, "../support/old-node.cjs")}` };
  const plugin = await pluginFor({ config: configFor(sandbox), env });
  const { message } = await errorOf(plugin.create(KEY));
  expect(message).toContain(
    "Node 20.11.0 is too old for this provider, so nothing was sent. Install Node 22.19 or newer",
  );
  const { failures } = await plugin.check({ ...WEBHOOK, webhookId: 101, state: "active" });
  expect(failures).toMatchObject([{ reason: message }]);
  expect(sandbox.requests).toEqual([]);
});
