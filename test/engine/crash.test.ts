import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { ROOT } from "../../provider/tools/checkout.ts";
import { scaled } from "../support/random.ts";
import type { LoggedRequest, Sandbox } from "../support/sandbox.ts";
import type { TestStack } from "../support/stack.ts";
import { age, sandboxStack, statesOf } from "./support.ts";

/** One operation on the stack. */
interface Step {
  readonly operation: "up" | "destroy";
  /** The name of the only key in the stack. Changing it creates a new key and deletes the old one. */
  readonly key: string;
  readonly wanted: Readonly<Record<number, partners.WebhookState>>;
  /** The requests that the operation sends, in order. */
  readonly requests: readonly string[];
  /** The request at which the first life is killed; each later life is killed at the next request. */
  readonly first: string;
}

/** 101 and 102 are separate resources; 103 and 104 form a fleet. */
const CREATED = { 101: "active", 102: "active", 103: "active", 104: "active" } as const;
const CHANGED = { ...CREATED, 102: "disabled", 103: "disabled" } as const;
const LEFT = { 101: "disabled", 102: "disabled", 103: "disabled", 104: "disabled" } as const;

const STEPS: readonly Step[] = [
  {
    operation: "up",
    key: "checkout",
    wanted: CREATED,
    requests: ["GET", "POST", "PATCH 101", "PATCH 102", "PATCH 103", "PATCH 104"],
    first: "POST",
  },
  {
    operation: "up",
    key: "billing",
    wanted: CHANGED,
    requests: ["GET", "POST", "PATCH 102", "PATCH 103", "DELETE"],
    first: "PATCH 103",
  },
  {
    operation: "destroy",
    key: "billing",
    wanted: LEFT,
    requests: ["GET", "PATCH 104", "PATCH 101", "DELETE"],
    first: "DELETE",
  },
];

/** `npm test` kills each operation once; `npm run test:long` kills it at every request. */
const LIVES = Math.min(6, scaled(1));

it(
  "after kill -9 of the CLI and the plugin in the middle of a request, repeating the operation converges",
  { timeout: LIVES * 120_000 },
  async () => {
    let [step] = STEPS;
    const { sandbox, stack } = await sandboxStack(
      () => {
        const key = new partners.PartnerApiKey(step?.key ?? "");
        // Each resource depends on the one before it, which fixes the order of the requests.
        let last: partners.PartnerApiKey | partners.PartnerWebhookState = key;
        const { 103: one, 104: other, ...wanted } = step?.wanted ?? {};
        const stateOnDestroy = "disabled";
        for (const [id, state] of Object.entries(wanted)) {
          const args = { webhookId: Number(id), state, stateOnDestroy } as const;
          last = new partners.PartnerWebhookState(`webhook-${id}`, args, { dependsOn: last });
        }
        const states = { ...(one && { 103: one }), ...(other && { 104: other }) };
        new partners.PartnerWebhookStates("fleet", { states, stateOnDestroy }, { dependsOn: last });
        return Promise.resolve({ apiKey: key.apiKey });
      },
      { webhooks: { 101: "disabled", 102: "disabled", 103: "disabled", 104: "disabled" } },
      { env: { PARTNERS_MAX_CONNECTIONS: "1" } },
    );

    for (let life = 0; life < LIVES; life++) {
      for (step of STEPS) {
        const { operation, key, wanted, requests, first } = step;
        const index = (requests.indexOf(first) + life) % requests.length;
        const at = `${operation} of ${key}, killed at ${requests[index] ?? ""}`;
        const sent = await kill(sandbox, stack, operation, index);
        expect(sent, at).toEqual(requests.slice(0, index + 1));

        // The recovery that docs/troubleshooting.md describes.
        expect((await stack[operation]()).error, at).toContain("pulumi cancel");
        await stack.pulumi("cancel", "--yes");
        // A 404 for a key of the last two minutes proves nothing.
        if (requests[index] === "DELETE") await age(stack.statePath, 1);
        const createsTwice = requests[index] === "POST";
        if (createsTwice) {
          expect(await stack.stateFile()).toContain("pending_operations");
          expect(await stack.refresh({ flags: ["--clear-pending-creates"] })).toMatchObject({ ok: true });
        }
        expect(await stack[operation](), at).toMatchObject({ ok: true });

        // The only possible loss is a key that was created but not yet saved in the state. A person has to
        // revoke it.
        const known = operation === "up" ? [(await stack.outputs())["apiKey"]] : [];
        const orphans = sandbox.apiKeys.filter((apiKey) => !known.includes(apiKey));
        expect(orphans, at).toHaveLength(createsTwice ? 1 : 0);
        const headers = { authorization: `Bearer ${sandbox.accessToken}` };
        for (const orphan of orphans)
          await fetch(`${sandbox.url}/api/v1/partners/api-key/${orphan}`, { method: "DELETE", headers });
        expect([sandbox.apiKeys, statesOf(sandbox)], at).toEqual([known, wanted]);
      }
    }
  },
);

