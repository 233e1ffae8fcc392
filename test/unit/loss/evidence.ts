import type { LoggedRequest, WebhookState } from "../../support/sandbox.ts";
import type { Properties } from "../../support/plugin-process.ts";
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
  /** Whether the engine never heard how it ended. */
  readonly lost: boolean;
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
  /** The states of all webhooks when it began. */
  readonly webhooksBefore: ReadonlyMap<number, WebhookState>;
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

/** What a call leaves in the state; `null` if it leaves the state as it was. */
export function leftBy({ outcome }: Done): Properties | null {
  if (!outcome.ok) return outcome.failure.initFailure?.properties ?? null;
  return (outcome.value as { properties?: Properties } | undefined)?.properties ?? null;
}

/** The id of the resource that a call is about, or has made. */
export function idOf({ call, outcome }: Done): string {
  if (call.id !== "") return call.id;
  return outcome.ok ? (outcome.value as { id: string }).id : (outcome.failure.initFailure?.id ?? "");
}

/** Begins to watch. @returns what ends it, and says what was seen. */
export function watch(services: Services): () => ReadonlyMap<string, Seen> {
  const before = new Map<string, { keys: readonly string[]; webhooks: Map<number, WebhookState> }>();
  for (const [account, { sandbox }] of services) {
    sandbox.clearRequests();
    before.set(account, { keys: sandbox.apiKeys, webhooks: new Map(sandbox.webhooks) });
  }
  return () => {
    const seen = new Map<string, Seen>();
    for (const [account, service] of services) {
      const { keys, webhooks: webhooksBefore } = before.get(account) ?? { keys: [], webhooks: new Map() };
      const [then, now] = [new Set(keys), new Set(service.sandbox.apiKeys)];
      const { requests } = service.sandbox;
      seen.set(account, {
        service,
        requests,
        created: [...now].filter((key) => !then.has(key)),
        removed: [...then].filter((key) => !now.has(key)),
        changed: requests.filter(({ effect }) => effect).flatMap(({ path }) => webhookIn(path)),
        webhooksBefore,
      });
    }
    return seen;
  };
}

function webhookIn(path: string): number[] {
  const id = /\/webhooks\/(\d+)\//.exec(path)?.[1];
  return id === undefined ? [] : [Number(id)];
}
