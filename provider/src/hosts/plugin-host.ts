import type * as Grpc from "@grpc/grpc-js";

import type { Properties, ResourceHandlers } from "../handlers/contract.js";
import { createHandlers, type PartnerHandlers } from "../handlers/create-handlers.js";
import { PluginProcess } from "../handlers/process.js";
import { EngineLog } from "./engine-log.js";
import { Lifetime } from "./lifetime.js";
import { renderError, renderNotice, renderProgress, renderWait, type MessageContext } from "./messages.js";
import { openRunJournal } from "./run-journal.js";

/** The parts that both hosts share: the handlers of one plugin process, its lifetime and its messages to the engine. */
export class PluginHost {
  readonly plugin: PluginProcess;
  readonly handlers: PartnerHandlers;
  readonly lifetime = new Lifetime();
  readonly #log: EngineLog;
  readonly #reportedErrors = new Set<string>();

  /**
   * @param engine The engine's address as host and port. Without one, as in a test, warnings go to stderr, and signals are not
   *   handled.
   * @param grpc Loads the gRPC library when the first message is sent.
   * @param knowsUrns Whether the engine passes the URN of the resource with each call.
   */
  constructor(engine: string | undefined, grpc: () => typeof Grpc, knowsUrns: boolean) {
    this.#log = new EngineLog(engine, grpc);
    this.plugin = new PluginProcess({
      signal: this.lifetime.signal,
      ...(engine !== undefined && { journal: openRunJournal(engine, this.lifetime.signal) }),
      warn: (notice) => {
        this.#log.warn(renderNotice(notice, this.#messageContext()));
      },
      progress: (progress) => {
        this.#log.status(renderProgress(progress, !knowsUrns));
      },
      onWait: (wait) => {
        this.#log.status(renderWait(wait));
      },
    });
    this.handlers = createHandlers(this.plugin);
    if (engine !== undefined) this.lifetime.watch(engine, () => this.plugin.pendingOperations);
  }

  /** Handles a call from the engine. The engine receives all messages of the call before its response. @param urn May be empty. */
  handleCall<Result>(urn: string, handle: () => Promise<Result>): Promise<Result> {
    return this.lifetime.trackCall(() => this.#log.withUrn(urn, handle));
  }

  /** Checks inputs. An error in the check is reported as a problem with the inputs. */
  async check(
    resource: () => ResourceHandlers,
    olds: Properties,
    news: Properties,
    urn?: string,
  ): Promise<{ readonly inputs: Properties; readonly reasons: string[] }> {
    const describe = (error: unknown): string => this.describeError(error, urn === undefined ? {} : { urn });
    try {
      const { inputs, problems } = await resource().check(olds, news, urn);
      return {
        inputs,
        reasons: problems.map((problem) => (typeof problem === "string" ? problem : describe(problem))),
      };
    } catch (error) {
      return { inputs: news, reasons: [describe(error)] };
    }
  }

  /** Returns the message that the user sees. @param call What the host knows about the call that failed. */
  describeError(error: unknown, call: Pick<MessageContext, "urn" | "lastUp"> = {}): string {
    return renderError(error, { ...this.#messageContext(), ...call });
  }

  #messageContext(): MessageContext {
    const { account, isExplicit } = this.plugin;
    return {
      explicit: isExplicit,
      reportedErrors: this.#reportedErrors,
      ...(isExplicit && { account }),
    };
  }
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
