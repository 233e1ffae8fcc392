import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Fault } from "../support/sandbox.ts";

import { CALLS, EFFECTS, untilAsked } from "./lifetime.ts";
import { configFor, errorOf, KEY, pluginFor, sandboxFor, start } from "./partners.ts";
import type { Plugin } from "../support/plugin-process.ts";

/**
 * Milliseconds. What is waited for here would take 30 s or 60 s. On an idle machine it is 3 to 20 ms, and that no time at
 * all is needed shows lifetime-waits.test.ts, which does not depend on what else the machine has to do.
 */
const STOPS_WITHIN = 2_000;

const LATER = { "retry-after": "60" };

/** Stops the plugin while a call is under way. @returns how the call failed, and after how many milliseconds. */
async function stop(plugin: Plugin, call: Promise<unknown>): Promise<{ message: string; ms: number }> {
  const startedAt = performance.now();
  plugin.kill("SIGTERM");
  const { message } = await errorOf(call);
  return { message, ms: performance.now() - startedAt };
}

describe("a plugin that is told to stop", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends on %s as any process does, and without a word, when nothing is under way",
    async (signal) => {
      const { plugin } = await start();
      await CALLS.listWebhooks(plugin); // Leaves an open connection behind.
      const startedAt = performance.now();
      plugin.kill(signal);
      expect(await plugin.ended).toEqual({ code: null, signal });
      expect(plugin.stderr()).toBe("");
      expect(performance.now() - startedAt).toBeLessThan(STOPS_WITHIN);
    },
  );

  it("leaves the code that Node has compiled for the next one", async () => {
    const cache = await mkdtemp(join(tmpdir(), "partners-cache-"));
    onTestFinished(() => rm(cache, { recursive: true }));
    const sandbox = await sandboxFor();
    const plugin = await pluginFor({ config: configFor(sandbox), env: { NODE_COMPILE_CACHE: cache } });
    await CALLS.listWebhooks(plugin);
    plugin.kill("SIGINT");
    await plugin.ended;
    const compiled = await readdir(cache, { recursive: true });
    expect(compiled.length).toBeGreaterThan(100); // The SDK's host alone loads some 800 modules.
  });

  it.each(EFFECTS)("does not wait for the next attempt of $call", async ({ call, effect }) => {
    const fault: Fault = { kind: "status", operation: call, status: 503, headers: LATER, effect: true };
    const { sandbox, plugin } = await start({ faults: [fault] });
    const pending = CALLS[call](plugin);
    await untilAsked(sandbox, call, 503);
    const { message, ms } = await stop(plugin, pending);
    expect(message).toContain("the process was told to stop before there was an answer");
    expect(message).toContain(effect);
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(plugin.stderr()).toContain(`pulumi-partners: SIGTERM received; under way: 1 × ${call}.\n`);
    expect(ms).toBeLessThan(STOPS_WITHIN);
  });

  it.each(EFFECTS)("gives up $call in flight and says what it may have done", async ({ call, effect }) => {
    const fault: Fault = { kind: "hang", at: "headers", operation: call, effect: true };
    const { sandbox, plugin } = await start({ faults: [fault] });
    const pending = CALLS[call](plugin);
    await untilAsked(sandbox, call, null);
    const { message, ms } = await stop(plugin, pending);
    expect(message).toContain("the process was told to stop before there was an answer");
    expect(message).toContain(effect);
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(plugin.stderr()).toContain(`pulumi-partners: SIGTERM received; under way: 1 × ${call}.\n`);
    expect(ms).toBeLessThan(STOPS_WITHIN);
  });

  it("lets nobody wait any longer at the rate limit", async () => {
    const { sandbox, plugin } = await start({ faults: [{ kind: "rateLimit", retryAfter: 60 }] });
    const refused = CALLS.createApiKey(plugin);
    await untilAsked(sandbox, "createApiKey", 429);
    const queued = errorOf(CALLS.createApiKey(plugin));
    await plugin.check(KEY); // When it is answered, the creation before it has reached the queue.
    const { message, ms } = await stop(plugin, refused);
    expect(message).toContain("Nothing was changed on the server.");
    expect((await queued).message).toContain("before anything was sent. Nothing was changed on the server.");
    expect(sandbox.apiKeys).toEqual([]);
    expect(ms).toBeLessThan(STOPS_WITHIN);
  });

  it("sends nothing that waits for a place", async () => {
    const fault: Fault = { kind: "hang", at: "headers", operation: "listWebhooks" };
    const { sandbox, plugin } = await start({ faults: [fault] }, { "partners:maxConnections": "1" });
    const hanging = errorOf(CALLS.listWebhooks(plugin));
    await untilAsked(sandbox, "listWebhooks", null);
    const queued = CALLS.createApiKey(plugin);
    await plugin.check(KEY);
    const { message, ms } = await stop(plugin, queued);
    expect(message).toContain("before anything was sent. Nothing was changed on the server.");
    await hanging;
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(sandbox.requests.map(({ operation }) => operation)).toEqual(["listWebhooks"]);
    expect(ms).toBeLessThan(STOPS_WITHIN);
  });
});
