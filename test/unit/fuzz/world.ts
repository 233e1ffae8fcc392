import { Engine, type Report } from "../loss/engine.ts";
import { Violation } from "../loss/evidence.ts";
import { startInProcess } from "../loss/in-process.ts";
import { Service } from "../loss/service.ts";
import { Crash, Observer } from "../loss/witness.ts";
import type { Beginning } from "./lives.ts";
import type { Model } from "./model.ts";
import { RotationRules } from "./rotation-rules.ts";
import { configFor, isRight } from "./settings.ts";

/** The services, the stack and the engine, as they really are. */
export class World {
  /** What happened, in words: a line for everything that was done. */
  readonly story: string[] = [];
  /** Commands carried out, and runs of Pulumi among them and in the end. */
  readonly counts = { commands: 0, runs: 0 };
  /** Days that the clock is ahead. */
  days = 0;
  readonly services: ReadonlyMap<string, Service>;
  readonly engine: Engine;
  readonly observer: Observer;
  readonly rotation = new RotationRules();

  private constructor(model: Model, services: ReadonlyMap<string, Service>, seed: number) {
    this.services = services;
    this.observer = new Observer(services, (account) => {
      const service = this.service(account);
      return isRight(model.settingsOf(account), service) && service.faults.length === 0;
    });
    this.engine = new Engine(
      (account) =>
        Promise.resolve(
          startInProcess(configFor(account, model.settingsOf(account), services), seed, (text) => {
            this.observer.hear(text);
          }),
        ),
      (call, run) => this.observer.witness(call, run),
    );
  }

  /** Starts a service for each account. */
  static async start(model: Model, { services: options, jitter }: Beginning): Promise<World> {
    const services = new Map<string, Service>();
    for (const [account, each] of Object.entries(options)) services.set(account, await Service.start(each));
    const world = new World(model, services, jitter);
    for (const [account, { shape, keyAlphabet, strangers }] of Object.entries(options))
      world.story.push(`account ${account}: ${JSON.stringify({ shape, keyAlphabet, strangers })}`);
    for (const [account, settings] of model.settings)
      world.story.push(`settings of ${account}: ${JSON.stringify(settings)}`);
    for (const [name, declared] of model.program)
      world.story.push(`declared: ${name} ${JSON.stringify(declared)}`);
    return world;
  }

  service(account: string): Service {
    const service = this.services.get(account);
    if (!service) throw new Error(`no account ${account}`);
    return service;
  }

  /**
   * Runs an operation of the engine, and makes sure afterwards that services and state agree.
   *
   * @param crashIn Steps after which the CLI or the plugin dies; `null` for never.
   * @throws {Violation}
   */
  async run(operation: () => Promise<Report>, crashIn: number | null = null): Promise<Report> {
    this.observer.crashIn = crashIn;
    this.counts.runs += 1;
    const report = await operation().catch((error: unknown) => {
      if (error instanceof Crash) return null;
      throw error;
    });
    this.story.push(`   ${report === null ? "is killed" : report.succeeded ? "succeeds" : "fails"}`);
    this.observer.recover();
    this.agree();
    return report ?? { succeeded: false, steps: 0 };
  }

  /** @throws {Violation} */
  agree(): void {
    this.observer.ledger.assertAgreement(this.engine.entries, this.services);
  }

  /** Runs an operation that has to succeed. @throws {Violation} */
  async must(what: string, operation: () => Promise<Report>): Promise<Report> {
    this.story.push(what);
    const report = await this.run(operation);
    if (!report.succeeded) throw new Violation(`${what} fails although nothing is wrong`);
    return report;
  }

  async close(): Promise<void> {
    for (const { sandbox } of this.services.values()) await sandbox.close();
  }
}
