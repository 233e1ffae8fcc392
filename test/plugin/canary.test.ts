import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";

import { SECRET_OUTPUTS } from "../../provider/src/registration.js";
import { CANARIES, findLeaks } from "../support/canary.ts";
import type { Fault, SandboxOptions } from "../support/sandbox.ts";
import { configFor, HOOK, KEY, LIST, pluginFor, preload, sandboxFor, secretValue } from "./partners.ts";
import { fromStruct, HOSTS, PluginError, type Host, type Plugin } from "./plugin-process.ts";

/** An account in which everything that can hold a secret holds one. */
const ACCOUNT: SandboxOptions = {
  accessToken: CANARIES.token,
  apiKeys: [CANARIES.existingKey],
  shape: {
    apiKey: ({ key, id }) => ({ apiKey: key, id, clientSecret: CANARIES.clientSecret }),
    webhooks: (list) => list.map((webhook) => ({ ...webhook, secret: CANARIES.webhookSecret })),
  },
};

/** Seconds, for faults that would go on for long. */
const IMPATIENT = { "partners:requestTimeout": "0.3", "partners:operationTimeout": "0.5" };

const WORDS = Object.values(CANARIES).join(" ");
/** How a service tells what went wrong that means well. */
const ECHO = {
  body: JSON.stringify({ error: { message: `no: ${WORDS}` }, path: `/api-key/${encodeURIComponent(WORDS)}` }),
  headers: {
    "x-request-id": CANARIES.token,
    "retry-after": "0",
    location: `https://x.example/?t=${CANARIES.token}`,
  },
};

const FAULTS: readonly (readonly [code: string, fault: Fault])[] = [
  ...[302, 400, 401, 403, 404, 409, 500].map(
    (status) => ["PARTNERS_STATUS", { kind: "status", status, ...ECHO }] as const,
  ),
  ["PARTNERS_UNREADABLE", { kind: "status", status: 200, ...ECHO, effect: true }],
  ["PARTNERS_UNREADABLE", { kind: "status", status: 200, body: `{"key":${WORDS}`, effect: true }],
  ["PARTNERS_UNREADABLE", { kind: "html", effect: true }],
  ["PARTNERS_CONNECTION", { kind: "reset", effect: true }],
  ["PARTNERS_CONNECTION", { kind: "truncate", bytes: 70 }],
  ["PARTNERS_TIMEOUT", { kind: "hang", at: "headers", effect: true }],
  ["PARTNERS_(CONNECTION|TIMEOUT)", { kind: "hang", at: "body" }], // As the last attempt begins in time, or late.
];

/** Every operation through every handler that has one. @returns what each answers, less what is secret in state. */
async function everything(plugin: Plugin): Promise<string> {
  const { host } = plugin;
  const listing = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const held = { ...KEY, apiKey: CANARIES.existingKey, previousApiKey: CANARIES.secondToken };
  const answers = [
    plugin.create(KEY),
    plugin.update("key-1", held, { ...KEY, rotation: { trigger: "2", overlapDays: 1 } }),
    plugin.delete("key-1", held),
    plugin.check({ ...HOOK, webhookId: 999 }),
    plugin.create(HOOK),
    plugin.read("101", HOOK),
    plugin.update("101", HOOK, { ...HOOK, state: "active" }),
    plugin.delete("101", { ...HOOK, stateOnDestroy: "disabled" }),
    host === "dynamic"
      ? plugin.read("webhooks", LIST)
      : plugin.call("invoke", listing).then((response) => fromStruct(response.getReturn())),
  ].map((call) => told(call, host));
  return (await Promise.all(answers)).join("\n");
}

async function told(call: Promise<unknown>, host: Host): Promise<string> {
  const answer = await call.catch((error: unknown) => error);
  if (!(answer instanceof PluginError)) return withoutSecrets(answer, host);
  return `${answer.message} ${withoutSecrets(answer.initFailure ?? {}, host)}`;
}

/** What the engine encrypts: because the resource says so, or the value. */
const isSecret: Record<Host, (name: string, value: unknown) => boolean> = {
  dynamic: (name) => [...SECRET_OUTPUTS, "webhooks"].includes(name),
  native: (_name, value) => secretValue(value) !== undefined,
};

/** What the engine stores in clear. */
function withoutSecrets(answer: unknown, host: Host): string {
  return JSON.stringify(answer ?? null, (name, value: unknown) =>
    isSecret[host](name, value) ? undefined : value,
  );
}

describe("no answer, no output and no debug log of the plugin holds a secret", () => {
  it.each(HOSTS)("whatever the service answers, in the %s host", { timeout: 120_000 }, async (host) => {
    const sandbox = await sandboxFor(ACCOUNT);
    const config = { ...configFor(sandbox), ...IMPATIENT };
    const plugin = await pluginFor({ host, config, env: { PARTNERS_DEBUG: "1" } });
    const keys = new Set<string>();
    const answers: Record<string, string> = {};
    for (const [code, fault] of FAULTS) {
      sandbox.inject({ ...fault, times: Infinity });
      const said = await everything(plugin);
      expect(said).toMatch(new RegExp(`\\[${code}\\]`));
      answers[JSON.stringify(fault).slice(0, 60)] = said;
      for (const key of sandbox.apiKeys) keys.add(key);
      sandbox.clearFaults();
    }
    const created = await plugin.create(KEY);
    answers["without a fault"] = withoutSecrets(created, host) + (await everything(plugin));
    for (const key of sandbox.apiKeys) keys.add(key);

    const secrets = {
      ...CANARIES,
      ...Object.fromEntries([...keys].map((key, index) => [`key ${index}`, key])),
    };
    await plugin.close(); // What it wrote last may arrive after its last answer.
    // The search finds what is a secret in state, the new key and what came with it.
    expect(findLeaks({ created: JSON.stringify(created) }, secrets).length).toBeGreaterThan(1);
    expect(findLeaks({ ...answers, stdout: plugin.stdout(), stderr: plugin.stderr() }, secrets)).toEqual([]);
    for (const operation of ["createApiKey", "deleteApiKey", "listWebhooks", "disableWebhook"])
      expect(plugin.stderr()).toMatch(new RegExp(`^partners ${operation} .*attempt=1`, "m"));
    expect(plugin.stderr()).toContain("DELETE /api/v1/partners/api-key/{api_key} ");
  });

  it.each([
    ["an error that nobody catches", "setImmediate(() => { throw new Error('crash of the test'); });"],
    ["a rejection that nobody waits for", "Promise.reject(request);"],
  ])("where the process crashes by %s while it creates a key", async (_what, action) => {
    const code = `
      import { subscribe } from "node:diagnostics_channel";
      subscribe("undici:request:headers", ({ request }) => { if (request.method === "POST") { ${action} } });`;
    const sandbox = await sandboxFor(ACCOUNT);
    const env = { PARTNERS_DEBUG: "1", NODE_OPTIONS: preload(code) };
    const plugin = await pluginFor({ config: configFor(sandbox), env });
    const said = await told(plugin.create(KEY), "dynamic");
    const [, key = ""] = sandbox.apiKeys;
    const places = { said, stdout: plugin.stdout(), stderr: plugin.stderr() };
    expect(findLeaks(places, { ...CANARIES, key })).toEqual([]);
  });
});
