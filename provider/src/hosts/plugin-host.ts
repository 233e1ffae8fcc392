import { AsyncLocalStorage } from "node:async_hooks";

import type * as Grpc from "@grpc/grpc-js";

import { PartnerError } from "../api/errors.js";
import type { Properties } from "../shared/properties.js";
import type { ResourceAdapter } from "../shared/resource-adapter.js";
import { createHandlers, type PartnerHandlers } from "../shared/create-handlers.js";
import type { KeyEntry } from "../keys/key-holders.js";
import { PartialFailure } from "../shared/partial-failure.js";
import { PluginProcess } from "../shared/plugin-process.js";
import type { JournalEntry } from "../webhooks/run-claims.js";
import { EngineLog } from "./engine-log.js";
import { renderError, renderRepeated, sharedCause } from "../messages/error-messages.js";
import { renderInputProblem } from "../messages/input-messages.js";
import { Lifetime } from "./lifetime.js";
import { isInformation, renderNotice } from "../messages/notice-messages.js";
import { renderProgress, renderStop, renderWait } from "../messages/status-messages.js";
import { openRunJournal } from "./run-journal.js";
import type { MessageContext } from "../messages/wording.js";

/** What the message for an error must know about the call that failed. */
export type CallContext = Pick<MessageContext, "lastUp" | "refreshesFirst" | "deletes">;

/**
 * The parts that both hosts share: the handlers of one plugin process, its lifetime and its messages to the
 * engine.
 */
export class PluginHost {
  readonly plugin: PluginProcess;
  readonly handlers: PartnerHandlers;
  readonly lifetime = new Lifetime();
  readonly #log: EngineLog;
  readonly #calls = new AsyncLocalStorage<CurrentCall>();
  /** The first resource that failed for each cause that others can share. */
  readonly #firstFailures = new Map<string, string>();

  /**
   * @param engine The engine's address. Without one, as in a test, messages go to stderr, and signals are not
   * handled.
   * @param grpc Loads the gRPC library when the first message is sent.
   * @param options `finish`: see {@link Lifetime.watch}. `canRefreshFirst`: see {@link PluginProcess}.
   */
  constructor(
    engine: string | undefined,
    grpc: () => typeof Grpc,
    { finish, canRefreshFirst = false }: { finish?: () => Promise<void>; canRefreshFirst?: boolean } = {},
  ) {
    this.#log = new EngineLog(engine, grpc);
    this.plugin = new PluginProcess({
      signal: this.lifetime.signal,
      canRefreshFirst,
      ...(engine !== undefined && {
        journal: openRunJournal<JournalEntry>(engine, this.lifetime.ending, "webhooks"),
        keyJournal: openRunJournal<KeyEntry>(engine, this.lifetime.ending, "keys"),
      }),
      warn: (notice) => {
        const severity = isInformation(notice) ? "INFO" : "WARNING";
        this.#log.show(severity, renderNotice(notice, this.#messageContext()), this.#urn);
      },
      progress: (done, total) => {
        // The account is the only name if the engine shows no resource.
        this.#showStatus(renderProgress(done, total, this.#urn === "" ? this.plugin.account : null));
      },
      remainingTime: () => {
        const deadline = this.#calls.getStore()?.deadline ?? null;
        return deadline && deadline - performance.now();
      },
      onWait: (wait) => {
        this.#showStatus(renderWait(wait));
      },
      log: (line) => {
        const { account } = this.#messageContext();
        const suffix = account === undefined ? "" : ` account=${JSON.stringify(account)}`;
        this.#log.show("INFO", line + suffix, this.#urn);
      },
    });
    this.handlers = createHandlers(this.plugin);
    if (engine === undefined) return;
    const report = (event: string): void => {
      const { pendingChanges } = this.plugin;
      if (pendingChanges.length > 0)
        this.#log.show("INFO", renderStop(event, pendingChanges, canRefreshFirst), "");
    };
    this.lifetime.watch(engine, report, finish);
  }

  /**
   * Handles a call from the engine. The engine receives all messages of the call before its response.
   *
   * @param urn May be empty.
   * @param timeout The resource option `customTimeouts` in seconds; 0 if it is not set.
   */
  handleCall<Result>(urn: string, handle: () => Promise<Result>, timeout = 0): Promise<Result> {
    const deadline = timeout > 0 ? performance.now() + timeout * 1000 : null;
    const call: CurrentCall = { urn, deadline, hasStatus: false };
    return this.lifetime.trackCall(async () => {
      try {
        const result = await this.#calls.run(call, handle);
        // Until all resources are done, the engine shows the last status.
        if (call.hasStatus) this.#log.showStatus("done", urn);
        return result;
      } finally {
        await this.#log.flush();
      }
    });
  }

  /** Checks inputs. An error in the check is reported as a problem with the inputs. */
  async check(resource: ResourceAdapter, olds: Properties, news: Properties) {
    try {
      const { inputs, problems } = await resource.check(olds, news, this.#urn || undefined);
      const reasons = problems.map((problem) =>
        problem instanceof PartnerError ? this.describeError(problem) : renderInputProblem(problem),
      );
      return { inputs, reasons };
    } catch (error) {
      return { inputs: news, reasons: [this.describeError(error)] };
    }
  }

  /**
   * Returns the message that the user sees: of a cause that many resources share, the whole once. A partial
   * failure is always told whole, because the engine stores its message with the resource.
   *
   * @param call What the message must know about the call.
   * @param urn The resource, if the call is over.
   */
  describeError(error: unknown, call: CallContext = {}, urn = this.#urn): string {
    const context = { ...this.#messageContext(), ...call, ...(urn && { urn }) };
    if (error instanceof PartialFailure) return renderError(error.reason, context);
    const cause = error instanceof PartnerError ? sharedCause(error, context) : null;
    if (!(error instanceof PartnerError) || cause === null) return renderError(error, context);
    const key = JSON.stringify([cause, call]); // A refresh, for example, has more to say than a creation.
    const first = this.#firstFailures.get(key);
    if (first === undefined) this.#firstFailures.set(key, urn);
    // A retry hook repeats the call of a resource.
    const isOther = first !== undefined && (first !== urn || urn === "");
    return isOther ? renderRepeated(error, first, context) : renderError(error, context);
  }

  /** The URN of the current call; empty if it is not known. */
  get #urn(): string {
    return this.#calls.getStore()?.urn ?? "";
  }

  #messageContext(): MessageContext {
    const { isExplicit, account, hasNoStack, settingOrigins: origins } = this.plugin;
    return isExplicit ? { account, hasNoStack } : { origins, hasNoStack };
  }

  #showStatus(status: string): void {
    const call = this.#calls.getStore();
    if (call) call.hasStatus = true;
    this.#log.showStatus(status, this.#urn);
  }
}

/** A call that the engine waits for. */
interface CurrentCall {
  readonly urn: string;
  /** In milliseconds of `performance.now`; `null` if the engine sets none. */
  readonly deadline: number | null;
  /** Whether the engine shows a status of it. */
  hasStatus: boolean;
}
