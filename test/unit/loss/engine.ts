import type { Properties } from "../../support/plugin-process.ts";
import type { Host } from "./host.ts";
import { PROVIDER, type Declared, type Entry, type Program, type Witness } from "./stack-state.ts";
import { StepFailed, Steps, type Target } from "./steps.ts";

/** Settings of an update. */
export interface UpdateOptions {
  /** Whether creations and updates run at the same time, and deletions too. @default false */
  readonly parallel?: boolean;
  /** Resources to replace whether they changed or not (`--replace`). @default none */
  readonly replace?: ReadonlySet<string>;
  /** Whether a refresh comes first, in the same plugin process (`--refresh`). @default false */
  readonly refresh?: boolean;
}

/** How an operation of the engine ended. */
export interface Report {
  readonly succeeded: boolean;
  /** Steps taken that may change something: create, update, delete. */
  readonly steps: number;
}

/**
 * The Pulumi engine as a plugin sees it: which handlers it calls, in which order, with which inputs. After the Pulumi CLI
 * 3.259: pkg/resource/deploy/step_generator.go, step.go, and pkg/engine/update.go.
 */
export class Engine {
  /** The stack's state. */
  readonly entries: Entry[] = [];
  readonly #open: (account: string) => Promise<Host>;
  readonly #witness: Witness;

  /** @param open Starts the plugin process of a provider instance, which lasts for one operation of the engine. */
  constructor(open: (account: string) => Promise<Host>, witness: Witness) {
    this.#open = open;
    this.#witness = witness;
  }

  /** The entry that a name in the program stands for. */
  live(name: string): Entry | undefined {
    return this.entries.find((entry) => entry.name === name && !entry.condemned);
  }

  /** Checks and compares, and changes nothing. */
  preview(program: Program): Promise<Report> {
    return this.#operation(async (steps) => {
      for (const [name, declared] of program) await this.#plan(steps, name, declared, false);
    });
  }

  /** Makes the stack what the program says. */
  up(program: Program, options: UpdateOptions = {}): Promise<Report> {
    const { parallel = false, replace, refresh = false } = options;
    return this.#operation(async (steps) => {
      if (refresh) await this.#refresh(steps);
      const planned: (() => Promise<void>)[] = [];
      for (const [name, declared] of program) {
        const step = await this.#plan(steps, name, declared, replace?.has(name) ?? false);
        if (parallel) planned.push(step);
        else await step();
      }
      await all(planned);
      await this.#deleteAllBut(steps, new Set(program.keys()), parallel);
    });
  }

  /** Reads every resource. */
  refresh(): Promise<Report> {
    return this.#operation((steps) => this.#refresh(steps));
  }

  /** Deletes everything, without looking at the program. */
  destroy(parallel = false): Promise<Report> {
    return this.#operation((steps) => this.#deleteAllBut(steps, new Set(), parallel));
  }

  /** Forgets a resource (`pulumi state delete`). */
  forget(entry: Entry): void {
    new Steps(this.entries, this.#witness, this.#open).forget(entry);
  }

  async #operation(work: (steps: Steps) => Promise<void>): Promise<Report> {
    const steps = new Steps(this.entries, this.#witness, this.#open);
    try {
      await work(steps);
      return { succeeded: true, steps: steps.taken };
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return { succeeded: false, steps: steps.taken };
    } finally {
      await steps.close();
    }
  }

  /** Checks and compares one resource. @returns what is to be done about it. */
  async #plan(steps: Steps, name: string, declared: Declared, force: boolean): Promise<() => Promise<void>> {
    const { kind, account, args, deleteBeforeReplace } = declared;
    const target: Target = { name, kind, account };
    const goal = { ...args, __provider: PROVIDER[kind] };
    const old = this.live(name);
    const news = await steps.check(target, (!force && old?.inputs) || {}, goal);
    if (!old) return () => steps.create(target, news);

    const replace = async (inputs: Properties): Promise<void> => {
      if (deleteBeforeReplace && !old.awaitsReplacement) {
        await steps.delete(old);
        old.awaitsReplacement = true;
      }
      await steps.create(target, inputs, old);
    };
    if (force) return () => replace(news);
    const { changes, replaces } = await steps.diff(target, old, news);
    if (replaces.length > 0 || old.awaitsReplacement) {
      const fresh = await steps.check(target, {}, goal);
      return () => replace(fresh);
    }
    if (changes === true || old.failed) return () => steps.update(target, old, news);
    return () => {
      Object.assign(old, { inputs: news, account }); // Unchanged.
      return Promise.resolve();
    };
  }

  async #refresh(steps: Steps): Promise<void> {
    const present = this.entries.filter((entry) => !entry.awaitsReplacement);
    await all(present.map((entry) => () => steps.read(entry)));
  }

  async #deleteAllBut(steps: Steps, kept: ReadonlySet<string>, parallel: boolean): Promise<void> {
    const left = this.entries.filter((entry) => entry.condemned || !kept.has(entry.name)).reverse();
    const deletions = left.map((entry) => async () => {
      if (!entry.awaitsReplacement) await steps.delete(entry);
      steps.forget(entry);
    });
    if (parallel) await all(deletions);
    else for (const deletion of deletions) await deletion();
  }
}

/** Runs all steps at the same time, to their end. Rejects as one of them did, the more serious before a failed step. */
async function all(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const results = await Promise.allSettled(steps.map((step) => step()));
  const errors = results.flatMap((result): unknown[] =>
    result.status === "rejected" ? [result.reason] : [],
  );
  if (errors.length > 0) throw errors.find((error) => !(error instanceof StepFailed)) ?? errors[0];
}
