import { Violation, watch, type Done, type Seen, type Services } from "./evidence.ts";
import { outcomeOf, type Outcome } from "./host.ts";
import { assertKeysSafe } from "./key-rules.ts";
import { Ledger } from "./ledger.ts";
import type { Call } from "./stack-state.ts";
import { assertSpeech } from "./speech-rules.ts";
import { assertWebhooksRight } from "./webhook-rules.ts";

/** The CLI or the plugin died: whatever a handler did, the engine never heard of it. */
export class Crash extends Error {}

/**
 * Looks at every call of a handler: what it says, and what the services saw. Calls that overlap are judged together, as
 * nothing on the wire tells whose creation of a key is whose.
 */
export class Observer {
  readonly ledger = new Ledger();
  /** Calls made, and requests that services received. */
  readonly counts = { calls: 0, requests: 0, posts: 0 };
  /** How many steps from now the next crash is; `null` for none. */
  crashIn: number | null = null;
  readonly #services: Services;
  readonly #isHealthy: (account: string) => boolean;
  #underWay = 0;
  #done: Done[] = [];
  #end: () => ReadonlyMap<string, Seen> = () => new Map();
  #crashed = false;
  #judging: Promise<void> | null = null;
  #warnings: string[] = [];

  /** @param isHealthy Whether nothing is wrong with an account, so that its calls have to succeed. */
  constructor(services: Services, isHealthy: (account: string) => boolean) {
    this.#services = services;
    this.#isHealthy = isHealthy;
  }

  /** See {@link Witness}. @throws {Violation} @throws {Crash} */
  readonly witness = async <Value>(call: Call, run: () => Promise<Value>): Promise<Outcome<Value>> => {
    while (this.#judging) await this.#judging; // What begins now is not what is being looked at.
    if (this.#crashed) throw new Crash();
    if (this.#underWay === 0) this.#end = watch(this.#services);
    this.#underWay += 1;
    this.counts.calls += 1;
    const healthy = this.#isHealthy(call.account);
    const outcome = await outcomeOf(run());
    const lost = this.#isLost(call);
    this.#done.push({ call, outcome, healthy, lost });
    this.#underWay -= 1;
    if (this.#underWay === 0) {
      this.#judging = this.#judge();
      await this.#judging.finally(() => (this.#judging = null));
    }
    if (lost) throw new Crash();
    return outcome;
  };

  /** Takes note of a warning. */
  hear(text: string): void {
    this.#warnings.push(text);
  }

  /** The next operation is one of a new process. */
  recover(): void {
    this.#crashed = false;
    this.crashIn = null;
  }

  /** Whether the engine does not hear how a call ended, as it died before. */
  #isLost({ verb }: Call): boolean {
    const isStep = verb !== "check" && verb !== "diff" && verb !== "read";
    if (this.crashIn !== null && isStep) {
      this.crashIn -= 1;
      this.#crashed ||= this.crashIn < 0;
    }
    return this.#crashed;
  }

  async #judge(): Promise<void> {
    // A request that was given up may still be on its way to the server's part of this process.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const evidence = { done: this.#done, seen: this.#end() };
    this.#done = [];
    for (const { requests } of evidence.seen.values()) {
      this.counts.requests += requests.length;
      this.counts.posts += requests.filter(({ method }) => method === "POST").length;
    }
    try {
      assertSpeech(evidence, this.#warnings.splice(0), this.#services);
      assertKeysSafe(evidence, this.ledger);
      assertWebhooksRight(evidence);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Violation(`${error.message}\n${transcript(evidence.done, evidence.seen)}`, { cause: error });
    }
    this.ledger.note(evidence);
  }
}

/** What happened, for a person who has to find out why. The keys are those of a sandbox. */
function transcript(done: readonly Done[], seen: ReadonlyMap<string, Seen>): string {
  const calls = done.map(({ call, outcome }) => {
    const ended = outcome.ok ? JSON.stringify(outcome.value) : `fails: ${outcome.failure.message}`;
    return `  ${call.verb} of ${call.name} (${call.account}) ${ended}`;
  });
  const requests = [...seen].flatMap(([account, { requests }]) =>
    requests.map(
      ({ method, path, status, effect }) =>
        `  ${account}: ${method} ${path} ${status ?? "no answer"}${effect ? ", with effect" : ""}`,
    ),
  );
  return [...calls, ...requests].join("\n");
}
