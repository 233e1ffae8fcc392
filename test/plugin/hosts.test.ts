import { describe, expect, it } from "vitest";

import { HOSTS, urnOf, type Plugin, type Properties } from "../support/spawned-plugin.ts";
import { refuse, replaceAnswers } from "../support/sandbox.ts";
import { errorOf, FLEET, HOOK, KEY, LIST, loggingEngine, plain, secretValue, start } from "./support.ts";

const ALONE = { __provider: HOOK.__provider };

describe.each(HOSTS)("in the %s host", (host) => {
  it("an ID alone is enough to read a webhook, and to see that there is none", async () => {
    const { plugin } = await start({ host });
    const webhook = await plugin.read("103", ALONE);
    expect(webhook).toMatchObject({ id: "103", properties: { webhookId: 103, state: "disabled" } });
    expect((await errorOf(plugin.read("999", ALONE))).message).toContain("Existing webhooks: 101, 102, 103.");
  });

  it("a failed creation that reached something stays in the state, and is not repeated", async () => {
    const { api, plugin } = await start({ host });
    replaceAnswers(api, "createApiKey", () => ({ status: 201, body: { mystery: "k3y-0123456789abcdef" } }));
    const args = { ...KEY, __urn: urnOf(KEY.__provider) };
    const { inputs } = await plugin.check(args);
    const { message, initFailure } = await errorOf(plugin.create({ ...args, ...inputs }));
    expect(message).toMatch(/\/mystery.*\[PARTNERS_UNREADABLE\]$/);
    const { id = "", properties = {}, reasons } = initFailure ?? {};
    expect(reasons).toEqual([message]); // The engine shows the reasons.
    const response = { body: '{"mystery":"k3y-0123456789abcdef"}', encoding: "utf8", isCutOff: false };
    const outputs = { apiKey: null, response, account: "default", server: api.url };
    expect(plain(properties)).toMatchObject(outputs);
    expect(secretValue(properties["response"])).toBeDefined();
    // Without __provider, the resource could never be deleted.
    expect(properties["__provider"]).toBe(host === "dynamic" ? KEY.__provider : undefined);
    api.requests.length = 0;
    const repeated = await errorOf(plugin.create({ ...args, ...inputs })); // By a retry hook.
    expect([repeated.initFailure?.id, api.requests]).toEqual([id, []]);
  });

  it("a failed check names no property, because the engine would print its value", async () => {
    const { plugin } = await start({ host });
    for (const news of [
      { ...HOOK, state: "s3cret" },
      { ...KEY, rotation: { days: "s3cret", overlapDays: 1 } },
    ]) {
      const { failures } = await plugin.check(news);
      expect(failures.map(({ property }) => property)).toEqual([""]);
      expect(JSON.stringify(failures)).not.toContain("s3cret");
    }
  });

  it.each<[what: string, args: Properties, problem: string]>([
    ["the state of a webhook", { ...HOOK, state: "paused" }, 'state must be "active" or "disabled".'],
    ["the others of a fleet", { ...FLEET, others: "on" }, "others must be"],
    [
      "the age of a key",
      { ...KEY, rotation: { afterDays: 0, overlapDays: 0 } },
      "rotation.afterDays must be",
    ],
    ["an argument that does not exist", { ...KEY, days: 1 }, 'PartnerApiKey has no argument "days"'],
  ])(
    "a policy that sets %s wrongly after the check fails the change, and nothing is sent",
    async (_, args, problem) => {
      const { api, plugin } = await start({ host });
      const olds = { ...args, account: "default", apiKey: "k".repeat(20) };
      for (const call of [plugin.create(args), plugin.update("1", olds, args)]) {
        const { message, initFailure } = await errorOf(call);
        expect(message).toContain(problem);
        expect(message).toMatch(/If the program is right, a policy has changed .* \[PARTNERS_RESOURCE\]$/);
        expect(initFailure).toBeUndefined();
      }
      expect(api.requests).toEqual([]);
    },
  );

  it("a check refuses a webhook that another resource declares", async () => {
    const { plugin } = await start({ host });
    const check = (name: string) => plugin.check({ ...HOOK, __urn: urnOf(HOOK.__provider, name) });
    expect((await check("orders")).failures).toEqual([]);
    expect(JSON.stringify((await check("refunds")).failures)).toContain("declared twice");
  });

  it("responses contain no undefined values if the inputs and the state are incomplete", async () => {
    const { api, plugin } = await start({ host });
    const hook = { ...ALONE, webhookId: 101 };
    expect((await plugin.create(KEY)).properties).toMatchObject({ previousApiKey: null });
    const key = { ...KEY, apiKey: "k".repeat(20), server: api.url };
    const updated = await plugin.update("key-1", key, KEY);
    expect(plain(updated.properties)).toMatchObject({ apiKey: "k".repeat(20), createdAt: null });
    const found = await plugin.read("101", { ...hook, state: "active", account: "default" });
    expect(found).toMatchObject({ inputs: { stateOnDestroy: "leave" } });
    const { properties } = await plugin.update("101", hook, { ...hook, state: "active" });
    expect(properties).toMatchObject({ state: "active", stateOnDestroy: "leave" });
  });

  it("debug lines, progress and warnings reach the engine in order, before the response", async () => {
    const { address: engineAddress, messages } = await loggingEngine();
    const { api, plugin } = await start({ host, engineAddress, env: { PARTNERS_DEBUG: "1" } });
    const [urn, sender] = host === "native" ? [urnOf(KEY.__provider), ""] : ["", "pulumi-partners: "];
    const like = (severity: number, ephemeral: boolean, text: string): unknown =>
      expect.objectContaining({ severity, ephemeral, urn, message: expect.stringMatching(text) as string });
    await plugin.create({ ...KEY, account: "default" });
    expect(messages.splice(0)).toEqual([
      like(1, false, `^${sender}listWebhooks GET .* status=200 attempt=1 ms=\\d+$`),
      like(1, false, `^${sender}createApiKey POST .* status=201 attempt=1 ms=\\d+$`),
    ]);
    refuse(api, "deleteApiKey", 503);
    await plugin.delete("key-1", { ...KEY, apiKey: "no-such-key-0123456789abcdef" });
    expect(messages).toContainEqual(like(1, true, "retrying in"));
    expect(messages).toContainEqual(like(2, false, "key …cdef"));
    expect(plugin.stderr()).toBe("");
  });
});

it.each<[what: string, status: number, namesLastUp: boolean, call: (plugin: Plugin) => Promise<unknown>]>([
  ["the list", 401, false, (plugin) => plugin.read("webhooks", LIST)],
  ["an import", 403, false, (plugin) => plugin.read("102", ALONE)],
  ["a refresh", 404, true, (plugin) => plugin.read("101", { ...HOOK, account: "default" })],
  ["a deletion", 401, true, (plugin) => plugin.delete("key-1", { ...KEY, apiKey: "canary-key-0123456789" })],
])(
  "the dynamic host prints no error of %s itself, which with a %i names --run-program: %s",
  async (_what, status, namesLastUp, call) => {
    const { api, plugin } = await start();
    for (const operation of ["listWebhooks", "deleteApiKey"] as const)
      refuse(api, operation, status, Infinity);
    const { message, initFailure } = await errorOf(call(plugin));
    expect(message).toMatch(new RegExp(`the server returned ${status}.*\\[PARTNERS_STATUS\\]$`));
    expect([message.includes("--run-program"), initFailure]).toEqual([namesLastUp, undefined]);
    plugin.kill("SIGINT");
    await plugin.ended;
    expect(plugin.stdout() + plugin.stderr()).toBe("");
  },
);
