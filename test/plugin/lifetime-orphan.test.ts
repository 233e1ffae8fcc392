import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";

import { CALLS, said, startHeld } from "./lifetime.ts";

/** Milliseconds: longer than the plugin takes to find that its engine is gone. */
const A_LOOK_LATER = 7_000;
/** Milliseconds in which an orphan ends. */
const ORPHAN_ENDS_WITHIN = 10_000;

/** Something that listens where the engine would. */
async function startEngine(): Promise<{ address: string; close: () => void }> {
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}

describe("a plugin whose engine is gone", () => {
  it("ends by itself, and neither before nor if there never was an engine", async () => {
    const engine = await startEngine();
    const { plugin } = await startHeld({ engineAddress: engine.address });
    const { plugin: alone } = await startHeld();
    await Promise.all([CALLS.listWebhooks(plugin), CALLS.listWebhooks(alone)]); // Loads the provider.
    expect(await Promise.race([plugin.ended, alone.ended, sleep(A_LOOK_LATER, "both run")])).toBe("both run");
    engine.close();
    const late = sleep(ORPHAN_ENDS_WITHIN, "it still runs");
    expect(await Promise.race([plugin.ended, late])).toEqual({ code: null, signal: "SIGTERM" });
    await CALLS.listWebhooks(alone);
  });

  it("sees a creation through first", async () => {
    const engine = await startEngine();
    const { gate, plugin } = await startHeld({ engineAddress: engine.address });
    const held = gate.hold(1, "after");
    const created = CALLS.createApiKey(plugin);
    await held.reached;
    engine.close();
    await said(plugin, "pulumi-partners: the engine is gone; under way: 1 × createApiKey.\n");
    void held.release();
    await created;
    expect(await plugin.ended).toEqual({ code: null, signal: "SIGTERM" });
  });
});
