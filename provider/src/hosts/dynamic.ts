/**
 * How the engine reaches the handlers through the SDK's dynamic-provider host. The engine's plugin process loads this module by
 * the strings in registration.ts. Its path in the package and the names it exports are written into users' state, so
 * they are frozen; everything else about it is internal.
 *
 * @internal
 */
import { createRequire } from "node:module";

import type * as Grpc from "@grpc/grpc-js";
import type { ConfigureRequest, ResourceProvider } from "@pulumi/pulumi/dynamic";

import { PartialFailure, type Properties, type ResourceHandlers } from "../handlers/contract.js";
import { PluginHost } from "./plugin-host.js";
import { toWire, type Wire } from "./wire.js";

const [, script = "", address] = process.argv;
// In any other process, such as a test, there is no engine, and nothing is ours to end.
const isHost = /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script);
const loadGrpc = (): typeof Grpc => {
  const requireAsSdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return requireAsSdk("@grpc/grpc-js") as typeof Grpc;
};
const host = new PluginHost(isHost ? address : undefined, loadGrpc, false);
const { plugin, handlers } = host;
if (isHost) host.lifetime.watch(address, () => plugin.pendingOperations);

/** The dynamic provider of `PartnerApiKey`. */
export const partnerApiKey = toProvider(handlers.partnerApiKey);

/** The dynamic provider of `PartnerWebhookState`. */
export const partnerWebhookState = toProvider(handlers.partnerWebhookState);

/** The dynamic provider of `PartnerWebhookStates`. */
export const partnerWebhookStates = toProvider(handlers.partnerWebhookStates);

/** The dynamic provider behind `getPartnerWebhooks`, of which the engine only ever calls `read`: nothing is created here. */
export const partnerWebhooks: ResourceProvider = {
  configure,
  create: () => Promise.reject(new Error("never called")),
  read: (id, olds: Properties = {}) =>
    answer(async () => {
      // Only a refresh hands over an earlier list. A new one would be reported as drift, and every run of the program reads again.
      if (typeof olds["webhooks"] === "string") return { id, props: toWire(olds) };
      const webhooks = await handlers.listWebhooks().catch(rethrow(olds));
      // As text: a record can hold anything, also what has a meaning to the engine.
      return { id, props: { webhooks: JSON.stringify(webhooks) } };
    }),
};

/**
 * Wraps handlers so that nothing reaches the host that it does not take: no `undefined`, no error from `check` and `diff`, no
 * stack trace (the host prints those of `read` and `delete`), and no foreign message, as the messages of Node and JSON.parse
 * repeat their input.
 */
function toProvider(resource: ResourceHandlers): ResourceProvider {
  return {
    configure,
    check: (olds: Properties, news: Properties) =>
      answer(async () => {
        const { inputs, reasons } = await host.check(() => resource, olds, news);
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
        // A `get` of the program has no state yet. Its ID stays, as another one would be a change.
        const isGet = Object.keys(olds).every((name) => name === "__provider");
        const found = await (isGet ? resource.adopt(id) : resource.read(olds)).catch(rethrow(olds, !isGet));
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

/** Not async: the host does not wait for it before it calls the rest. */
function configure({ config }: ConfigureRequest): Promise<void> {
  plugin.configure(config);
  return Promise.resolve();
}

function answer<Answer>(handle: () => Promise<Answer>): Promise<Answer> {
  return host.answer("", handle);
}

/**
 * Throws what the host can take in the place of an error.
 *
 * @param properties Have `__provider`, without which the state would be stuck.
 * @param lastUp Whether the settings may be those of the last `up`: those of no program.
 */
function rethrow({ __provider }: Properties, lastUp = false): (error: unknown) => never {
  return (error) => {
    if (error instanceof PartialFailure) {
      const { id, properties, reason } = error;
      throw new InitializationError(id, toWire({ ...properties, __provider }), host.say(reason, { lastUp }));
    }
    throw withoutStack(host.say(error, { lastUp }));
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
