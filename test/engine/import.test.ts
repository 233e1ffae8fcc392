import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { mustRunShell, runShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { follow, type Person } from "./follow-steps.ts";
import {
  blocksOf,
  countRequests,
  declareKey,
  environmentFor,
  refuse,
  sandboxFor,
  stackFor,
  UNCHANGED,
} from "./support.ts";

const OLD_KEY = "pk_live_old_0123456789abcdef";
/** The remedy of a removal that the service refuses. */
const FORGET = /If that key no longer works, run "pulumi state delete/;

it("a key and a webhook are imported by the commands of the guides, and then managed", async () => {
  const files = { "Pulumi.yaml": "name: test\nruntime: yaml\n" };
  const { api, stack, run } = await stackFor(undefined, { files });
  api.keys.add(OLD_KEY);
  const [importWebhook = ""] = (await blocksOf("docs/webhooks.md", "sh")).filter((block) =>
    block.includes("import"),
  );
  const { stdout: code } = await stack.shell(`${importWebhook.trim()} --skip-preview`);
  // The printed code is a program that changes nothing.
  const add = async (printed: string): Promise<void> => {
    const [, lines = ""] = /^resources:\n((?: {2}.*\n)+)/m.exec(printed) ?? [];
    const text = await readFile(join(stack.projectDir, "Pulumi.yaml"), "utf8");
    const start = text.includes("resources:") ? "" : "resources:\n";
    await stack.write("Pulumi.yaml", text + start + lines);
  };
  await add(code);
  expect(await run("preview", UNCHANGED)).toMatchObject({ error: "" });
  const people = [
    ["waits for it", () => ({ typed: OLD_KEY })],
    ["Add the printed code", (_, printed) => add(printed)],
  ] as const satisfies Person[];
  const printed = await follow("docs/adopt.md", "## Import a key", { stack, people });
  expect(printed.join("")).not.toContain(OLD_KEY);
  expect(await stack.stateFile()).not.toContain(OLD_KEY);
  refuse(api, "deleteApiKey", 422);
  // Without an `up`, the engine passes other settings.
  expect((await run("destroy", "--target", "**:PartnerApiKey::*")).error).toMatch(FORGET);
  expect(await run("up")).toMatchObject({ error: "", requests: {} });
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  expect(api.keys.size).toBe(0);
});

it("a key that is renamed by an import instead of an alias lives, and a warning says why", async () => {
  let declared: { readonly name: string; readonly import?: string } = { name: "old" };
  const { api, stack, run } = await stackFor(() => {
    const { name, ...options } = declared;
    declareKey("native", name, {}, options);
  });
  expect(await run("up")).toMatchObject({ error: "" });
  const keys = [...api.keys];
  declared = { name: "new", import: "env:OLD_KEY" };
  countRequests(api);
  const renamed = await stack.up({ env: { OLD_KEY: String(keys[0]) } });
  expect(renamed).toMatchObject({ error: "", changes: { import: 1, delete: 1 } });
  expect(renamed.stdout).toMatch(/warning: Did not delete the key .* of "old": "new" has the same key/);
  expect([countRequests(api), [...api.keys]]).toEqual([{}, keys]);
  expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 1 } });
  expect(api.keys.size).toBe(0);
});

it("the two commands for a key that is in no stack create one and delete one", async () => {
  const api = await sandboxFor();
  api.keys.add(OLD_KEY);
  const engine = await engineEnv({ ...environmentFor(api), OLD_KEY });
  onTestFinished(() => engine.dispose());
  const commands = (await blocksOf("docs/keys.md", "sh")).find((block) => block.includes("pulumi do")) ?? "";
  const script = `${commands}\n[ "$(stat -c %a key.json)" = 600 ]\ncat key.json`;
  const printed = await mustRunShell(script, { cwd: engine.dir, env: engine.env });
  const [key = ""] = api.keys;
  expect([api.keys.size, printed.includes(key), printed.includes(OLD_KEY)]).toEqual([1, true, false]);
  expect(countRequests(api)).toMatchObject({ POST: 1, DELETE: 1 });
  refuse(api, "deleteApiKey", 422);
  const [remove = ""] = /pulumi do .* delete .*/.exec(commands) ?? [];
  const refused = await runShell(remove, { cwd: engine.dir, env: engine.env });
  expect(refused.stdout + refused.stderr).toContain("returned 422");
  expect(refused.stdout + refused.stderr).not.toMatch(FORGET); // There is no stack.
});
