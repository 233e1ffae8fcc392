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
  renderStop,
  renderWait,
  renderWaitEnd,
  type MessageContext,
} from "./messages.js";
import { openRunJournal } from "./run-journal.js";

/** The parts that both hosts share: the handlers of one plugin process, its lifetime and its messages to the engine. */
export class PluginHost {
  readonly plugin: PluginProcess;
  readonly handlers: PartnerHandlers;
  readonly lifetime = new Lifetime();
  /** Whether there is a stack, which has configuration and keeps what is created. `pulumi do` has none. */
  hasStack = true;
  readonly #log: EngineLog;
  readonly #calls = new AsyncLocalStorage<Call>();
  readonly #reportedErrors = new Set<string>();

  /**
   * @param engine The engine's address as host and port. Without one, as in a test, messages go to stderr, and signals are not
   *   handled.
   * @param grpc Loads the gRPC library when the first message is sent.
   * @param finish See {@link Stopping}.
   */
  constructor(engine: string | undefined, grpc: () => typeof Grpc, finish?: Stopping["finish"]) {
    this.#log = new EngineLog(engine, grpc);
    this.plugin = new PluginProcess({
      signal: this.lifetime.signal,
      ...(engine !== undefined && { journal: openRunJournal(engine, this.lifetime.ending) }),
      warn: (notice) => {
        this.#log.show("WARNING", renderNotice(notice, this.#messageContext()), this.#urn);
      },
      progress: (done, total) => {
        // The account is the only name if the engine shows no resource.
        const account = this.#urn === "" ? this.plugin.account : null;
        this.#showStatus(renderProgress(done, total, account), renderProgress(total, total, account));
      },
      onWait: (wait) => {
        this.#showStatus(renderWait(wait), renderWaitEnd(wait));
      },
      log: (line) => {
        const { account } = this.#messageContext();
        const suffix = account === undefined ? "" : ` account=${JSON.stringify(account)}`;
        this.#log.show("INFO", line + suffix, this.#urn);
      },
    });
    this.handlers = createHandlers(this.plugin);
    if (engine === undefined) return;
    this.lifetime.watch(engine, {
      report: (event) => {
        const { pendingOperations } = this.plugin;
        if (pendingOperations.length > 0) this.#log.show("INFO", renderStop(event, pendingOperations), "");
      },
      finish,
    });
  }

  /** Handles a call from the engine. The engine receives all messages of the call before its response. @param urn May be empty. */
  handleCall<Result>(urn: string, handle: () => Promise<Result>): Promise<Result> {
    const call: Call = { urn, finalStatus: null };
    return this.lifetime.trackCall(async () => {
      try {
        const result = await this.#calls.run(call, handle);
        // The engine shows the last status until all resources are done.
        if (call.finalStatus !== null) this.#log.showStatus(call.finalStatus, urn);
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
      const { inputs, problems } = await resource().check(olds, news, this.#urn || undefined);
      const reasons = problems.map((problem) =>
        typeof problem === "string" ? problem : this.describeError(problem),
      );
      return { inputs, reasons };
    } catch (error) {
      return { inputs: news, reasons: [this.describeError(error)] };
    }
  }

  /**
   * Returns the message that the user sees.
   *
   * @param lastUp Whether the settings may come from the last `up`, because no program runs.
   * @param urn The resource, if the call is over.
   */
  describeError(error: unknown, lastUp = false, urn = this.#urn): string {
    return renderError(error, { ...this.#messageContext(), lastUp, ...(urn && { urn }) });
  }

  /** The URN of the current call; empty if it is not known. */
  get #urn(): string {
    return this.#calls.getStore()?.urn ?? "";
  }

  #messageContext(): MessageContext {
    const { account, isExplicit } = this.plugin;
    return {
      explicit: isExplicit,
      environmentOnly: !this.hasStack,
      reportedErrors: this.#reportedErrors,
      ...(isExplicit && { account }),
    };
  }

  /** Shows a status. @param final The status that replaces it once the call has succeeded. */
  #showStatus(status: string, final: string): void {
    const call = this.#calls.getStore();
    if (call) call.finalStatus = final === status ? null : final;
    this.#log.showStatus(status, this.#urn);
  }
}

/** A call while it runs. */
interface Call {
  readonly urn: string;
  /** The status to show when the call has succeeded; `null` if it is already shown. */
  finalStatus: string | null;
}

/**
 * Converts properties for the engine. `undefined` becomes `null`: returned by `create`, it would cause a failure *after* the key was
 * created; in an initialization failure, it would hang the engine. An output that is left out would be unknown in every preview.
 */
export function toWire(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties, (_name, value: unknown) => value ?? null)) as Properties;
}
