import type { Clock } from "../../../provider/src/api/rate-limiter.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { createHandlers } from "../../../provider/src/shared/create-handlers.js";
import type { Notice } from "../../../provider/src/shared/problems.js";
import { PluginProcess } from "../../../provider/src/shared/plugin-process.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import { sharedJournals } from "../shared/support.ts";
import { TOKENS, type Account, type Service } from "./service.ts";

export type Kind = "key" | "webhook" | "fleet";

/**
 * The provider instances at the service: the names that the program gives to their accounts, and their
 * accounts. Each has a plugin process of its own, so `v1` and `v2` stand for two versions of a plugin as
 * well. `other` has another name for the same account.
 */
export const PROVIDERS = {
  v1: { name: "default", account: "first" },
  v2: { name: "default", account: "first" },
  other: { name: "other", account: "first" },
  second: { name: "second", account: "second" },
} as const satisfies Readonly<Record<string, { name: string; account: Account }>>;
export type Provider = keyof typeof PROVIDERS;

/** Returns the account of a provider instance. */
export function accountOf({ provider }: { readonly provider: Provider }): Account {
  return PROVIDERS[provider].account;
}

/** A resource of a program. */
export interface Declared {
  readonly args: Properties;
  readonly provider: Provider;
  /** An earlier name of the resource. @default none */
  readonly alias?: string;
}

/** The resources of a program, by name. */
export type Program = ReadonlyMap<string, Declared>;

/** Returns the kind of a resource, which is the start of its name: `key1` is a key. */
export function kindOf(name: string): Kind {
  return name.slice(0, -1) as Kind;
}

/** A resource in the state of the stack. */
export interface Entry {
  name: string;
  readonly id: string;
  provider: Provider;
  inputs: Properties;
  outputs: Properties;
  /** Whether its last step failed partway, so that the next `up` updates it even without changes. */
  failed: boolean;
  /** Whether it was replaced and must still be deleted. */
  replaced: boolean;
}

/** A call of a handler. */
export interface Call {
  readonly verb: "check" | "create" | "read" | "update" | "delete";
  readonly name: string;
  readonly provider: Provider;
  /** The inputs in the state for `check`, the outputs for other verbs. */
  readonly olds: Properties;
  readonly news: Properties;
  /** The error that the handler threw, or the problems that `check` found. */
  readonly errors: unknown[];
  /** Whether the engine died before the call returned. */
  dropped: boolean;
}

/** A Pulumi command. */
export interface Command {
  readonly verb: "preview" | "up" | "refresh" | "destroy";
  /** Whether all steps run in parallel. */
  readonly parallel: boolean;
  /** How often a hook of the program makes the engine repeat a creation or an update that failed. */
  readonly retries: number;
  /** `--target`: the only resources to check, to change and to delete. @default all */
  readonly targets?: readonly string[] | null;
  /** Whether replaced resources are deleted first. @default false */
  readonly deleteBeforeReplace?: boolean;
  /** After this many requests, the plugin is interrupted or the engine dies. */
  readonly stop: { readonly how: "interrupt" | "kill"; readonly after: number } | null;
}

/** The record of a command. */
export interface Operation {
  readonly verb: Command["verb"];
  readonly succeeded: boolean;
  readonly calls: readonly Call[];
  readonly notices: readonly Notice[];
  /** For each resource whose state a handler compared with the program: how many calls started earlier. */
  readonly comparedAt: ReadonlyMap<string, number>;
}

/** The environment of a plugin process. */
export interface Environment {
  /** The settings besides those of the service. */
  readonly config: Readonly<Record<string, string>>;
  /** The keys of which a person says that they are gone. */
  readonly goneKeys: readonly string[];
  readonly clock: Clock;
  readonly service: Service;
}

/** Ends a step after a failed call. */
class StepFailed extends Error {}

