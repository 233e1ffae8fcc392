/**
 * How the engine reaches the handlers through the SDK's dynamic-provider host. The engine's plugin process loads this module by
 * the strings in registration.ts. Its path in the package and the names it exports are written into users' state, so
 * they are frozen; everything else about it is internal.
 *
 * @internal
 */
import { createRequire } from "node:module";

import type * as Grpc from "@grpc/grpc-js";
import type { ResourceProvider } from "@pulumi/pulumi/dynamic";

import { PartialFailure, type Properties, type ResourceHandlers } from "../handlers/contract.js";
import { createHandlers } from "../handlers/create-handlers.js";
import { PluginProcess } from "../handlers/process.js";
import { EngineLog } from "./engine-log.js";
import { Lifetime } from "./lifetime.js";
import { renderError, renderNotice, renderWait, type Terms } from "./messages.js";
import { answerCheck, toWire, type Wire } from "./wire.js";

const [, script = "", address] = process.argv;
// In any other process, such as a test, there is no engine, and nothing is ours to end.
const isHost = /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script);
const lifetime = new Lifetime();
const log = new EngineLog(isHost ? address : undefined, () => {
  const requireAsSdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return requireAsSdk("@grpc/grpc-js") as typeof Grpc;
});
const plugin: PluginProcess = new PluginProcess({
  signal: lifetime.signal,
  warn: (notice) => {
    log.warn(renderNotice(notice, terms()));
  },
  onWait: (wait) => {
    log.status(renderWait(wait));
  },
});
if (isHost) lifetime.watch(address, () => plugin.pendingOperations);
const handlers = createHandlers(plugin);

/** The dynamic provider of `PartnerApiKey`. */
export const partnerApiKey = toProvider(handlers.partnerApiKey);

/** The dynamic provider of `PartnerWebhookState`. */
export const partnerWebhookState = toProvider(handlers.partnerWebhookState);

/** The dynamic provider behind `getPartnerWebhooks`. */
export const partnerWebhooks = toProvider(handlers.partnerWebhooks);

/**
 * Wraps handlers so that nothing reaches the host that it does not take: no `undefined`, no error from `check` and `diff`, no
 * stack trace (the host prints those of `read` and `delete`), and no foreign message, as the messages of Node and JSON.parse
 * repeat their input.
 */
function toProvider(resource: ResourceHandlers): ResourceProvider {
  return {
    // Not async: the host does not wait for it before it calls the rest.
    configure: ({ config }) => {
      plugin.configure(config);
      return Promise.resolve();
    },
    check: (olds: Properties, news: Properties) =>
      answer(async () => {
        const { inputs, reasons } = await answerCheck(() => resource.check(olds, news), news, terms());
        // Names no property, because the engine prints the value of one that is named, secret or not.
        return { inputs: toWire(inputs), failures: reasons.map((reason) => ({ property: "", reason })) };
      }),
    diff: (_id, olds: Properties, news: Properties) =>
      // `update` observes by itself, and can say what is wrong.
      answer(() => Promise.resolve(olds).then((state) => resource.diff(state, news))).catch(() => ({
        changes: true,
      })),
    create: (inputs: Properties) =>
      answer(async () => {
        const { id, outputs } = await resource.create(inputs).catch(rethrow(inputs));
        return { id, outs: toWire(outputs) };
      }),
    read: (id, olds: Properties = {}) =>
      answer(async () => {
        const found = await resource.read(olds).catch(rethrow(olds, true));
        if (found === null) return { id: "" };
        const { outputs, inputs } = found;
        return { id, props: toWire(outputs), ...(inputs && { inputs: toWire(inputs) }) };
      }),
    update: (id, olds: Properties, news: Properties) =>
      answer(async () => ({
        outs: toWire(await resource.update(id, olds, news).catch(rethrow(news))),
      })),
    delete: (_id, olds: Properties) => answer(() => resource.delete(olds).catch(rethrow(olds, true))),
  };
}

/** Handles a call of the engine, which gets the messages about it before the answer. */
function answer<Answer>(handle: () => Promise<Answer>): Promise<Answer> {
  return lifetime.answer(() => log.about("", handle));
}

function terms(lastUp = false): Terms {
  const { account, isExplicit } = plugin;
  return { explicit: isExplicit, lastUp, ...(isExplicit && { account }) };
}

/**
 * Throws what the host can take in the place of an error.
 *
 * @param properties Have `__provider`, without which the state would be stuck.
 * @param lastUp Whether the settings may be those of the last `up`.
 */
function rethrow({ __provider }: Properties, lastUp = false): (error: unknown) => never {
  return (error) => {
    if (error instanceof PartialFailure) {
      const { id, properties, reason } = error;
      throw new InitializationError(
        id,
        toWire({ ...properties, __provider }),
        renderError(reason, terms(lastUp)),
      );
    }
    throw withoutStack(renderError(error, terms(lastUp)));
  };
}

/** How the host tells that a resource must be kept in state. It goes by `id`, so no other error may have a member of that name. */
class InitializationError extends Error {
  readonly id: string;
  readonly properties: Wire;
  readonly reasons: string[];

  constructor(id: string, properties: Wire, reason: string) {
    super(reason);
    this.id = id;
    this.properties = properties;
    this.reasons = [reason]; // The engine prints these and not the message.
  }
}

/** The host prints `${error}: ${error.stack}` for some handlers, and the message for all, so the former is kept to a word. */
function withoutStack(message: string): Error {
  const error = new Error(message);
  error.stack = "failed";
  error.toString = () => "pulumi-partners";
  return error;
}
