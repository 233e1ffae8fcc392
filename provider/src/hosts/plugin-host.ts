import { AsyncLocalStorage } from "node:async_hooks";

import type * as Grpc from "@grpc/grpc-js";

import { PartnerError } from "../partner-api/errors.js";
import { PluginProcess } from "../plugin/plugin-process.js";
import { partsOf, type Properties, type ResourceName } from "../plugin/properties.js";
import { PartialFailure, type ResourceAdapter } from "../plugin/resource-adapter.js";
import { EngineLog } from "./engine-log.js";
import { createHandlers, type PartnerHandlers } from "./handlers.js";
import { errorText, repeatedText, unexpectedText } from "./host-messages.js";
import { Lifetime } from "./lifetime.js";

/** What both hosts share: the handlers of one plugin process, its lifetime, and its messages. */
export class PluginHost {
  readonly plugin: PluginProcess;
  readonly handlers: PartnerHandlers;
  readonly #lifetime = new Lifetime();
  readonly #log: EngineLog;
  /** The resource that the current call is about. */
  readonly #calls = new AsyncLocalStorage<ResourceName>();
  /** The messages of each resource, which is told each only once. */
  readonly #shown = new Set<string>();
  /** The first resource that failed, for each error that others can have as well. */
  readonly #firstFailures = new Map<string, string>();
  /** Whether the settings are today's: without a program, the engine passes those of the last `up`. */
  hasCurrentSettings = false;

  /**
   * @param engine Its address. Without one, as in a test, messages go to stderr, and signals are not handled.
   * @param grpc See {@link EngineLog}.
   * @param finish See {@link Lifetime.watch}.
   */
  constructor(engine: string | undefined, grpc: () => typeof Grpc, finish?: () => Promise<void>) {
    this.#log = new EngineLog(engine, grpc);
    this.plugin = new PluginProcess({
      signal: this.#lifetime.signal,
      notify: ({ severity, text }) => {
        const key = `${this.#urn || (this.#calls.getStore()?.id ?? "")} ${text}`;
        if (this.#shown.has(key)) return;
        this.#shown.add(key);
        this.#log.show(severity === "warning" ? "WARNING" : "INFO", text, this.#urn);
      },
      showStatus: (text) => {
        this.#log.showStatus(text, this.#urn);
      },
      log: (line) => {
        const { isExplicit, account } = this.plugin;
        this.#log.show("INFO", isExplicit ? `${line} account=${JSON.stringify(account)}` : line, this.#urn);
      },
    });
    this.handlers = createHandlers(this.plugin);
    if (engine !== undefined) this.#lifetime.watch(engine, finish);
  }

  /** Handles a call from the engine, which gets all messages of the call before its response. */
  handleCall<Result>(name: ResourceName, handle: () => Promise<Result>): Promise<Result> {
    return this.#lifetime.trackCall(async () => {
      try {
        return await this.#calls.run(name, handle);
      } finally {
        await this.#log.flush();
      }
    });
  }

  /** Ends all calls except creations in flight, as the engine asks for. */
  cancel(): void {
    this.#lifetime.cancel();
  }

  /** Checks inputs. An error is reported as a problem with them. */
  async check(resource: ResourceAdapter, olds: Properties, news: Properties) {
    this.hasCurrentSettings = true; // The engine calls it only for a program.
    try {
      return await resource.check(olds, news, this.#urn);
    } catch (error) {
      return { inputs: news, problems: [this.describeError(error)] };
    }
  }

  /**
   * Returns the message that the user sees. An error that many resources have is told in full once; a partial
   * failure always is, because the engine stores its message with the resource.
   *
   * @param mayUseLastSettings Whether the engine makes this call without a program as well.
   * @param urn The resource, if the call is over.
   */
  describeError(error: unknown, mayUseLastSettings = false, urn = this.#urn): string {
    const usesLastSettings = mayUseLastSettings && !this.hasCurrentSettings;
    if (error instanceof PartialFailure) return errorText(error.reason, usesLastSettings);
    if (!(error instanceof PartnerError)) return unexpectedText(error);
    if (error.summary === null || error.effect !== "none") return errorText(error, usesLastSettings);
    const key = `${usesLastSettings} ${error.summary}`; // A refresh has more to say than a creation.
    const first = this.#firstFailures.get(key);
    if (first === undefined) this.#firstFailures.set(key, urn);
    // A retry hook repeats the call of one resource.
    const isOther = first !== undefined && (first !== urn || urn === "");
    return isOther ? repeatedText(error, partsOf(first).name) : errorText(error, usesLastSettings);
  }

  /** The URN of the current call; empty if it is not known. */
  get #urn(): string {
    return this.#calls.getStore()?.urn ?? "";
  }
}
