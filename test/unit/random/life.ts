import assert from "node:assert/strict";

import type { Properties } from "../../../provider/src/handlers/contract.js";
import type { Fault } from "../../support/sandbox.ts";
import { InstantClock } from "../api/support.ts";
import { kindOf, runOperation, type Command, type Entry, type Operation } from "./engine.ts";
import type { Event } from "./events.ts";
import { assertOperation, stateAfter, stateIn, type Told } from "./invariants.ts";
import { liveKeys, MAPPINGS, startService, WEBHOOKS, type Service, type ServiceShape } from "./service.ts";

const DAY = 86_400_000;
/** Milliseconds: the default `operationTimeout`, which no wait may exceed. */
const LONGEST_WAIT = 120_000;

/** A stack, its program, and its service. */
export class Life {
  readonly service: Service;
  readonly #shape: ServiceShape;
  readonly #clock = new InstantClock();
  readonly #program = new Map<string, Properties>();
  readonly #entries: Entry[] = [];
  readonly #told: Told = { leaked: new Set(), gone: new Set() };

  private constructor(service: Service, shape: ServiceShape) {
    this.service = service;
    this.#shape = shape;
  }

  static async start(shape: ServiceShape): Promise<Life> {
    return new Life(await startService(shape), shape);
  }

  /** @throws if an invariant does not hold */
  async live(event: Event): Promise<void> {
    const { sandbox } = this.service;
    switch (event.event) {
      case "declare": {
        const { name, args } = event;
        // Two resources that set the same webhook would fight for ever.
        const isRival = (other: Properties): boolean =>
          WEBHOOKS.some((id) => stateIn(args, id) !== undefined && stateIn(other, id) !== undefined);
        const rivals = [...this.#program].filter(([other, theirs]) => other !== name && isRival(theirs));
        if (rivals.length === 0) this.#program.set(name, args);
        break;
      }
      case "remove": {
        const args = this.#program.get(event.name);
        this.#program.delete(event.name);
        if (args && event.as && kindOf(event.as) === kindOf(event.name)) this.#program.set(event.as, args);
        break;
      }
      case "run":
        await this.#run(event.command, event.faults, event.mapping);
        break;
      case "wait":
        this.#clock.advance(event.days * DAY);
        break;
      case "webhook":
        if (sandbox.webhooks.has(event.webhookId)) sandbox.removeWebhook(event.webhookId);
        if (event.state !== "gone") sandbox.addWebhook(event.webhookId, event.state);
        break;
      case "revoke":
        await this.#revoke(liveKeys(this.service).slice(event.which, event.which + 1));
    }
  }

  /**
   * Lets all be well, and a person do what the errors asked for: then the stack must become what the program says, stay so
   * without a request, and leave nothing behind. @throws if it does not
   */
  async settle(): Promise<void> {
    const { sandbox } = this.service;
    for (const id of WEBHOOKS) if (!sandbox.webhooks.has(id)) sandbox.addWebhook(id, "active");
    await this.#obeyRemedies();

    await this.#must("refresh");
    // One thing is done at a time to a key.
    for (let left = 4; (await this.#must("up")).calls.some(({ verb }) => verb !== "check"); left -= 1)
      assert(left > 0, "an unchanged stack is changed again and again");
    this.#assertAsDeclared();
    const state = JSON.stringify(this.#entries);
    await this.#must("up");
    assert.equal(sandbox.requests.length, 0, "an unchanged stack costs requests");
    await this.#must("refresh");
    assert.equal(JSON.stringify(this.#entries), state, "a refresh sees a drift that is none");

    const left = [...sandbox.webhooks].map(([id, present]) => {
      const wanted = this.#entries.map(({ outputs }) => stateAfter(outputs, id));
      return [id, wanted.find((one) => one !== undefined) ?? present];
    });
    await this.#must("destroy");
    assert.equal(this.#entries.length, 0, "a destroyed stack has resources");
    assert.deepEqual(liveKeys(this.service), [], "a destroyed stack leaves a key");
    assert.deepEqual([...sandbox.webhooks], left, "a webhook is not left as stateOnDestroy says");
  }

  /** Forgets what holds a response that was cut off, and deletes at the service what is in no state. */
  async #obeyRemedies(): Promise<void> {
    const bodies = [...this.service.issued.values()].map(({ body }) => body);
    for (const entry of [...this.#entries]) {
      const { apiKey, response, internal } = entry.outputs;
      const { unread } = (internal ?? {}) as { unread?: { response: unknown } | null };
      const pending = unread?.response ?? (apiKey === null ? response : null);
      const body = (pending as { body?: string } | null)?.body;
      if (body !== undefined && !bodies.includes(body)) this.#entries.splice(this.#entries.indexOf(entry), 1);
    }
    const held = JSON.stringify(this.#entries.map(({ outputs }) => outputs));
    await this.#revoke(liveKeys(this.service).filter((key) => !held.includes(key)));
  }

  #assertAsDeclared(): void {
    const names = this.#entries.map(({ name }) => name).sort();
    assert.deepEqual(names, [...this.#program.keys()].sort(), "the stack has other resources");
    for (const { name, outputs } of this.#entries) {
      assert.notEqual(outputs["apiKey"], null, `${name} has no key`);
      for (const [id, present] of this.service.sandbox.webhooks) {
        const state = stateIn(this.#program.get(name) ?? {}, id) ?? present;
        assert.equal(present, state, `${name} is not in the state that the program says`);
      }
    }
  }

  async #revoke(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#told.gone.add(key);
      await this.service.revoke(key);
    }
  }

  async #must(verb: Command["verb"]): Promise<Operation> {
    const operation = await this.#run({ verb, parallel: false, stop: null });
    assert(operation.succeeded, `${verb} fails although nothing is wrong`);
    return operation;
  }

  async #run(command: Command, faults: readonly Fault[] = [], mapping = "right"): Promise<Operation> {
    const { service } = this;
    const { sandbox } = service;
    const before = {
      entries: new Set(this.#entries),
      webhooks: sandbox.webhooks,
      issued: new Set(service.issued.keys()),
    };
    const responses = { right: MAPPINGS[this.#shape], wrong: { apiKey: "/nothing" } }[mapping] ?? {};
    sandbox.clearRequests();
    sandbox.inject(...faults);
    const operation = await runOperation(this.#entries, this.#program, command, {
      config: {
        "partners:baseUrl": sandbox.url,
        "partners:accessToken": sandbox.accessToken,
        "partners:requestTimeout": faults.some(({ kind }) => kind === "hang") ? "0.15" : "5",
        "partners:responses": JSON.stringify(responses),
      },
      clock: this.#clock,
      onRequest: (listener) => (service.onRequest = listener),
    });
    sandbox.clearFaults();
    const waits = this.#clock.sleeps.splice(0).filter((wait) => wait > LONGEST_WAIT);
    assert.deepEqual(waits, [], "a wait is too long");
    const endedAt = this.#clock.now();
    const ended = { ...operation, service, faults, before, entries: this.#entries, endedAt };
    assertOperation(ended, this.#told);
    return operation;
  }
}
