import type { Clock } from "../../../provider/src/api/clock.js";
import {
  PartialFailure,
  type Properties,
  type ResourceHandlers,
} from "../../../provider/src/handlers/contract.js";
import { createHandlers } from "../../../provider/src/handlers/create-handlers.js";
import type { Notice } from "../../../provider/src/handlers/problems.js";
import { PluginProcess } from "../../../provider/src/handlers/process.js";
import { seededRandom } from "../../support/random.ts";

/** What a program says of one resource. */
export interface Declared {
  readonly kind: "key" | "webhook" | "fleet";
  readonly args: Properties;
}

/** A program: its resources by name. */
export type Program = ReadonlyMap<string, Declared>;

/** One resource in the stack's state. */
export interface Entry {
  readonly name: string;
  readonly kind: Declared["kind"];
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
  readonly verb: "check" | "diff" | "create" | "read" | "update" | "delete";
  readonly name: string;
  readonly kind: Declared["kind"];
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
  /** Whether steps run at the same time, as far as the engine lets them. */
  readonly parallel: boolean;
  /** After so many requests the plugin is told to stop, or the engine dies and hears no answer any more. */
  readonly stop: { readonly how: "interrupt" | "kill"; readonly after: number } | null;
}

/** What an operation of the engine did. Times are in virtual milliseconds. */
export interface Operation {
  readonly verb: Command["verb"];
  readonly succeeded: boolean;
  readonly calls: readonly Call[];
  /** Calls that may change something. */
  readonly steps: number;
  readonly notices: readonly Notice[];
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What the plugin process of an operation is created with. */
export interface Surroundings {
  /** Stack configuration by full key. */
  readonly config: Readonly<Record<string, string>>;
  readonly clock: VirtualClock;
  /** Gets a function that is to be called whenever a request has ended. */
  readonly onRequest: (listener: () => void) => void;
}

/** Runs one operation of the Pulumi engine on a state, with a plugin process of its own, as pkg/resource/deploy of the CLI does. */
export async function runOperation(
  entries: Entry[],
  program: Program,
  command: Command,
  surroundings: Surroundings,
): Promise<Operation> {
  const run = new OperationRun(entries, surroundings, command);
  const startedAt = surroundings.clock.now();
  let succeeded = true;
  try {
    await run.perform(program);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    succeeded = false;
  }
  await run.close();
  const { calls, notices } = run;
  const steps = calls.filter(({ verb }) => ["create", "update", "delete"].includes(verb)).length;
  const endedAt = surroundings.clock.now();
  return { verb: command.verb, succeeded, calls, steps, notices, startedAt, endedAt };
}

/** Milliseconds: the default `operationTimeout`, which no wait may exceed. */
const LONGEST_WAIT = 120_000;

/** Time that runs as usual, except that waits take none: the clock is moved to their end. Refuses waits that look like a hang. */
export class VirtualClock implements Clock {
  readonly random: () => number;
  #skipped = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  readonly now = (): number => Date.now() + this.#skipped;

  advance(milliseconds: number): void {
    this.#skipped += milliseconds;
  }

  async sleep(milliseconds: number): Promise<void> {
    if (milliseconds > LONGEST_WAIT) throw new Error(`a wait of ${milliseconds} ms`);
    const end = this.now() + milliseconds;
    await new Promise((resolve) => setImmediate(resolve)); // Others that wait at the same time read the clock first.
    this.#skipped += Math.max(0, end - this.now());
  }
}

/** Ends an operation of the engine. What failed is in the record of its calls. */
class StepFailed extends Error {}

class OperationRun {
  readonly calls: Call[] = [];
  readonly notices: Notice[] = [];
  readonly #entries: Entry[];
  readonly #command: Command;
  readonly #plugin: PluginProcess;
  readonly #handlers: Readonly<Record<Declared["kind"], ResourceHandlers>>;
  #killed = false;

  constructor(entries: Entry[], { config, clock, onRequest }: Surroundings, command: Command) {
    this.#entries = entries;
    this.#command = command;
    const interrupt = new AbortController();
    this.#plugin = new PluginProcess({
      env: {},
      warn: (notice) => this.notices.push(notice),
      signal: interrupt.signal,
      currentTime: clock.now,
      clock,
    });
    this.#plugin.configure({ get: (key) => config[key] });
    const {
      partnerApiKey: key,
      partnerWebhookState: webhook,
      partnerWebhookStates: fleet,
    } = createHandlers(this.#plugin);
    this.#handlers = { key, webhook, fleet };
    let requests = 0;
    onRequest(() => {
      if (++requests !== command.stop?.after) return;
      if (command.stop.how === "interrupt") interrupt.abort();
      else this.#killed = true;
    });
  }

