/**
 * `npm run demo` shows the life of a key and a webhook in a fresh clone. Each step asserts its result, so the
 * demo is also a test.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { startSandbox } from "pulumi-partners/sandbox";

import { ROOT } from "./checkout.ts";
import { engineEnv } from "./engine/engine-env.ts";
import { providePulumi } from "./engine/pulumi-cli.ts";
import { runProcess } from "./child-process.ts";

const STACK = "demo";

await providePulumi();
const sandbox = await startSandbox({ webhooks: { 101: "disabled", 102: "active", 103: "disabled" } });
const engine = await engineEnv({
  PARTNERS_BASE_URL: sandbox.url,
  PARTNERS_ACCESS_TOKEN: sandbox.accessToken,
  PULUMI_STACK: STACK,
});
const readyAt = performance.now();
try {
  await tour();
  console.log(`\nDone in ${Math.round((performance.now() - readyAt) / 1000)} s.`);
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await sandbox.close();
  await engine.dispose();
  await rm(join(ROOT, `Pulumi.${STACK}.yaml`), { force: true });
}

async function tour(): Promise<void> {
  const before = webhooks();
  heading("A Partner API on this machine instead of the real one");
  console.log(`${sandbox.url} has no keys, and the webhooks ${before}.`);
  await pulumi(`stack init ${STACK}`);

  heading("Preview: nothing changes; the provider checks that the webhooks exist");
  await pulumi("preview", "GET");

  heading("Up: creates the key, and changes only the webhook that differs");
  await pulumi("up --yes --skip-preview", "GET + PATCH + POST");

  heading("The outputs");
  const { apiKey = "", ...outputs } = JSON.parse(
    await pulumi("stack output --json --show-secrets"),
  ) as Record<string, string>;
  console.log(JSON.stringify({ apiKey: `${"*".repeat(12)}${apiKey.slice(-4)}`, ...outputs }, null, 2));
  assert.deepEqual([...sandbox.apiKeys], [apiKey]);

  heading("Someone disables webhook 101 at the service; up --refresh detects and repairs it");
  sandbox.webhooks.set(101, "disabled");
  assert.match(await pulumi("up --refresh --yes --skip-preview", "GET + PATCH"), /\[diff: ~state\]/);
  assert.equal(sandbox.webhooks.get(101), "active");

  heading("A new trigger rotates the key; the old one stays valid for 7 days");
  await pulumi("config set rotate 2026-02-19");
  assert.match(await pulumi("up --yes --skip-preview", "GET + POST"), /stays valid until/);
  const [oldKey, ...newKeys] = sandbox.apiKeys;
  assert.deepEqual([oldKey, newKeys.length], [apiKey, 1]);

  heading('Destroy: deletes both keys, and restores webhook 101, as stateOnDestroy: "restore" says');
  await pulumi("destroy --yes --skip-preview", "DELETE + DELETE + GET + PATCH");
  console.log(`The sandbox has ${sandbox.apiKeys.size} keys, and the webhooks ${webhooks()}.`);
  assert.deepEqual([sandbox.apiKeys.size, webhooks()], [0, before]);
  await pulumi(`stack rm ${STACK} --yes`);
}

function heading(text: string): void {
  console.log(`\n${styleText("bold", `━━ ${text} ${"━".repeat(Math.max(0, 96 - text.length))}`)}`);
}

function webhooks(): string {
  return [...sandbox.webhooks].map(([id, state]) => `${id} (${state})`).join(", ");
}

/** Runs a command and checks its requests. Hides the output of those that may print a secret. */
async function pulumi(command: string, requests = ""): Promise<string> {
  console.log(styleText("bold", `\n$ pulumi ${command}`));
  const show = !/^(?:stack|config) /.test(command);
  // Pulumi sees a pipe, and does not know that this is a terminal.
  const color = styleText("bold", "") === "" ? "auto" : "always";
  const args = [...command.split(" "), "--non-interactive"];
  if (show) args.push("--suppress-progress", "--color", color);
  const { code, stdout, stderr } = await runProcess("pulumi", args, { cwd: ROOT, env: engine.env });
  if (show) console.log(stdout.trimEnd());
  assert.equal(code, 0, `pulumi ${command} ended with ${code}. ${stderr}`);
  const methods = sandbox.requests.map(({ method }) => method);
  const sent = methods.sort().join(" + ");
  if (requests !== "") console.log(`→ requests: ${sent}`);
  assert.equal(sent, requests);
  sandbox.requests.length = 0;
  return stripVTControlCharacters(stdout);
}
