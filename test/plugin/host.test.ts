import { describe, expect, it } from "vitest";

import { PARTNER_WEBHOOK_STATES } from "../../provider/src/registration.js";
import {
  configFor,
  errorOf,
  HOOK,
  KEY,
  LIST,
  loggingEngine,
  plain,
  pluginFor,
  secretValue,
  start,
  takeRequests,
  until,
} from "./support.ts";
import { HOSTS, urnOf, type Plugin, type Properties } from "../support/spawned-plugin.ts";

/** A part of a key, a stack trace, a path of a file, or a path of a request that may hold a key. */
const PRIVATE = /canary|\n\s+at |\.[jt]s\b|api-key\/(?!\{api_key\})/;

it("a failed check names no property, because the engine would print its value", async () => {
  const { plugin } = await start();
  for (const [resource, news] of [
    ["a webhook", { ...HOOK, state: "s3cret" }],
    ["a key", { ...KEY, rotation: { days: "s3cret", overlapDays: 1 } }],
  ] as const) {
    const { failures } = await plugin.check(news);
    const properties = failures.map(({ property }) => property);
    expect(properties, resource).toEqual([""]);
    expect(JSON.stringify(failures), resource).not.toContain("s3cret");
  }
});

it("a deletion with a 404 causes one warning for each key, on stderr if no engine listens", async () => {
  const { plugin } = await start();
  const held = { ...KEY, apiKey: "no-such-key-0123456789abcdef0123456789" };
  await plugin.delete("key-1", held);
  await plugin.delete("key-1", held);
  await until(() => plugin.stderr().endsWith("\n"));
  expect(plugin.stderr()).toMatch(/^pulumi-partners: key sha256:[0-9a-f]{16} was not found, so it .*\n$/);
});

it("responses contain no undefined values if the inputs and the state are incomplete", async () => {
  const { plugin } = await start();
  const [key, hook] = [{ __provider: KEY.__provider }, { __provider: HOOK.__provider, webhookId: 101 }];
  expect((await plugin.create(key)).properties).toMatchObject({ ...key, account: null });
  const updated = await plugin.update("key-1", { ...key, apiKey: "k" }, key);
  expect(updated.properties).toMatchObject({ apiKey: "k" });
  const found = await plugin.read("101", { ...hook, state: "active", account: "default" });
  expect(found).toMatchObject({ inputs: { stateOnDestroy: "leave" } });
  const { properties } = await plugin.update("101", hook, { ...hook, state: "active" });
  expect(properties).toMatchObject({ state: "active", initialState: null, stateOnDestroy: "leave" });
});

it("a state that the native plugin wrote gets __provider from an update, which sends nothing else", async () => {
  const { sandbox, plugin: native } = await start({}, { host: "native" });
  const plugin = await pluginFor({ config: configFor(sandbox) });
  const { __provider } = PARTNER_WEBHOOK_STATES;
  const fleet = { __provider, states: { 102: "disabled" }, others: "leave", stateOnDestroy: "restore" };
  for (const inputs of [KEY, HOOK, { ...fleet, account: "default" }]) {
    const { id, properties } = await native.create(inputs);
    const written = plain(properties);
    expect(written).not.toHaveProperty("__provider"); // Without it, the host can neither read nor delete.
    takeRequests(sandbox);
    expect(await plugin.diff(id, written, inputs)).toMatchObject({ changes: true, replaces: [] });
    const mended = (await plugin.update(id, written, inputs)).properties;
    expect(mended).toEqual({ ...written, __provider: inputs.__provider });
    expect(await plugin.diff(id, mended, inputs)).toMatchObject({ changes: false });
    expect(takeRequests(sandbox)).toBe("");
  }
  // A change is made as always.
  const { properties } = await plugin.update(
    "101",
    { ...HOOK, __provider: null },
    { ...HOOK, state: "active" },
  );
  expect(properties).toMatchObject({ __provider: HOOK.__provider, state: "active" });
  expect(sandbox.webhooks.get(101)).toBe("active");
});

