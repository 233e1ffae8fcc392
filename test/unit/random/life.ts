import fc from "fast-check";

import type { Properties } from "../../../provider/src/handlers/contract.js";
import type { WebhookState } from "../../support/sandbox.ts";
import {
  runOperation,
  VirtualClock,
  type Command,
  type Declared,
  type Entry,
  type Operation,
} from "./engine.ts";
import {
  assertOperation,
  initialStateOf,
  manages,
  stateAfter,
  stateIn,
  Violation,
  type Told,
} from "./invariants.ts";
import { Service, storms, WEBHOOKS, type ServiceShape } from "./service.ts";

/** What is set as `responses`: what the service needs, nothing, or a pointer to nothing. */
type Mapping = "right" | "none" | "wrong";

const triggers = fc.constantFrom("spring", "summer", "autumn");
const overlaps = fc.constantFrom(0, 1, 1, 2);
const states = fc.constantFrom<WebhookState[]>("active", "disabled");
const webhookIds = fc.constantFrom<number[]>(...WEBHOOKS);

const keys: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("key"),
  args: fc.oneof(
    fc.constant({}),
    fc.record({ rotation: fc.record({ trigger: triggers, overlapDays: overlaps }) }),
    fc.record({ rotation: fc.record({ afterDays: fc.constantFrom(2, 3), overlapDays: overlaps }) }),
  ),
});

const hooks: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("webhook"),
  args: fc.record({
    webhookId: webhookIds,
    state: states,
    stateOnDestroy: fc.constantFrom("leave", "restore", "restore", "active", "disabled"),
  }),
});

const fleets: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("fleet"),
  args: fc.record({
    states: fc.dictionary(webhookIds.map(String), states),
    others: fc.constantFrom("leave", "leave", "active", "disabled"),
    stateOnDestroy: fc.constantFrom("leave", "restore", "restore", "active", "disabled"),
  }),
});

const KEYS = ["key1", "key2"];
const HOOKS = ["hook1", "hook2", "hook3"];
const FLEETS = ["fleet1", "fleet2"];

const names = fc.constantFrom(...KEYS, ...HOOKS, ...FLEETS);

const declarations = fc.oneof(
  fc.record({ event: fc.constant("declare"), name: fc.constantFrom(...KEYS), declared: keys }),
  fc.record({ event: fc.constant("declare"), name: fc.constantFrom(...HOOKS), declared: hooks }),
  fc.record({ event: fc.constant("declare"), name: fc.constantFrom(...FLEETS), declared: fleets }),
);

const commands: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom("up", "up", "up", "up", "preview", "refresh", "destroy"),
  parallel: fc.boolean(),
  stop: fc.option(
    fc.record({ how: fc.constantFrom("interrupt", "kill"), after: fc.integer({ min: 1, max: 4 }) }),
    {
      freq: 5,
    },
  ),
});

const runs = fc.record({
  event: fc.constant("run"),
  faults: fc.oneof(fc.constant([]), fc.array(storms, { minLength: 1, maxLength: 3 })),
  mapping: fc.constantFrom<Mapping[]>("right", "right", "right", "none", "wrong"),
  command: commands,
});

/** Edits that remove or rename a resource, time that passes, and what others do at the service. */
const others = fc.oneof(
  fc.record({ event: fc.constant("remove"), name: names, as: fc.option(names) }),
  fc.record({ event: fc.constant("wait"), days: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    event: fc.constant("webhook"),
    webhookId: webhookIds,
    state: fc.constantFrom("active", "disabled", "gone"),
  }),
  fc.record({ event: fc.constant("revoke"), which: fc.nat({ max: 3 }) }),
);

/** The life of a stack. It begins with a program. */
export const lives = fc
  .tuple(
    fc.array(declarations, { minLength: 3, maxLength: 6 }),
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: runs },
        { weight: 4, arbitrary: declarations },
        { weight: 2, arbitrary: others },
      ),
      { maxLength: 24, size: "max" },
    ),
  )
  .map((parts) => parts.flat());

/** Something that happens. An event that makes no sense when its turn comes is passed over. */
export type Event = typeof lives extends fc.Arbitrary<(infer Each)[]> ? Each : never;

/** A stack, its program, and its service. */
export class World {
  readonly #service: Service;
  readonly #clock: VirtualClock;
  readonly #program = new Map<string, Declared>();
  readonly #entries: Entry[] = [];
  readonly #told: Told = { leaked: new Set(), gone: new Set() };

  private constructor(service: Service, seed: number) {
    this.#service = service;
    this.#clock = new VirtualClock(seed);
  }

  /** @param seed For the jitter of retries. */
  static async start(shape: ServiceShape, seed: number): Promise<World> {
    return new World(await Service.start(shape), seed);
  }

  /** How many keys were created in this life. */
  get creations(): number {
    return this.#service.issuedKeys.size;
  }

  close(): Promise<void> {
    return this.#service.sandbox.close();
  }

