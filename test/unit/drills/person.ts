import { expect } from "vitest";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import { SETTING_NAMES } from "../../../provider/src/setting-names.ts";
import { argumentsOf, commandsIn, sentenceWith, variablesIn, withPointer } from "../../support/advice.ts";
import type { PartnerApiServer } from "../../support/sandbox.ts";
import { NOON } from "../keys/support.ts";
import { InstantClock } from "../partner-api/support.ts";
import { runCommand, startPlugin, type Command, type Entry } from "../random/engine.ts";

/** Follows one remedy. @param words Some words of it. @returns the person, whose situation is to be over. */
export type Drill = (words: string) => Promise<Person>;

/** Drills by words of the sentence that they follow, which tell it from all others. */
export type Drills = Readonly<Record<string, Drill>>;

/** What a command did. */
interface Result {
  /** The first error; `null` if it succeeded. */
  readonly error: string | null;
  readonly requests: readonly string[];
  /** The names of resources that changed. */
  readonly changed: readonly string[];
}

/** A person with a program and a stack on the simulated engine, who does what messages say. */
export class Person {
  readonly service: PartnerApiServer;
  /** The program: arguments by name. */
  readonly program = new Map<string, Properties>();
  readonly stack: Entry[] = [];
  /** Stack configuration, without `partners:`. */
  readonly settings: Record<string, string>;
  readonly env: Record<string, string> = {};
  /** What is otherwise special about the next commands. */
  options: Partial<Command> = {};
  now = NOON;
  /** Whether a deletion is told the URN, as in the native plugin. */
  knowsUrn = true;
  /** Everything that the last command has said. */
  printed = "";
  /** The words of the sentences that were followed. */
  readonly followed: string[] = [];

  /** @param resources The program. */
  constructor(service: PartnerApiServer, resources: Readonly<Record<string, Properties>> = {}) {
    this.service = service;
    this.settings = { baseUrl: service.url, accessToken: service.accessToken };
    for (const [name, args] of Object.entries(resources)) this.program.set(name, args);
  }

  /** Runs a command of Pulumi. */
  async run(verb: Command["verb"] = "up", options: Partial<Command> = {}): Promise<Result> {
    const before = this.service.requests.length;
    const command = { verb, ...this.options, ...options };
    const around = { ...this.#surroundings, knowsUrn: this.knowsUrn, onRequest: () => undefined };
    const { calls, notices, changed } = await runCommand(this.stack, this.program, command, around);
    const failures = calls.filter(({ succeeded }) => !succeeded).map(({ errors }) => errors.at(-1));
    const errors = failures.map((error) => (error instanceof Error ? error.message : String(error)));
    this.printed = [...notices.map(({ text }) => text), ...errors].join("\n");
    return { error: errors[0] ?? null, requests: this.service.requests.slice(before), changed };
  }

  /** Brings the situation about. @throws if the command succeeds. */
  async fail(verb?: Command["verb"], options?: Partial<Command>): Promise<void> {
    expect((await this.run(verb, options)).error).not.toBeNull();
  }

  /** Lists all webhooks, as `getPartnerWebhooks` does. */
  async list(): Promise<boolean> {
    const { list, session } = startPlugin(this.#surroundings);
    const failure = await list().then(() => null, String);
    await session.open().then((client) => client.close(), String);
    this.printed = failure?.replace(/^\w+: /, "") ?? "";
    return failure === null;
  }

  /**
   * Runs the commands in a sentence that was just printed, and sets what it says to set.
   *
   * @param pointer What stands for `POINTER`, where a person has to choose.
   */
  async follow(words: string, pointer?: string): Promise<string> {
    const printed = sentenceWith(words, this.printed);
    this.followed.push(words);
    const sentence = pointer === undefined ? printed : withPointer(printed, pointer);
    for (const { name, value } of variablesIn(sentence)) this.env[name] = value;
    for (const command of commandsIn(sentence)) await this.#perform(argumentsOf(command));
    return sentence;
  }

  /** Runs a command that a sentence tells how to complete. */
  async type(command: string): Promise<void> {
    await this.#perform(argumentsOf(command));
  }

  /** Corrects the setting that a sentence names. */
  async correct(words: string, value: string): Promise<void> {
    const sentence = await this.follow(words);
    const [, name = ""] = /partners:(\w+)/.exec(sentence) ?? [];
    expect(SETTING_NAMES).toContain(name);
    this.settings[name] = value;
  }

  async #perform([first = "", second = "", ...rest]: readonly string[]): Promise<void> {
    const [last = ""] = rest.slice(-1);
    const name = last.split("::").at(-1) ?? "";
    if (first === "config" && second === "set")
      this.#configure(rest.filter((each) => !each.startsWith("--")));
    else if (first === "up" && second === "--replace") await this.run("up", { replace: name });
    else if (first === "up") await this.run();
    else if (first === "state" && second === "delete") this.#forget(name);
    else throw new Error(`Nobody knows how to run: ${[first, second, ...rest].join(" ")}`);
  }

  /** `pulumi config set --path`: a member of `responses`, or of a list there. */
  #configure([key = "", value = ""]: readonly string[]): void {
    const [, name = "", member, index] = /^partners:(\w+)(?:\.(\w+)(?:\[(\d)\])?)?$/.exec(key) ?? [];
    const parsed = value === "true" || value;
    if (member === undefined) this.settings[name] = value;
    else {
      const present = JSON.parse(this.settings[name] ?? "{}") as Record<string, unknown>;
      const list =
        index === undefined ? null : [...((present[member] as unknown[] | undefined) ?? []), value];
      this.settings[name] = JSON.stringify({ ...present, [member]: list ?? parsed });
    }
  }

  /** `pulumi state delete`, where a person chooses "(Pending Deletion)". */
  #forget(name: string): void {
    const entries = this.stack.filter((entry) => entry.name === name);
    const entry = entries.find(({ replaced }) => replaced) ?? entries[0];
    if (entry === undefined) throw new Error(`No resource ${name}`);
    this.stack.splice(this.stack.indexOf(entry), 1);
  }

  get #surroundings() {
    const { env, settings, now } = this;
    return { env, settings, clock: new InstantClock(), currentTime: () => now };
  }
}

/** The situation is over: an `up` succeeds, the next one changes nothing, and the account is as declared. */
export async function expectPeace(person: Person): Promise<void> {
  const { service, program, stack } = person;
  expect(await person.run()).toMatchObject({ error: null });
  const unchanged = await person.run();
  expect(unchanged).toMatchObject({ error: null, changed: [] });
  expect(unchanged.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  const known = stack.flatMap(({ outputs }) => [outputs["apiKey"], outputs["previousApiKey"]]);
  const tracked = known.filter((key) => typeof key === "string");
  expect([...service.keys].toSorted(), "every live key is in the stack").toEqual(tracked.toSorted());
  for (const { webhookId, state, states = {}, others } of program.values()) {
    const declared = new Map(
      Object.entries(states as object).map(([id, each]) => [Number(id), each as unknown]),
    );
    if (typeof webhookId === "number") declared.set(webhookId, state);
    for (const [id, is] of service.webhooks) {
      const wanted = declared.get(id) ?? (others === "leave" ? undefined : others);
      if (wanted !== undefined) expect([id, is]).toEqual([id, wanted]);
    }
  }
}