it("an error contains no stack trace, path of a file or key, and mentions the last up only if no program runs", async () => {
  const apiKey = "canary-key-0123456789";
  for (const [step, status, mentionsLastUp, call] of [
    ["list", 401, false, (plugin) => plugin.read("webhooks", LIST)],
    ["get", 403, false, (plugin) => plugin.read("102", { __provider: HOOK.__provider })],
    ["refresh", 404, true, (plugin) => plugin.read("101", HOOK)],
    ["destroy", 401, true, (plugin) => plugin.delete("key-1", { ...KEY, apiKey })],
  ] satisfies [string, number, boolean, (plugin: Plugin) => Promise<unknown>][]) {
    // Of each run, because a run tells in full only the first error that resources have in common.
    const { sandbox, plugin } = await start({ apiKeys: [apiKey] });
    sandbox.inject({ kind: "status", status, times: Infinity });
    const { message, initFailure } = await errorOf(call(plugin));
    expect(message, step).toContain(`the server returned ${status}.`);
    expect(message, step).toMatch(/\[PARTNERS_STATUS\]$/);
    expect(message.includes("--run-program"), step).toBe(mentionsLastUp);
    expect(message, step).not.toMatch(PRIVATE);
    expect(initFailure, step).toBeUndefined();
    expect(plugin.stdout() + plugin.stderr()).not.toMatch(PRIVATE);
  }
});

