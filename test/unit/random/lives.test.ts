import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";

import type { WebhookState } from "../../../provider/src/partner-api/operations.ts";
import type { Properties } from "../../../provider/src/plugin/properties.ts";
import { LONG, runSeed, scaled } from "../../support/random.ts";
import { runCommand, startPlugin, type Command, type Entry, type Operation } from "./engine.ts";
import { lives, type Event } from "./events.ts";
import { assertOperation, rotationOf, stateIn, unfinishedOf, webhooksOf } from "./invariants.ts";
import { SHAPES, startService, WEBHOOKS, type Fault, type Service } from "./service.ts";

const DAY = 86_400_000;
const LIVES = scaled(LONG ? 100 : 50);

/** A stack, its program, its service, and the people around them. */
class Life {
  readonly #service: Service;
  /** Whether the host knows the URN of what it deletes, as the native plugin does. */
  readonly #knowsUrn: boolean;
  readonly #program = new Map<string, Properties>();
  readonly #stack: Entry[] = [];
  readonly #known = { lost: new Set<string>(), gone: new Set<string>(), drifted: new Set<number>() };
  #now = Date.parse("2026-01-01T00:00:00Z");
  /** The setting `responses`: today's, and that of the last `up`. */
  #responses: Properties = {};
  #usedResponses: Properties = {};

  constructor(service: Service, knowsUrn: boolean) {
    this.#service = service;
    this.#knowsUrn = knowsUrn;
    for (const key of service.liveKeys()) this.#known.lost.add(key);
  }

  /** @throws if a promise is broken. */
  async live(event: Event): Promise<void> {
    if (event.event === "declare") this.#declare(event.name, event.args);
    else if (event.event === "undeclare") this.#program.delete(event.name);
    else if (event.event === "rotate") this.#rotate(event.name, event.overlapDays);
    else if (event.event === "run") await this.#run(event.command, event.faults);
    else if (event.event === "wait") this.#now += event.days * DAY;
    else if (event.event === "change") this.#change(event.webhookId, event.state);
    else if (event.event === "revoke") this.#revoke(event.which);
    else if (event.event === "forget") this.#forget(event.name);
    else if (event.event === "import") await this.#import(event.name, event.which);
    else this.#point(event);
  }

