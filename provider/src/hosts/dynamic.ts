/**
 * Connects the handlers to the SDK's dynamic-provider host, which loads this module through the strings in
 * registration.ts. Its path in the package and its exports are in users' states and must not change.
 *
 * @internal
 */
import { createRequire } from "node:module";

import type * as Grpc from "@grpc/grpc-js";
import type { ConfigureRequest, ResourceProvider } from "@pulumi/pulumi/dynamic";

import { withoutUndefined, type Properties, type ResourceName } from "../adapter/properties.js";
import type { ResourceAdapter } from "../adapter/resource-adapter.js";
import { PluginHost, type CallFailure } from "./plugin-host.js";
import { toOutputs } from "./secret-marks.js";

const [, script = ""] = process.argv;
const address = process.argv.at(-1); // The engine may pass flags before its address.
// In any other process, such as a test, there is no engine, and this module must not end the process.
const isHost = /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script);
const requireAsSdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const host = new PluginHost(isHost ? address : undefined, requireAsSdk("@grpc/grpc-js") as typeof Grpc);
const { session, handlers } = host;

export const partnerApiKey = toProvider(handlers.partnerApiKey);
export const partnerWebhookState = toProvider(handlers.partnerWebhookState);
export const partnerWebhookStates = toProvider(handlers.partnerWebhookStates);

/** The dynamic provider behind `getPartnerWebhooks`. The engine calls only its `read`. */
export const partnerWebhooks: ResourceProvider = {
  configure,
  create: () => Promise.reject(new Error("never called")),
  read: (id, olds: Properties = {}) =>
    answer({ id, urn: "" }, olds, async () => {
      // Only a refresh passes an earlier list. A new one would show as drift.
      if (typeof olds["webhooks"] === "string") return { id, props: toOutputs(olds) };
      host.hasCurrentSettings = true;
      return { id, props: toOutputs({ webhooks: JSON.stringify(await handlers.listWebhooks()) }) };
    }),
};

/** Adapts handlers to the SDK's host, which cannot handle `undefined`, or errors from `check` and `diff`. */
function toProvider(resource: ResourceAdapter): ResourceProvider {
  return {
    configure,
    check: (olds: Properties, news: Properties) =>
      answer({ id: "", urn: urnOf(news) }, news, async () => {
        const { inputs, problems } = await host.check(resource, olds, news);
        return {
          inputs: withoutUndefined({ ...inputs, ...("__urn" in news && { __urn: news["__urn"] }) }),
          // Without a property name: the engine would print the property's value, even if it is a secret.
          failures: problems.map((reason) => ({ property: "", reason })),
        };
      }),
    diff: (id, olds: Properties, news: Properties) => {
      const name = { id, urn: urnOf(news) };
      return answer(name, news, () => Promise.resolve(host.diff(resource, olds, news, name)));
    },
    create: (inputs: Properties) => {
      const urn = urnOf(inputs);
      return answer({ id: "", urn }, inputs, async () => {
        const { id, outputs } = await resource.create(inputs, urn);
        return { id, outs: toOutputs(outputs) };
      });
    },
    read: (id, olds: Properties = {}) =>
      answer({ id, urn: "" }, olds, async () => {
        const found = await host.read(resource, id, olds);
        if (found === null) return { id: "" };
        const { outputs, inputs } = found;
        // A `get` in the program keeps its ID, because a new one would count as a change.
        return { id, props: toOutputs(outputs), ...(inputs && { inputs: withoutUndefined(inputs) }) };
      }),
    update: (id, olds: Properties, news: Properties) => {
      const name = { id, urn: urnOf(news) };
      return answer(name, news, async () => {
        return { outs: toOutputs(await resource.update(olds, news, name)) };
      });
    },
    delete: (id, olds: Properties) => {
      const name = { id, urn: "" };
      return answer(name, olds, () => resource.delete(olds, name));
    },
  };
}

/** Passes on the settings. Not async, because the host does not wait for it before making other calls. */
function configure({ config }: ConfigureRequest): Promise<void> {
  session.configure(config);
  return Promise.resolve();
}

/** Returns the URN that the program put among the inputs. Outputs have none: it could be outdated. */
function urnOf({ __urn: urn }: Properties): string {
  return typeof urn === "string" ? urn : "";
}

/**
 * Answers a call in the terms of the SDK's host, which also reads what to keep from an error.
 *
 * @param properties Those with `__provider`, without which the resource could never be updated or deleted.
 */
async function answer<Result>(
  name: ResourceName,
  properties: Properties,
  handle: () => Promise<Result>,
): Promise<Result> {
  try {
    return await host.handleCall(name, handle);
  } catch (failure) {
    const { message, kept } = failure as CallFailure;
    if (kept === null) throw unprinted(message);
    const outputs = toOutputs({ ...kept.properties, __provider: properties["__provider"] });
    // By the ID, the host sees that it must keep the resource. The engine prints the reasons.
    throw Object.assign(new Error(message), { id: kept.id, properties: outputs, reasons: [message] });
  }
}

/** The text of errors that are not printed. */
const UNPRINTED = "pulumi-partners";

/**
 * Returns an error that only the engine shows. For `read` and `delete`, the SDK's host also prints
 * `${error}: ${error.stack}`, which is dropped below.
 */
function unprinted(message: string): Error {
  return Object.assign(new Error(message), { stack: "", toString: () => UNPRINTED });
}

const print = console.error;
if (isHost)
  console.error = (...texts: unknown[]): void => {
    if (texts[0] !== `${UNPRINTED}: `) print(...texts);
  };
