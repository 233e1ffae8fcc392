import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import type { PartnerApiServer } from "../support/partner-api-server.ts";
import { holdAnswer, replaceAnswers } from "../support/sandbox.ts";
import { HOSTS, type Plugin } from "../support/spawned-plugin.ts";
import { created, errorOf, HOOK, KEY, loggingEngine, plain, runFirst, start, until } from "./support.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** An answer that never comes. */
const NEVER = new Promise<never>(() => undefined);

describe.each(HOSTS)("a plugin of the %s host that receives a signal", (host) => {
  it.each(SIGNALS)("ends on %s without output if nothing is in flight", async (signal) => {
    const { plugin } = await start({ host });
    await plugin.read("101", { __provider: HOOK.__provider }); // Leaves a connection open.
    plugin.kill(signal);
    expect(await plugin.ended).toEqual({ code: 128 + constants.signals[signal], signal: null });
    expect(plugin.stdout() + plugin.stderr()).toBe("");
  });

  it("ends on Ctrl-Break, which Windows delivers as SIGBREAK", async () => {
    // No other platform has this signal, so another one stands in for it.
    const env = runFirst('process.on("SIGUSR2", () => process.emit("SIGBREAK"))');
    const { plugin } = await start({ host, env });
    await plugin.read("101", { __provider: HOOK.__provider });
    plugin.kill("SIGUSR2");
    expect(await plugin.ended).toEqual({ code: 149, signal: null });
    expect(plugin.stdout() + plugin.stderr()).toBe("");
  });

  it("ends the calls in flight, and reports what may have changed", async () => {
    const { api, plugin } = await start({ host });
    const hook = await created(plugin, HOOK);
    const outputs = { ...KEY, account: "default", server: api.url, apiKey: "a-key-that-is-in-the-state" };
    replaceAnswers(api, "setWebhookState", () => NEVER);
    replaceAnswers(api, "deleteApiKey", () => NEVER);
    api.requests.length = 0;
    const calls = Promise.all([
      errorOf(plugin.update(hook.id, hook.outputs, { ...hook.inputs, state: "active" })),
      errorOf(plugin.delete("key-1", outputs)),
    ]);
    await until(() => api.requests.length === 2);
    plugin.kill("SIGINT");
    const [change, deletion] = await calls;
    expect(change.message).toMatch(/may have.*\[PARTNERS_INTERRUPTED\]$/s);
    expect(change.initFailure).toMatchObject({ id: "101", properties: { state: null } });
    expect(deletion.message).toMatch(/may (?:already )?(?:have|be).*\[PARTNERS_INTERRUPTED\]$/);
    expect(await plugin.ended).toEqual({ code: 130, signal: null });
  });
});

/** Starts a change without an answer. It fails as soon as the plugin knows that it must end. */
async function startChange(api: PartnerApiServer, plugin: Plugin) {
  replaceAnswers(api, "setWebhookState", () => NEVER);
  const change = { failure: errorOf(plugin.create(HOOK)) };
  await until(() => api.requests.some((request) => request.startsWith("PATCH")));
  return change;
}

describe.each(HOSTS)("a creation in flight in the %s host", (host) => {
  it.each(SIGNALS)("completes after %s, even if it is repeated, and returns its key", async (signal) => {
    const { api, plugin } = await start({ host });
    const held = holdAnswer(api, "createApiKey");
    const creation = plugin.create(KEY);
    await held.reached;
    const change = await startChange(api, plugin);
    plugin.kill(signal);
    await change.failure;
    plugin.kill(signal); // An impatient user repeats Ctrl-C.
    for (const call of [plugin.create(KEY), plugin.create(HOOK)]) await errorOf(call);
    expect(api.requests, "no new call starts").toHaveLength(3);
    await sleep(500); // Longer than a plugin that has nothing in flight takes to end.
    held.release();
    expect(plain((await creation).properties)["apiKey"]).toBe([...api.keys][0]);
    expect(await plugin.ended).toEqual({ code: 128 + constants.signals[signal], signal: null });
  });

  it("is not lost if its response arrives at the same moment as the signal", async () => {
    const { api, plugin } = await start({ host });
    const held = holdAnswer(api, "createApiKey");
    const creation = plugin.create(KEY);
    await held.reached;
    plugin.kill("SIGSTOP"); // The process finds both when it resumes.
    held.release();
    plugin.kill("SIGTERM");
    plugin.kill("SIGCONT");
    expect(plain((await creation).properties)["apiKey"]).toBe([...api.keys][0]);
    expect(await plugin.ended).toEqual({ code: 143, signal: null });
  });

  it("completes if the engine is gone; then, the plugin ends", async () => {
    const engine = await loggingEngine();
    const { api, plugin } = await start({ host, engineAddress: engine.address });
    const held = holdAnswer(api, "createApiKey");
    const creation = plugin.create(KEY);
    await held.reached;
    const change = await startChange(api, plugin);
    engine.close();
    await change.failure;
    held.release();
    expect(plain((await creation).properties)["apiKey"]).toBe([...api.keys][0]);
    expect(await plugin.ended).toEqual({ code: 1, signal: null });
  });
});

it.each(HOSTS)("an idle plugin of the %s host ends when the engine is gone", async (host) => {
  const engine = await loggingEngine();
  const { plugin } = await start({ host, engineAddress: engine.address });
  await plugin.read("101", { __provider: HOOK.__provider }); // Loads the provider.
  engine.close();
  expect(await plugin.ended).toEqual({ code: 1, signal: null });
});
