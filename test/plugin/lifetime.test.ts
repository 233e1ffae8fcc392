import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";

import { errorOf, HOOK, KEY, loggingEngine, plain, start, until } from "./support.ts";
import { HOSTS, type Properties } from "../support/spawned-plugin.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Milliseconds. Without the signal, the calls in these tests would take 30 s or more. */
const AT_ONCE = 2_000;
/** Milliseconds after which an idle process would have ended. */
const LONGER_THAN_IDLE = 500;
/** Milliseconds in which a plugin notices that its engine is gone: two polls, 3 s apart. */
const ORPHAN_ENDS_WITHIN = 12_000;

describe.each(HOSTS)("a plugin of the %s host that receives a signal", (host) => {
  it.each(SIGNALS)(
    "ends on %s like any other process, without output, if nothing is in flight",
    async (signal) => {
      const { plugin } = await start({}, { host });
      await plugin.read("101", { ...HOOK, state: "active" }); // Leaves a connection open.
      const stoppedAt = performance.now();
      plugin.kill(signal);
      expect(await plugin.ended).toEqual({ code: 128 + constants.signals[signal], signal: null });
      expect(performance.now() - stoppedAt).toBeLessThan(AT_ONCE);
      expect(plugin.stdout() + plugin.stderr()).toBe("");
    },
  );

  it("does not report a list in flight, which a preview may have given up", async () => {
    const faults = [{ kind: "hang", at: "headers", operation: "listWebhooks" }] as const;
    const { sandbox, plugin } = await start({ faults }, { host });
    const read = errorOf(plugin.read("101", { ...HOOK, state: "active" }));
    await until(() => sandbox.requests.length === 1);
    plugin.kill("SIGINT");
    expect((await read).message).toContain("[PARTNERS_INTERRUPTED]");
    expect(await plugin.ended).toEqual({ code: 130, signal: null });
    expect(plugin.stderr()).not.toContain("Stopping");
  });

  it("ends changes in flight and reports what may have changed", async () => {
    const hang = { kind: "hang", at: "headers", effect: true } as const;
    const faults = (["disableWebhook", "deleteApiKey"] as const).map((operation) => ({ ...hang, operation }));
    const { sandbox, plugin } = await start({ faults }, { host });
    const calls = Promise.all([
      errorOf(plugin.create(HOOK)),
      errorOf(plugin.delete("key-1", { ...KEY, apiKey: "a-key-that-is-in-state" })),
    ]);
    await until(() => sandbox.requests.filter(({ method }) => method !== "GET").length === 2);
    const stoppedAt = performance.now();
    plugin.kill("SIGINT");
    const [change, deletion] = await calls;
    expect(change.message).toMatch(/The webhook may have been changed\..*\[PARTNERS_INTERRUPTED\]$/);
    expect(change.initFailure).toMatchObject({ id: "101", properties: { initialState: "active" } });
    expect(deletion.message).toMatch(
      /The key may already be deleted\. Run the same command again\..*\[PARTNERS_INTERRUPTED\]$/,
    );
    expect(await plugin.ended).toEqual({ code: 130, signal: null });
    expect(performance.now() - stoppedAt).toBeLessThan(AT_ONCE);
    expect(plugin.stderr()).toMatch(
      /^pulumi-partners: Stopping\. Not finished: deleting 1 key, changing 1 webhook\. /,
    );
  });
});

describe.each(HOSTS)("a creation in flight in the %s host when the signal arrives", (host) => {
  const keysIn = ({ properties }: { properties: Properties }) => [plain(properties)["apiKey"]];

  it.each(SIGNALS)("completes after %s, even if it is repeated, and returns its key", async (signal) => {
    const { address: engineAddress, messages } = await loggingEngine();
    const { sandbox, plugin } = await start({}, { host, engineAddress });
    const held = sandbox.hold();
    const created = plugin.create(KEY);
    await held.reached;
    plugin.kill(signal);
    await until(() => messages.length > 0);
    const shown = { severity: 1, ephemeral: false, urn: "" };
    expect(messages).toMatchObject([
      { ...shown, message: expect.stringContaining("A key is being") as string },
    ]);
    plugin.kill(signal); // An impatient user repeats Ctrl-C.
    await sleep(LONGER_THAN_IDLE);
    for (const call of [plugin.create(KEY), plugin.create(HOOK)]) await errorOf(call);
    expect(sandbox.requests).toHaveLength(1); // No new call starts.
    void held.release();
    expect(keysIn(await created)).toEqual(sandbox.apiKeys);
    expect(await plugin.ended).toEqual({ code: 128 + constants.signals[signal], signal: null });
  });

  it("is not lost if its response arrives at the same moment as the signal", async () => {
    const { sandbox, plugin } = await start({}, { host });
    const held = sandbox.hold();
    const created = plugin.create(KEY);
    await held.reached;
    plugin.kill("SIGSTOP"); // The process finds both when it resumes.
    await held.release();
    plugin.kill("SIGTERM");
    plugin.kill("SIGCONT");
    expect(keysIn(await created)).toEqual(sandbox.apiKeys);
    expect(await plugin.ended).toEqual({ code: 143, signal: null });
  });
});

describe("a plugin whose engine is gone", () => {
  it("ends after a creation in flight, but continues for a minute if there never was an engine", async () => {
    const engine = createServer((socket) => socket.on("error", () => undefined).resume());
    engine.listen(0, "127.0.0.1");
    await once(engine, "listening");
    onTestFinished(() => void engine.close());
    const engineAddress = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
    const [idle, native, creating, alone] = await Promise.all([
      start({}, { engineAddress }),
      start({}, { engineAddress, host: "native" }),
      start({}, { engineAddress }),
      start(),
    ]);
    const held = creating.sandbox.hold();
    const created = creating.plugin.create(KEY);
    // Loads the provider.
    await Promise.all([held.reached, idle.plugin.read("101", HOOK), alone.plugin.read("101", HOOK)]);
    engine.close();
    const late = sleep(ORPHAN_ENDS_WITHIN, "it still runs");
    for (const [name, { plugin }] of Object.entries({ idle, native }))
      expect(await Promise.race([plugin.ended, late]), name).toEqual({ code: 1, signal: null });
    await sleep(LONGER_THAN_IDLE);
    void held.release();
    expect([(await created).properties["apiKey"]]).toEqual(creating.sandbox.apiKeys);
    const ended = await Promise.race([creating.plugin.ended, late]);
    expect(ended, "creating").toEqual({ code: 1, signal: null });
    await alone.plugin.read("101", HOOK);
  });
});
