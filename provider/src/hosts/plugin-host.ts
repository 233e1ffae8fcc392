import type * as Grpc from "@grpc/grpc-js";

import type { Properties, ResourceHandlers } from "../handlers/contract.js";
import { createHandlers, type PartnerHandlers } from "../handlers/create-handlers.js";
import { PluginProcess } from "../handlers/process.js";
import { EngineLog } from "./engine-log.js";
import { Lifetime } from "./lifetime.js";
import { renderError, renderNotice, renderProgress, renderWait, type Terms } from "./messages.js";

/** What both hosts have: the handlers of one plugin process, whose facts become sentences on the way to the engine. */
export class PluginHost {
  readonly plugin: PluginProcess;
  readonly handlers: PartnerHandlers;
  readonly lifetime = new Lifetime();
  readonly #log: EngineLog;
  readonly #told = new Set<string>();

  /**
   * @param engine Where the engine listens, as host and port. Without one, warnings go to stderr.
   * @param grpc Loads the library, at the first message.
   * @param knowsUrns Whether the engine tells the host which resource a call is about.
   */
  constructor(engine: string | undefined, grpc: () => typeof Grpc, knowsUrns: boolean) {
    this.#log = new EngineLog(engine, grpc);
    this.plugin = new PluginProcess({
      signal: this.lifetime.signal,
      warn: (notice) => {
        this.#log.warn(renderNotice(notice, this.#terms()));
      },
      progress: (progress) => {
        this.#log.status(renderProgress(progress, !knowsUrns));
      },
      onWait: (wait) => {
        this.#log.status(renderWait(wait));
      },
    });
    this.handlers = createHandlers(this.plugin);
  }

  /** Handles a call of the engine, which gets the messages about it before the answer. @param urn Empty if it is not known. */
  answer<Answer>(urn: string, handle: () => Promise<Answer>): Promise<Answer> {
    return this.lifetime.answer(() => this.#log.about(urn, handle));
  }

  /** Checks inputs; a check that fails is a problem of the inputs. */
  async check(
    resource: () => ResourceHandlers,
    olds: Properties,
    news: Properties,
    urn?: string,
  ): Promise<{ readonly inputs: Properties; readonly reasons: string[] }> {
    const say = (error: unknown): string => this.say(error, urn === undefined ? {} : { urn });
    try {
      const { inputs, problems } = await resource().check(olds, news, urn);
      return {
        inputs,
        reasons: problems.map((problem) => (typeof problem === "string" ? problem : say(problem))),
      };
    } catch (error) {
      return { inputs: news, reasons: [say(error)] };
    }
  }

  /** What a person is told of an error. @param about What is known of the call that failed. */
  say(error: unknown, about: Pick<Terms, "urn" | "lastUp"> = {}): string {
    return renderError(error, { ...this.#terms(), ...about });
  }

  #terms(): Terms {
    const { account, isExplicit } = this.plugin;
    return { explicit: isExplicit, told: this.#told, ...(isExplicit && { account }) };
  }
}
