import { expect, it, onTestFinished } from "vitest";

import { mustRunShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import {
  blocksOf,
  countRequests,
  declareKey,
  environmentFor,
  sandboxFor,
  stackFor,
  UNCHANGED,
} from "./support.ts";

const OLD_KEY = "pk_live_old_0123456789abcdef";

it("a key and a webhook are imported by the commands of the guides, and then managed", async () => {
  const files = { "Pulumi.yaml": "name: test\nruntime: yaml\n" };
  const { api, stack, run } = await stackFor(undefined, { files, env: { OLD_KEY } });
  api.keys.add(OLD_KEY);
  const [, importKey = ""] =
    (await blocksOf("docs/keys.md", "sh")).find((block) => block.includes("pulumi import"))?.split("\n") ??
    [];
  const importWebhook = (await blocksOf("docs/webhooks.md", "sh")).find((block) => block.includes("import"));
  let code = "";
  for (const command of [importKey, importWebhook ?? ""]) {
    const [program, ...args] = command.trim().split(" ");
    expect([program, args[0]]).toEqual(["pulumi", "import"]);
    code += await stack.pulumi(...args, "--yes", "--skip-preview");
  }
  expect(code).not.toContain(OLD_KEY);
  expect(await stack.stateFile()).not.toContain(OLD_KEY);
  // The printed code is a program that changes nothing.
  const resources = [...code.matchAll(/^resources:\n((?: {2}.*\n)+)/gm)].map(([, lines = ""]) => lines);
  expect(resources).toHaveLength(2);
  await stack.write("Pulumi.yaml", `${files["Pulumi.yaml"]}resources:\n${resources.join("")}`);
  expect(await run("preview", UNCHANGED)).toMatchObject({ error: "" });
  const unprotected = resources.join("").replaceAll("protect: true", "protect: false");
  await stack.write("Pulumi.yaml", `${files["Pulumi.yaml"]}resources:\n${unprotected}`);
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
});
