import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { pythonEnv } from "../../provider/tools/engine/python-sdk.ts";
import { countRequests, sandboxStack, statesOf, UNCHANGED } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a Python program runs from import to destroy", async ({ skip }) => {
  const env = await pythonEnv(await temporaryFolder());
  if (!env) return skip();
  const program = await readFile(join(ROOT, "examples/python/__main__.py"), "utf8");
  const files = { "Pulumi.yaml": "name: test\nruntime: python\n", "__main__.py": program };
  const { sandbox, stack, run } = await sandboxStack(undefined, {}, { env, files });
  const found = statesOf(sandbox);

  const flags = ["--yes", "--skip-preview", "--generate-code=false", "--protect=false"];
  await stack.pulumi("import", "partners:index:PartnerWebhookState", "refunds", "103", ...flags);
  expect(countRequests(sandbox)).toEqual({ GET: 1 });

  sandbox.setWebhookState(101, "disabled");
  const created = { error: "", changes: { create: 2, same: 2 } };
  expect(await run("preview")).toEqual({ ...created, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ...created, requests: { GET: 1, POST: 1, PATCH: 1 } });
  const [apiKey] = sandbox.apiKeys;
  expect(await stack.outputs()).toEqual({ api_key: apiKey, orders_state: "active", undeclared: [102] });
  expect(await stack.stateFile()).not.toContain(apiKey);
  // The program itself lists the webhooks.
  expect(await run("up", ...UNCHANGED.flags)).toEqual({
    error: "",
    changes: { same: 4 },
    requests: { GET: 1 },
  });

  sandbox.setWebhookState(101, "disabled");
  const drift = { error: "", changes: { update: 1, same: 3 } };
  expect(await run("refresh")).toEqual({ ...drift, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ...drift, requests: { GET: 1, PATCH: 1 } });

  const destroyed = { error: "", changes: { delete: 4 }, requests: { DELETE: 1, GET: 1, PATCH: 1 } };
  expect(await run("destroy")).toEqual(destroyed);
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], { ...found, 101: "disabled" }]);
});
