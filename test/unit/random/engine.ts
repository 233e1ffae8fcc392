import type { Clock } from "../../../provider/src/api/clock.js";
import {
  PartialFailure,
  type Properties,
  type ResourceHandlers,
} from "../../../provider/src/handlers/contract.js";
import { createHandlers } from "../../../provider/src/handlers/create-handlers.js";
import type { Notice } from "../../../provider/src/handlers/problems.js";
import { PluginProcess } from "../../../provider/src/handlers/process.js";

export type Kind = "key" | "webhook" | "fleet";

/** A program: the arguments of its resources by their names. */
export type Program = ReadonlyMap<string, Properties>;

/** The kind of a resource, of which its name tells: `key1` is a key. */
export function kindOf(name: string): Kind {
  return name.slice(0, -1) as Kind;
}

/** One resource in the stack's state. */
export interface Entry {
  readonly name: string;
  readonly id: string;
  inputs: Properties;
  outputs: Properties;
  /** Its initialization failed: the next `up` calls `update`, changes or not. */
  failed: boolean;
  /** It was replaced and is still to be deleted. */
  condemned: boolean;
}

/** One call of a handler. */
export interface Call {
  readonly verb: "check" | "create" | "read" | "update" | "delete";
  readonly name: string;
  /** For `check` the inputs in state, for all others the outputs. */
  readonly olds: Properties;
  readonly news: Properties;
  /** What it threw, or what `check` found wrong. */
  readonly errors: unknown[];
  /** Whether the engine never heard how it ended. */
  dropped: boolean;
}

/** What Pulumi is asked to do, and what happens to it meanwhile. */
export interface Command {
  readonly verb: "preview" | "up" | "refresh" | "destroy";
  /** Whether all steps run at the same time. */
  readonly parallel: boolean;
  /** After so many requests the plugin is told to stop, or the engine dies and hears no answer any more. */
  readonly stop: { readonly how: "interrupt" | "kill"; readonly after: number } | null;
}