  async perform(program: Program): Promise<void> {
    const { verb, parallel } = this.#command;
    if (verb === "refresh") {
      await all(this.#entries.map((entry) => () => this.#read(entry)));
      return;
    }
    const declared = verb === "destroy" ? [] : [...program];
    const planned: (() => Promise<void>)[] = [];
    for (const [name, each] of declared) {
      const step = await this.#plan(name, each);
      if (verb === "preview") continue;
      if (parallel) planned.push(step);
      else await step();
    }
    if (verb === "preview") return;
    await all(planned);
    const kept = new Set(declared.map(([name]) => name));
    const left = this.#entries.filter(({ name, condemned }) => condemned || !kept.has(name)).reverse();
    const deletions = left.map((entry) => async () => {
      await this.#call("delete", entry, entry.outputs, {}, (handlers) => handlers.delete(entry.outputs));
      this.#forget(entry);
    });
    if (parallel) await all(deletions);
    else for (const deletion of deletions) await deletion();
  }

  /** Ends the plugin process. Requests that it gave up may still be on their way to the service. */
  async close(): Promise<void> {
    await (await this.#plugin.open()).client.close();
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  async #read(entry: Entry): Promise<void> {
    const { outputs: olds } = entry;
    const found = await this.#call("read", entry, olds, {}, (handlers) => handlers.read(olds));
    if (found === null) this.#forget(entry);
    else {
      entry.outputs = overWire(found.outputs);
      entry.inputs = overWire(found.inputs ?? entry.inputs);
      entry.failed = false;
    }
  }

  /** Checks and compares one resource. @returns what is to be done about it. */
  async #plan(name: string, { kind, args }: Declared): Promise<() => Promise<void>> {
    const target = { name, kind };
    const old = this.#entries.find((entry) => entry.name === name && !entry.condemned);
    const news = await this.#check(target, old?.inputs ?? {}, args);
    if (!old) return () => this.#create(target, news);
    const { changes, replaces } = await this.#call("diff", target, old.outputs, news, (handlers) =>
      Promise.resolve(handlers.diff(old.outputs, news)),
    );
    if (replaces.length > 0) {
      const fresh = await this.#check(target, {}, args);
      return () => this.#create(target, fresh, old);
    }
    if (changes || old.failed) return () => this.#update(old, news);
    return () => {
      old.inputs = news;
      return Promise.resolve();
    };
  }

  async #check(target: Target, olds: Properties, args: Properties): Promise<Properties> {
    return this.#call("check", target, olds, args, async (handlers, call) => {
      const { inputs, problems } = await handlers.check(olds, args);
      call.errors.push(...problems);
      return overWire(inputs);
    });
  }

  /** @param old What it replaces. */
  async #create(target: Target, inputs: Properties, old?: Entry): Promise<void> {
    const made = await this.#call("create", target, {}, inputs, (handlers) =>
      orPartial(handlers.create(inputs)),
    );
    const failed = made instanceof PartialFailure;
    const outputs = overWire(failed ? made.properties : made.outputs);
    this.#entries.push({ ...target, id: made.id, inputs, outputs, failed, condemned: false });
    if (old) old.condemned = true;
    if (failed) throw new StepFailed();
  }

  async #update(entry: Entry, news: Properties): Promise<void> {
    const { id, outputs: olds } = entry;
    const made = await this.#call("update", entry, olds, news, (handlers) =>
      orPartial(handlers.update(id, olds, news)),
    );
    entry.failed = made instanceof PartialFailure;
    entry.outputs = overWire(made instanceof PartialFailure ? made.properties : made);
    if (entry.failed) throw new StepFailed(); // The inputs stay the old ones (engine/update.go).
    entry.inputs = news;
  }

  /** A method, as the compiler does not expect it to change during a call. */
  #isKilled(): boolean {
    return this.#killed;
  }

  #forget(entry: Entry): void {
    this.#entries.splice(this.#entries.indexOf(entry), 1);
  }

  /** @throws {StepFailed} */
  async #call<Value>(
    verb: Call["verb"],
    { name, kind }: Target,
    olds: Properties,
    news: Properties,
    work: (handlers: ResourceHandlers, call: Call) => Promise<Value>,
  ): Promise<Value> {
    if (this.#isKilled()) throw new StepFailed();
    const call: Call = { verb, name, kind, olds, news, errors: [], dropped: false };
    this.calls.push(call);
    const started = (async () => work(this.#handlers[kind], call))(); // `diff` may throw at once.
    const value = await started.catch((error: unknown) => {
      call.errors.push(error);
    });
    call.dropped = this.#isKilled();
    if (call.dropped || call.errors.length > 0) throw new StepFailed();
    if (value instanceof PartialFailure) call.errors.push(value);
    return value as Value;
  }
}

/** Turns the failure that leaves something in state into a value. */
function orPartial<Value>(work: Promise<Value>): Promise<Value | PartialFailure> {
  return work.catch((error: unknown) => {
    if (error instanceof PartialFailure) return error;
    throw error;
  });
}

type Target = Pick<Entry, "name" | "kind">;

/** Runs all steps at the same time, each to its end, and fails if one of them did. */
async function all(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const results = await Promise.allSettled(steps.map((step) => step()));
  const failed = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  if (failed.length > 0) throw failed.find((reason) => !(reason instanceof StepFailed)) ?? failed[0];
}

/** Properties after their way to the engine and into the state file: `undefined` becomes `null`, as hosts/dynamic.ts has it. */
function overWire(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties, (_name, value: unknown) => value ?? null)) as Properties;
}
