import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";

import { SECRET_OUTPUTS } from "../../provider/src/registration.js";
import { CANARIES, findLeaks } from "../support/canary.ts";
import type { Answer, PartnerApiServer } from "../support/partner-api-server.ts";
import { replaceAnswers, sandboxFor, WEBHOOKS } from "../support/sandbox.ts";
import { fromStruct, HOSTS, PluginError, urnOf, type Host, type Plugin } from "../support/spawned-plugin.ts";
import { configFor, HOOK, KEY, LIST, pluginFor, secretValue } from "./support.ts";

/** The operations that fail together: without a list, no webhook is changed. */
const FAILING = [["listWebhooks"], ["createApiKey", "deleteApiKey", "setWebhookState"]] as const;

/** The secrets in the four usual spellings, as a service may echo what it received. */
const WORDS = Object.values(CANARIES).flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("base64url"),
]);
const ECHO = {
  body: JSON.stringify({ error: { message: `no: ${WORDS.join(" ")}` }, path: `/api-key/${WORDS.join("/")}` }),
  headers: {
    "x-request-id": CANARIES.token,
    "retry-after": "0",
    location: `https://x.example/?t=${CANARIES.token}`,
  },
};

type Failure = readonly [code: string, answer: () => Answer | Promise<Answer>];

const FAILURES: readonly Failure[] = [
  ...[302, 400, 401, 403, 404, 409, 500].map((status): Failure => [
    "PARTNERS_STATUS",
    () => ({ status, ...ECHO }),
  ]),
  ...WORDS.slice(0, 4).map((word): Failure => [
    "PARTNERS_STATUS",
    () => ({ status: 422, body: { message: `The key ${word} is not known.` } }),
  ]),
  ["PARTNERS_UNREADABLE", () => ECHO],
  ["PARTNERS_UNREADABLE", () => ({ body: `{"key":${WORDS.join(" ")}` })],
  ["PARTNERS_UNREADABLE", () => ({ body: `<!doctype html><p>${WORDS.join(" ")}` })],
  ["PARTNERS_CONNECTION", () => "reset"],
  ["PARTNERS_TIMEOUT", () => new Promise<never>(() => undefined)],
];

/**
 * Runs every operation through every handler. Returns all responses, without the values that are secret in
 * the state.
 *
 * @param name The name of the key: a call about the same one goes on from what a failed one has reached.
 */
async function everything(plugin: Plugin, api: PartnerApiServer, name: string): Promise<string> {
  const { host } = plugin;
  const common = { account: "default", server: api.url };
  const key = { ...KEY, ...common, __urn: urnOf(KEY.__provider).replace(/name$/, name) };
  const hook = { ...HOOK, ...common, stateOnDestroy: "leave" };
  const listing = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const held = { ...key, apiKey: CANARIES.existingKey, previousApiKey: CANARIES.secondToken };
  const answers = [
    plugin.check({ ...KEY, __urn: key.__urn }),
    plugin.create(key),
    plugin.update("key-1", held, { ...key, rotation: { trigger: "2", overlapDays: 1 } }),
    plugin.delete("key-1", held),
    plugin.check({ ...HOOK, webhookId: 999 }),
    plugin.create(hook),
    plugin.read("101", hook),
    plugin.update("101", hook, { ...hook, state: "active" }),
    plugin.delete("101", { ...hook, stateOnDestroy: "disabled" }),
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

/** Starts an account in which everything that can contain a secret contains one. */
async function secretAccount(): Promise<PartnerApiServer> {
  const api = await sandboxFor(WEBHOOKS, CANARIES.token);
  api.keys.add(CANARIES.existingKey);
  const { createApiKey, listWebhooks } = api.answers;
  const adding = async (usual: () => Answer | Promise<Answer>, change: (body: never) => unknown) => {
    const answer = await usual();
    return answer === "reset" ? answer : { ...answer, body: change(answer.body as never) };
  };
  api.answers.createApiKey = () =>
    adding(createApiKey, (body: object) => ({ ...body, clientSecret: CANARIES.clientSecret }));
  api.answers.listWebhooks = () =>
    adding(listWebhooks, (list: object[]) => list.map((one) => ({ ...one, secret: CANARIES.webhookSecret })));
  return api;
}

const HEADERS = { "partners:headers": JSON.stringify({ "X-Gateway-Key": CANARIES.header }) };

describe("no response, output or debug log of the plugin contains a secret", () => {
  it.each(HOSTS)("for any response of the service, in the %s host", { timeout: 120_000 }, async (host) => {
    const api = await secretAccount();
    const settings = { "partners:requestTimeout": "0.3", "partners:responses": '{"apiKey":"/apiKey"}' };
    const config = { ...configFor(api), ...settings, ...HEADERS };
    const plugin = await pluginFor({ host, config, env: { PARTNERS_DEBUG: "1" } });
    const created = new Set<string>();
    const answers: Record<string, string> = {};
    for (const [index, [code, answer]] of FAILURES.entries()) {
      for (const operations of FAILING) {
        const usual = { ...api.answers };
        for (const operation of operations)
          replaceAnswers(api, operation, async (perform) => {
            await perform();
            return answer();
          });
        const name = `failure-${index}-${operations[0]}`;
        answers[name] = await everything(plugin, api, name);
        for (const key of api.keys) created.add(key);
        Object.assign(api.answers, usual);
      }
      const texts = FAILING.map(([operation]) => answers[`failure-${index}-${operation}`]).join("\n");
      expect(texts, `failure ${index}`).toMatch(new RegExp(`\\[${code}\\]`));
    }
    const key = await plugin.create({ ...KEY, account: "default" });
    answers["without a failure"] = withoutSecrets(key, host) + (await everything(plugin, api, "last"));
    for (const one of api.keys) created.add(one);

    const keys = Object.fromEntries([...created].map((one, index) => [`key ${index}`, one]));
    const secrets = { ...CANARIES, ...keys };
    await plugin.close(); // Its last output may arrive after its last response.
    // The scanner works: it finds the new key and the secrets next to it.
    expect(findLeaks({ created: JSON.stringify(key) }, secrets).length).toBeGreaterThan(1);
    expect(findLeaks({ ...answers, stdout: plugin.stdout(), stderr: plugin.stderr() }, secrets)).toEqual([]);
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
    const api = await secretAccount();
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(code)}`; // Runs the code first.
    const env = { PARTNERS_DEBUG: "1", NODE_OPTIONS };
    const plugin = await pluginFor({ config: { ...configFor(api), ...HEADERS }, env });
    const text = await textOf(plugin.create(KEY), "dynamic");
    const [, key = ""] = api.keys;
    const places = { text, stdout: plugin.stdout(), stderr: plugin.stderr() };
    expect(findLeaks(places, { ...CANARIES, key })).toEqual([]);
  });
});
