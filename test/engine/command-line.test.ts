import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { runShell } from "../../provider/tools/child-process.ts";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { blocksOf, countRequests, environmentFor, sandboxFor, statesOf } from "./support.ts";

const PAGE = "docs/command-line.md";
const OLD_KEY = "old-key-0123456789abcdef";

/** Stands for the secret store of the page, and for the person who enters a key. */
const PEOPLE = `
gh() { cat > "$3.stored"; }
read() { builtin read "$@" <<< ${OLD_KEY}; }
`;

it("the commands of the page list, read and change webhooks, and create and delete a key that nothing keeps", async () => {
  // The list has two pages.
  const sandbox = await sandboxFor({ apiKeys: [OLD_KEY], pageSize: 2, pageStyle: "offset" });
  const engine = await engineEnv({ NO_COLOR: "1" });
  onTestFinished(() => engine.dispose());
  await writeFile(join(engine.dir, "token.txt"), sandbox.accessToken);
  const [settings = "", ...all] = await blocksOf(PAGE, "sh");
  // languages.test.ts and native.test.ts import resources.
  const blocks = all.filter((block) => !/^pulumi import /.test(block));
  const last = blocks.pop() ?? "";
  expect(last).toMatch(/^rm .*do\.log\n$/);
  const here = settings.replace("https://partners.example.com", sandbox.url);
  const shell = (script: string) => runShell(here + script, { cwd: engine.dir, env: engine.env });
  /** Everything in the CLI's logs, in plain text. */
  const logs = async (): Promise<string> => {
    const folder = join(engine.env["PULUMI_HOME"] ?? "", "logs");
    const files = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file))));
    return files.map((file) => gunzipSync(file).toString()).join("\n");
  };

  const { code, stdout, stderr } = await shell(PEOPLE + blocks.join(""));
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const printed = stdout + stderr;
  for (const shown of await blocksOf(PAGE, "text")) expect(printed).toContain(shown);
  expect(stdout).toContain('"name": "orders"');
  expect(printed).toMatch(/~ state: "active" => "disabled"[^]*~ state: "disabled" => "active"/);
  const [apiKey = ""] = sandbox.apiKeys;
  expect(await readFile(join(engine.dir, "CHECKOUT_KEY.stored"), "utf8")).toBe(`${apiKey}\n`);
  expect(await readdir(engine.dir)).not.toContain("key.json");
  expect(sandbox.apiKeys).toEqual([apiKey]);
  expect(statesOf(sandbox)).toEqual({ 101: "active", 102: "active", 103: "disabled" });
  expect(countRequests(sandbox)).toEqual({ GET: 13, PATCH: 2, POST: 1, DELETE: 1 });

  expect(printed).not.toMatch(new RegExp(`${apiKey}|${OLD_KEY}`));
  expect(await readdir(engine.backendDir)).toEqual([]);
  expect(await logs()).toContain(apiKey); // As the page warns. If a newer CLI is better, shorten the page.
  expect((await shell(last)).code).toBe(0);
  expect(await logs()).not.toMatch(new RegExp(`${apiKey}|${OLD_KEY}|${sandbox.accessToken}`));
});

it("replace-key.sh replaces a key with the CLI, and creates no second one if the first is not recognized", async () => {
  const sandbox = await sandboxFor({ apiKeys: [OLD_KEY] });
  const engine = await engineEnv({ ...environmentFor(sandbox) });
  onTestFinished(() => engine.dispose());
  const script = join(ROOT, "examples/stateless-key/replace-key.sh");
  const blocks = await blocksOf("docs/keys.md", "sh");
  const commands = blocks.find((block) => block.includes("replace-key.sh")) ?? "";
  // Stands for the store of the page, and for the program that switches the consumers.
  await writeFile(join(engine.dir, "vault"), `#!/bin/sh\ncp "\${5#key=@}" '${engine.dir}/stored'\n`);
  await writeFile(join(engine.dir, "switch-consumers.sh"), "#!/bin/sh\ncp stored used\n");
  const prepare = `${PEOPLE}\nchmod +x vault switch-consumers.sh; PATH=$PWD:$PATH HOME=$PWD\nreplace-key.sh() { '${script}' "$@"; }\n`;
  const run = (env = engine.env) => runShell(prepare + commands, { cwd: engine.dir, env });
  const { code, stdout, stderr } = await run();
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const [key] = sandbox.apiKeys;
  expect([sandbox.apiKeys.length, await readFile(join(engine.dir, "used"), "utf8")]).toEqual([1, key]);
  expect(stdout + stderr).not.toMatch(new RegExp(`${key}|${OLD_KEY}`));
  expect(countRequests(sandbox)).toEqual({ GET: 1, POST: 1, DELETE: 1 });
  expect(await readdir(join(engine.dir, ".partner-keys"))).toEqual([]);

  const unread = { ...engine.env, PARTNERS_RESPONSES: '{ "apiKey": "/unknown" }' };
  const failed = await run(unread);
  expect(failed.code).not.toBe(0);
  expect(await run(unread)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Look for a new key") as string,
  });
  expect(countRequests(sandbox)).toEqual({ GET: 1, POST: 1 });
});

it("commands with --provider use an explicit provider of the stack, and no environment variable", async () => {
  const sandbox = await sandboxFor();
  const engine = await engineEnv({ NO_COLOR: "1", PULUMI_STACK: "dev" });
  onTestFinished(() => engine.dispose());
  const program = `name: test
runtime: yaml
resources:
  eu:
    type: pulumi:providers:partners
    properties: { baseUrl: "${sandbox.url}", accessToken: "${sandbox.accessToken}" }
  orders:
    type: partners:PartnerWebhookState
    properties: { webhookId: 103, state: active }
    options: { provider: "\${eu}" }
`;
  await writeFile(join(engine.dir, "Pulumi.yaml"), program);
  const script = `
pulumi stack init dev
pulumi up --yes --skip-preview
eu=$(pulumi stack export | grep -o -m 1 'urn:[^"]*::pulumi:providers:partners::eu' | head -1)
pulumi do partners:PartnerWebhookState list --provider "$eu"
pulumi do partners:PartnerWebhookState patch 101 --state disabled --provider "$eu" --stateless --yes
pulumi do partners:PartnerWebhookState patch 101 --state disabled --provider "$eu" --stateless --yes
`;
  const { code, stdout, stderr } = await runShell(script, { cwd: engine.dir, env: engine.env });
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain('"id": "102"');
  expect(statesOf(sandbox)).toMatchObject({ 101: "disabled", 103: "active" });
  expect(countRequests(sandbox)["PATCH"]).toBe(3); // The list may lag behind the last change.
});
