import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "pulumi-partners/sandbox";

import { CAN_FIND_PROCESSES, ended } from "../support/crash-processes.ts";
import { STEPS, type Step } from "../support/crash-scenario.ts";
import { unknownKeys } from "../support/crash-state.ts";
import { startSweep, type Sweep } from "../support/crash-sweep.ts";
import type { Result } from "../support/operation.ts";

const [CREATE] = STEPS as readonly [Step];
/** Milliseconds for the CLI to take note of a signal, as it says so nowhere but on its terminal. */
const TAKES_NOTE = 500;

describe.skipIf(!CAN_FIND_PROCESSES)("a CLI that is asked to stop while a key is being made", () => {
  let sweep: Sweep;
  beforeAll(async () => {
    sweep = await startSweep([CREATE]);
  });
  afterAll(() => sweep.dispose());

  /** Sends the signals one after the other, and only then lets the answer come. */
  async function interrupt(...signals: NodeJS.Signals[]): Promise<{ sandbox: Sandbox; result: Result }> {
    const sandbox = await sweep.begin(CREATE);
    const held = sweep.gate.hold(1, "after");
    const operation = sweep.run(CREATE);
    await held.reached;
    const { cli, plugin } = sweep.processes();
    for (const signal of signals) {
      process.kill(cli, signal);
      await sleep(TAKES_NOTE);
    }
    void held.release();
    const result = await operation;
    await ended(plugin, 10_000);
    return { sandbox, result };
  }

  it.each(["SIGINT", "SIGTERM"] as const)("waits for it after one %s, and keeps it", async (signal) => {
    const { sandbox, result } = await interrupt(signal);
    expect(result).toMatchObject({ ok: false });
    expect(result.stdout).toContain("update canceled");
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(unknownKeys(sandbox.apiKeys, await sweep.state())).toEqual([]);
    expect(await sweep.run(CREATE)).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toHaveLength(1);
  });

  // The engine no longer listens then, though the plugin waits for the answer; whether it still does is a race.
  it("says after a second signal what was under way, and the state keeps it as pending", async () => {
    const { sandbox, result } = await interrupt("SIGINT", "SIGTERM");
    expect(result).toMatchObject({ ok: false });
    const state = await sweep.state();
    const strangers = unknownKeys(sandbox.apiKeys, state);
    if (strangers.length > 0) {
      expect(result.stdout).toContain("pulumi-partners: SIGINT received; under way: 1 × createApiKey.");
      expect(state.pending).toEqual([`creating ${CREATE.key}`]);
    }
    expect(await sweep.run(CREATE)).toMatchObject({ ok: true });
    expect(await sweep.clearPendingCreates()).toMatchObject({ ok: true });
    expect(await sweep.state()).toMatchObject({ pending: [], keys: [expect.any(String)] });
    expect(sandbox.apiKeys).toHaveLength(strangers.length + 1);
  });
});
