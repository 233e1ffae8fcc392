import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import type { Fault, Sandbox, SandboxOptions } from "../support/sandbox.ts";
import { CANARIES, findLeaks } from "../support/canary.ts";
import { PluginError, type Plugin } from "../support/plugin-process.ts";
import { configFor, KEY, pluginFor, sandboxFor, WEBHOOK } from "./partners.ts";

const HOOK = { ...WEBHOOK, webhookId: 101, state: "disabled", stateOnDestroy: "leave", account: "default" };

/** An account in which everything that can hold a secret holds one. */
const ACCOUNT: SandboxOptions = {
  accessToken: CANARIES.token,
  keyAlphabet: "hostile",
  shape: {
    apiKey: ({ key, id }) => ({ apiKey: key, id, clientSecret: CANARIES.clientSecret }),
    webhooks: (list) => list.map((webhook) => ({ ...webhook, secret: CANARIES.webhookSecret })),
  },
};

/** Seconds, for faults that would go on for long: a second attempt is begun, but not four. */
const IMPATIENT = { "partners:requestTimeout": "0.2", "partners:operationTimeout": "0.4" };

/** What went wrong, told as a service may that means well. */
const ECHO = {
  body: JSON.stringify({ error: `invalid token ${CANARIES.token}`, secret: CANARIES.webhookSecret }),
  headers: {
    "x-request-id": CANARIES.token,
    "retry-after": "0",
    link: `<https://x.example/${CANARIES.token}>`,
  },
};

async function start(
  env: Record<string, string> = {},
  { config = {}, ...options }: SandboxOptions & { config?: Record<string, string> } = {},
): Promise<{ sandbox: Sandbox; plugin: Plugin }> {
  const sandbox = await sandboxFor({ ...ACCOUNT, ...options });
  const plugin = await pluginFor({
    config: { ...configFor(sandbox), ...config },
    env: { PARTNERS_DEBUG: "1", ...env },
  });
  return { sandbox, plugin };
}

/** Every operation there is, through every handler that has one; what each answers, less what is a secret in state. */
async function everything(plugin: Plugin): Promise<string> {
  const answers = [
    await told(plugin.create(KEY)),
    await told(plugin.create(HOOK)),
    await told(plugin.check({ ...WEBHOOK, webhookId: 999, state: "active" })),
    await told(plugin.read("101", HOOK)),
    await told(plugin.update("101", HOOK, { ...HOOK, state: "active" })),
    await told(plugin.delete("101", { ...HOOK, stateOnDestroy: "disabled" })),
    await told(plugin.delete("key-1", { ...KEY, apiKey: CANARIES.secondToken, keyId: null })),
  ];
  return answers.join("\n");
}

async function told(call: Promise<unknown>): Promise<string> {
  const answer = await call.catch((error: unknown) => error);
  if (!(answer instanceof PluginError)) return withoutSecrets(answer);
  return `${answer.message} ${withoutSecrets(answer.initFailure ?? {})}`;
}

/** What the engine encrypts, because the resources say so. */
function withoutSecrets(answer: unknown): string {
  return JSON.stringify(answer ?? null, (name, value: unknown) =>
    name === "apiKey" || name === "response" ? undefined : value,
  );
}

function expectNoLeak(said: string, { sandbox, plugin }: { sandbox: Sandbox; plugin: Plugin }): void {
  const keys = Object.fromEntries(sandbox.apiKeys.map((key, index) => [`key ${index}`, key]));
  const places = { answers: said, stdout: plugin.stdout(), stderr: plugin.stderr() };
  expect(findLeaks(places, { ...CANARIES, ...keys })).toEqual([]);
}

/** Runs in the plugin process, and acts when the answer to a creation comes in. */
async function preload(action: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "canary-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "preload.cjs");
  await writeFile(
    file,
    `require("node:diagnostics_channel").subscribe("undici:request:headers", ({ request }) => {
      if (request.method === "POST") { ${action} }
    });`,
  );
  return `--require ${file}`;
}

