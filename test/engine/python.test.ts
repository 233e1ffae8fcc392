import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { ROOT } from "../support/checkout.ts";
import { pythonEnv } from "../support/python.ts";
import { countRequests, sandboxStack, statesOf, UNCHANGED } from "./support.ts";

const EXAMPLE = join(ROOT, "examples/python/__main__.py");

it("a program in Python: import, preview, up, nothing to do, drift, repair and destroy", async ({ skip }) => {
  const sdk = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  onTestFinished(() => rm(sdk, { recursive: true, force: true }));
  const python = await pythonEnv(sdk);
  if (!python) return skip();
  const files = {
    "Pulumi.yaml": "name: test\nruntime: python\n",
    "__main__.py": await readFile(EXAMPLE, "utf8"),
  };
  const { sandbox, stack } = await sandboxStack(undefined, {}, { files, env: python });
  const found = statesOf(sandbox);
  sandbox.setWebhookState(101, "disabled");

  const token = "partners:index:PartnerWebhookState";
  await stack.pulumi(
    "import",
    token,
    "refunds",
    "103",
    "--yes",
    "--skip-preview",
    "--generate-code=false",
    "--protect=false",
  );
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  const run = async (operation: "preview" | "up" | "refresh" | "destroy", options = {}) => {
    const { error, changes } = await stack[operation](options);
    return { error, changes, requests: countRequests(sandbox) };
  };

  const created = { error: "", changes: { create: 2, same: 2 } };
  expect(await run("preview")).toEqual({ ...created, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ...created, requests: { GET: 1, POST: 1, PATCH: 1 } });
  expect(await stack.outputs()).toEqual({
    api_key: sandbox.apiKeys[0],
    orders_state: "active",
    undeclared: [102],
  });
  expect(await stack.stateFile()).not.toContain(sandbox.apiKeys[0]);
  expect(await run("up", UNCHANGED)).toEqual({ error: "", changes: { same: 4 }, requests: { GET: 1 } });

  sandbox.setWebhookState(101, "disabled");
  const drift = { error: "", changes: { update: 1, same: 3 } };
  expect(await run("refresh")).toEqual({ ...drift, requests: { GET: 1 } });
  expect(await run("up")).toEqual({ ...drift, requests: { GET: 1, PATCH: 1 } });

  const destroyed = { error: "", changes: { delete: 4 } };
  expect(await run("destroy")).toEqual({ ...destroyed, requests: { DELETE: 1, GET: 1, PATCH: 1 } });
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], { ...found, 101: "disabled" }]);
});
