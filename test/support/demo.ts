/**
 * The main job from end to end, with nothing but a clone: `npm run demo`. Each step checks that it did what it says, so that
 * this is a test as well; any that did not ends the demo with a non-zero exit code.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox } from "pulumi-partners/sandbox";

import { ROOT } from "./checkout.ts";
import { engineEnv } from "./engine.ts";
import { runProcess } from "./process.ts";

const STACK = "demo";
const WEBHOOKS = [
  { webhookId: 101, state: "disabled" },
  { webhookId: 102, state: "active" },
  { webhookId: 103, state: "disabled" },
] as const;

const sandbox = await startSandbox({ webhooks: WEBHOOKS });
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
  heading("A Partner API on this machine, instead of the real one");
  console.log(`${sandbox.url} holds no keys, and the webhooks ${before}.`);
  await pulumi(`stack init ${STACK}`);

  heading("Preview: nothing changes; the server is asked whether the webhooks exist");
  await pulumi("preview", "1 GET");

  heading("Up: the key is created, and only the webhook that differs is changed");
  await pulumi("up --yes --skip-preview", "1 GET + 1 PATCH + 1 POST");

  heading("The outputs, and the key at work");
  const { apiKey = "", ...outputs } = JSON.parse(
    await pulumi("stack output --json --show-secrets"),
  ) as Record<string, string>;
  console.log({ apiKey: `${"*".repeat(12)}${apiKey.slice(-4)}`, ...outputs });
  const headers = { authorization: `Bearer ${apiKey}` };
  const { status } = await fetch(`${sandbox.url}/whoami`, { headers });
  console.log(`GET /whoami with the key: ${status}`);
  assert.equal(status, 200);
  sandbox.clearRequests();

  heading("Somebody disables webhook 101 at the service; refresh sees it");
  sandbox.setWebhookState(101, "disabled");
  assert.match(await pulumi("refresh --yes --skip-preview", "1 GET"), /\[diff: ~state\]/);

  heading("Up again repairs it");
  await pulumi("up --yes --skip-preview", "1 GET + 1 PATCH");
  assert.equal(sandbox.webhooks.get(101), "active");

  heading("Destroy: the key is deleted, and webhook 101 is put back as it was found");
  await pulumi("destroy --yes --skip-preview", "1 DELETE + 1 GET + 1 PATCH");
  console.log(`The sandbox holds ${sandbox.apiKeys.length} keys, and the webhooks ${webhooks()}.`);
  assert.deepEqual([sandbox.apiKeys, webhooks()], [[], before]);
  await pulumi(`stack rm ${STACK} --yes`);
}

function heading(text: string): void {
  console.log(`\n━━ ${text} ${"━".repeat(Math.max(0, 96 - text.length))}`);
}

function webhooks(): string {
  return [...sandbox.webhooks].map(([id, state]) => `${id} (${state})`).join(", ");
}

/** Runs a command, whose output may hold a secret if it is one of `pulumi stack`, and checks what reached the server. */
async function pulumi(command: string, requests = ""): Promise<string> {
  console.log(`\n$ pulumi ${command}`);
  const show = !command.startsWith("stack");
  const options = { cwd: ROOT, env: engine.env, show };
  const { code, stdout, stderr } = await runProcess(
    "pulumi",
    [...command.split(" "), "--non-interactive"],
    options,
  );
  assert.equal(code, 0, `pulumi ${command} ended with ${code}. ${show ? "" : stderr}`);
  const sent = Object.entries(Object.groupBy(sandbox.requests, ({ method }) => method)).sort();
  const counts = sent.map(([method, list = []]) => `${list.length} ${method}`).join(" + ");
  if (requests !== "") console.log(`→ requests: ${counts}`);
  assert.equal(counts, requests);
  sandbox.clearRequests();
  return stdout;
}