it("a killed rotation in place leaves a third key, and the pipeline names the resource before the engine forgets it", async () => {
  let trigger = "a";
  const { sandbox, stack } = await sandboxStack(() => {
    new partners.PartnerApiKey("checkout", { rotation: { trigger, overlapDays: 5 } });
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  const [tracked = ""] = sandbox.apiKeys;
  trigger = "b";
  expect(await kill(sandbox, stack, "up", 1)).toEqual(["GET", "POST"]);
  await stack.pulumi("cancel", "--yes");

  const script = join(ROOT, "examples/pipeline/ci/interrupted.ts");
  const input = await stack.pulumi("stack", "export");
  const { status, stdout } = spawnSync(process.execPath, [script], { input, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stdout).toContain("checkout, interrupted while updating");
  const created = `${new Date().toISOString().slice(0, 10)}T`;
  expect(stdout).toContain(`checkout: ends in ${tracked.slice(-4)}, created ${created}`);
  const again = await stack.up();
  expect(again).toMatchObject({ ok: true });
  expect(again.stdout).toContain("checkout, interrupted while updating");
  expect(sandbox.apiKeys).toHaveLength(3);
  expect(await stack.stateFile()).not.toContain("pending_operations");
});

/** Starts an operation and kills it at a request. @returns The requests until then. */
async function kill(
  sandbox: Sandbox,
  stack: TestStack,
  operation: Step["operation"],
  index: number,
): Promise<string[]> {
  sandbox.clearRequests();
  const held = sandbox.hold(index);
  // The event log may be cut off in the middle of a line.
  const interrupted = stack[operation]().catch(() => null);
  await Promise.race([held.reached, interrupted]);
  const sent = sandbox.requests.map(nameOf);
  for (const pid of enginesBelow(process.pid)) process.kill(pid, "SIGKILL");
  expect((await interrupted)?.ok).not.toBe(true);
  return sent;
}

/** Returns the method of a request, followed by the webhook ID if the path has one. */
function nameOf({ method, path }: LoggedRequest): string {
  return [method, ...(/(?<=\/webhooks\/)\d+/.exec(path) ?? [])].join(" ");
}

/**
 * Finds the CLI that a process started, with all its descendants. Other tests run the same programs, so names
 * alone cannot tell.
 */
function enginesBelow(ancestor: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => {
    const [pid, parent, ...command] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), command: command.join(" ") };
  });
  const below = (ancestors: readonly number[]): number[] => {
    const children = processes.filter(({ parent }) => ancestors.includes(parent)).map(({ pid }) => pid);
    return children.length === 0 ? [] : [...children, ...below(children)];
  };
  const engines = processes.filter(({ parent, command }) => parent === ancestor && /\bpulumi$/.test(command));
  return engines.flatMap(({ pid }) => [pid, ...below([pid])]);
}
