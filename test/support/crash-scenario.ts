import * as partners from "pulumi-partners";
import type { Sandbox } from "pulumi-partners/sandbox";

import type { Program } from "./inline-program.ts";

/** The states of the webhooks by id. */
export type States = Readonly<Record<number, partners.WebhookState>>;

/** The webhooks as they are before anything is managed. */
export const INITIAL: States = { 101: "active", 102: "active", 103: "disabled" };

/** One engine operation in the life of a stack, and what it does. */
export interface Step {
  readonly name: string;
  readonly operation: "up" | "refresh" | "destroy";
  /** The name of the one key in the stack. Another name means a new key, and the deletion of the old one. */
  readonly key: string;
  /** The states that the program asks for. */
  readonly wanted: States;
  /** What somebody else has changed just before. */
  readonly drift: States;
  /** The requests that it makes, in this order, named as by the gate. */
  readonly requests: readonly string[];
  /** The states that it leaves on the server. */
  readonly leaves: States;
}

const CREATED: States = { 101: "disabled", 102: "active", 103: "active" };
const CHANGED: States = { 101: "active", 102: "disabled", 103: "active" };
const DRIFTED: States = { ...CHANGED, 101: "disabled" };

/** One key and three webhooks, of which two differ: created, changed, refreshed after a drift, and destroyed. */
export const STEPS: readonly Step[] = [
  {
    name: "create",
    operation: "up",
    key: "checkout",
    wanted: CREATED,
    drift: {},
    requests: ["POST", "GET", "PATCH 101", "PATCH 103"],
    leaves: CREATED,
  },
  {
    name: "change",
    operation: "up",
    key: "billing",
    wanted: CHANGED,
    drift: {},
    requests: ["POST", "GET", "PATCH 101", "PATCH 102", "DELETE"],
    leaves: CHANGED,
  },
  {
    name: "refresh",
    operation: "refresh",
    key: "billing",
    wanted: CHANGED,
    drift: { 101: "disabled" },
    requests: ["GET"],
    leaves: DRIFTED,
  },
  {
    name: "destroy",
    operation: "destroy",
    key: "billing",
    wanted: CHANGED,
    drift: {},
    requests: ["GET", "PATCH 103", "PATCH 102", "PATCH 101", "DELETE"],
    leaves: INITIAL,
  },
];

/**
 * The program of a step. Each resource waits for the one before it, so that the requests come one at a time, and it is
 * certain what had happened when one of them was held.
 */
export function programOf({ key, wanted }: Step): Program {
  return () => {
    let last: partners.PartnerApiKey | partners.PartnerWebhookState = new partners.PartnerApiKey(key);
    for (const [id, state] of Object.entries(wanted)) {
      const args = { webhookId: Number(id), state, stateOnDestroy: "restore" } as const;
      last = new partners.PartnerWebhookState(`webhook-${id}`, args, { dependsOn: last });
    }
    return Promise.resolve({});
  };
}

/** The states of a sandbox's webhooks. */
export function statesOf({ webhooks }: Sandbox): States {
  return Object.fromEntries(webhooks);
}

/** A list of webhooks in these states, as a sandbox is given it. */
export function seedsOf(states: States): { webhookId: number; state: partners.WebhookState }[] {
  return Object.entries(states).map(([id, state]) => ({ webhookId: Number(id), state }));
}
