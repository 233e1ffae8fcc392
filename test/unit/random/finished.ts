import type { Entry, Operation, Program } from "./engine.ts";
import type { Service } from "./service.ts";

/** What people know: what was reported so far, and what they did themselves. */
export interface Known {
  /** Valid keys that are in no state. */
  readonly lost: Set<string>;
  /** Deleted keys that are in a state. */
  readonly gone: Set<string>;
  /** Webhooks that may have changed since the last refresh without the stack. */
  readonly drifted: Set<number>;
}

/** A finished operation, with the stack and the service before it and now. */
export interface Finished extends Operation {
  readonly before: {
    /** What each resource was. */
    readonly stack: ReadonlyMap<Entry, Entry>;
    readonly webhooks: ReadonlyMap<number, unknown>;
  };
  readonly stack: readonly Entry[];
  readonly program: Program;
  readonly service: Service;
  /** Whether `responses.apiKeyId` was set. */
  readonly isIdChosen: boolean;
  /** The time when the operation has begun and ended. */
  readonly began: number;
  readonly now: number;
}

/** Whether a command is about a resource: without `--target`, about all. */
export function isTargeted({ command: { target } }: Finished, name: string): boolean {
  return target === undefined || target === name;
}
