import { AsyncLocalStorage } from "node:async_hooks";

import type * as Grpc from "@grpc/grpc-js";

import { AccountSession } from "../account/account-session.js";
import { PartialFailure } from "../adapter/resumable-changes.js";
import { partsOf, type Properties, type ResourceName } from "../adapter/properties.js";
import { isStored, ResourceAdapter } from "../adapter/resource-adapter.js";
import { keyResource } from "../keys/key-resource.js";
import { PartnerError } from "../partner-api/errors.js";
import type { MaskedText } from "../partner-api/known-secrets.js";
import type { RESOURCES } from "../registration.js";
import { createWebhooks } from "../webhooks/webhook-forms.js";
import { EngineLog } from "./engine-log.js";
import { errorText, repeatedText, unexpectedText } from "./host-messages.js";
import { Lifetime } from "./lifetime.js";

/** The handlers of all resources, by the export of the dynamic host. */
type ResourceHandlers = Readonly<Record<(typeof RESOURCES)[number]["exportName"], ResourceAdapter>>;

/** Creates the handlers of one plugin process, which both hosts call. */
export function createHandlers(session: AccountSession) {
  const { webhookState, webhookStates, list } = createWebhooks(session);
  const resources: ResourceHandlers = {
    partnerApiKey: new ResourceAdapter(session, keyResource(session)),
    partnerWebhookState: new ResourceAdapter(session, webhookState),
    partnerWebhookStates: new ResourceAdapter(session, webhookStates),
  };
  return { ...resources, listWebhooks: list };
}

/** Why a call of the engine failed. The message is what the user sees. */
export class CallFailure extends Error {
  /** What the engine must keep in the state; `null` if nothing. */
  readonly kept: PartialFailure | null;

  constructor(message: MaskedText, kept: PartialFailure | null) {
    super(message);
    this.kept = kept;
  }
}

/** What both hosts share: the handlers of one plugin process, its lifetime, and its messages. */
export class PluginHost {
  readonly session: AccountSession;
  readonly handlers: ReturnType<typeof createHandlers>;
  readonly #lifetime = new Lifetime();
  readonly #log: EngineLog;
  /** The resource that the current call is about. */
  readonly #calls = new AsyncLocalStorage<ResourceName>();
  /** Messages already shown, by resource. */
  readonly #shown = new Set<string>();
  /** The first resource that failed, for each error that others can have as well. */
  readonly #firstFailures = new Map<string, string>();
  /** Whether the settings are today's: without a program, the engine passes those of the last `up`. */
  hasCurrentSettings = false;

  /**
   * @param engine Its address. Without one, as in a test, messages go to stderr, and signals are not handled.
   * @param grpc The gRPC library that the SDK's protocol files use.
   * @param finish See {@link Lifetime.watch}.
   */
  constructor(engine: string | undefined, grpc: typeof Grpc, finish?: () => Promise<void>) {
    this.#log = new EngineLog(engine, grpc);
    this.session = new AccountSession({
      signal: this.#lifetime.signal,
      notify: ({ severity, text }) => {
        const key = `${this.#urn || (this.#calls.getStore()?.id ?? "")} ${text}`;
        if (this.#shown.has(key)) return;
        this.#shown.add(key);
        this.#log.show(severity === "warning" ? "WARNING" : "INFO", this.mask(text), this.#urn);
      },
      showStatus: (text) => {
        this.#log.showStatus(this.mask(text), this.#urn);
      },
      log: (line) => {
        const { isExplicit, account } = this.session.settings;
        const named = isExplicit ? `${line} account=${JSON.stringify(account)}` : line;
        this.#log.show("INFO", this.mask(named), this.#urn);
      },
    });
    this.handlers = createHandlers(this.session);
    if (engine !== undefined) this.#lifetime.watch(engine, finish);
  }

  /**
   * Handles a call from the engine, which gets all messages of the call before its response.
   *
   * @throws {CallFailure} whatever `handle` throws.
   */
  handleCall<Result>(name: ResourceName, handle: () => Promise<Result>): Promise<Result> {
    const handleInContext = async (): Promise<Result> => {
      try {
        return await handle();
      } catch (error) {
        const kept = error instanceof PartialFailure ? error : null;
        throw new CallFailure(this.describeError(error), kept);
      } finally {
        await this.#log.flush();
      }
    };
    return this.#lifetime.trackCall(() => this.#calls.run(name, handleInContext));
  }

  /** Ends all calls except creations in flight, as the engine asks for. */
  cancel(): void {
    this.#lifetime.cancel();
  }

  /** Checks inputs. An error is reported as a problem with them. */
  async check(resource: ResourceAdapter, olds: Properties, news: Properties) {
    this.hasCurrentSettings = true; // The engine calls it only for a program.
    try {
      const { inputs, problems } = await resource.check(olds, news, this.#urn);
      return { inputs, problems: problems.map((problem) => this.mask(problem)) };
    } catch (error) {
      return { inputs: news, problems: [this.describeError(error)] };
    }
  }

  /** Compares outputs in the state with inputs. An error counts as a change, whose update can report it. */
  diff(resource: ResourceAdapter, olds: Properties, news: Properties, name: ResourceName) {
    try {
      return resource.diff(olds, news, name);
    } catch {
      return { changes: true, replaces: [] };
    }
  }

  /** Reads a resource: one of the stack, or one that is not in a state yet, for an import or a `get`. */
  read(resource: ResourceAdapter, id: string, olds: Properties, isExistenceCheck = false) {
    if (isStored(olds)) return resource.read(olds);
    this.hasCurrentSettings = true; // Without a program, the engine reads only what is in the state.
    return resource.adopt(id, isExistenceCheck);
  }

  /**
   * Returns the message that the user sees. If many resources fail with the same error, only the first shows
   * it in full. A partial failure always does, because the engine stores its message with the resource.
   */
  describeError(error: unknown): MaskedText {
    return this.mask(this.#messageOf(error));
  }

  /** Masks what the process knows to be secret. Its exits take no other texts, so that none can forget it. */
  mask(text: string): MaskedText {
    return this.session.secrets.mask(text);
  }

  #messageOf(error: unknown): string {
    const usesLastSettings = !this.hasCurrentSettings && this.session.settings.usesStoredSettings;
    if (error instanceof PartialFailure) return errorText(error.reason, usesLastSettings);
    if (!(error instanceof PartnerError)) return unexpectedText(error);
    const { summary, mayHaveChanged } = error;
    if (summary === null || mayHaveChanged) return errorText(error, usesLastSettings);
    const key = `${usesLastSettings} ${summary}`; // With last settings, the message says more.
    const first = this.#firstFailures.get(key);
    if (first === undefined) this.#firstFailures.set(key, this.#urn);
    // A retry hook repeats the call of the resource that failed first.
    const isFirst = first === undefined || (first === this.#urn && first !== "");
    return isFirst ? errorText(error, usesLastSettings) : repeatedText(error, partsOf(first).name);
  }

  /** The URN of the current call; empty if it is not known. */
  get #urn(): string {
    return this.#calls.getStore()?.urn ?? "";
  }
}
