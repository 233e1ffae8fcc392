import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";

import { SECRET_OUTPUTS } from "../../provider/src/registration.js";
import { CANARIES, findLeaks } from "../support/canary.ts";
import type { Fault, SandboxOptions } from "../support/sandbox.ts";
import { configFor, HOOK, KEY, LIST, pluginFor, sandboxFor, secretValue } from "./support.ts";
import { fromStruct, HOSTS, PluginError, urnOf, type Host, type Plugin } from "../support/spawned-plugin.ts";

/** An account in which everything that can contain a secret contains one. */
const ACCOUNT: SandboxOptions = {
  accessToken: CANARIES.token,
  apiKeys: [CANARIES.existingKey],
  shape: {
    apiKey: ({ key, id }) => ({ apiKey: key, id, clientSecret: CANARIES.clientSecret }),
    webhooks: (list) => list.map((webhook) => ({ ...webhook, secret: CANARIES.webhookSecret })),
  },
};

/** Seconds. They shorten faults that would last long. */
const SHORT_TIMEOUTS = { "partners:requestTimeout": "0.3", "partners:operationTimeout": "0.5" };

const HEADERS = { "partners:headers": JSON.stringify({ "X-Gateway-Key": CANARIES.header }) };

const WORDS = Object.values(CANARIES).join(" ");
/** The error of a service that echoes everything it received. */
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
  ["PARTNERS_UNREADABLE", { kind: "status", status: 200, body: "<p>", effect: true }],
  ["PARTNERS_CONNECTION", { kind: "reset", effect: true }],
  ["PARTNERS_CONNECTION", { kind: "truncate", bytes: 70 }],
  ["PARTNERS_TIMEOUT", { kind: "hang", at: "headers", effect: true }],
  // Depends on whether the last attempt starts in time.
  ["PARTNERS_(CONNECTION|TIMEOUT)", { kind: "hang", at: "body" }],
];

/**
 * Runs every operation through every handler. Returns all responses, without the values that are secret in
 * the state.
 *
 * @param name The name of the key resource. After a failure, the plugin does not create a key of the same
 * name again.
 */
async function everything(plugin: Plugin, name: string): Promise<string> {
  const { host } = plugin;
  const key = { ...KEY, __urn: urnOf(KEY.__provider).replace(/name$/, name) };
  const listing = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const held = { ...key, apiKey: CANARIES.existingKey, previousApiKey: CANARIES.secondToken };
  const answers = [
    plugin.create(key),
    plugin.update("key-1", held, { ...key, rotation: { trigger: "2", overlapDays: 1 } }),
    plugin.delete("key-1", held),
    plugin.check({ ...HOOK, webhookId: 999 }),
    plugin.create(HOOK),
    plugin.read("101", HOOK),
    plugin.update("101", HOOK, { ...HOOK, state: "active" }),
    plugin.delete("101", { ...HOOK, stateOnDestroy: "disabled" }),
    host === "dynamic"
      ? plugin.read("webhooks", LIST)
      : plugin.call("invoke", listing).then((response) => fromStruct(response.getReturn())),
  ].map((call) => textOf(call, host));
  return (await Promise.all(answers)).join("\n");
}

async function textOf(call: Promise<unknown>, host: Host): Promise<string> {
  const answer = await call.catch((error: unknown) => error);
  if (!(answer instanceof PluginError)) return withoutSecrets(answer, host);
  return `${answer.message} ${withoutSecrets(answer.initFailure ?? {}, host)}`;
}

/** Whether the engine encrypts a value, because of the options of the resource or the mark of the value. */
const isSecret: Record<Host, (name: string, value: unknown) => boolean> = {
  dynamic: (name) => [...SECRET_OUTPUTS, "webhooks"].includes(name),
  native: (_name, value) => secretValue(value) !== undefined,
};

/** Returns the values that the engine stores in plain text. */
function withoutSecrets(answer: unknown, host: Host): string {
  return JSON.stringify(answer ?? null, (name, value: unknown) =>
    isSecret[host](name, value) ? undefined : value,
  );
}

describe("no response, output or debug log of the plugin contains a secret", () => {
  it.each(HOSTS)("for any response of the service, in the %s host", { timeout: 120_000 }, async (host) => {
    const sandbox = await sandboxFor(ACCOUNT);
    const responses = { "partners:responses": '{"apiKey":"/apiKey"}' };
    const config = { ...configFor(sandbox), ...SHORT_TIMEOUTS, ...responses, ...HEADERS };
    const plugin = await pluginFor({ host, config, env: { PARTNERS_DEBUG: "1" } });
    const keys = new Set<string>();
    const answers: Record<string, string> = {};
    for (const [index, [code, fault]] of FAULTS.entries()) {
      sandbox.inject({ ...fault, times: Infinity });
      const text = await everything(plugin, `key-${index}`);
      expect(text, JSON.stringify(fault)).toMatch(new RegExp(`\\[${code}\\]`));
      answers[JSON.stringify(fault).slice(0, 60)] = text;
      for (const key of sandbox.apiKeys) keys.add(key);
      sandbox.clearFaults();
    }
    const created = await plugin.create(KEY);
    answers["without a fault"] = withoutSecrets(created, host) + (await everything(plugin, "last"));
    for (const key of sandbox.apiKeys) keys.add(key);

    const secrets = {
      ...CANARIES,
      ...Object.fromEntries([...keys].map((key, index) => [`key ${index}`, key])),
    };
    await plugin.close(); // Its last output may arrive after its last response.
    // The scanner works: it finds the new key and the secrets next to it.
    expect(findLeaks({ created: JSON.stringify(created) }, secrets).length).toBeGreaterThan(1);
    expect(findLeaks({ ...answers, stdout: plugin.stdout(), stderr: plugin.stderr() }, secrets)).toEqual([]);
    for (const { headers } of sandbox.requests) expect(headers["x-gateway-key"]).toBe(CANARIES.header);
    for (const operation of ["createApiKey", "deleteApiKey", "listWebhooks", "disableWebhook"])
      expect(plugin.stderr()).toMatch(new RegExp(`^pulumi-partners: ${operation} .*attempt=1`, "m"));
    expect(plugin.stderr()).toContain("DELETE /api/v1/partners/api-key/{api_key} ");
  });

  it.each([
    ["an uncaught error", "setImmediate(() => { throw new Error('crash of the test'); });"],
    ["an unhandled rejection", "Promise.reject(request);"],
  ])("if %s crashes the process while it creates a key", async (_what, action) => {
    const code = `
      import { subscribe } from "node:diagnostics_channel";
      subscribe("undici:request:headers", ({ request }) => { if (request.method === "POST") { ${action} } });`;
    const sandbox = await sandboxFor(ACCOUNT);
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(code)}`; // Runs the code first.
    const env = { PARTNERS_DEBUG: "1", NODE_OPTIONS };
    const plugin = await pluginFor({ config: { ...configFor(sandbox), ...HEADERS }, env });
    const text = await textOf(plugin.create(KEY), "dynamic");
    const [, key = ""] = sandbox.apiKeys;
    const places = { text, stdout: plugin.stdout(), stderr: plugin.stderr() };
    expect(findLeaks(places, { ...CANARIES, key })).toEqual([]);
  });
});