  /** @throws {Violation} */
  async live(event: Event): Promise<void> {
    const { sandbox } = this.#service;
    switch (event.event) {
      case "declare": {
        const { name, declared } = event;
        // Two resources that set the same webhook would fight for ever.
        const rival = [...this.#program].some(
          ([other, { args }]) =>
            other !== name && WEBHOOKS.some((id) => manages(args, id) && manages(declared.args, id)),
        );
        if (!rival) this.#program.set(name, declared);
        break;
      }
      case "remove": {
        const declared = this.#program.get(event.name);
        this.#program.delete(event.name);
        if (declared && event.as?.slice(0, 3) === event.name.slice(0, 3))
          this.#program.set(event.as, declared);
        break;
      }
      case "run":
        this.#service.calm();
        this.#service.inject(...event.faults);
        await this.#run(event.command, event.mapping);
        break;
      case "wait":
        this.#clock.advance(event.days * DAY);
        break;
      case "webhook":
        if (sandbox.webhooks.has(event.webhookId)) sandbox.removeWebhook(event.webhookId);
        if (event.state !== "gone") sandbox.addWebhook(event.webhookId, event.state);
        break;
      case "revoke": {
        const key = this.#service.liveKeys[event.which];
        if (key !== undefined) await this.#revoke(key);
      }
    }
  }

  /**
   * Lets all be well, and a person do what the errors asked for: then the stack must become what the program says, stay so
   * without a request, and leave nothing behind. @throws {Violation}
   */
  async settle(): Promise<void> {
    this.#service.calm();
    const { sandbox } = this.#service;
    for (const id of WEBHOOKS) if (!sandbox.webhooks.has(id)) sandbox.addWebhook(id, "active");
    await this.#obeyRemedies();

    await this.#must({ verb: "refresh" });
    let steps = (await this.#must({ verb: "up" })).steps;
    // One thing is done at a time to a key.
    for (let left = 4; steps > 0; left -= 1) {
      if (left === 0) throw new Violation("an unchanged stack is changed again and again");
      steps = (await this.#must({ verb: "up" })).steps;
    }
    this.#assertAsDeclared();
    const state = JSON.stringify(this.#entries);
    await this.#must({ verb: "up" });
    if (sandbox.requests.length > 0) throw new Violation("an unchanged stack costs requests");
    await this.#must({ verb: "refresh" });
    if (JSON.stringify(this.#entries) !== state) throw new Violation("a refresh sees a drift that is none");

    const wanted = WEBHOOKS.flatMap((id) =>
      this.#entries.flatMap(({ outputs }) => {
        const initialState = initialStateOf(outputs, id);
        return initialState === undefined ? [] : [{ id, state: stateAfter({ ...outputs, initialState }) }];
      }),
    );
    const before = sandbox.webhooks;
    await this.#must({ verb: "destroy" });
    if (this.#entries.length > 0) throw new Violation("a destroyed stack has resources");
    if (this.#service.liveKeys.length > 0) throw new Violation("a destroyed stack leaves a key");
    for (const { id, state } of wanted) {
      if (sandbox.webhooks.get(id) !== (state ?? before.get(id)))
        throw new Violation(`webhook ${id} is not left as stateOnDestroy says`);
    }
  }

  /** Forgets what holds a response that was cut off, and deletes at the service what is in no state. */
  async #obeyRemedies(): Promise<void> {
    for (const entry of [...this.#entries]) {
      const { apiKey, response, internal } = entry.outputs;
      const { unread } = (internal ?? {}) as { unread?: { response: unknown } | null };
      const pending = unread?.response ?? (apiKey === null ? response : null);
      const body = (pending as { body?: string } | null)?.body;
      if (body === undefined || this.#service.hasSent(body)) continue;
      this.#entries.splice(this.#entries.indexOf(entry), 1);
    }
    const held = JSON.stringify(this.#entries.map(({ outputs }) => outputs));
    for (const key of this.#service.liveKeys) if (!held.includes(key)) await this.#revoke(key);
  }

  #assertAsDeclared(): void {
    const { webhooks } = this.#service.sandbox;
    const names = this.#entries.map(({ name }) => name).sort();
    if (names.join() !== [...this.#program.keys()].sort().join())
      throw new Violation(`the stack has ${names.join()}`);
    for (const { name, kind, outputs } of this.#entries) {
      const args: Properties = this.#program.get(name)?.args ?? {};
      if (kind === "key") {
        if (outputs["apiKey"] === null) throw new Violation(`${name} has no key`);
      } else if (WEBHOOKS.some((id) => manages(args, id) && webhooks.get(id) !== stateIn(args, id)))
        throw new Violation(`${name} is not in the state that the program says`);
    }
  }

  async #revoke(key: string): Promise<void> {
    this.#told.gone.add(key);
    await this.#service.revoke(key);
  }

  async #must(command: Pick<Command, "verb"> & Partial<Command>): Promise<Operation> {
    const operation = await this.#run({ parallel: false, stop: null, ...command });
    if (operation.succeeded) return operation;
    throw new Violation(`${command.verb} fails although nothing is wrong`);
  }

  async #run(command: Command, mapping: Mapping = "right"): Promise<Operation> {
    const { sandbox } = this.#service;
    const before = {
      entries: new Set(this.#entries),
      webhooks: sandbox.webhooks,
      issued: this.#service.issuedKeys,
    };
    sandbox.clearRequests();
    const operation = await runOperation(this.#entries, this.#program, command, {
      config: this.#config(mapping),
      clock: this.#clock,
      onRequest: (listener) => (this.#service.onRequest = listener),
    });
    assertOperation(this.#service, operation, before, this.#entries, this.#told);
    return operation;
  }

  #config(mapping: Mapping): Record<string, string> {
    const { sandbox, mapping: right, faults } = this.#service;
    const responses = { right, none: {}, wrong: { apiKey: "/nothing" } }[mapping];
    return {
      "partners:baseUrl": sandbox.url,
      "partners:accessToken": sandbox.accessToken,
      "partners:requestTimeout": faults.some(({ kind }) => kind === "hang") ? "0.15" : "5",
      "partners:responses": JSON.stringify(responses),
    };
  }
}

const DAY = 86_400_000;