/** Runs a command on a state with new plugin processes, as the Pulumi engine does (pkg/resource/deploy). */
export async function runOperation(
  entries: Entry[],
  program: Program,
  { verb, parallel, retries, stop, targets = null, deleteBeforeReplace = false }: Command,
  { config, goneKeys, clock, service }: Environment,
): Promise<Operation> {
  const calls: Call[] = [];
  const notices: Notice[] = [];
  const comparedAt = new Map<string, number>();
  const engine = { killed: false, succeeded: true };
  const isKilled = (): boolean => engine.killed;
  const interrupt = new AbortController();
  const journalOf = sharedJournals();
  const start = (provider: Provider) => {
    const plugin = new PluginProcess({
      env: { PARTNERS_GONE_KEYS: goneKeys.join() },
      warn: (notice) => void notices.push(notice),
      signal: interrupt.signal,
      currentTime: () => clock.now(),
      clock,
      ...journalOf(),
    });
    const { name: account } = PROVIDERS[provider];
    const settings: Record<string, string> = {
      ...config,
      baseUrl: service.sandbox.url,
      accessToken: TOKENS[accountOf({ provider })],
      account,
      explicit: "true",
    };
    plugin.configure({ get: (key) => settings[key.replace("partners:", "")] });
    const {
      partnerApiKey: key,
      partnerWebhookState: webhook,
      partnerWebhookStates: fleet,
    } = createHandlers(plugin);
    return { plugin, handlers: { key, webhook, fleet } };
  };
  const processes = { v1: start("v1"), v2: start("v2"), other: start("other"), second: start("second") };
  const handlersOf = (name: string, provider: Provider): ResourceAdapter =>
    processes[provider].handlers[kindOf(name)];
  let requests = 0;
  service.onRequest = () => {
    if (++requests !== stop?.after) return;
    if (stop.how === "interrupt") interrupt.abort();
    else engine.killed = true;
  };

  /** Calls a handler. @throws {StepFailed} if it fails, or if the engine is dead. */
  const call = async <Value>(
    method: Call["verb"],
    name: string,
    provider: Provider,
    olds: Properties,
    news: Properties,
    work: (handlers: ResourceAdapter, errors: unknown[]) => Promise<Value>,
  ): Promise<Value> => {
    if (isKilled()) throw new StepFailed();
    const record: Call = { verb: method, name, provider, olds, news, errors: [], dropped: false };
    calls.push(record);
    const value = await work(handlersOf(name, provider), record.errors).catch((error: unknown) => {
      record.errors.push(error);
    });
    record.dropped = isKilled();
    if (record.dropped || record.errors.length > 0) throw new StepFailed();
    if (value instanceof PartialFailure) record.errors.push(value);
    return value as Value;
  };

  const repeat = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    for (let left = retries; left > 0 && !isKilled(); left -= 1) {
      const [result] = await Promise.allSettled([work()]);
      if (result.status === "fulfilled") return result.value;
    }
    return work();
  };

  const check = (name: string, provider: Provider, olds: Properties, args: Properties): Promise<Properties> =>
    call("check", name, provider, olds, args, async (handler, errors) => {
      const { inputs, problems } = await handler.check(olds, args);
      errors.push(...problems);
      return serialize(inputs);
    });

  const create = async (name: string, provider: Provider, inputs: Properties, old?: Entry): Promise<void> => {
    const result = await call("create", name, provider, {}, inputs, (handler) =>
      repeat(() => handler.create(inputs, name)).catch(asPartialFailure),
    );
    const failed = result instanceof PartialFailure;
    const outputs = serialize(failed ? result.properties : result.outputs);
    entries.push({ name, id: result.id, provider, inputs, outputs, failed, replaced: false });
    if (old) old.replaced = true;
    if (failed) throw new StepFailed();
  };

  const update = async (entry: Entry, provider: Provider, news: Properties): Promise<void> => {
    const { name, id, outputs: olds } = entry;
    const result = await call("update", name, provider, olds, news, (handler) =>
      repeat(() => handler.update(id, olds, news, name)).catch(asPartialFailure),
    );
    entry.failed = result instanceof PartialFailure;
    entry.outputs = serialize(result instanceof PartialFailure ? result.properties : result);
    if (entry.failed) throw new StepFailed(); // Keeps the old inputs (engine/update.go).
    entry.inputs = news;
    entry.provider = provider;
  };

  /** Finds a resource of the program in the state by its name, or by its alias. */
  const find = (name: string, { alias }: Declared): Entry | undefined => {
    const named = (wanted: string) => entries.find((entry) => entry.name === wanted && !entry.replaced);
    return named(name) ?? (alias === undefined || program.has(alias) ? undefined : named(alias));
  };

  const apply = async (name: string, resource: Declared): Promise<void> => {
    const { args, provider } = resource;
    const old = find(name, resource);
    const news = await check(name, provider, old?.inputs ?? {}, args);
    const { changes, replaces } = old
      ? handlersOf(name, provider).diff(old.outputs, news, { id: old.id, urn: name })
      : { changes: true, replaces: [] };
    comparedAt.set(name, calls.length);
    const inputs = replaces.length > 0 ? await check(name, provider, {}, args) : news;
    if (verb === "preview") return;
    if (old) old.name = name;
    const isReplaced = old !== undefined && replaces.length > 0;
    if (isReplaced && deleteBeforeReplace) await remove(old);
    if (!old || isReplaced) await create(name, provider, inputs, deleteBeforeReplace ? undefined : old);
    else if (changes || old.failed) await update(old, provider, news);
    else Object.assign(old, { inputs: news, provider });
  };

  const read = async (entry: Entry): Promise<void> => {
    const { name, provider, outputs: olds } = entry;
    const found = await call("read", name, provider, olds, {}, (handler) => handler.read(olds));
    if (found === null) {
      entries.splice(entries.indexOf(entry), 1);
      return;
    }
    entry.outputs = serialize(found.outputs);
    entry.inputs = serialize(found.inputs ?? entry.inputs);
    entry.failed = false;
  };

  const remove = async (entry: Entry): Promise<void> => {
    const { name, id, provider, outputs: olds } = entry;
    await call("delete", name, provider, olds, {}, (handler) => handler.delete(olds, { id, urn: name }));
    entries.splice(entries.indexOf(entry), 1);
  };

  /** Takes a step for each item: for all in parallel, or one after the other until the first failure. */
  const forEach = async <Item>(
    items: readonly Item[],
    step: (item: Item) => Promise<void>,
  ): Promise<void> => {
    const attempt = async (item: Item): Promise<void> => {
      await step(item).catch((error: unknown) => {
        if (!(error instanceof StepFailed)) throw error;
        engine.succeeded = false;
      });
    };
    if (parallel) await Promise.all(items.map(attempt));
    else for (const item of items) if (engine.succeeded) await attempt(item);
  };

  const isTarget = (name: string): boolean => targets === null || targets.includes(name);
  const declared = verb === "destroy" ? [] : [...program].filter(([name]) => isTarget(name));
  if (verb === "refresh")
    await forEach(
      entries.filter(({ name }) => isTarget(name)),
      read,
    );
  else await forEach(declared, ([name, resource]) => apply(name, resource));
  if (engine.succeeded && (verb === "up" || verb === "destroy")) {
    const kept = new Set(
      verb === "destroy" ? [] : [...program].map(([name, resource]) => find(name, resource)),
    );
    const left = entries.filter((entry) => isTarget(entry.name) && !kept.has(entry));
    await forEach(left.reverse(), remove);
  }

  // Lets abandoned requests arrive at the service before the next command.
  for (const { plugin } of Object.values(processes)) await (await plugin.open()).client.close();
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return { verb, succeeded: engine.succeeded, calls, notices, comparedAt };
}

/** Converts a failure that leaves a resource in the state to a value. */
function asPartialFailure(error: unknown): PartialFailure {
  if (error instanceof PartialFailure) return error;
  throw error;
}

/** Converts properties as hosts/dynamic.ts and the state file do: `undefined` becomes `null`. */
function serialize(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties, (_name, value: unknown) => value ?? null)) as Properties;
}
