import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { CALLS, EFFECTS, said, startHeld } from "./lifetime.ts";
import { errorOf } from "./partners.ts";

/** Milliseconds after which a process with nothing to wait for would have ended. */
const LONGER_THAN_IDLE = 500;

describe("a creation that is in flight when the plugin is told to stop", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("is awaited on %s, and its key returned", async (signal) => {
    const { sandbox, gate, plugin } = await startHeld();
    const held = gate.hold(1, "after");
    const created = CALLS.createApiKey(plugin);
    await held.reached;
    plugin.kill(signal);
    await said(plugin, `pulumi-partners: ${signal} received; under way: 1 × createApiKey.\n`);
    plugin.kill(signal); // As somebody without patience does.
    await sleep(LONGER_THAN_IDLE);
    void held.release();
    expect([(await created).properties["apiKey"]]).toEqual(sandbox.apiKeys);
    expect(await plugin.ended).toEqual({ code: null, signal });
  });

  it("is given up after requestTimeout, with the news that a key may exist", async () => {
    const { sandbox, gate, plugin } = await startHeld({ config: { "partners:requestTimeout": "1" } });
    const held = gate.hold(1, "after");
    const created = CALLS.createApiKey(plugin);
    await held.reached;
    plugin.kill("SIGTERM");
    expect((await errorOf(created)).message).toContain(
      "no answer came in time. A key may exist on the server that no stack knows of.",
    );
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
    expect(sandbox.apiKeys).toHaveLength(1);
  });

  it("holds up nothing else, and nothing is begun beside it", async () => {
    const { sandbox, gate, plugin } = await startHeld();
    const held = gate.hold(1, "after");
    const created = CALLS.createApiKey(plugin);
    await held.reached;
    plugin.kill("SIGTERM");
    await said(plugin, "under way: 1 × createApiKey");
    for (const { call } of [...EFFECTS, { call: "createApiKey" } as const]) {
      expect((await errorOf(CALLS[call](plugin))).message).toContain(
        "the process was told to stop before anything was sent. Nothing was changed on the server.",
      );
    }
    expect(gate.requests).toEqual(["POST"]);
    void held.release();
    await created;
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("is not lost when its answer comes at the same moment as the signal", async () => {
    const { sandbox, gate, plugin } = await startHeld();
    const held = gate.hold(1, "after");
    const created = CALLS.createApiKey(plugin);
    await held.reached;
    plugin.kill("SIGSTOP"); // The process will find both when it wakes up.
    await held.release();
    plugin.kill("SIGTERM");
    plugin.kill("SIGCONT");
    expect([(await created).properties["apiKey"]]).toEqual(sandbox.apiKeys);
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
  });
});
