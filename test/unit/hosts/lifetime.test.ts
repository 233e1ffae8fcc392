import { connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";

vi.mock("node:net", { spy: true });

it("a process whose engine was never reached ends after a minute without a call", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  const signals = ["SIGINT", "SIGTERM"] as const;
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.resetModules();
    exit.mockRestore();
    for (const [signal, before] of listeners)
      for (const listener of process.listeners(signal))
        if (!before.includes(listener)) process.off(signal, listener);
  });
  vi.resetModules(); // Another test file of this worker may have loaded the module without the spy.
  const { Lifetime } = await import("../../../provider/src/hosts/lifetime.js");
  const lifetime = new Lifetime();
  lifetime.watch(
    "127.0.0.1:1",
    () => undefined,
    () => Promise.resolve(),
  );
  /** Waits until the address has refused the last connection, and starts the next one. */
  const poll = async (times: number): Promise<void> => {
    for (let left = times; left > 0; left -= 1) {
      const socket = vi.mocked(connect).mock.results.at(-1)?.value as ReturnType<typeof connect>;
      if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
      await vi.advanceTimersByTimeAsync(3_000);
    }
  };
  await poll(19);
  await lifetime.trackCall(() => Promise.resolve());
  await poll(19);
  expect(lifetime.ending.aborted).toBe(false);
  await poll(2);
  expect(lifetime.ending.aborted).toBe(true);
  await vi.waitFor(() => {
    expect(exit).toHaveBeenCalledWith(1);
  });
});
