/**
 * Connects the handlers to the SDK's dynamic-provider host, which loads this module through the strings in
 * registration.ts. The module's path in the package and the names of its exports are in users' state and must
 * not change. Everything else is internal.
 *
 * @internal
 */
import { createRequire } from "node:module";

import type * as Grpc from "@grpc/grpc-js";
import type { ConfigureRequest, ResourceProvider } from "@pulumi/pulumi/dynamic";

import { withoutUndefined, withoutSpecialValues, type Properties } from "../shared/properties.js";
import { isAdoption, type ResourceAdapter } from "../shared/resource-adapter.js";
import { PartialFailure } from "../shared/partial-failure.js";
import { PluginHost, type CallContext } from "./plugin-host.js";

const [, script = ""] = process.argv;
const address = process.argv.at(-1); // The engine may pass flags before its address.
// In any other process, such as a test, there is no engine, and this module must not end the process.
const isHost = /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script);
const loadGrpc = (): typeof Grpc => {
  const requireAsSdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return requireAsSdk("@grpc/grpc-js") as typeof Grpc;
};
const host = new PluginHost(isHost ? address : undefined, loadGrpc);
const { plugin, handlers } = host;

/** The dynamic provider of `PartnerApiKey`. */
export const partnerApiKey = toProvider(handlers.partnerApiKey);

/** The dynamic provider of `PartnerWebhookState`. */
export const partnerWebhookState = toProvider(handlers.partnerWebhookState);

/** The dynamic provider of `PartnerWebhookStates`. */
export const partnerWebhookStates = toProvider(handlers.partnerWebhookStates);

/** The dynamic provider behind `getPartnerWebhooks`. The engine calls only its `read`. */
export const partnerWebhooks: ResourceProvider = {
  configure,
  create: () => Promise.reject(new Error("never called")),
  read: (id, olds: Properties = {}) =>
    handleCall(async () => {
      // Only a refresh passes an earlier list. A new list would show as drift, and each run of the program
      // reads a new one anyway.
      if (typeof olds["webhooks"] === "string") return { id, props: withoutUndefined(olds) };
      const webhooks = await handlers.listWebhooks().catch(rethrow(olds));
      // As text, which the engine does not interpret.
      const texts = webhooks.map(({ full, ...webhook }) => {
        // The program searches the complete URL and name, but does not see them.
        const isShown = full.url === webhook.url && full.name === webhook.name;
        return JSON.stringify(withoutSpecialValues(isShown ? webhook : { ...webhook, full }));
      });
      return { id, props: { webhooks: `[${texts.join(",")}]` } };
    }),
};

/**
 * Adapts handlers to the SDK's host, which cannot handle `undefined`, or errors from `check` and `diff`. It
 * also removes stack traces, which the host prints for `read` and `delete`, and foreign messages: those of
 * Node and `JSON.parse` quote their input.
 */
function toProvider(resource: ResourceAdapter): ResourceProvider {
  return {
    configure,
    check: (olds: Properties, news: Properties) =>
      handleCall(async () => {
        const { inputs, reasons } = await host.check(resource, olds, news);
        return {
          inputs: withoutUndefined({ ...inputs, ...("__urn" in news && { __urn: news["__urn"] }) }),
          // Without a property name: the engine would print the property's value, even if it is a secret.
          failures: reasons.map((reason) => ({ property: "", reason })),
        };
      }, news),
    diff: (id, olds: Properties, news: Properties) => {
      const name = { id, urn: urnOf(news) ?? "" };
      const compare = () => Promise.resolve(olds).then((state) => resource.diff(state, news, name));
      return handleCall(compare, news).then(
        (difference) => ({ ...difference, changes: difference.changes || isFromPlugin(olds) }),
        // `update` reads the actual state itself and can report the error.
        () => ({ changes: true }),
      );
    },
    create: (inputs: Properties) =>
      handleCall(async () => {
        const { id, outputs } = await resource.create(inputs, urnOf(inputs)).catch(rethrow(inputs));
        return { id, outs: toOutputs(outputs) };
      }, inputs),
    read: (id, olds: Properties = {}) =>
      handleCall(async () => {
        const adopts = isAdoption(olds);
        const found = await (adopts ? resource.adopt(id) : resource.read(olds)).catch(
          rethrow(olds, { lastUp: !adopts }),
        );
        if (found === null) return { id: "" };
        const { outputs, inputs } = found;
        // A `get` in the program keeps its ID, because a new one would count as a change.
        return { id, props: toOutputs(outputs), ...(inputs && { inputs: withoutUndefined(inputs) }) };
      }, olds),
    update: (id, olds: Properties, news: Properties) =>
      handleCall(async () => {
        const name = { id, urn: urnOf(news) ?? "" };
        const apply = async (): Promise<Properties> => {
          // The SDK's host adds `__provider`. If nothing else differs, there is nothing to send.
          if (isFromPlugin(olds) && !resource.diff(olds, news, name).changes) return olds;
          return resource.update(id, olds, news, urnOf(news));
        };
        return { outs: toOutputs(await apply().catch(rethrow(news))) };
      }, news),
    delete: (id, olds: Properties) =>
      handleCall(() =>
        resource.delete(olds, { id, urn: "" }).catch(rethrow(olds, { lastUp: true, deletes: true })),
      ),
  };
}

/** Passes on the settings. Not async, because the host does not wait for it before making other calls. */
function configure({ config }: ConfigureRequest): Promise<void> {
  plugin.configure(config);
  return Promise.resolve();
}

function handleCall<Result>(handle: () => Promise<Result>, inputs: Properties = {}): Promise<Result> {
  return host.handleCall(urnOf(inputs) ?? "", handle);
}

/**
 * Returns the URN that the program put among the inputs, because the SDK's host does not pass it on. The
 * outputs do not hold it, because in the state it could be outdated.
 */
function urnOf({ __urn: urn }: Properties): string | undefined {
  return typeof urn === "string" ? urn : undefined;
}

/**
 * Whether the native plugin wrote these outputs, before the stack moved back. They lack `__provider`, without
 * which the SDK's host can neither read nor delete a resource.
 */
function isFromPlugin(outputs: Properties): boolean {
  return typeof outputs["__provider"] !== "string";
}

/** Converts outputs, which may hold values of the service, for the engine. */
function toOutputs(outputs: Properties): Properties {
  return withoutUndefined(withoutSpecialValues(outputs) as Properties);
}

/**
 * Converts an error into one that the host can handle.
 *
 * @param properties The properties with `__provider`, without which the resource could never be updated or
 * deleted.
 * @param call What the message must know about the call.
 */
function rethrow(properties: Properties, call: CallContext = {}): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PartialFailure)) {
      // The host prints the message and, for some handlers, `${error}: ${error.stack}` too.
      const short = { stack: "see the error of the resource", toString: () => "pulumi-partners" };
      throw Object.assign(new Error(host.describeError(error, call)), short);
    }
    const reason = host.describeError(error, call);
    const outputs = toOutputs({ ...error.properties, __provider: properties["__provider"] });
    // By the ID, the host recognizes that it must keep the resource. The engine prints the reasons, not the
    // message.
    throw Object.assign(new Error(reason), { id: error.id, properties: outputs, reasons: [reason] });
  };
}
