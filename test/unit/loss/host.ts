import type { PluginCalls } from "../../support/plugin-process.ts";
import { PluginError, type InitFailure } from "../../support/plugin-process.ts";

/** A plugin process as the engine uses it: a real one, or its handlers in this process. Configured already. */
export interface Host extends Omit<PluginCalls, "configure"> {
  /** Ends the process. */
  close(): Promise<void>;
}

/** What a call of a {@link Host} is rejected with when a handler fails. */
export interface HostFailure {
  readonly message: string;
  /** The resource that is kept all the same. */
  readonly initFailure: InitFailure | undefined;
}

/** A handler that runs in this process has failed. */
export class HandlerError extends Error implements HostFailure {
  readonly initFailure: InitFailure | undefined;

  constructor(message: string, initFailure?: InitFailure) {
    super(message);
    this.initFailure = initFailure;
  }
}

/** How a call ended. */
export type Outcome<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly failure: HostFailure };

/** Waits for a call. Rejects with whatever is no failure of a handler, as that is a bug of the test. */
export async function outcomeOf<Value>(call: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    if (error instanceof HandlerError || error instanceof PluginError) return { ok: false, failure: error };
    throw error;
  }
}