describe.each(HOSTS)("in the %s host", (host) => {
  it("a key is created, refreshed, rotated in place twice and deleted, without unnecessary requests", async () => {
    const { sandbox, plugin } = await start({}, { host });
    const inputs = (trigger: string) => ({ ...KEY, rotation: { trigger, overlapDays: 7 } });
    const held = (outputs: Properties): Properties => ({ __provider: KEY.__provider, ...plain(outputs) });
    const { id, properties } = await plugin.create(inputs("1"));
    const first = held(properties);
    const [key1 = ""] = sandbox.apiKeys;
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(first).toMatchObject({ apiKey: key1, hint: key1.slice(-4), server: sandbox.url });
    expect(first["fingerprint"]).toMatch(/^sha256:[0-9a-f]{16}$/);
    const response = { body: JSON.stringify({ apiKey: key1 }), encoding: "utf8", complete: true };
    expect(first["response"]).toEqual(response);
    expect(takeRequests(sandbox), "creation").toBe("POST");

    const found = await plugin.read(id, first);
    expect([found.id, held(found.properties)], "refresh").toEqual([id, first]);
    expect(await plugin.diff(id, first, inputs("1")), "no change").toMatchObject({ changes: false });
    const due = await plugin.diff(id, first, inputs("2"));
    expect(due, "a new trigger").toMatchObject({ changes: true, replaces: [] });
    expect(takeRequests(sandbox), "refresh and diff").toBe("");

    const second = held((await plugin.update(id, first, inputs("2"))).properties);
    const [, key2] = sandbox.apiKeys;
    expect(second, "first rotation").toMatchObject({ apiKey: key2, previousApiKey: key1 });
    expect(takeRequests(sandbox), "first rotation").toBe("POST");
    // A rotation during the overlap first deletes the oldest key, so there are never more than two.
    const third = held((await plugin.update(id, second, inputs("3"))).properties);
    const rotated = { apiKey: sandbox.apiKeys[1], previousApiKey: key2 };
    expect(third, "second rotation").toMatchObject(rotated);
    expect(takeRequests(sandbox), "second rotation").toBe("DELETE POST");
    await plugin.delete(id, third);
    expect(sandbox.apiKeys, "deletion").toEqual([]);
    expect(takeRequests(sandbox), "deletion").toBe("DELETE DELETE");
  });

  it("an ID alone is enough to read a webhook, a key from the environment, and a fleet by its account", async () => {
    const OLD_KEY = "old-key-0123456789abcdef";
    const { sandbox, plugin } = await start({ apiKeys: [OLD_KEY] }, { host, env: { OLD_KEY } });
    const webhook = await plugin.read("103", { __provider: HOOK.__provider });
    const observed = { webhookId: 103, state: "disabled", initialState: "disabled" };
    expect(webhook).toMatchObject({ id: "103", properties: observed });
    expect(takeRequests(sandbox)).toBe("GET");

    const key = await plugin.read("env:OLD_KEY", { __provider: KEY.__provider });
    const held = { ...KEY, ...plain(key.properties) };
    expect(key.id).toBe("env:OLD_KEY");
    expect(held).toMatchObject({ apiKey: OLD_KEY, previousApiKey: null });
    expect(await plugin.diff(key.id, held, KEY)).toMatchObject({ changes: false });
    await plugin.delete(key.id, held);
    expect(sandbox.apiKeys).toEqual([]);

    const { __provider } = PARTNER_WEBHOOK_STATES;
    const fleet = await plugin.read("default", { __provider });
    expect(fleet.properties).toMatchObject({ states: Object.fromEntries(sandbox.webhooks) });
  });

  it("a creation whose response is cut off is sent once, and its response stays in the state", async () => {
    const { sandbox, plugin } = await start({ faults: [{ kind: "truncate", bytes: 19 }] }, { host });
    const { __provider } = KEY;
    const { message, initFailure } = await errorOf(plugin.create({ __provider }));
    expect(message).toMatch(/^A key was created at .*UNREADABLE\]$/);
    expect(takeRequests(sandbox)).toBe("POST");
    const { id = "", properties = {}, reasons } = initFailure ?? {};
    expect(reasons).toEqual([message]); // The engine shows the reasons.
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    const response = { body: '{"apiKey":"pk_live_', encoding: "utf8", complete: false };
    expect(plain(properties)).toMatchObject({ account: null, apiKey: null, response });
    expect(secretValue(properties["response"]) !== undefined).toBe(host === "native");
    // Without __provider, the resource could never be deleted.
    expect(properties["__provider"]).toBe(host === "dynamic" ? __provider : undefined);
    const deletion = await errorOf(plugin.delete(id, { __provider, ...plain(properties) }));
    expect(deletion.message).toMatch(/\[PARTNERS_UNREADABLE\]$/);
  });

  it("debug lines reach the user as information", async () => {
    const { address: engineAddress, messages } = await loggingEngine();
    const { plugin } = await start({}, { host, engineAddress, env: { PARTNERS_DEBUG: "1" } });
    await plugin.create(KEY);
    const urn = host === "native" ? urnOf(KEY.__provider) : "";
    const line = /^(pulumi-partners: )?createApiKey POST .* status=201 attempt=1 ms=\d+$/;
    const message = expect.stringMatching(line) as string;
    expect(messages).toEqual([expect.objectContaining({ severity: 1, ephemeral: false, urn, message })]);
    expect(plugin.stderr()).toBe("");
  });

  it("the progress of a change to many webhooks appears as a status", async () => {
    const { address: engineAddress, messages } = await loggingEngine();
    const config = { "partners:maxConnections": "1" };
    const { plugin } = await start({ delay: 150 }, { host, config, engineAddress });
    const states = { 101: "disabled", 102: "disabled", 103: "active" };
    const { __provider } = PARTNER_WEBHOOK_STATES;
    await plugin.create({ __provider, states, others: "leave", stateOnDestroy: "leave", account: "default" });
    // The dynamic host does not know the URN.
    const [urn, text] =
      host === "native" ? [urnOf(__provider), "webhooks"] : ["", 'webhooks in the account "default"'];
    expect(messages[0]).toMatchObject({ ephemeral: true, urn });
    // A busy machine shows every step, an idle one fewer.
    const shown = messages.map(({ message }) => message);
    for (const message of shown.slice(0, -1)) expect(message).toMatch(new RegExp(`^[123]/3 ${text}$`));
    expect(shown.at(-1)).toBe("done"); // It stays until all resources are done.
  });

  // gRPC cannot encode lone surrogates: one host would end, with all keys in flight, and the other would
  // never respond.
  it("an error that is cut within a character, or contains half of one, is reported", async () => {
    const { sandbox, plugin } = await start({}, { host });
    for (const message of [`No! ${"😀".repeat(99)}`, "No \ud83d"]) {
      sandbox.inject({ kind: "status", status: 400, body: JSON.stringify({ message }), times: Infinity });
      const { message: reported } = await errorOf(plugin.create(KEY, { deadlineMs: 5000 }));
      expect(reported).toMatch(/\[PARTNERS_STATUS\]$/);
      sandbox.clearFaults();
    }
    expect((await plugin.create(KEY)).id).toMatch(/^key-/);
  });
});
