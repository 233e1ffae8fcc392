import { expect } from "vitest";
import type { Sandbox } from "pulumi-partners/sandbox";

import type { HoldPoint } from "./crash-gate.ts";
import { ended, killAtOnce } from "./crash-processes.ts";
import { INITIAL, statesOf, STEPS, type Step } from "./crash-scenario.ts";
import { unknownKeys } from "./crash-state.ts";
import type { Sweep } from "./crash-sweep.ts";
import { scaled } from "./scale.ts";

/** Who is killed. With `"cli"` the plugin lives on: its request goes through, and it has nobody to tell. */
export type Victim = "plugin" | "cli" | "both";

/** One kill at one request of the scenario. */
export interface CrashCase {
  readonly step: Step;
  /** The request, as the gate names it. */
  readonly request: string;
  /** Where it is in its step, counted from 1. */
  readonly n: number;
  readonly point: HoldPoint;
  readonly victim: Victim;
}

/** What a crash leaves behind although everything converged. */
export interface Cost {
  /** Keys on the server that no state knew of, until they were revoked by hand. */
  readonly unknownKeys: number;
  /** Webhooks of which the state before they were managed is no longer known. */
  readonly forgotten: readonly number[];
}

/**
 * Each request of the scenario, held at each of the points; a GET has no effect, so for it one point is enough. With a
 * scale below 1, so large a part of them, evenly spread.
 */
export function crashCases(
  victim: Victim,
  ...points: HoldPoint[]
): { title: string; crashCase: CrashCase }[] {
  const all = STEPS.flatMap((step) =>
    step.requests.flatMap((request, index) =>
      (request === "GET" ? points.slice(0, 1) : points).map((point): CrashCase => {
        return { step, request, n: index + 1, point, victim };
      }),
    ),
  );
  const share = Math.min(1, scaled(all.length) / all.length);
  return all
    .filter((_, index) => Math.floor((index + 1) * share) > Math.floor(index * share))
    .map((crashCase) => ({ title: titleOf(crashCase), crashCase }));
}

function titleOf({ step, request, point, victim }: CrashCase): string {
  const when =
    victim === "cli" ? "goes through afterwards" : point === "before" ? "has no effect" : "has its effect";
  return `${step.name}, at a ${request} that ${when}`;
}

/**
 * What must be lost, and no more. The answer to a creation is the only copy of a key, and the state in which a webhook was
 * found is known only to the process that found it; both are gone if they have not reached the state file.
 */
export function inevitableCost({ step, request, point, victim }: CrashCase): Cost {
  const effect = point === "after" || victim === "cli";
  const [method, webhook] = request.split(" ");
  return {
    unknownKeys: effect && method === "POST" ? 1 : 0,
    forgotten: effect && method === "PATCH" && step.name === "create" ? [Number(webhook)] : [],
  };
}

/** Kills, recovers as a user would, and requires that state and server agree in the end. */
export async function crash(sweep: Sweep, crashCase: CrashCase): Promise<Cost> {
  const { step, request, n, point, victim } = crashCase;
  const sandbox = await sweep.begin(step);
  const before = await sweep.state();
  const held = sweep.gate.hold(n, point);
  const operation = sweep.run(step).catch(() => null); // The event log of a killed CLI may end in the middle of a line.
  expect(await Promise.race([held.reached, operation])).toBe(request);
  const { cli, plugin } = sweep.processes();
  try {
    if (victim !== "plugin") killAtOnce(cli);
    if (victim !== "cli") killAtOnce(plugin);
    else void held.release();
    expect((await operation)?.ok).not.toBe(true);
    const interrupted = await sweep.state();
    const known = sandbox.apiKeys.filter((key) => unknownKeys([key], before).length === 0);
    expect(unknownKeys(known, interrupted), "keys that the state has lost").toEqual([]);
    await recover(sweep, crashCase);
  } finally {
    killAtOnce(plugin);
    await ended(plugin, 5000);
  }

  const { initial, ...state } = await sweep.state();
  const strangers = unknownKeys(sandbox.apiKeys, { initial, ...state });
  for (const key of strangers) await revoke(sandbox, key);
  await expectAgreement(sweep, step, sandbox);
  const forgotten = Object.keys(initial)
    .map(Number)
    .filter((id) => initial[id] !== INITIAL[id]);
  return { unknownKeys: strangers.length, forgotten };
}

/** The way out, as docs/reliability.md tells it. */
async function recover(sweep: Sweep, { step, request, n, victim }: CrashCase): Promise<void> {
  if (victim !== "plugin") {
    if (n === 1) await expectLocked(sweep, step); // Once a step is enough: it is Pulumi's doing.
    expect(await sweep.cancel()).toMatchObject({ code: 0 });
  }
  const again = await sweep.run(step);
  expect(again).toMatchObject({ ok: true });
  // What tells people to look for a key that nobody knows.
  if (victim !== "plugin" && request === "POST")
    expect(again.stdout).toContain(`${step.key}, interrupted while creating`);
  const { pending } = await sweep.state();
  if (pending.length > 0) expect(await sweep.clearPendingCreates()).toMatchObject({ ok: true });
}

async function expectLocked(sweep: Sweep, step: Step): Promise<void> {
  const locked = await sweep.run(step);
  expect(locked).toMatchObject({ ok: false });
  expect(locked.stderr).toMatch(/the stack is currently locked .* `pulumi cancel`/);
}

/** What a person does at the service with a key that is in no state. */
async function revoke(sandbox: Sandbox, key: string): Promise<void> {
  const { ok } = await fetch(`${sandbox.url}/api/v1/partners/api-key/${encodeURIComponent(key)}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${sandbox.accessToken}` },
  });
  expect(ok).toBe(true);
}

/** State = server = what the step was to bring about, and there is nothing more to do. */
async function expectAgreement(sweep: Sweep, step: Step, sandbox: Sandbox): Promise<void> {
  const state = await sweep.state();
  const gone = step.operation === "destroy";
  expect(statesOf(sandbox)).toEqual(step.leaves);
  expect(state.webhooks).toEqual(gone ? {} : step.leaves);
  expect(state.pending).toEqual([]);
  expect(unknownKeys(sandbox.apiKeys, state)).toEqual([]);
  expect([sandbox.apiKeys.length, state.keys.length]).toEqual(gone ? [0, 0] : [1, 1]);
  if (!gone) expect(await sweep.run(step, "--expect-no-changes")).toMatchObject({ ok: true });
}
