import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";

import type { WebhookState } from "../../../provider/src/partner-api/operations.ts";
import type { Properties } from "../../../provider/src/adapter/properties.ts";
import { LONG, runSeed, scaled } from "../../support/random.ts";
import { runCommand, startPlugin, type Call, type Command, type Entry, type Operation } from "./engine.ts";
import { lives, type Event } from "./events.ts";
import { assertOperation } from "./invariants.ts";
import { openCreationOf, rotationOf } from "./key-outputs.ts";
import { deletableKeys } from "./lost-key-invariants.ts";
import { CLOCK_WAS_WRONG, isAhead } from "./rotation-invariants.ts";
import { stateIn, webhooksOf } from "./webhook-invariants.ts";
import { characters, WEBHOOKS } from "./characters.ts";
import { BUSY, startService, type Fault, type Service } from "./service.ts";

const DAY = 86_400_000;
/** What `pulumi import` is told. */
const IMPORT_ID = "env:OLD_KEY";
const LIVES = scaled(LONG ? 100 : 50);

interface People {
  /** Whether the host knows the URN of what it deletes, as the native plugin does. */
  readonly knowsUrn: boolean;
  /** Whether they set `responses.apiKeyId` before a message asks for it. */
  readonly knowsKeyId: boolean;
  /** Whether their programs declare everything at once, and nothing depends on anything. */
  readonly declareAtOnce: boolean;
}

type Sharing = Omit<Extract<Event, { readonly event: "share" }>, "event">;

type Regrouping = Omit<Extract<Event, { readonly event: "regroup" }>, "event">;

/** What an import finds. */
type Adopted = Pick<Entry, "inputs" | "outputs">;

type Pointer = "none" | "right" | "other" | "nothing";

/** A stack, its program, its service, and the people around them. */
class Life {
  readonly #service: Service;
  readonly #people: People;
  readonly #program = new Map<string, Properties>();
  readonly #stack: Entry[] = [];
  readonly #known = { lost: new Set<string>(), gone: new Set<string>(), drifted: new Set<number>() };
  #now = Date.parse("2026-01-01T00:00:00Z");
  #ticks = 0;
  /** The setting `responses`: today's, and that of the last `up`. */
  #responses: Properties = {};
  #usedResponses: Properties = {};
  /** The key that people have in an environment variable, to import it. */
  #keyToImport = "";

  constructor(service: Service, people: People) {
    this.#service = service;
    this.#people = people;
    for (const key of service.liveKeys()) this.#known.lost.add(key);
  }

