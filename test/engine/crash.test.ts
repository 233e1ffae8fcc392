import { execFileSync } from "node:child_process";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { scaled } from "../support/random.ts";
import type { LoggedRequest } from "../support/sandbox.ts";
import { revoke, sandboxStack, statesOf } from "./support.ts";

/** An operation in the life of a stack. */
interface Step {
  readonly operation: "up" | "destroy";
  /** The name of the one key in the stack. Another name means a new key, and the deletion of the old one. */
  readonly key: string;
  readonly wanted: Readonly<Record<number, partners.WebhookState>>;
  /** What it asks of the server, in this order. */
  readonly requests: readonly string[];
  /** The request at which the first kill happens; later ones happen at those that follow. */
  readonly first: string;
}

/** 101 and 102 are resources of their own; 103 and 104 are a fleet. */
const CREATED = { 101: "active", 102: "active", 103: "active", 104: "active" } as const;
const CHANGED = { ...CREATED, 102: "disabled", 103: "disabled" } as const;
const LEFT = { 101: "disabled", 102: "disabled", 103: "disabled", 104: "disabled" } as const;

const STEPS: readonly Step[] = [
  {
    operation: "up",
    key: "checkout",
    wanted: CREATED,
    requests: ["POST", "GET", "PATCH 101", "PATCH 102", "PATCH 103", "PATCH 104"],
    first: "POST",
  },
  {
    operation: "up",
    key: "billing",
    wanted: CHANGED,
    requests: ["POST", "GET", "PATCH 102", "PATCH 103", "DELETE"],
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

/** `npm test` kills once in each step, `npm run test:long` at every request. */
const LIVES = Math.min(6, scaled(1));

it(
  "after kill -9 of CLI and plugin at a request that has had its effect, the same operation again converges",
  { timeout: LIVES * 120_000 },
  async () => {
    let [step] = STEPS;
    const { sandbox, stack } = await sandboxStack(
      () => {
        const key = new partners.PartnerApiKey(step?.key ?? "");
        // Each waits for the one before it, so that it is certain what had happened when a request was held.
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
      { webhooks: [101, 102, 103, 104].map((webhookId) => ({ webhookId, state: "disabled" })) },
      { env: { PARTNERS_MAX_CONNECTIONS: "1" } },
    );

    for (let life = 0; life < LIVES; life++) {
      for (step of STEPS) {
        const { operation, key, wanted, requests, first } = step;
        const index = (requests.indexOf(first) + life) % requests.length;
        const at = `${operation} of ${key}, killed at ${requests[index] ?? ""}`;
        sandbox.clearRequests();
        const held = sandbox.hold(index);
        const interrupted = stack[operation]().catch(() => null); // The event log may end in the middle of a line.
        await Promise.race([held.reached, interrupted]);
        expect(sandbox.requests.map(nameOf), at).toEqual(requests.slice(0, index + 1));
        for (const pid of enginesBelow(process.pid)) process.kill(pid, "SIGKILL");
        expect((await interrupted)?.ok, at).not.toBe(true);

        // The way out, as docs/reliability.md tells it.
        expect((await stack[operation]()).error, at).toContain("pulumi cancel");
        await stack.pulumi("cancel", "--yes");
        const again = await stack[operation]();
        expect(again, at).toMatchObject({ ok: true });
        const doubled = requests[index] === "POST";
        if (doubled) {
          expect(again.stdout).toContain(`${key}, interrupted while creating`);
          expect(await stack.refresh({ flags: ["--clear-pending-creates"] })).toMatchObject({ ok: true });
        }

        // The only loss: a key whose creation was answered and not yet in the state. A person revokes it.
        const known = operation === "up" ? [(await stack.outputs())["apiKey"]] : [];
        const strangers = sandbox.apiKeys.filter((apiKey) => !known.includes(apiKey));
        expect(strangers, at).toHaveLength(doubled ? 1 : 0);
        for (const stranger of strangers) await revoke(sandbox, stranger);
        expect([sandbox.apiKeys, statesOf(sandbox)], at).toEqual([known, wanted]);
      }
    }
  },
);

/** The method, and the webhook's id where there is one. */
function nameOf({ method, path }: LoggedRequest): string {
  return [method, ...(/(?<=\/webhooks\/)\d+/.exec(path) ?? [])].join(" ");
}

/** The CLI that runs below a process, and all that it has started; found by parentage, as other tests run the same programs. */
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
