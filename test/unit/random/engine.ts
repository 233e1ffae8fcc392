import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";

import { createHandlers } from "../../../provider/src/hosts/plugin-host.ts";
import { PartnerError } from "../../../provider/src/partner-api/errors.ts";
import { AccountSession, type SessionOptions } from "../../../provider/src/account/account-session.ts";
import { withoutUndefined, type Properties } from "../../../provider/src/adapter/properties.ts";
import type { Notice } from "../../../provider/src/account/notice.ts";
import { PartialFailure } from "../../../provider/src/adapter/resumable-changes.ts";
import type { ResourceAdapter } from "../../../provider/src/adapter/resource-adapter.ts";
import { SECRET_OUTPUTS } from "../../../provider/src/registration.ts";

/** After so many failures of a step, the engine ignores hooks, and drops the outputs of a partial failure. */
const MAX_RETRIES = 100;

/** The resources of a program and their arguments, by name: `key1` is a key. */
export type Program = ReadonlyMap<string, Properties>;

/** A resource in the state of the stack. */
export interface Entry {
  readonly name: string;
  readonly id: string;
  inputs: Properties;
  outputs: Properties;
  /** Whether its last step failed partway ("initialization failed"): the next `up` updates it. */
  failed: boolean;
  /** Whether its replacement was created, and it waits for its deletion. */
  replaced: boolean;
  /** `pulumi state taint`: whether the next `up` replaces it. */
  tainted?: true;
}

/** A Pulumi command, and how the program and people affect it. */
export interface Command {
  readonly verb: "preview" | "up" | "refresh" | "destroy";
  readonly parallel?: boolean;
  /**
   * After how many requests of the process each resource of a parallel `up` starts, as one that depends on
   * another one: at the latest when nothing else is running. @default all start at once
   */
  readonly delays?: readonly number[];
  /** How often a hook of the program has a failed step repeated. @default 0 */
  readonly repetitions?: number;
  /** Whether a hook repeats a creation that failed partway as an update, as the engine does since 3.274. */
  readonly updatesCreated?: boolean;
  readonly deleteBeforeReplace?: boolean;
  /** A resource of the program with the option `import`, and the ID to import. */
  readonly imports?: { readonly name: string; readonly id: string };
  /** `--replace`: the resource to replace. */
  readonly replace?: string | undefined;
  /** `--target`: the only resource that the command is about. @default all */
  readonly target?: string | undefined;
  /** After this many requests, a person interrupts the engine, or it dies. */
  readonly stop?: { readonly how: "interrupt" | "kill"; readonly after: number } | undefined;
}

/** A step: one call of an adapter, or more if a hook repeats it. */
export interface Call {
  readonly verb: "check" | "create" | "adopt" | "read" | "update" | "delete";
  readonly name: string;
  /** The inputs in the state for `check`, the outputs for other verbs. */
  readonly olds: Properties;
  readonly news: Properties;
  /** What each attempt has thrown, and the problems that `check` found. */
  readonly errors: (string | PartnerError)[];
  succeeded: boolean;
}

/** When a process has seen the state of a resource, and what it decided. */
interface Planned {
  /** How many calls had begun by then. */
  readonly calls: number;
  readonly isReplaced: boolean;
}

