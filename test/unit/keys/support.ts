import { onTestFinished } from "vitest";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import type { Notice } from "../../../provider/src/account/notice.ts";
import type { ResourceAdapter } from "../../../provider/src/adapter/resource-adapter.ts";
import { sandboxFor, type PartnerApiServer } from "../../support/sandbox.ts";
import { InstantClock } from "../partner-api/support.ts";
import { runCommand, startPlugin, urnOf, type Command, type Entry } from "../random/engine.ts";

export const DAY = 86_400_000;
export const NOON = Date.parse("2026-03-01T12:00:00Z");
const NAME = "key1";
export const URN = urnOf(NAME);

/** What differs between services. */
export interface Shape {
  /** @default the contract's: `{ "api_key": … }` */
  readonly body?: (key: string, id: string) => unknown;
  /** What identifies a key in the path of its deletion. @default "key" */
  readonly deletesBy?: "key" | "id";
  /** The status if no key has this name. @default 404 */
  readonly notFound?: number;
  /** The status if the name has not the form of one, such as a key in place of an ID. @default 404 */
  readonly malformed?: number;
}

/** Starts a service, which ends with the test. Its IDs are `k1`, `k2` and so on. */
export async function startService(shape: Shape = {}): Promise<PartnerApiServer> {
  const { body, deletesBy = "key", notFound = 404, malformed = 404 } = shape;
  const api = await sandboxFor();
  const ids = new Map<string, string>();
  api.answers.createApiKey = () => {
    const id = `k${ids.size + 1}`;
    const key = `pk_live_4eC39HqLyjWDarjtT${1000 + ids.size}`;
    ids.set(id, key);
    api.keys.add(key);
    return { status: 201, body: body?.(key, id) ?? { api_key: key } };
  };
  api.answers.deleteApiKey = (name) => {
    if (!name.startsWith(deletesBy === "key" ? "pk_" : "k")) return { status: malformed };
    const key = deletesBy === "key" ? name : (ids.get(name) ?? "");
    return api.keys.delete(key) ? { body: {} } : { status: notFound };
  };
  return api;
}

/** How a command runs. */
export interface Options extends Pick<Command, "repetitions" | "deleteBeforeReplace"> {
  /** The setting `responses`. @default none */
  readonly responses?: Properties;
  /** `--replace`. @default false */
  readonly replace?: boolean;
}

/** What a command did. Everything is as a person sees it. */
export interface Result {
  readonly requests: readonly string[];
  readonly notices: readonly string[];
  /** The first error; `null` if the command succeeded. */
  readonly error: string | null;
  readonly changes: boolean;
}

/** A stack with one key, on which the engine of the random lives runs commands. */
export class Stack {
  readonly #service: PartnerApiServer;
  readonly #entries: Entry[] = [];
  now = NOON;
  /** What the process that was started last has said. */
  notices: readonly Notice[] = [];
  /** Whether a deletion is told the URN, as in the native plugin. */
  knowsUrn = true;

  constructor(service: PartnerApiServer) {
    this.#service = service;
  }

  /** The key in the state. */
  get entry(): Entry | undefined {
    return this.#entries.find(({ replaced }) => !replaced);
  }

  get outputs(): Properties {
    return this.entry?.outputs ?? {};
  }

  /** The resources that are replaced and not deleted yet. */
  get leaving(): Entry[] {
    return this.#entries.filter(({ replaced }) => replaced);
  }

  preview(rotation?: Properties, options?: Options): Promise<Result> {
    return this.#run("preview", rotation, options);
  }

  up(rotation?: Properties, options?: Options): Promise<Result> {
    return this.#run("up", rotation, options);
  }

  destroy(options?: Options): Promise<Result> {
    return this.#run("destroy", undefined, options);
  }

  /** Imports the key in an environment variable. */
  async import(apiKey: string): Promise<void> {
    const found = await this.start({ KEY: apiKey }).adopt("env:KEY");
    const entry = { name: NAME, id: "env:KEY", inputs: {}, outputs: {}, failed: false, replaced: false };
    this.#entries.splice(0, Infinity, { ...entry, ...found });
  }

  /** Starts the handlers of a process, for calls that are not those of a command on a stack. */
  start(env: NodeJS.ProcessEnv = {}, hasStack = true, responses: Properties = {}): ResourceAdapter {
    const { session, adapterOf, notices } = startPlugin({ ...this.#surroundings(responses), env });
    this.notices = notices;
    session.hasStack = hasStack;
    onTestFinished(async () => (await session.open()).close());
    return adapterOf(NAME);
  }

  async #run(verb: Command["verb"], rotation?: Properties, options: Options = {}): Promise<Result> {
    const { replace, responses = {}, repetitions = 0, deleteBeforeReplace = false } = options;
    const program = new Map([[NAME, rotation ? { rotation } : {}]]);
    const command = { verb, repetitions, deleteBeforeReplace, replace: replace ? NAME : undefined };
    const before = this.#service.requests.length;
    const operation = await runCommand(this.#entries, program, command, this.#surroundings(responses));
    const error = operation.calls.find(({ succeeded }) => !succeeded)?.errors.at(-1) ?? null;
    return {
      requests: this.#service.requests.slice(before),
      notices: [...new Set(operation.notices.map(({ severity, text }) => `${severity}: ${text}`))],
      error: error instanceof Error ? error.message : error,
      changes: operation.changed.length > 0,
    };
  }

  #surroundings(responses: Properties) {
    const { url: baseUrl, accessToken } = this.#service;
    return {
      env: {},
      settings: { baseUrl, accessToken, responses: JSON.stringify(responses) },
      clock: new InstantClock(),
      currentTime: () => this.now,
      knowsUrn: this.knowsUrn,
      onRequest: () => undefined,
    };
  }
}