  /**
   * Mends what went wrong, as the messages say, and lets nothing else go wrong. The stack must then agree
   * with its program, stay as it is without requests, and leave nothing when it is destroyed.
   *
   * @throws if it does not.
   */
  async settle(): Promise<void> {
    const { webhooks, requests, liveKeys } = this.#service;
    for (const id of WEBHOOKS) if (!webhooks.has(id)) webhooks.set(id, "active");
    this.#point({ apiKey: "right", apiKeyId: "right" });
    for (const { name, inputs, outputs } of this.#stack)
      if (unfinishedOf(outputs) !== null) this.#rotate(name, rotationOf(inputs).overlapDays ?? 0);
    for (let left = 5, changed: readonly string[] = [""]; changed.length > 0; left -= 1) {
      assert(left > 0, "a stack keeps changing");
      await this.#succeed("refresh");
      ({ changed } = await this.#succeed("up"));
    }

    for (const { name, outputs } of this.#stack)
      assert.notEqual(outputs["apiKey"], null, `${name} has no key`);
    const state = this.#state();
    await this.#succeed("up");
    assert.deepEqual(requests, [], "an unchanged stack sends requests");
    assert.deepEqual((await this.#succeed("preview")).changed, [], "an unchanged preview is not empty");
    await this.#succeed("refresh");
    assert.equal(this.#state(), state, "a refresh changes a state that is true");

    await this.#succeed("destroy");
    assert.equal(this.#stack.length, 0, "a destroyed stack has resources");
    const left = liveKeys().filter((key) => !this.#known.lost.has(key));
    assert.deepEqual(left, [], "a destroyed stack leaves a key");
  }

  /** Declares a resource, unless another one has the same webhook, which is refused. */
  #declare(name: string, args: Properties): boolean {
    const isRival = ([other, theirs]: readonly [string, Properties]): boolean =>
      other !== name &&
      WEBHOOKS.some((id) => stateIn(args, id) !== undefined && stateIn(theirs, id) !== undefined);
    const isFree = ![...this.#program].some(isRival);
    if (isFree) this.#program.set(name, args);
    return isFree;
  }

  /** Gives a key a trigger that no other one had: the act of a person. */
  #rotate(name: string, overlapDays: number): void {
    const rotation = { trigger: `at ${this.#now}`, overlapDays };
    if (this.#program.has(name)) this.#program.set(name, { rotation });
  }

  /** Somebody else changes a webhook, or deletes it. */
  #change(webhookId: number, state: WebhookState | "gone"): void {
    this.#known.drifted.add(webhookId);
    if (state === "gone") this.#service.webhooks.delete(webhookId);
    else this.#service.webhooks.set(webhookId, state);
  }

  /** Somebody else deletes a key. */
  #revoke(which: number): void {
    const [key] = this.#service.keys.slice(which).filter(({ isLive }) => isLive);
    if (key === undefined) return;
    key.isLive = false;
    this.#known.gone.add(key.key);
  }

  /** Imports a key, or a webhook, that is in no state. */
  async #import(name: string, which: number): Promise<void> {
    const { liveKeys, webhooks, deletesBy } = this.#service;
    const isKey = name.startsWith("key");
    const managed = this.#stack.flatMap(({ outputs }) => webhooksOf(outputs).map(([id]) => Number(id)));
    const [key = ""] = liveKeys().filter((each, index) => index >= which && !this.#state().includes(each));
    const [webhookId, state] = [...webhooks].find(([id]) => !managed.includes(id)) ?? [];
    // Where IDs delete keys, an imported key cannot be deleted, because its ID is not known.
    const isPossible = isKey ? key !== "" && deletesBy === "key" : webhookId !== undefined;
    if (!isPossible || this.#stack.some((entry) => entry.name === name)) return;
    if (!this.#declare(name, isKey ? {} : { webhookId, state })) return;
    const env = { LOST_KEY: key };
    const { plugin, adapterOf } = startPlugin({ ...this.#surroundings(this.#responses), env });
    const found = await adapterOf(name).adopt(isKey ? "env:LOST_KEY" : String(webhookId));
    await (await plugin.open()).close();
    assert(found, "an import finds nothing");
    this.#stack.push({ name, id: name, inputs: {}, ...found, failed: false, replaced: false });
    if (isKey) this.#known.lost.delete(key);
  }

  /** `pulumi state delete`: a person forgets a resource, with all that it has. */
  #forget(name: string): void {
    const index = this.#stack.findIndex((entry) => entry.name === name && !entry.replaced);
    if (index >= 0) this.#stack.splice(index, 1);
    for (const key of this.#service.liveKeys()) if (!this.#state().includes(key)) this.#known.lost.add(key);
  }

  #point(pointers: Readonly<Record<"apiKey" | "apiKeyId", "none" | "right" | "wrong">>): void {
    const right = this.#service.pointers;
    const choose = (name: keyof typeof pointers): Properties =>
      pointers[name] === "none" ? {} : { [name]: pointers[name] === "right" ? right[name] : "/nothing" };
    this.#responses = { ...choose("apiKey"), ...choose("apiKeyId") };
  }

  #state(): string {
    return JSON.stringify(this.#stack);
  }

  #surroundings(responses: Properties, requestTimeout = "30") {
    const service = this.#service;
    const { url: baseUrl, accessToken } = service;
    const currentTime = (): number => this.#now;
    const sleep = (milliseconds: number) => Promise.resolve(void (this.#now += milliseconds));
    return {
      env: { PARTNERS_DEBUG: "1" },
      settings: { baseUrl, accessToken, requestTimeout, responses: JSON.stringify(responses) },
      clock: { now: currentTime, random: () => 0.5, sleep },
      currentTime,
      knowsUrn: this.#knowsUrn,
      onRequest: (listener: () => void) => void (service.onRequest = listener),
    };
  }

  async #succeed(verb: Command["verb"]): Promise<Operation> {
    const operation = await this.#run({ verb });
    const errors = operation.calls.flatMap((call) => call.errors).map(String);
    assert(operation.succeeded, `${verb} fails without a fault: ${errors.join("\n")}`);
    return operation;
  }

  async #run(command: Command, faults: readonly Fault[] = []): Promise<Operation> {
    const service = this.#service;
    this.#now += 1_000;
    const stack = new Map(this.#stack.map((entry) => [entry, { ...entry }]));
    const before = { stack, webhooks: new Map(service.webhooks), keyCount: service.keys.length };
    service.requests.splice(0);
    service.deletedKeys.splice(0);
    service.faults = faults;
    if (command.verb === "up") this.#usedResponses = this.#responses;
    const responses = command.verb === "preview" ? this.#responses : this.#usedResponses;
    const timeout = faults.some(({ kind }) => kind === "silence") ? "0.05" : "30";
    const surroundings = this.#surroundings(responses, timeout);
    const operation = await runCommand(this.#stack, this.#program, command, surroundings);
    service.faults = [];
    const context = { before, stack: this.#stack, program: this.#program, service, now: this.#now };
    assertOperation({ ...operation, ...context }, this.#known);
    return operation;
  }
}

it(`keeps its promises in ${LIVES} random lives of a stack`, { timeout: 3_600_000 }, async () => {
  const seed = runSeed();
  const shapes = fc.constantFrom(...SHAPES);
  let creations = 0;
  const property = fc.asyncProperty(shapes, fc.boolean(), lives, async (shape, knowsUrn, events) => {
    const service = await startService(shape, String(seed));
    const life = new Life(service, knowsUrn);
    try {
      for (const event of events) await life.live(event);
      await life.settle();
    } finally {
      creations += service.keys.length - 1;
      await service.close();
    }
  });
  await fc.assert(property, { seed, numRuns: LIVES });
  expect(creations).toBeGreaterThan(LIVES); // Otherwise the run tested nothing.
});