interface PluginOptions extends Pick<SessionOptions, "env" | "clock" | "currentTime" | "signal"> {
  /** The configuration of the stack. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What the engine starts a plugin with. */
export interface Surroundings extends PluginOptions {
  /** Whether the host knows the URN of what it deletes, as the native plugin does. */
  readonly knowsUrn: boolean;
  /** Has a listener called after each request at the service. */
  readonly onRequest: (listener: () => void) => void;
}

/** The record of a command. */
export type Operation = Awaited<ReturnType<typeof runCommand>>;

/** Returns the outputs that everybody may see, as text. */
export function publicText(outputs: Properties): string {
  return JSON.stringify(Object.entries(outputs).filter(([name]) => !SECRET_OUTPUTS.includes(name)));
}

export function urnOf(name: string): string {
  return `urn:pulumi:dev::life::partners:index:Resource::${name}`;
}

/** Starts a plugin process. `visible`: everything that it shows to people and logs. */
export function startPlugin({ settings, ...options }: PluginOptions) {
  const notices: Notice[] = [];
  const visible: string[] = [];
  const show = (line: string): void => void visible.push(line);
  const notify = (notice: Notice): void => void notices.push(notice);
  const session = new AccountSession({ ...options, notify, showStatus: show, log: show });
  session.configure({ get: (key) => settings[key.replace("partners:", "")] });
  const handlers = createHandlers(session);
  const adapterOf = (name: string): ResourceAdapter => {
    if (name.startsWith("key")) return handlers.partnerApiKey;
    return name.startsWith("fleet") ? handlers.partnerWebhookStates : handlers.partnerWebhookState;
  };
  return { session, adapterOf, list: () => handlers.listWebhooks(), notices, visible };
}

/** Ends a step that failed. */
class StepFailed extends Error {}

/** Runs a command on a state with a new plugin process, as the Pulumi engine does (pkg/resource/deploy). */
export async function runCommand(stack: Entry[], program: Program, command: Command, around: Surroundings) {
  const { verb, repetitions = 0, deleteBeforeReplace, replace, target, stop } = command;
  const interrupt = new AbortController();
  const { session, adapterOf, notices, visible } = startPlugin({ ...around, signal: interrupt.signal });
  const calls: Call[] = [];
  const changed: string[] = []; // Also those that a preview says.
  const planned = new Map<string, Planned>();
  let [wasKilled, succeeded, requests] = [false, true, 0];
  const isStopped = (): boolean => wasKilled || interrupt.signal.aborted;
  let running = 0;
  const waiting = new Set<{ readonly after: number; readonly start: () => void }>();
  const startWaiting = (): void => {
    for (const each of waiting)
      if (each.after <= requests || running === 0) {
        waiting.delete(each);
        running += 1;
        each.start();
      }
  };
  around.onRequest(() => {
    requests += 1;
    startWaiting();
    if (requests !== stop?.after) return;
    if (stop.how === "interrupt") interrupt.abort();
    else wasKilled = true;
  });

  /** Takes a step. What an attempt has kept is passed to the next one, if a hook asks for it. */
  const take = async <Value>(
    step: Omit<Call, "errors" | "succeeded">,
    work: (adapter: ResourceAdapter, kept: PartialFailure | null, call: Call) => Promise<Value>,
  ): Promise<Value | PartialFailure> => {
    if (isStopped()) throw new StepFailed();
    const call: Call = { ...step, errors: [], succeeded: false };
    calls.push(call);
    const attempts = ["check", "adopt", "read"].includes(step.verb) ? 1 : repetitions + 1;
    let kept: PartialFailure | null = null;
    const mayRepeat = (): boolean => call.errors.length < Math.min(attempts, MAX_RETRIES) && !isStopped();
    while (call.errors.length === 0 || mayRepeat()) {
      try {
        const value = await work(adapterOf(step.name), kept, call);
        if (wasKilled) throw new StepFailed();
        call.succeeded = true;
        return value;
      } catch (error) {
        const reason = error instanceof PartialFailure ? error.reason : error;
        if (!(reason instanceof PartnerError)) throw error;
        visible.push(`${reason.message} ${String(reason.stack)} ${JSON.stringify(reason)}`);
        call.errors.push(reason);
        if (error instanceof PartialFailure) kept = error;
      }
    }
    assert(kept === null || call.errors.length < MAX_RETRIES, "the hundredth failure drops what was kept");
    // A plain error at the end restores the old state, whatever an earlier attempt has kept.
    if (wasKilled || kept === null || kept.reason !== call.errors.at(-1)) throw new StepFailed();
    return kept;
  };

  const check = async (name: string, olds: Properties, news: Properties): Promise<Properties> => {
    const result = await take({ verb: "check", name, olds, news }, async (adapter, _kept, call) => {
      const { inputs, problems } = await adapter.check(olds, news, urnOf(name));
      call.errors.push(...problems);
      visible.push(...problems.map(String));
      if (problems.length > 0) throw new StepFailed();
      return inputs;
    });
    return withoutUndefined(result as Properties);
  };

  const create = async (name: string, news: Properties, old?: Entry): Promise<void> => {
    const result = await take({ verb: "create", name, olds: {}, news }, async (adapter, kept) => {
      if (kept === null || !command.updatesCreated) return adapter.create(news, urnOf(name));
      const [id, olds] = [kept.id, withoutUndefined(kept.properties)];
      return { id, outputs: await adapter.update(olds, news, { id, urn: urnOf(name) }) };
    });
    const failed = result instanceof PartialFailure;
    const outputs = withoutUndefined(failed ? result.properties : result.outputs);
    stack.push({ name, id: result.id, inputs: news, outputs, failed, replaced: false });
    if (old) old.replaced = true;
    if (failed) throw new StepFailed();
  };

  /** Imports a resource that the program declares with its ID (deploy/step.go, ImportStep). */
  const adopt = async (name: string, args: Properties, id: string): Promise<void> => {
    const found = await take({ verb: "adopt", name, olds: {}, news: args }, (adapter) => adapter.adopt(id));
    assert(found !== null && !(found instanceof PartialFailure), "an import finds nothing");
    const [outputs, read] = [withoutUndefined(found.outputs), withoutUndefined(found.inputs ?? {})];
    const inputs = await check(name, read, args);
    const { changes } = adapterOf(name).diff(outputs, inputs, { id, urn: urnOf(name) });
    planned.set(name, { calls: calls.length, isReplaced: false });
    if (changes) throw new StepFailed(); // The inputs to import do not match the existing resource.
    if (verb !== "preview") stack.push({ name, id, inputs, outputs, failed: false, replaced: false });
  };

  const update = async (entry: Entry, news: Properties): Promise<void> => {
    const { name, id, outputs: olds } = entry;
    const result = await take({ verb: "update", name, olds, news }, (adapter) =>
      adapter.update(olds, news, { id, urn: urnOf(name) }),
    );
    entry.failed = result instanceof PartialFailure;
    entry.outputs = withoutUndefined(result instanceof PartialFailure ? result.properties : result);
    if (entry.failed) throw new StepFailed(); // The state keeps the old inputs (engine/update.go).
    entry.inputs = news;
  };

  const remove = async (entry: Entry): Promise<void> => {
    const { name, id, outputs: olds } = entry;
    await take({ verb: "delete", name, olds, news: {} }, (adapter) =>
      adapter.delete(olds, { id, urn: around.knowsUrn ? urnOf(name) : "" }),
    );
    stack.splice(stack.indexOf(entry), 1);
  };

  const read = async (entry: Entry): Promise<void> => {
    const { name, outputs: olds } = entry;
    const found = await take({ verb: "read", name, olds, news: {} }, (adapter) => adapter.read(olds));
    assert(!(found instanceof PartialFailure));
    if (found === null) stack.splice(stack.indexOf(entry), 1);
    else {
      entry.outputs = withoutUndefined(found.outputs);
      entry.inputs = withoutUndefined(found.inputs ?? entry.inputs);
      entry.failed = false;
    }
  };

  const apply = async (name: string, args: Properties): Promise<void> => {
    const old = stack.find((entry) => entry.name === name && !entry.replaced);
    if (!old && command.imports?.name === name) return adopt(name, args, command.imports.id);
    const isForced = old !== undefined && (replace === name || old.tainted === true);
    let news = await check(name, isForced ? {} : (old?.inputs ?? {}), args);
    const urn = urnOf(name);
    const diff = old && !isForced ? adapterOf(name).diff(old.outputs, news, { id: old.id, urn }) : null;
    const isReplaced = isForced || (diff?.replaces.length ?? 0) > 0;
    if (diff !== null) planned.set(name, { calls: calls.length, isReplaced });
    if (isReplaced && !isForced) news = await check(name, {}, args);
    const changes = diff === null || diff.changes || old?.failed === true;
    if (changes) changed.push(name);
    if (command.parallel) await turn(); // The engine plans others meanwhile.
    if (verb === "preview") {
      const olds = isReplaced ? null : (old?.outputs ?? null);
      if (changes) visible.push(publicText(adapterOf(name).preview(olds, news)));
    } else if (old && isReplaced && deleteBeforeReplace) {
      await remove(old);
      await create(name, news);
    } else if (!old || isReplaced) await create(name, news, old);
    else if (changes) await update(old, news);
    else old.inputs = news;
  };

  /**
   * Takes a step for each item: for all in parallel, each after its delay, or one after the other until the
   * first failure.
   */
  const forEach = async <Item>(
    items: readonly Item[],
    step: (item: Item) => Promise<void>,
    delays: readonly number[] = [],
  ) => {
    const attempt = async (item: Item): Promise<void> => {
      await step(item).catch((error: unknown) => {
        if (!(error instanceof StepFailed)) throw error;
        succeeded = false;
      });
    };
    const attemptLater = async (item: Item, index: number): Promise<void> => {
      const after = delays[index % delays.length] ?? 0;
      const started = new Promise<void>((start) => void waiting.add({ after, start }));
      startWaiting();
      await started;
      await attempt(item);
      running -= 1;
      startWaiting();
    };
    if (command.parallel) await Promise.all(items.map(attemptLater));
    else for (const item of items) if (succeeded) await attempt(item);
  };

  // The engine asks nothing about the others: it takes their inputs and outputs from the state.
  const isTargeted = (name: string): boolean => (target ?? name) === name;
  const declared = [...program].filter(([name]) => isTargeted(name));
  const recorded = stack.filter(({ name }) => isTargeted(name));
  if (verb === "refresh") await forEach(recorded, read);
  else if (verb !== "destroy") await forEach(declared, ([name, args]) => apply(name, args), command.delays);
  const isKept = ({ name, replaced }: Entry): boolean =>
    !isTargeted(name) || (verb === "up" && program.has(name) && !replaced);
  if (succeeded && (verb === "up" || verb === "destroy"))
    await forEach(stack.filter((entry) => !isKept(entry)).reverse(), remove);

  // Abandoned requests arrive at the service before the next command.
  await session.open().then(
    (client) => client.close(),
    () => undefined, // Settings that are not valid open no client.
  );
  for (let turns = 0; turns < 5; turns += 1) await turn();
  visible.push(...notices.map(({ text }) => text));
  return { command, succeeded, wasKilled, changed, planned, calls, notices, visible };
}
