import type { LoggedRequest } from "../../../provider/src/sandbox/index.js";
import type { Outcome } from "./host.ts";
import type { Service } from "./service.ts";
import type { Call } from "./stack-state.ts";

/** The services by the name of the account that has its resources there. */
export type Services = ReadonlyMap<string, Service>;

/** A call that has ended. */
export interface Done {
  readonly call: Call;
  readonly outcome: Outcome<unknown>;
  /** Whether nothing was wrong with the account, so that the call had to succeed. */
  readonly healthy: boolean;
}

/** What one service saw of some calls. */
export interface Seen {
  readonly service: Service;
  readonly requests: readonly LoggedRequest[];
  /** Keys that are there now and were not before. */
  readonly created: readonly string[];
  /** Keys that were there before and are gone. */
  readonly removed: readonly string[];
  /** Webhooks whose state was changed. */
  readonly changed: readonly number[];
}

/** Calls that ran at the same time, and all that the services saw meanwhile. */
export interface Evidence {
  readonly done: readonly Done[];
  readonly seen: ReadonlyMap<string, Seen>;
}

/** An invariant does not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Begins to watch. @returns what ends it, and says what was seen. */
export function watch(services: Services): () => ReadonlyMap<string, Seen> {
  const before = new Map<string, readonly string[]>();
  for (const [account, { sandbox }] of services) {
    sandbox.clearRequests();
    before.set(account, sandbox.apiKeys);
  }
  return () => {
    const seen = new Map<string, Seen>();
    for (const [account, service] of services) {
      const [then, now] = [new Set(before.get(account)), new Set(service.sandbox.apiKeys)];
      const { requests } = service.sandbox;
      seen.set(account, {
        service,
        requests,
        created: [...now].filter((key) => !then.has(key)),
        removed: [...then].filter((key) => !now.has(key)),
        changed: requests.filter(({ effect }) => effect).flatMap(({ path }) => webhookIn(path)),
      });
    }
    return seen;
  };
}

function webhookIn(path: string): number[] {
  const id = /\/webhooks\/(\d+)\//.exec(path)?.[1];
  return id === undefined ? [] : [Number(id)];
}
