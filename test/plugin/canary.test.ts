import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";

import { CANARIES, findLeaks } from "../support/canary.ts";
import type { Answer, PartnerApiServer } from "../support/partner-api-server.ts";
import { replaceAnswers, sandboxFor, WEBHOOKS } from "../support/sandbox.ts";
import {
  fromStruct,
  HOSTS,
  METHODS,
  PluginError,
  startPlugin,
  urnOf,
  type Plugin,
} from "../support/spawned-plugin.ts";
import { configFor, HOOK, KEY, LIST, runFirst, secretValue } from "./support.ts";

/** The operations that fail together: without a list, no webhook is changed. */
const FAILING = [["listWebhooks"], ["createApiKey", "deleteApiKey", "setWebhookState"]] as const;

const WORDS = Object.values(CANARIES).join(" ");
const ECHO = {
  body: JSON.stringify({ error: { message: `no: ${WORDS}` }, path: `/api-key/${CANARIES.existingKey}` }),
  headers: { "x-request-id": CANARIES.token, location: `https://x.example/?t=${CANARIES.token}` },
};

/** What a service may answer that repeats what it received; server-text.test.ts has the other spellings. */
const FAILURES: readonly (readonly [code: string, answer: Answer])[] = [
  ...[302, 403, 404, 409, 500].map((status) => ["PARTNERS_STATUS", { status, ...ECHO }] as const),
  ["PARTNERS_UNREADABLE", ECHO],
  ["PARTNERS_UNREADABLE", { body: `{"key":${WORDS}` }],
  ["PARTNERS_CONNECTION", "reset"],
];

/**
 * Runs every operation through every handler. Returns all responses, without the values that are secret in
 * the state.
 *
 * @param name The name of the key: a call about the same one goes on from what a failed one has reached.
 */
async function everything(plugin: Plugin, api: PartnerApiServer, name: string): Promise<string> {
  const common = { account: "default", server: api.url };
  const key = { ...KEY, ...common, __urn: urnOf(KEY.__provider, name) };
  const hook = { ...HOOK, ...common, stateOnDestroy: "leave" };
  const listing = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const held = { ...key, apiKey: CANARIES.existingKey, previousApiKey: CANARIES.secondToken };
  const calls = [
    plugin.check({ ...KEY, __urn: key.__urn }),
    plugin.create(key),
    plugin.update("key-1", held, { ...key, rotation: { trigger: "2", overlapDays: 1 } }),
    plugin.delete("key-1", held),
    plugin.check({ ...HOOK, webhookId: 999 }),
    plugin.create(hook),
    plugin.read("101", hook),
    plugin.update("101", hook, { ...hook, state: "active" }),
    plugin.delete("101", { ...hook, stateOnDestroy: "disabled" }),
    plugin.host === "dynamic"
      ? plugin.read("webhooks", LIST)
      : plugin.call(METHODS.invoke, listing).then((response) => fromStruct(response.getReturn())),
  ];
  return (await Promise.all(calls.map(textOf))).join("\n");
}

async function textOf(call: Promise<unknown>): Promise<string> {
  const answer = await call.catch((error: unknown) => error);
  if (!(answer instanceof PluginError)) return withoutSecrets(answer);
  return `${answer.message} ${withoutSecrets(answer.initFailure)}`;
}

/** Returns the values that the engine stores in plain text: it encrypts marked values. */
function withoutSecrets(answer: unknown): string {
  const plain = (_name: string, value: unknown) => (secretValue(value) === undefined ? value : null);
  return JSON.stringify(answer ?? null, plain);
}

/** Starts an account in which everything that can contain a secret contains one. */
async function secretAccount() {
  const api = await sandboxFor(WEBHOOKS, CANARIES.token);
  api.keys.add(CANARIES.existingKey);
  let issued = 0;
  api.answers.createApiKey = () => {
    const apiKey = `${CANARIES.existingKey}${(issued += 1)}`;
    api.keys.add(apiKey);
    return { status: 201, body: { apiKey, clientSecret: CANARIES.clientSecret } };
  };
  api.answers.listWebhooks = () => ({
    body: Array.from(api.webhooks, ([id, state]) => ({ id, state, secret: CANARIES.webhookSecret })),
  });
  const settings = {
    "partners:headers": JSON.stringify({ "X-Gateway-Key": CANARIES.header }),
    "partners:responses": '{"apiKey":"/apiKey"}',
    "partners:requestTimeout": "0.3", // Ends retries early.
  };
  return { api, config: { ...configFor(api), ...settings } };
}

describe("no response, output or debug log of the plugin contains a secret", () => {
  it.each(HOSTS)("for any response of the service, in the %s host", { timeout: 120_000 }, async (host) => {
    const { api, config } = await secretAccount();
    const plugin = await startPlugin({ host, config, env: { PARTNERS_DEBUG: "1" } });
    const answers: Record<string, string> = {};
    for (const [index, [code, answer]] of FAILURES.entries()) {
      const usual = { ...api.answers };
      for (const operations of FAILING) {
        for (const operation of operations)
          replaceAnswers(api, operation, async (perform) => {
            await perform();
            return answer;
          });
        const name = `failure-${index}-${operations[0]}`;
        answers[name] = await everything(plugin, api, name);
        Object.assign(api.answers, usual);
      }
      const texts = FAILING.map(([operation]) => answers[`failure-${index}-${operation}`]).join("\n");
      expect(texts, `failure ${index}`).toContain(`[${code}]`);
    }
    const key = await plugin.create({ ...KEY, account: "default" });
    answers["without a failure"] = withoutSecrets(key) + (await everything(plugin, api, "last"));
    plugin.kill("SIGINT");
    await plugin.ended; // Its last output may arrive after its last response.
    const places = { ...answers, stdout: plugin.stdout(), stderr: plugin.stderr() };
    expect(findLeaks(places, CANARIES)).toEqual([]);
    // The scanner works: it finds the new key and the secret next to it.
    expect(findLeaks({ created: JSON.stringify(key) }, CANARIES)).toHaveLength(2);
    for (const operation of ["createApiKey", "deleteApiKey", "listWebhooks", "disableWebhook"])
      expect(plugin.stderr()).toMatch(new RegExp(`^pulumi-partners: ${operation} .*attempt=1`, "m"));
    expect(plugin.stderr()).toContain("DELETE /api/v1/partners/api-key/{api_key} ");
  });

  it.each([
    ["an uncaught error", "setImmediate(() => { throw new Error('crash of the test'); });"],
    ["an unhandled rejection", "Promise.reject(request);"],
  ])("if %s crashes the process while it creates a key", async (_what, action) => {
    const { config } = await secretAccount();
    const env = runFirst(`
      import { subscribe } from "node:diagnostics_channel";
      subscribe("undici:request:headers", ({ request }) => { if (request.method === "POST") { ${action} } });`);
    const plugin = await startPlugin({ config, env: { PARTNERS_DEBUG: "1", ...env } });
    const text = await textOf(plugin.create(KEY));
    expect(findLeaks({ text, stdout: plugin.stdout(), stderr: plugin.stderr() }, CANARIES)).toEqual([]);
  });
});
