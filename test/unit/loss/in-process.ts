import type { ResourceProvider } from "@pulumi/pulumi/dynamic/index.js";

import type * as timingModule from "../../../provider/src/api/timing.js";
import type * as pluginModule from "../../../provider/src/plugin/index.js";
import type * as sessionModule from "../../../provider/src/plugin/session.js";
import type * as warnModule from "../../../provider/src/plugin/warn.js";
import { PARTNER_API_KEY } from "../../../provider/src/resources/registration.js";
import { fromStruct, toStruct, type InitFailure, type Properties } from "../../support/plugin-process.ts";
import { freshModules } from "./fresh-modules.ts";
import { HandlerError, type Host } from "./host.ts";
import { virtualTime } from "./virtual-time.ts";

/** Handlers for properties of any kind. */
type Handlers = Required<ResourceProvider<Properties, Properties>>;

/**
 * A fresh "plugin process" in this one: the handlers of a set of modules of their own, called as the SDK's
 * dynamic-provider host calls them. Waits cost no time.
 *
 * @param config Stack configuration by full key. @param seed For the jitter of retries. @param warn Gets what a person would
 * read on stderr.
 */
export function startInProcess(
  config: Readonly<Record<string, string>>,
  seed: number,
  warn: (text: string) => void = () => undefined,
): Host {
  const load = freshModules();
  Object.assign(load("plugin/warn.js") as typeof warnModule, { warnOnce: warn });
  const { systemTiming } = load("api/timing.js") as typeof timingModule;
  Object.assign(systemTiming, virtualTime(seed));
  const plugin = load("plugin/index.js") as typeof pluginModule;
  const { openSession } = load("plugin/session.js") as typeof sessionModule;

  const configured = new Set<Handlers>();
  const handlersOf = (properties: Properties): Handlers => {
    const isKey = properties["__provider"] === PARTNER_API_KEY.__provider;
    const handlers = (isKey ? plugin.partnerApiKey : plugin.partnerWebhookState) as Handlers;
    if (!configured.has(handlers)) {
      configured.add(handlers);
      const source = { get: (key: string) => config[key] };
      void handlers.configure({ config: source } as Parameters<Handlers["configure"]>[0]);
    }
    return handlers;
  };
  const close = async (): Promise<void> => {
    const session = await openSession().catch(() => null);
    await session?.client.close();
  };
  return { ...hostCalls(handlersOf), close };
}

/** What `cmd/dynamic-provider` of the SDK does around the handlers. */
function hostCalls(handlersOf: (properties: Properties) => Handlers): Omit<Host, "close"> {
  return {
    check: async (news, olds = {}) => {
      const { inputs, failures = [] } = await handlersOf(news).check(onWire(olds), onWire(news));
      return { inputs: withProvider(inputs, news), failures };
    },
    diff: async (id, olds, news) => {
      const difference = await handlersOf(news).diff(id, onWire(olds), onWire(news));
      const { changes, replaces = [], deleteBeforeReplace = false } = difference;
      return { changes, replaces, deleteBeforeReplace };
    },
    create: async (news) => {
      const { id, outs } = await handlersOf(news).create(onWire(news)).catch(rejectAsHost);
      return { id, properties: withProvider(outs, news) };
    },
    read: async (id, olds) => {
      const found = await handlersOf(olds).read(id, onWire(olds)).catch(rejectAsHost);
      const inputs = found.inputs === undefined ? undefined : withProvider(found.inputs, olds);
      return { id: found.id ?? "", properties: withProvider(found.props, olds), inputs };
    },
    update: async (id, olds, news) => {
      const { outs } = await handlersOf(news).update(id, onWire(olds), onWire(news)).catch(rejectAsHost);
      return { properties: withProvider(outs, news) };
    },
    delete: async (id, olds) => {
      await handlersOf(olds).delete(id, onWire(olds)).catch(rejectAsHost);
    },
  };
}

function withProvider(result: unknown, { __provider }: Properties): Properties {
  return onWire({ ...(result as Properties | undefined), __provider });
}

/** Properties after their way over gRPC; throws on `undefined`, as the host does. */
function onWire(properties: Properties): Properties {
  return fromStruct(toStruct(properties));
}

function rejectAsHost(error: unknown): never {
  const { message, id, properties, reasons } = error as Error & Partial<InitFailure>;
  const initFailure = id ? { id, properties: onWire(properties ?? {}), reasons: reasons ?? [] } : undefined;
  throw new HandlerError(message, initFailure);
}
