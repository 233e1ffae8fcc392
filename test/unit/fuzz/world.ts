import { Engine, type Report } from "../loss/engine.ts";
import { Violation } from "../loss/evidence.ts";
import { startInProcess } from "../loss/in-process.ts";
import { Service, type ServiceOptions } from "../loss/service.ts";
import { Crash, Observer } from "../loss/witness.ts";
import type { Model } from "./model.ts";
import { configFor, isRight } from "./settings.ts";

/** The services, the stack and the engine, as they really are. */
export class World {
  /** Commands carried out. */
  operations = 0;
  readonly services: ReadonlyMap<string, Service>;
  readonly engine: Engine;
  readonly observer: Observer;

  private constructor(model: Model, services: ReadonlyMap<string, Service>, seed: number) {
    this.services = services;
    this.observer = new Observer(services, (account) => {
      const service = this.service(account);
      return isRight(model.settingsOf(account), service) && service.faults.length === 0;
    });
    this.engine = new Engine(
      (account) =>
        Promise.resolve(startInProcess(configFor(account, model.settingsOf(account), services), seed)),
      (call, run) => this.observer.witness(call, run),
    );
  }

  /** Starts a service for each account. @param seed For the jitter of retries. */
  static async start(
    model: Model,
    options: Readonly<Record<string, ServiceOptions>>,
    seed: number,
  ): Promise<World> {
    const services = new Map<string, Service>();
    for (const [account, each] of Object.entries(options)) services.set(account, await Service.start(each));
    return new World(model, services, seed);
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
    const report = await operation().catch((error: unknown) => {
      if (error instanceof Crash) return { succeeded: false, steps: 0 };
      throw error;
    });
    this.observer.recover();
    this.agree();
    return report;
  }

  /** @throws {Violation} */
  agree(): void {
    this.observer.ledger.assertAgreement(this.engine.entries, this.services);
  }

  /** Runs an operation that has to succeed. @throws {Violation} */
  async must(what: string, operation: () => Promise<Report>): Promise<Report> {
    const report = await this.run(operation);
    if (!report.succeeded) throw new Violation(`${what} fails although nothing is wrong`);
    return report;
  }

  async close(): Promise<void> {
    for (const { sandbox } of this.services.values()) await sandbox.close();
  }
}