describe("answers, output and debug log of the plugin hold no secret", () => {
  it("when all goes well", async () => {
    const parts = await start();
    const { sandbox, plugin } = parts;
    const created = await plugin.create(KEY);
    const [key = ""] = sandbox.apiKeys;
    // What is a secret in state is there: this search would find it.
    expect(findLeaks({ answer: JSON.stringify(created) }, { key, ...CANARIES })).toHaveLength(2);
    expectNoLeak(withoutSecrets(created) + (await everything(plugin)), parts);
    const deleted = await told(plugin.delete(created.id, created.properties));
    expect(findLeaks({ deleted, stderr: plugin.stderr() }, { key })).toEqual([]);
    expect(plugin.stderr()).toMatch(
      /^partners deleteApiKey DELETE \/api\/v1\/partners\/api-key\/\{api_key\} status=200 /m,
    );
  });

  it.each<[what: string, fault: Fault]>([
    // All statuses, for all operations: test/unit/canary-errors.test.ts.
    ...[302, 401, 404, 500].map((status): [string, Fault] => [
      `the server answers ${status} and repeats the token`,
      { kind: "status", status, ...ECHO },
    ]),
    ["the answer is a page", { kind: "html", effect: true }],
    [
      "the answer is not JSON",
      { kind: "status", status: 200, effect: true, body: `{"key":${CANARIES.token}` },
    ],
    ["the connection is reset", { kind: "reset", effect: true }],
    ["the answer breaks off", { kind: "truncate", bytes: 70 }],
    ["there is no answer", { kind: "hang", at: "headers", effect: true }],
    ["the answer does not end", { kind: "hang", at: "body" }],
  ])("when %s", async (_what, fault) => {
    const parts = await start({}, { config: IMPATIENT });
    parts.sandbox.inject({ ...fault, times: Infinity });
    const said = await everything(parts.plugin);
    expect(said).toContain("[PARTNERS_");
    expectNoLeak(said, parts);
  });

  it("when the response to a creation cannot be read", async () => {
    const parts = await start({}, { shape: "unreadable" });
    const said = await everything(parts.plugin);
    expect(said).toContain("A key EXISTS on the server now.");
    expectNoLeak(said, parts);
  });

  it.each(["PW", "http://user:PW@:99999", "ftp://PW@proxy.example.com", "http://user:PW@127.0.0.1:1"])(
    "when the proxy is %s, with a password",
    async (proxy) => {
      const password = "Kf9ZrT2mXw7LbQ4nVc6Hs1"; // Without characters that would end it in a URL.
      const plugin = await pluginFor({
        config: {
          "partners:baseUrl": "https://partners.example.com",
          "partners:accessToken": CANARIES.token,
        },
        env: { HTTPS_PROXY: proxy.replace("PW", password), PARTNERS_DEBUG: "1" },
      });
      const said = await told(plugin.create(KEY));
      expect(said).toContain("[PARTNERS_");
      expect(findLeaks({ said, stderr: plugin.stderr() }, { ...CANARIES, password })).toEqual([]);
    },
  );

  it("when the state has been tampered with", async () => {
    const parts = await start();
    const { token } = CANARIES;
    const held = [[token], { token }, 42, true, null, `${token}\r\nx: ${token}`, `${token}\ud800`, "..", ""];
    const calls = held.flatMap((secret) => [
      parts.plugin.delete("key-1", { ...KEY, apiKey: secret, keyId: null }),
      parts.plugin.delete("key-1", { ...KEY, apiKey: null, response: secret }),
      parts.plugin.update("key-1", { ...KEY, apiKey: null, response: secret }, KEY),
      parts.plugin.update("key-1", { ...KEY, apiKey: secret }, KEY),
    ]);
    const said = await Promise.all(calls.map(told));
    expect(said.join("\n")).toContain("[PARTNERS_");
    expectNoLeak(said.join("\n"), parts);
  });
});

describe("NODE_DEBUG", () => {
  it.each(["undici", "u*", "FETCH,websocket,http,net,tls,timer"])(
    "=%s prints no path with a key",
    async (NODE_DEBUG) => {
      const parts = await start({ NODE_DEBUG });
      const { sandbox, plugin } = parts;
      const created = await plugin.create(KEY);
      const [key = ""] = sandbox.apiKeys;
      await plugin.delete(created.id, created.properties);
      expect(sandbox.apiKeys).toEqual([]);
      expect(findLeaks({ stderr: plugin.stderr() }, { key, ...CANARIES })).toEqual([]);
      expect(plugin.stderr()).toContain("Use PARTNERS_DEBUG=1");
    },
  );

  it("=undici prints none either where other code of the process uses fetch", async () => {
    const NODE_OPTIONS = await preload("fetch('http://127.0.0.1:1').catch(() => undefined);");
    const { sandbox, plugin } = await start({ NODE_DEBUG: "undici", NODE_OPTIONS });
    const created = await plugin.create(KEY);
    const [key = ""] = sandbox.apiKeys;
    await plugin.delete(created.id, created.properties);
    expect(findLeaks({ stderr: plugin.stderr() }, { key, ...CANARIES })).toEqual([]);
  });

  it("=stream shows what connections carry: that is Node's own doing, and SECURITY.md says so", async () => {
    const { plugin } = await start({ NODE_DEBUG: "stream" });
    await plugin.create(KEY);
    const lines = plugin.stderr().split("\n");
    const leaking = lines.filter(
      (line) => findLeaks({ line }, { configured: "partners:accessToken" }).length > 0,
    );
    expect(leaking.length).toBeGreaterThan(0); // The bytes by which the engine tells the token.
    expect(leaking.filter((line) => !line.startsWith("STREAM "))).toEqual([]);
  });
});

describe("a plugin that crashes holds its tongue", () => {
  it.each([
    ["by an error that nobody catches", "setImmediate(() => { throw new Error('crash of the test'); });"],
    ["by an error in the middle of an answer", "throw new Error('crash of the test');"],
    ["by a promise that nobody waits for", "Promise.reject(request);"],
    ["by a signal that it cannot handle", "process.kill(process.pid, 'SIGKILL');"],
  ])("%s", async (_what, action) => {
    const parts = await start({ NODE_OPTIONS: await preload(action) });
    const said = await told(parts.plugin.create(KEY));
    expectNoLeak(said, parts);
    expect(parts.sandbox.apiKeys).toHaveLength(1);
  });
});
