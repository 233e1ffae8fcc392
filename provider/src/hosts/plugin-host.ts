import { AsyncLocalStorage } from "node:async_hooks";

import type * as Grpc from "@grpc/grpc-js";

import type { Properties, ResourceHandlers } from "../handlers/contract.js";
import { createHandlers, type PartnerHandlers } from "../handlers/create-handlers.js";
import { PluginProcess } from "../handlers/process.js";
import { EngineLog } from "./engine-log.js";
import { Lifetime, type Stopping } from "./lifetime.js";
import {
  renderError,
  renderNotice,
  renderProgress,
  renderWait,
  renderWaitEnd,
  type MessageContext,
} from "./messages.js";

/** What a host knows about one call of the engine. */
export type CallFacts = Pick<MessageContext, "urn" | "resource" | "lastUp">;

/** What differs between the hosts. */
export interface HostOptions {
  /**
   * The engine's address as host and port. Without one, as in a test, messages go to stderr, and signals are not handled.
   */
  readonly engine: string | undefined;
  /** Loads the gRPC library when the first message is sent. */
  readonly grpc: () => typeof Grpc;
  /** Whether the engine passes the URN of the resource with each call. */
  readonly knowsUrns: boolean;
  /** See {@link Stopping}. */
  readonly finish?: Stopping["finish"];
}

/** The parts that both hosts share: the handlers of one plugin process, its lifetime and its messages to the engine. */
export class PluginHost {
  readonly plugin: PluginProcess;
  readonly handlers: PartnerHandlers;
  readonly lifetime = new Lifetime();
  readonly #log: EngineLog;
  readonly #calls = new AsyncLocalStorage<CallState>();
  readonly #reportedErrors = new Set<string>();

  constructor({ engine, grpc, knowsUrns, finish }: HostOptions) {
    this.#log = new EngineLog(engine, grpc);
    this.plugin = new PluginProcess({
      signal: this.lifetime.signal,
      warn: (notice) => {
        this.#log.warn(renderNotice(notice, this.#messageContext()), this.#call);
      },
      progress: (progress) => {
        const { total } = progress;
        const render = (done: number): string => renderProgress({ ...progress, done }, !knowsUrns);
        this.#showStatus(render(progress.done), render(total));
      },
      onWait: (wait) => {
        this.#showStatus(renderWait(wait), renderWaitEnd(wait));
      },
      log: (line) => {
        this.#log.info(line, this.#call);
      },
    });
    this.handlers = createHandlers(this.plugin);
    if (engine === undefined) return;
    const report = (message: string): void => {
      this.#log.info(message, {});
    };
    this.lifetime.watch(engine, { pendingOperations: () => this.plugin.pendingOperations, report, finish });
  }

  /** Handles a call from the engine. The engine receives all messages of the call before its response. */
  handleCall<Result>(call: CallFacts, handle: () => Promise<Result>): Promise<Result> {
    const state: CallState = { ...call, finalStatus: null };
    return this.lifetime.trackCall(async () => {
      try {
        const result = await this.#calls.run(state, handle);
        // The engine shows the last status until all resources are done.
        if (state.finalStatus !== null) this.#log.status(state.finalStatus, call);
        return result;
      } finally {
        await this.#log.flush();
      }
    });
  }

  /** Checks inputs. An error in the check is reported as a problem with the inputs. */
  async check(
    resource: () => ResourceHandlers,
    olds: Properties,
    news: Properties,
  ): Promise<{ readonly inputs: Properties; readonly reasons: string[] }> {
    try {
      const { inputs, problems } = await resource().check(olds, news, this.#call.urn);
      return {
        inputs,
        reasons: problems.map((problem) =>
          typeof problem === "string" ? problem : this.describeError(problem),
        ),
      };
    } catch (error) {
      return { inputs: news, reasons: [this.describeError(error)] };
    }
  }

  /** Returns the message that the user sees. @param call The call that failed. @default the current call */
  describeError(error: unknown, call: CallFacts = this.#call): string {
    return renderError(error, this.#messageContext(call));
  }

  /** The current call; empty outside of one. */
  get #call(): CallFacts {
    return this.#calls.getStore() ?? {};
  }

  #messageContext(call: CallFacts = this.#call): MessageContext {
    const { account, isExplicit } = this.plugin;
    return {
      explicit: isExplicit,
      reportedErrors: this.#reportedErrors,
      ...(isExplicit && { account }),
      ...call,
    };
  }

  /** Shows a status. @param final The status that replaces it once the call has succeeded. */
  #showStatus(status: string, final: string): void {
    const call = this.#calls.getStore();
    if (call) call.finalStatus = final === status ? null : final;
    this.#log.status(status, call ?? {});
  }
}

/** A call while it runs. */
interface CallState extends CallFacts {
  /** The status to show when the call has succeeded; `null` if it is already shown. */
  finalStatus: string | null;
}

/** A value that can be sent to the engine: JSON, without anything that gRPC's `Struct` rejects. */
export type Wire = null | boolean | number | string | Wire[] | { [name: string]: Wire };

/**
 * Converts a value for the engine. `undefined` becomes `null`: returned by `create`, it would cause a failure *after* the key was
 * created; in an initialization failure, it would hang the engine. An output that is left out would be unknown in every preview.
 */
export function toWire(value: unknown): Wire {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object") return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toWire(member)]));
}
