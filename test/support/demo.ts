/**
 * The main job from end to end, with nothing but a clone: `npm run demo`. Each step checks that it did what it says, so that
 * this is a test as well; any that did not ends the demo with a non-zero exit code.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "pulumi-partners/sandbox";

import { engineEnv, type Engine } from "./engine.ts";
import { runProcess } from "./process.ts";

const ROOT = join(import.meta.dirname, "../..");
const STACK = "demo";
const WEBHOOKS = [
  { webhookId: 101, state: "disabled" },
  { webhookId: 102, state: "active" },
  { webhookId: 103, state: "disabled" },
] as const;

const startedAt = Date.now();
const sandbox = await startSandbox({ webhooks: WEBHOOKS });
const engine = await engineEnv({
  PARTNERS_BASE_URL: sandbox.url,
  PARTNERS_ACCESS_TOKEN: sandbox.accessToken,
  PULUMI_STACK: STACK,
});
const readyAt = Date.now();
try {
  await tour(sandbox, engine);
  console.log(
    `\nDone in ${seconds(readyAt)} s${readyAt - startedAt > 1000 ? `, after ${((readyAt - startedAt) / 1000).toFixed(1)} s for the Pulumi CLI` : ""}.`,
  );
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await sandbox.close();
  await engine.dispose();
  await rm(join(ROOT, `Pulumi.${STACK}.yaml`), { force: true });
}

async function tour(sandbox: Sandbox, { env }: Engine): Promise<void> {
  const pulumi = async (...args: string[]): Promise<string> => {
    console.log(`\n$ pulumi ${args.join(" ")}`);
    const show = args[0] !== "stack";
    const { code, stdout, stderr } = await runProcess("pulumi", [...args, "--non-interactive"], {
      cwd: ROOT,
      env,
      show,
    });
    expect(code === 0, `pulumi ${args.join(" ")} ended with ${code}. ${show ? "" : stderr}`);
    return stdout;
  };

  const before = describe(sandbox);
  heading("A Partner API on this machine, instead of the real one");
  console.log(`${sandbox.url} holds no keys, and the webhooks ${before}.`);
  await pulumi("stack", "init", STACK);

  heading("Preview: nothing changes; the server is asked whether the webhooks exist");
  await pulumi("preview");
  told(sandbox, { GET: 1 });

  heading("Up: the key is created, and only the webhook that differs is changed");
  await pulumi("up", "--yes", "--skip-preview");
  told(sandbox, { GET: 1, PATCH: 1, POST: 1 });

  heading("The outputs, and the key at work");
  const { apiKey, ...outputs } = JSON.parse(
    await pulumi("stack", "output", "--json", "--show-secrets"),
  ) as Record<string, string>;
  console.log({ apiKey: `${"*".repeat(12)}${apiKey?.slice(-4) ?? ""}`, ...outputs });
  const answer = await fetch(`${sandbox.url}/whoami`, {
    headers: { authorization: `Bearer ${apiKey ?? ""}` },
  });
  expect(answer.ok, "the key does not work");
  console.log(`GET /whoami with the key: ${answer.status}`);
  sandbox.clearRequests();

  heading("Somebody disables webhook 101 at the service; refresh sees it");
  sandbox.setWebhookState(101, "disabled");
  expect(
    (await pulumi("refresh", "--yes", "--skip-preview")).includes("[diff: ~state]"),
    "refresh showed no drift",
  );
  told(sandbox, { GET: 1 });

  heading("Up again repairs it");
  await pulumi("up", "--yes", "--skip-preview");
  told(sandbox, { GET: 1, PATCH: 1 });
  expect(sandbox.webhooks.get(101) === "active", "webhook 101 was not repaired");

  heading("Destroy: the key is deleted, and webhook 101 is put back as it was found");
  await pulumi("destroy", "--yes", "--skip-preview");
  told(sandbox, { DELETE: 1, GET: 1, PATCH: 1 });
  console.log(`The sandbox holds ${sandbox.apiKeys.length} keys, and the webhooks ${describe(sandbox)}.`);
  expect(sandbox.apiKeys.length === 0, "a key was left behind");
  expect(describe(sandbox) === before, "the webhooks are not as they were");
  await pulumi("stack", "rm", STACK, "--yes");
}

function heading(text: string): void {
  console.log(`\n━━ ${text} ${"━".repeat(Math.max(0, 96 - text.length))}`);
}

/** Prints and checks what reached the server since the last call. */
function told(sandbox: Sandbox, wanted: Record<string, number>): void {
  const counts = new Map<string, number>();
  for (const { method } of sandbox.requests) counts.set(method, (counts.get(method) ?? 0) + 1);
  sandbox.clearRequests();
  const list = (entries: Iterable<[string, number]>): string =>
    [...entries]
      .sort()
      .map(([method, count]) => `${count} ${method}`)
      .join(" + ");
  console.log(`→ requests: ${list(counts)}`);
  expect(list(counts) === list(Object.entries(wanted)), `expected ${list(Object.entries(wanted))}`);
}

function describe({ webhooks }: Sandbox): string {
  return [...webhooks].map(([id, state]) => `${id} (${state})`).join(", ");
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1);
}

function expect(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
