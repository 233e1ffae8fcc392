import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";

import { fingerprint } from "../../../provider/src/keys/key-name.js";
import { nameOfCreated } from "../../../provider/src/keys/stored-key.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import { ResourceError } from "../../../provider/src/shared/problems.js";
import { runSeed, scaled } from "../../support/random.ts";
import type { Fault, WebhookState } from "../../support/sandbox.ts";
import { InstantClock } from "../api/support.ts";
import {
  accountOf,
  kindOf,
  runOperation,
  type Command,
  type Declared,
  type Entry,
  type Operation,
} from "./engine.ts";
import { isEmptyList, lives, type Event, type Limits } from "./events.ts";
import {
  assertOperation,
  isSameKey,
  reasonOf,
  releasedGone,
  stateAfter,
  stateIn,
  unreadOf,
  type Reported,
} from "./invariants.ts";
import {
  ACCOUNTS,
  liveKeys,
  MAPPINGS,
  startService,
  USUAL_RULES,
  WEBHOOKS,
  type Service,
  type ServiceShape,
} from "./service.ts";

const DAY = 86_400_000;
/** Milliseconds: the default `operationTimeout`. */
const MAX_WAIT = 120_000;

const LIVES = scaled(150);
const shapes = fc.constantFrom(...(Object.keys(MAPPINGS) as ServiceShape[]));
/** The setting `readWebhooks`. */
const readsList = fc.constantFrom(true, true, true, false);
const pageSizes = fc.constantFrom(null, null, 1, 2);

/** A stack, its program, and its service. */
class Life {
  readonly service: Service;
  readonly #clock: InstantClock;
  readonly #program = new Map<string, Declared>();
  readonly #entries: Entry[] = [];
  readonly #reported: Reported = { leaked: new Set(), gone: new Set(), shared: new Set() };
  /** What the service does otherwise than usual, except while an event needs a usual service. */
  #limits: Limits = { ...USUAL_RULES, lag: 0 };
  /** What a person passes to the next runs, after a look at the service. */
  #goneKeys: readonly string[] = [];

  constructor(service: Service, clock: InstantClock) {
    this.#clock = clock;
    this.service = service;
  }

  /** @throws if an invariant is violated. */
  async live(event: Event): Promise<void> {
    Object.assign(this.service, this.#limits);
    switch (event.event) {
      case "declare":
        this.#declare(event);
        break;
      case "revert":
        await this.#revert(event);
        break;
      case "teardown":
        await this.#teardown(event);
        break;
      case "delay":
        await this.#delay(event);
        break;
      case "onlyKey":
        await this.#rotateOnlyKey(event);
        break;
      case "rename":
        await this.#rename(event);
        break;
      case "limits":
        this.#limits = event.limits;
        break;
      case "remove": {
        const { name, as, provider, hasAlias } = event;
        const { args } = this.#program.get(name) ?? {};
        this.#program.delete(name);
        if (args && as && kindOf(as) === kindOf(name))
          this.#set(as, { args, provider, ...(hasAlias && { alias: name }) });
        break;
      }
      case "move": {
        const resource = this.#program.get(event.name);
        if (resource) this.#set(event.name, { ...resource, provider: event.provider });
        break;
      }
      case "run":
        await this.#run(event.command, event.faults, event.mapping);
        break;
      case "wait":
        this.#clock.advance(event.days * DAY);
        break;
      case "webhooks":
        for (const id of event.changed) await this.service.changeWebhook(event.account, id, event.state);
        break;
      case "look":
        await this.#followRemedies();
        break;
      case "revoke":
        await this.#revoke(liveKeys(this.service).slice(event.which, event.which + 1));
    }
  }

  #declare({ name, args: wanted, provider }: Extract<Event, { event: "declare" }>): void {
    const args = this.service.isListRead ? wanted : withoutList(wanted);
    this.#set(name, { provider: "v1", ...this.#program.get(name), ...(provider && { provider }), args });
  }