  /** @throws if a promise is broken. */
  async live(event: Event): Promise<void> {
    // Who may have one key declares one.
    const isOther = "name" in event && (event.name === "key2" || event.event === "rename");
    if (this.#service.onlyKey !== null && isOther) return;
    if (event.event === "declare") this.#declare(event.name, event.args);
    else if (event.event === "undeclare") this.#program.delete(event.name);
    else if (event.event === "rotate") this.#rotate(event.name, event.overlapDays);
    else if (event.event === "run") await this.#run(event.command, event.faults);
    else if (event.event === "wait") this.#now += event.days * DAY;
    else if (event.event === "change") this.#change(event.webhookId, event.state);
    else if (event.event === "revoke") this.#revoke(event.which);
    else if (event.event === "forget") this.#forget(event.name);
    else if (event.event === "taint") this.#taint(event.name);
    else if (event.event === "share") await this.#share(event);
    else if (event.event === "jump") await this.#jump(event.days, event.command, event.faults);
    else if (event.event === "import") await this.#import(event.name, event.which, event.isHeld);
    else if (event.event === "rename") await this.#rename(event.name, event.faults);
    else if (event.event === "regroup") await this.#regroup(event);
    else if (event.event === "overlap") this.#declareOverlap(event.name, event.overlapDays);
    else if (event.event === "setBack") this.#setBack(event.name);
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
    for (const id of WEBHOOKS) if (!webhooks.has(id)) this.#change(id, "active");
    this.#point({ apiKey: "right", apiKeyId: this.#people.knowsKeyId ? "right" : "none" });
    for (const { name, inputs, outputs } of this.#stack)
      if (openCreationOf(outputs) !== null) this.#rotate(name, rotationOf(inputs).overlapDays ?? 0);
    for (let left = 5, changed: readonly string[] = [""]; changed.length > 0; left -= 1) {
      assert(left > 0, "a stack keeps changing");
      await this.#succeed("refresh");
      ({ changed } = await this.#succeed("up"));
      // Also of a key that was read late, from a response to a run whose clock was ahead.
      const ahead = this.#stack.filter(({ outputs }) => isAhead(outputs, this.#now));
      for (const { name } of ahead) this.#rotate(name, 1);
      if (ahead.length > 0) changed = [""];
    }

    for (const { name, outputs } of this.#stack)
      for (const value of name.startsWith("key") ? [outputs["apiKey"], outputs["previousApiKey"] ?? ""] : [])
        assert(value === "" || this.#service.keys.some(({ key }) => key === value), `${name} has no key`);
    const state = this.#state();
    await this.#succeed("up");
    assert.deepEqual(requests, [], "an unchanged stack sends requests");
    const preview = await this.#succeed("preview");
    assert.deepEqual(preview.changed, [], "an unchanged preview is not empty");
    const isAheadStill = preview.notices.some(({ text }) => text.startsWith(CLOCK_WAS_WRONG));
    assert(!isAheadStill, "a new trigger does not end the warning of a clock");
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

  /** Changes how long the previous key of a resource stays valid. */
  #declareOverlap(name: string, overlapDays: number | null): void {
    const { trigger, afterDays } = rotationOf(this.#program.get(name) ?? {});
    const isPossible = overlapDays === null ? afterDays === undefined : overlapDays < (afterDays ?? Infinity);
    const args = Object.entries({ trigger, afterDays, overlapDays }).filter(([, value]) => value != null);
    const rotation = Object.fromEntries(args);
    if (this.#program.has(name) && isPossible) this.#program.set(name, { rotation });
  }

  /** Sets the trigger back that has led to the current key. */
  #setBack(name: string): void {
    const entry = this.#stack.find((each) => each.name === name && !each.replaced);
    const { trigger } = (entry?.outputs["internal"] ?? {}) as { readonly trigger?: string | null };
    const { overlapDays = 1 } = rotationOf(this.#program.get(name) ?? {});
    if (this.#program.has(name) && trigger != null)
      this.#program.set(name, { rotation: { trigger, overlapDays } });
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
    if (key !== undefined) this.#deleteAtService(key);
  }

  /** Imports a webhook that is in no state, or a key that is in none, or that another resource holds. */
  async #import(name: string, which: number, isHeld: boolean): Promise<void> {
    const { liveKeys, webhooks, isHidden } = this.#service;
    if (name.startsWith("key")) {
      const keys = liveKeys().filter((each) => this.#state().includes(each) === isHeld);
      return this.#importKey(name, keys[which % keys.length]);
    }
    const managed = this.#stack.flatMap(({ outputs }) => webhooksOf(outputs).map(([id]) => Number(id)));
    const [webhookId, state] = [...webhooks].find(([id]) => !managed.includes(id)) ?? [];
    if (webhookId === undefined || this.#has(name)) return;
    const adopting = this.#adopt(name, String(webhookId));
    if (isHidden(webhookId)) return assert.rejects(adopting, /The import needs the complete list/);
    const found = await adopting;
    if (this.#declare(name, { webhookId, state })) this.#keep(name, name, found);
  }

  async #importKey(name: string, key: string | undefined): Promise<void> {
    if (key === undefined || this.#has(name) || !this.#declare(name, {})) return;
    this.#keyToImport = key;
    const found = await this.#adopt(name, IMPORT_ID);
    // A file with imports may have any ID.
    this.#keep(name, this.#people.knowsUrn ? IMPORT_ID : name, found);
    this.#known.lost.delete(key);
  }

  async #adopt(name: string, id: string): Promise<Adopted> {
    const { session, adapterOf } = startPlugin(this.#surroundings(this.#responses));
    try {
      const found = await adapterOf(name).adopt(id);
      assert(found, "an import finds nothing");
      return { inputs: {}, ...found };
    } finally {
      await (await session.open()).close();
    }
  }

  #keep(name: string, id: string, found: Adopted): void {
    this.#stack.push({ name, id, ...found, failed: false, replaced: false });
  }

  /** Two resources hold one key, as after an import by mistake. Both rotate it in one run, and again. */
  async #share({ name, overlapDays, faults, ...how }: Sharing): Promise<void> {
    const holder = this.#stack.find((entry) => entry.name === name && !entry.replaced);
    const key = this.#service.liveKeys().find((each) => each === holder?.outputs["apiKey"]);
    const other = name === "key1" ? "key2" : "key1";
    if (this.#service.onlyKey !== null || !this.#program.has(name)) return;
    await this.#importKey(other, key);
    for (const each of [faults, []]) {
      this.#rotate(name, overlapDays);
      this.#rotate(other, overlapDays);
      await this.#run({ verb: "up", ...how }, each);
    }
  }

  /** Runs a command on a machine whose clock is ahead. */
  async #jump(days: number, command: Command, faults: readonly Fault[]): Promise<void> {
    this.#now += days * DAY;
    await this.#run(command, faults);
    this.#now -= days * DAY;
  }

  #taint(name: string): void {
    for (const entry of this.#stack) if (entry.name === name && !entry.replaced) entry.tainted = true;
  }

  #has(name: string): boolean {
    return this.#stack.some((entry) => entry.name === name);
  }

  /** Renames a resource without an alias: the new one imports its key, while the old one is dropped. */
  async #rename(name: string, faults: readonly Fault[]): Promise<void> {
    const old = this.#stack.find((entry) => entry.name === name && !entry.replaced);
    const [next] = ["key1", "key2"].filter((each) => !this.#stack.some((entry) => entry.name === each));
    const apiKey = String(old?.outputs["apiKey"]);
    // Only the native plugin can import in a program.
    if (!next || !this.#people.knowsUrn || !this.#service.liveKeys().includes(apiKey)) return;
    this.#keyToImport = apiKey;
    this.#program.delete(name);
    this.#program.set(next, {});
    await this.#run({ verb: "up", imports: { name: next, id: IMPORT_ID } }, faults);
  }

  /** Splits a webhook off a fleet, or makes single ones a fleet, in one run. */
  async #regroup({ name, stateOnDestroy, faults, ...how }: Regrouping): Promise<void> {
    const fleet = this.#program.get("fleet1");
    const states = (fleet?.["states"] ?? {}) as Properties;
    const [split] = Object.keys(states);
    const isRest = fleet === undefined || ["leave", undefined].includes(fleet["others"] as string);
    if (!isRest) return;
    if (split !== undefined) {
      const { [split]: state, ...rest } = states;
      this.#program.set("fleet1", { states: rest, stateOnDestroy });
      this.#program.delete(name); // So that it comes after the fleet.
      this.#program.set(name, { webhookId: Number(split), state });
    } else {
      const singles = [...this.#program].filter(([each]) => each.startsWith("webhook"));
      for (const [single] of singles) this.#program.delete(single);
      const regrouped = singles.map(([, { webhookId, state }]) => [String(webhookId), state] as const);
      this.#program.set("fleet1", { states: Object.fromEntries(regrouped), stateOnDestroy });
    }
    await this.#run({ verb: "up", ...how }, faults);
  }

  /** Forgets a resource that could not be removed. */
  #giveUp({ olds }: Call): void {
    // A key that another entry uses is not to be deleted.
    const others = JSON.stringify(this.#stack.filter(({ outputs }) => outputs !== olds));
    const deletable = deletableKeys(this.#service, olds).filter((key) => !others.includes(key));
    assert.deepEqual(deletable, [], "a message asks to forget a key that could be deleted");
    this.#drop(this.#stack.find(({ outputs }) => outputs === olds));
  }

  /** `pulumi state delete`: a person forgets a resource with all that it has. */
  #forget(name: string): void {
    this.#drop(this.#stack.find((each) => each.name === name && !each.replaced));
  }

  #drop(entry: Entry | undefined): void {
    if (entry) this.#stack.splice(this.#stack.indexOf(entry), 1);
    for (const key of this.#service.liveKeys()) if (!this.#state().includes(key)) this.#known.lost.add(key);
  }

  #point(pointers: Readonly<Record<"apiKey" | "apiKeyId", Pointer>>): void {
    const { right, other } = this.#service.pointers;
    const choose = (name: keyof typeof pointers): Properties => {
      const values = { none: null, right: right[name], other, nothing: "/nothing" };
      const value = values[pointers[name]];
      return value === null ? {} : { [name]: value };
    };
    this.#responses = { ...choose("apiKey"), ...choose("apiKeyId") };
  }

  #state(): string {
    return JSON.stringify(this.#stack);
  }

  #surroundings(responses: Properties, requestTimeout = "30") {
    const service = this.#service;
    const { url: baseUrl, accessToken } = service;
    const currentTime = (): number => this.#now;
    const sleep = (milliseconds: number) => Promise.resolve(void (this.#now += Math.ceil(milliseconds)));
    return {
      env: { PARTNERS_DEBUG: "1", OLD_KEY: this.#keyToImport },
      settings: { baseUrl, accessToken, requestTimeout, responses: JSON.stringify(responses) },
      // No two moments are the same, or a list from before a question would count as one from after it.
      clock: { now: () => this.#now + (this.#ticks += 0.001), random: () => 0.5, sleep },
      currentTime,
      knowsUrn: this.#people.knowsUrn,
      onRequest: (listener: () => void) => void (service.onRequest = listener),
    };
  }

  /** Runs a command without a fault. What its messages ask for is done, until it succeeds. */
  async #succeed(verb: Command["verb"]): Promise<Operation> {
    const { onlyKey } = this.#service;
    // The engine stops at the first failure: each old entry may be forgotten in a run of its own.
    for (let left = 5 + this.#stack.length; ; left -= 1) {
      const parallel = this.#people.declareAtOnce;
      // Where only one key is allowed, it is deleted before another one is created.
      const operation = await this.#run({ verb, parallel, deleteBeforeReplace: onlyKey !== null });
      if (operation.succeeded) return operation;
      const failed = operation.calls.filter((call) => !call.succeeded);
      const errors = failed.flatMap((call) => call.errors).join("\n");
      assert(left > 0, `${verb} keeps failing without a fault: ${errors}`);
      if (errors.includes("responses.apiKeyId") && this.#responses["apiKeyId"] === undefined) {
        this.#point({ apiKey: "right", apiKeyId: "right" });
        if (verb === "destroy") await this.#succeed("up"); // It uses the settings of the last one.
      } else if (errors.includes('"others" needs the complete list')) this.#declareOthers("leave");
      else if (errors.includes("If it allows only one key")) this.#replaceOnlyKey(failed);
      else if (errors.includes("may have one key")) this.#replaceOnlyKey(failed);
      else if (errors.includes("To give up that key"))
        for (const { name, news } of failed) this.#rotate(name, rotationOf(news).overlapDays ?? 1);
      else if (errors.includes("state delete")) for (const call of failed) this.#giveUp(call);
      else if (errors.includes("Run this again later")) this.#now += 3 * DAY;
      else {
        assert(errors.includes("up --replace"), `${verb} fails without a fault: ${errors}`);
        await this.#run({ verb: "up", replace: failed[0]?.name, deleteBeforeReplace: onlyKey !== null });
      }
    }
  }

  #declareOthers(others: string): void {
    const fleet = this.#program.get("fleet1");
    if (fleet) this.#program.set("fleet1", { ...fleet, others });
  }

  /** Replaces the only key, or deletes it at the service if no resource goes on with it. */
  #replaceOnlyKey(failed: readonly Call[]): void {
    const [, only] = this.#service.keys;
    // One that is lost or was replaced: a warning or an error has asked for that.
    const isHeld = this.#stack.some(({ replaced, outputs }) => !replaced && outputs["apiKey"] === only?.key);
    if (only?.isLive && !isHeld) this.#deleteAtService(only);
    for (const { name } of failed) this.#rotate(name, 0);
  }

  #deleteAtService(key: Service["keys"][number]): void {
    key.isLive = false;
    this.#known.gone.add(key.key);
  }

  async #run(command: Command, faults: readonly Fault[] = []): Promise<Operation> {
    const service = this.#service;
    this.#now += 1_000;
    const began = this.#now;
    const stack = new Map(this.#stack.map((entry) => [entry, { ...entry }]));
    const before = { stack, webhooks: new Map(service.webhooks) };
    service.requests.splice(0);
    service.deletedKeys.splice(0);
    service.absentIds.splice(0);
    service.issuedKeys.splice(0);
    service.deniedCreations = 0;
    service.faults = faults;
    if (command.verb === "up") this.#usedResponses = this.#responses;
    const responses = command.verb === "preview" ? this.#responses : this.#usedResponses;
    const timeout = faults.some(({ kind }) => kind === "silence") ? "0.05" : "30";
    const surroundings = this.#surroundings(responses, timeout);
    const operation = await runCommand(this.#stack, this.#program, command, surroundings);
    service.faults = [];
    const isIdChosen = responses["apiKeyId"] !== undefined;
    await service.idle();
    const context = { before, stack: this.#stack, program: this.#program, service, began, now: this.#now };
    assertOperation({ ...operation, ...context, isIdChosen }, this.#known);
    this.#assertNoneBusy(operation, faults);
    return operation;
  }

  /** Asserts that a service that makes one change at a time refuses none for good. */
  #assertNoneBusy({ command, calls }: Operation, faults: readonly Fault[]): void {
    if (faults.length > 0 || command.stop !== undefined) return;
    for (const error of calls.flatMap(({ errors }) => errors).map(String))
      // A creation is not repeated after a 423 without `Retry-After`: it may have had an effect.
      assert(!error.includes(BUSY) || /POST.* returned 423/.test(error), `refused next to others: ${error}`);
  }
}

it(`keeps its promises in ${LIVES} random lives of a stack`, { timeout: 3_600_000 }, async () => {
  const seed = runSeed();
  const [knowsUrn, knowsKeyId, declareAtOnce] = [fc.boolean(), fc.boolean(), fc.boolean()];
  const people = fc.record({ knowsUrn, knowsKeyId, declareAtOnce });
  let creations = 0;
  const property = fc.asyncProperty(characters, people, lives, async (...[its, theirs, events]) => {
    const service = await startService(its, String(seed));
    const life = new Life(service, theirs);
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