/** What an operation of the engine did. */
export interface Operation {
  readonly verb: Command["verb"];
  readonly succeeded: boolean;
  readonly calls: readonly Call[];
  readonly notices: readonly Notice[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** What the plugin process of an operation is created with. */
export interface Surroundings {
  /** Stack configuration by full key. */
  readonly config: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Gets a function that is to be called whenever a request has ended. */
  readonly onRequest: (listener: () => void) => void;
}

type Step = () => Promise<void>;

/** Ends a step. What failed is in the record of its calls. */
class StepFailed extends Error {}

/** Runs one operation of the Pulumi engine on a state, with a plugin process of its own, as pkg/resource/deploy of the CLI does. */
export async function runOperation(
  entries: Entry[],
  program: Program,
  { verb, parallel, stop }: Command,
  { config, clock, onRequest }: Surroundings,
): Promise<Operation> {
  const startedAt = clock.now();
  const calls: Call[] = [];
  const notices: Notice[] = [];
  const engine = { killed: false, succeeded: true };
  const isKilled = (): boolean => engine.killed;
  const interrupt = new AbortController();
  const plugin = new PluginProcess({
    env: {},
    warn: (notice) => void notices.push(notice),
    signal: interrupt.signal,
    currentTime: () => clock.now(),
    clock,
  });
  plugin.configure({ get: (key) => config[key] });
  const created = createHandlers(plugin);
  const handlers: Readonly<Record<Kind, ResourceHandlers>> = {
    key: created.partnerApiKey,
    webhook: created.partnerWebhookState,
    fleet: created.partnerWebhookStates,
  };
  let requests = 0;
  onRequest(() => {
    if (++requests !== stop?.after) return;
    if (stop.how === "interrupt") interrupt.abort();
    else engine.killed = true;
  });

  /** @throws {StepFailed} */
  const call = async <Value>(
    method: Call["verb"],
    name: string,
    olds: Properties,
    news: Properties,
    work: (handlers: ResourceHandlers, errors: unknown[]) => Promise<Value>,
  ): Promise<Value> => {
    if (isKilled()) throw new StepFailed();
    const record: Call = { verb: method, name, olds, news, errors: [], dropped: false };
    calls.push(record);
    const value = await work(handlers[kindOf(name)], record.errors).catch((error: unknown) => {
      record.errors.push(error);
    });
    record.dropped = isKilled();
    if (record.dropped || record.errors.length > 0) throw new StepFailed();
    if (value instanceof PartialFailure) record.errors.push(value);
    return value as Value;
  };

  const check = (name: string, olds: Properties, args: Properties): Promise<Properties> =>
    call("check", name, olds, args, async (handler, errors) => {
      const { inputs, problems } = await handler.check(olds, args);
      errors.push(...problems);
      return overWire(inputs);
    });

  /** @param old What it replaces. */
  const create = async (name: string, inputs: Properties, old?: Entry): Promise<void> => {
    const made = await call("create", name, {}, inputs, (handler) =>
      handler.create(inputs).catch(partialFailure),
    );
    const failed = made instanceof PartialFailure;
    const outputs = overWire(failed ? made.properties : made.outputs);
    entries.push({ name, id: made.id, inputs, outputs, failed, condemned: false });
    if (old) old.condemned = true;
    if (failed) throw new StepFailed();
  };

  const update = async (entry: Entry, news: Properties): Promise<void> => {
    const { name, id, outputs: olds } = entry;
    const made = await call("update", name, olds, news, (handler) =>
      handler.update(id, olds, news).catch(partialFailure),
    );
    entry.failed = made instanceof PartialFailure;
    entry.outputs = overWire(made instanceof PartialFailure ? made.properties : made);
    if (entry.failed) throw new StepFailed(); // The inputs stay the old ones (engine/update.go).
    entry.inputs = news;
  };

  const apply = async (name: string, args: Properties): Promise<void> => {
    const old = entries.find((entry) => entry.name === name && !entry.condemned);
    const news = await check(name, old?.inputs ?? {}, args);
    const { changes, replaces } = old
      ? handlers[kindOf(name)].diff(old.outputs, news)
      : { changes: true, replaces: [] };
    const fresh = replaces.length > 0 ? await check(name, {}, args) : news;
    if (verb === "preview") return;
    if (!old || replaces.length > 0) await create(name, fresh, old);
    else if (changes || old.failed) await update(old, news);
    else old.inputs = news;
  };

  const read = async (entry: Entry): Promise<void> => {
    const { name, outputs: olds } = entry;
    const found = await call("read", name, olds, {}, (handler) => handler.read(olds));
    if (found === null) {
      entries.splice(entries.indexOf(entry), 1);
      return;
    }
    entry.outputs = overWire(found.outputs);
    entry.inputs = overWire(found.inputs ?? entry.inputs);
    entry.failed = false;
  };

  const remove = async (entry: Entry): Promise<void> => {
    const { name, outputs: olds } = entry;
    await call("delete", name, olds, {}, (handler) => handler.delete(olds));
    entries.splice(entries.indexOf(entry), 1);
  };

  const attempt = async (step: Step): Promise<void> => {
    await step().catch((error: unknown) => {
      if (!(error instanceof StepFailed)) throw error;
      engine.succeeded = false;
    });
  };
  /** Runs all steps at the same time, each to its end; or one after the other, up to the first that fails. */
  const run = async (steps: readonly Step[]): Promise<void> => {
    if (parallel) await Promise.all(steps.map(attempt));
    else for (const step of steps) if (engine.succeeded) await attempt(step);
  };

  const declared = verb === "destroy" ? [] : [...program];
  if (verb === "refresh") await run(entries.map((entry) => () => read(entry)));
  else
    await run(
      declared.map(
        ([name, args]) =>
          () =>
            apply(name, args),
      ),
    );
  if (engine.succeeded && (verb === "up" || verb === "destroy")) {
    const kept = new Set(declared.map(([name]) => name));
    const left = entries.filter(({ name, condemned }) => condemned || !kept.has(name)).reverse();
    await run(left.map((entry) => () => remove(entry)));
  }

  // The end of the process. Requests that it gave up may still be on their way to the service.
  await (await plugin.open()).client.close();
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return { verb, succeeded: engine.succeeded, calls, notices, startedAt };
}

/** Turns the failure that leaves something in state into a value. */
function partialFailure(error: unknown): PartialFailure {
  if (error instanceof PartialFailure) return error;
  throw error;
}

/** Properties after their way to the engine and into the state file: `undefined` becomes `null`, as hosts/dynamic.ts has it. */
function overWire(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties, (_name, value: unknown) => value ?? null)) as Properties;
}