  /** Declares a resource, unless another one has the same webhook: they would undo each other forever. */
  #set(name: string, resource: Declared): void {
    const isRival = (other: Declared): boolean =>
      accountOf(other) === accountOf(resource) &&
      WEBHOOKS.some(
        (id) => stateIn(resource.args, id) !== undefined && stateIn(other.args, id) !== undefined,
      );
    const hasRival = [...this.#program].some(([other, theirs]) => other !== name && isRival(theirs));
    if (!hasRival) this.#program.set(name, resource);
  }

  /**
   * Changes a stack that agrees with the service, and goes back.
   *
   * @throws if the stack does not agree with the service again.
   */
  async #revert({ change, faults, parallel }: Extract<Event, { event: "revert" }>): Promise<void> {
    if (!(await this.#agree())) return;
    const up = { verb: "up", parallel, retries: 0, stop: null } as const;
    const program = [...this.#program];
    this.#declare(change);
    await this.#run(up, faults);
    this.#program.clear();
    for (const [name, resource] of program) this.#program.set(name, resource);
    if ((await this.#run(up)).succeeded) this.#assertWebhooksAsDeclared();
  }

  /**
   * Destroys a stack partway, and then again.
   *
   * @throws if the second `destroy` fails or leaves anything behind.
   */
  async #teardown({ faults, parallel }: Extract<Event, { event: "teardown" }>): Promise<void> {
    // An empty list does not prove that a webhook is gone.
    if (this.service.webhooksOf("first").size === 0) return;
    this.service.catchUp();
    // Without the list, a webhook that others changed back stays as it is.
    if (!this.service.isListRead && !(await this.#agree())) return;
    const before = this.#entries.map((entry) => ({ ...entry }));
    const first = await this.#run({ verb: "destroy", parallel, retries: 0, stop: null }, faults);
    await this.#followRemedies();
    await this.#succeed("destroy");
    assert.equal(this.#entries.length, 0, "a destroyed stack has resources");
    assert.deepEqual(liveKeys(this.service), [], "a destroyed stack leaves a key");
    for (const account of ACCOUNTS) {
      const left = before.filter((entry) => accountOf(entry) === account);
      for (const [id, state] of this.service.webhooksOf(account)) {
        if (releasedGone(first).includes(id)) continue;
        const goals = new Set(
          left.map(({ outputs }) => stateAfter(outputs, id)).filter((goal) => goal !== undefined),
        );
        assert(goals.size !== 1 || goals.has(state), `webhook ${id} is not left as stateOnDestroy says`);
      }
    }
  }

  /**
   * Changes a stack while the list lags.
   *
   * @throws if the `up` fails, or one after a refresh of the current list changes too little.
   */
  async #delay({ change, lag, parallel }: Extract<Event, { event: "delay" }>): Promise<void> {
    this.#addMissingWebhooks();
    if (!(await this.#agree())) return;
    this.#declare(change);
    this.service.lag = lag;
    for (const verb of ["up", "refresh", "up"] as const) await this.#succeed(verb, { parallel });
    this.service.catchUp();
    for (const verb of ["refresh", "up"] as const) await this.#succeed(verb, { parallel });
    this.#assertWebhooksAsDeclared();
  }

  /**
   * Rotates the only key of a service.
   *
   * @throws unless this needs `deleteBeforeReplace`, and otherwise changes nothing.
   */
  async #rotateOnlyKey({ name, parallel }: Extract<Event, { event: "onlyKey" }>): Promise<void> {
    const { service } = this;
    const program = [...this.#program];
    const declareTrigger = (trigger: string): void => {
      const args = { rotation: { trigger, overlapDays: 0 } };
      this.#program.clear();
      this.#program.set(name, { args, provider: "v1" });
    };
    declareTrigger("before");
    await this.#followRemedies();
    const hasOneKey = (await this.#agree()) && (await this.#agree());
    const [key, ...more] = liveKeys(service);
    if (hasOneKey && more.length === 0) {
      service.oneKey = true;
      declareTrigger("after");
      const { succeeded } = await this.#run({ verb: "up", parallel, retries: 0, stop: null });
      assert(!succeeded, "a rotation creates a second key");
      assert.deepEqual(liveKeys(service), [key], "a refused rotation changes the key");
      await this.#succeed("up", { parallel, deleteBeforeReplace: true });
      const keys = liveKeys(service);
      assert(keys.length === 1 && keys[0] !== key, "a rotation with deleteBeforeReplace leaves another key");
    }
    service.catchUp();
    this.#program.clear();
    for (const [other, resource] of program) this.#program.set(other, resource);
  }

  /**
   * Renames a resource. The first `up` targets the old or the new name, the second one does the rest.
   *
   * @throws if both succeed, and a webhook of the resource is not in the declared state.
   */
  async #rename(event: Extract<Event, { event: "rename" }>): Promise<void> {
    const { name, provider, hasAlias, first, parallel } = event;
    const { args } = this.#program.get(name) ?? {};
    const next = `${kindOf(name)}${name.endsWith("1") ? 2 : 1}`;
    if (!args || this.#program.has(next)) return;
    this.service.catchUp();
    const up = { verb: "up", parallel, retries: 0, stop: null } as const;
    // With an alias, the resource stays as it is, also if others have changed the webhook since.
    if (hasAlias && !(await this.#agree())) return;
    const inState = new Set(this.#entries.map((entry) => entry.name));
    if (!inState.has(name) || inState.has(next)) return;
    this.#program.delete(name);
    this.#set(next, { args, provider, ...(hasAlias && { alias: name }) });
    if (!this.#program.has(next)) return;
    const targets = [first === "old" ? name : next];
    if (!(await this.#run({ ...up, targets })).succeeded || !(await this.#run(up)).succeeded) return;
    for (const [id, present] of this.service.webhooksOf(accountOf({ provider })))
      assert.equal(present, stateIn(args, id) ?? present, `a rename leaves webhook ${id} in another state`);
  }

  /** Tries to make the stack agree with the service, whose list is current. @returns Whether it does. */
  async #agree(): Promise<boolean> {
    this.service.catchUp();
    await this.#followRemedies();
    const command = { verb: "up", parallel: false, retries: 0, stop: null } as const;
    if (!(await this.#run({ ...command, verb: "refresh" })).succeeded) return false;
    if (!(await this.#changeAllStates(() => this.#run(command))).succeeded) return false;
    if (!(await this.#run(command)).succeeded) return false;
    this.#assertWebhooksAsDeclared();
    return true;
  }

  /**
   * Without the list, runs a command for a program with all states changed, so that the next `up` sets what
   * others have changed as well. Otherwise, a refresh has found it.
   */
  async #changeAllStates(run: () => Promise<Operation>): Promise<Pick<Operation, "succeeded">> {
    if (this.service.isListRead) return { succeeded: true };
    const program = [...this.#program];
    for (const [name, resource] of program)
      this.#program.set(name, { ...resource, args: withOtherStates(resource.args) });
    const operation = await run();
    for (const [name, resource] of program) this.#program.set(name, resource);
    return operation;
  }

  /**
   * Follows the remedies of all errors, with no more faults. The stack must then converge to the program,
   * stay unchanged without requests, and leave nothing behind when it is destroyed. @throws if it does not.
   */
  async settle(): Promise<void> {
    const { sandbox } = this.service;
    this.#addMissingWebhooks();
    this.service.catchUp();
    await this.#followRemedies();

    await this.#succeed("refresh");
    await this.#changeAllStates(() => this.#succeed("up"));
    // A key takes only one step per `up`.
    for (let left = 4; (await this.#succeed("up")).calls.some(({ verb }) => verb !== "check"); left -= 1)
      assert(left > 0, "an unchanged stack keeps changing");
    this.#assertAsDeclared();
    const state = JSON.stringify(this.#entries);
    await this.#succeed("up");
    assert.equal(sandbox.requests.length, 0, "an unchanged stack sends requests");
    await this.#succeed("refresh");
    assert.equal(JSON.stringify(this.#entries), state, "a refresh reports drift that does not exist");

    const expected = ACCOUNTS.map((account) => {
      const entries = this.#entries.filter((entry) => accountOf(entry) === account);
      return [...this.service.webhooksOf(account)].map(([id, present]) => {
        const states = entries.map(({ outputs }) => stateAfter(outputs, id));
        return [id, states.find((state) => state !== undefined) ?? present];
      });
    });
    // A key may have been deleted with another resource, before the run knew that two have it.
    await this.#followRemedies();
    await this.#succeed("destroy");
    assert.equal(this.#entries.length, 0, "a destroyed stack has resources");
    assert.deepEqual(liveKeys(this.service), [], "a destroyed stack leaves a key");
    const left = ACCOUNTS.map((account) => [...this.service.webhooksOf(account)]);
    assert.deepEqual(left, expected, "a webhook is not left as stateOnDestroy says");
  }

  /**
   * Deletes resources with incomplete responses from the state, and keys that are not in the state at the
   * service. From then on, the person tells each run which keys are gone.
   */
  async #followRemedies(): Promise<void> {
    const bodies = [...this.service.issued.values()].map(({ body }) => body);
    for (const entry of [...this.#entries]) {
      const { apiKey, response, internal } = entry.outputs;
      const { unread } = (internal ?? {}) as { unread?: { response: unknown } | null };
      const pending = unread?.response ?? (apiKey === null ? response : null);
      const body = (pending as { body?: string } | null)?.body;
      if (body !== undefined && !bodies.includes(body)) this.#entries.splice(this.#entries.indexOf(entry), 1);
    }
    const state = JSON.stringify(this.#entries.map(({ outputs }) => outputs));
    await this.#revoke(liveKeys(this.service).filter((key) => !state.includes(key)));
    const live = new Set(liveKeys(this.service));
    const gone = [...this.service.issued].filter(([key]) => !live.has(key));
    const bodiesOfGone = new Set(gone.map(([, { body }]) => body));
    const unread = this.#entries.flatMap(({ outputs }) => unreadOf(outputs) ?? []);
    const names = [
      ...gone.map(([key]) => fingerprint(key)),
      ...unread
        .filter(({ response }) => bodiesOfGone.has(response.body))
        .map((created) => nameOfCreated(created).fingerprint),
    ];
    const lost = this.#entries.map(({ outputs }) => outputs["lostCreationAt"]);
    this.#goneKeys = [...names, ...lost].filter((name) => typeof name === "string");
  }

  #addMissingWebhooks(): void {
    const { sandbox } = this.service;
    for (const id of WEBHOOKS) if (!sandbox.webhooks.has(id)) sandbox.addWebhook(id, "active");
  }

  #assertAsDeclared(): void {
    const names = this.#entries.map(({ name }) => name).sort();
    assert.deepEqual(names, [...this.#program.keys()].sort(), "the stack has other resources");
    for (const { name, outputs } of this.#entries)
      assert.notEqual(outputs["apiKey"], null, `${name} has no key`);
    this.#assertWebhooksAsDeclared();
  }

  #assertWebhooksAsDeclared(): void {
    for (const [name, resource] of this.#program)
      for (const [id, present] of this.service.webhooksOf(accountOf(resource)))
        assert.equal(
          present,
          stateIn(resource.args, id) ?? present,
          `webhook ${id} is not in the state that ${name} declares`,
        );
  }

  async #revoke(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#reported.gone.add(key);
      await this.service.revoke(key);
    }
  }

  async #succeed(verb: Command["verb"], more: Partial<Command> = {}): Promise<Operation> {
    const command = { verb, parallel: false, retries: 0, stop: null, ...more };
    let operation = await this.#run(command);
    const errorsOf = ({ calls }: Operation): unknown[] => calls.flatMap((call) => call.errors).map(reasonOf);
    // A pointer that is set at last may find the key of another resource. Its error is the end of it.
    for (let left = 2; left > 0 && !operation.succeeded && errorsOf(operation).every(isSameKey); left -= 1)
      operation = await this.#run(command);
    const errors = errorsOf(operation);
    assert(operation.succeeded, `${verb} fails without a fault: ${errors.map(describe).join()}`);
    return operation;
  }

  async #run(command: Command, faults: readonly Fault[] = [], mapping = "right"): Promise<Operation> {
    const { service } = this;
    const { sandbox } = service;
    const before = {
      outputs: new Map(this.#entries.map((entry) => [entry, entry.outputs])),
      replaced: new Set(this.#entries.filter((entry) => entry.replaced)),
      webhooks: { first: service.webhooksOf("first"), second: service.webhooksOf("second") },
      issued: new Set(service.issued.keys()),
    };
    const responses = { right: service.mapping, wrong: { apiKey: "/nothing" } }[mapping] ?? {};
    // Two creations that are lost have different times.
    this.#clock.advance(1_000);
    sandbox.clearRequests();
    const mayEndEarly = service.hasPages && faults.some(isEmptyList);
    for (const account of ACCOUNTS) {
      service.outdated[account].clear();
      service.unlisted[account].clear();
      // A page after the first that shows nothing is the last one, as far as anyone can know.
      if (mayEndEarly) for (const id of WEBHOOKS) service.hide(account, id);
    }
    sandbox.inject(...faults);
    const operation = await runOperation(this.#entries, this.#program, command, {
      config: {
        requestTimeout: faults.some(({ kind }) => kind === "hang") ? "0.15" : "5",
        responses: JSON.stringify(responses),
        readWebhooks: String(service.isListRead),
      },
      goneKeys: this.#goneKeys,
      clock: this.#clock,
      service,
    });
    sandbox.clearFaults();
    for (const wait of this.#clock.sleeps.splice(0)) assert(wait <= MAX_WAIT, "a wait is too long");
    for (const key of service.replacedKeys) this.#reported.gone.add(key);
    const { deleteBeforeReplace = false } = command;
    const context = {
      service,
      faults,
      before,
      entries: this.#entries,
      goneKeys: this.#goneKeys,
      deleteBeforeReplace,
    };
    assertOperation({ ...operation, ...context }, this.#reported);
    return operation;
  }
}

/** Returns arguments that need no list instead of others. */
function withoutList(args: Properties): Properties {
  const { others, stateOnDestroy } = args;
  return {
    ...args,
    ...(others !== undefined && { others: "leave" }),
    ...(stateOnDestroy === "restore" && { stateOnDestroy: "leave" }),
  };
}

/** Returns arguments that declare the other state of each webhook. */
function withOtherStates({ state, states, ...args }: Properties): Properties {
  const otherThan = (each: unknown): WebhookState => (each === "active" ? "disabled" : "active");
  const changed = Object.entries(states ?? {}).map(([id, each]) => [id, otherThan(each)] as const);
  return {
    ...args,
    ...(state !== undefined && { state: otherThan(state) }),
    ...(states !== undefined && { states: Object.fromEntries(changed) }),
  };
}

function describe(error: unknown): string {
  return error instanceof ResourceError ? JSON.stringify(error.problem) : String(error);
}

it(
  `program, state and service agree in ${LIVES} random lives of a stack`,
  { timeout: 1_800_000 },
  async () => {
    let creations = 0;
    const property = fc.asyncProperty(
      shapes,
      readsList,
      pageSizes,
      lives,
      async (shape, isListRead, pageSize, events) => {
        const clock = new InstantClock();
        const service = await startService(shape, isListRead, pageSize, () => clock.now());
        const life = new Life(service, clock);
        try {
          for (const event of events) await life.live(event);
          await life.settle();
        } finally {
          creations += life.service.issued.size;
          await life.service.sandbox.close();
        }
      },
    );
    // The timeout is for one life, in real milliseconds, even on a busy machine.
    await fc.assert(property, { seed: runSeed(), numRuns: LIVES, timeout: 60_000 });
    expect(creations).toBeGreaterThan(LIVES); // Otherwise the run tested nothing.
  },
);
