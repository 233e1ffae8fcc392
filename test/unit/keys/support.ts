import { onTestFinished } from "vitest";

import { keyResource } from "../../../provider/src/keys/key-resource.ts";
import type { Clock } from "../../../provider/src/partner-api/rate-limiter.ts";
import { PartnerError } from "../../../provider/src/partner-api/errors.ts";
import { PluginProcess } from "../../../provider/src/plugin/plugin-process.ts";
import type { Properties } from "../../../provider/src/plugin/properties.ts";
import { PartialFailure, ResourceAdapter } from "../../../provider/src/plugin/resource-adapter.ts";
import { ACCESS_TOKEN, startPartnerApi, type PartnerApiServer } from "../../support/partner-api-server.ts";

export const DAY = 86_400_000;
export const NOON = Date.parse("2026-03-01T12:00:00Z");

/** A time that passes only while somebody sleeps. */
class TestClock implements Clock {
  #now = NOON;

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    return Promise.resolve();
  }
}

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

export interface Service extends PartnerApiServer {
  /** Deletes the last key, as a person would. */
  revoke(): void;
}

/** Starts a service, which ends with the test. Its IDs are `k1`, `k2` and so on. */
export async function startService(shape: Shape = {}): Promise<Service> {
  const { body, deletesBy = "key", notFound = 404, malformed = 404 } = shape;
  const api = await startPartnerApi();
  onTestFinished(() => api.close());
  const ids = new Map<string, string>();
  api.answers.createApiKey = () => {
    const id = `k${ids.size + 1}`;
    const key = `pk_live_4eC39HqLyjWDarjtT${1000 + ids.size}`;
    ids.set(id, key);
    api.keys.add(key);
    return { status: 201, body: body?.(key, id) ?? { api_key: key } };
  };
  api.answers.deleteApiKey = (name) => {
    if (deletesBy === "key" && !name.startsWith("pk_")) return { status: malformed };
    if (deletesBy === "id" && !name.startsWith("k")) return { status: malformed };
    const key = deletesBy === "key" ? name : (ids.get(name) ?? "");
    return api.keys.delete(key) ? { body: {} } : { status: notFound };
  };
  const revoke = (): void => {
    api.keys.delete([...api.keys].at(-1) ?? "");
  };
  return { ...api, revoke };
}

/** Lets the next response to an operation be lost. @param isPerformed Whether it takes effect. */
export function lose(
  { answers }: Service,
  operation: "createApiKey" | "deleteApiKey",
  isPerformed = true,
): void {
  const answer = answers[operation] as (
    ...args: readonly unknown[]
  ) => ReturnType<typeof answers.createApiKey>;
  answers[operation] = (...args: readonly unknown[]) => {
    answers[operation] = answer;
    if (isPerformed) void answer(...args);
    return "reset";
  };
}

/** How a command runs. */
export interface Command {
  /** The setting `responses`. @default none */
  readonly responses?: Properties;
  /** How often a hook has a failed call repeated. @default 0 */
  readonly repetitions?: number;
  /** `--replace`. @default false */
  readonly replace?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** What a command did. Everything is as a person sees it. */
export interface Result {
  readonly requests: readonly string[];
  readonly notices: readonly string[];
  /** The first error; `null` if the command succeeded. */
  readonly error: string | null;
  readonly changes: boolean;
}

/** A stack with one key, and the engine around it: it calls the handlers as Pulumi does. */
export class Stack {
  readonly #service: Service;
  now = NOON;
  id = "";
  /** The inputs and outputs in the state; `null` without a resource. */
  inputs: Properties | null = null;
  outputs: Properties | null = null;
  /** The outputs of replaced resources that are not deleted yet. */
  leaving: { readonly id: string; readonly outputs: Properties }[] = [];
  readonly urn: string;
  /** Whether a deletion is told the URN, as in the native plugin. */
  knowsUrn = true;

  constructor(service: Service, name = "checkout") {
    this.#service = service;
    this.urn = `urn:pulumi:dev::shop::partners:index:PartnerApiKey::${name}`;
  }

  /** Starts the handlers of another process. */
  start({ responses, env = {} }: Command = {}, notices: string[] = []): ResourceAdapter {
    const plugin = new PluginProcess({
      env,
      clock: new TestClock(),
      currentTime: () => this.now,
      notify: ({ severity, text }) => {
        const notice = `${severity}: ${text}`;
        if (!notices.includes(notice)) notices.push(notice); // As a host shows it.
      },
    });
    const settings = new Map(
      Object.entries({
        "partners:baseUrl": this.#service.url,
        "partners:accessToken": ACCESS_TOKEN,
        "partners:responses": JSON.stringify(responses ?? {}),
      }),
    );
    plugin.configure({ get: (key) => settings.get(key) });
    onTestFinished(async () => (await plugin.open()).close());
    return new ResourceAdapter(plugin, keyResource(plugin));
  }

  preview(rotation?: Properties, command: Command = {}): Promise<Result> {
    return this.#run(command, async (keys) => (await this.#plan(keys, rotation)).changes);
  }

  up(rotation?: Properties, command: Command = {}, keys?: ResourceAdapter): Promise<Result> {
    return this.#run(
      command,
      async (adapter) => {
        const plan = await this.#plan(adapter, rotation, command.replace);
        const { inputs, changes, replaces } = plan;
        const old = this.outputs && { id: this.id, outputs: this.outputs };
        if (this.outputs === null || replaces) {
          await this.#call(inputs, command, () => adapter.create(inputs, this.urn)).finally(() => {
            if (old && this.id !== old.id) this.leaving.push(old);
          });
        } else if (changes) {
          const { id, outputs } = this;
          await this.#call(inputs, command, async () => {
            return { id, outputs: await adapter.update(outputs, inputs, { id, urn: this.urn }) };
          });
        }
        await this.#deleteLeaving(adapter);
        return changes;
      },
      keys,
    );
  }

  destroy(command: Command = {}): Promise<Result> {
    return this.#run(command, async (keys) => {
      if (this.outputs) this.leaving.push({ id: this.id, outputs: this.outputs });
      await this.#deleteLeaving(keys);
      this.outputs = null;
      return true;
    });
  }

  /** Imports the key in an environment variable. */
  async import(apiKey: string): Promise<void> {
    const found = await this.start({ env: { KEY: apiKey } }).adopt("env:KEY");
    this.id = "env:KEY";
    this.inputs = found?.inputs ?? null;
    this.outputs = found?.outputs ?? null;
  }

  async #plan(keys: ResourceAdapter, rotation: Properties | undefined, isReplaced = false) {
    const { inputs, problems } = await keys.check(this.inputs ?? {}, rotation ? { rotation } : {}, this.urn);
    const [problem] = problems;
    if (problem !== undefined) throw new Error(problem);
    if (this.outputs === null || isReplaced) return { inputs, changes: true, replaces: isReplaced };
    const { changes, replaces } = keys.diff(this.outputs, inputs, { id: this.id, urn: this.urn });
    return { inputs, changes, replaces: replaces.length > 0 };
  }

  /** Calls `create` or `update`, and keeps what it reached. */
  async #call(
    inputs: Properties,
    { repetitions = 0 }: Command,
    call: () => Promise<{ readonly id: string; readonly outputs: Properties }>,
  ): Promise<void> {
    for (let left = repetitions; ; left -= 1)
      try {
        ({ id: this.id, outputs: this.outputs } = await call());
        this.inputs = inputs;
        return;
      } catch (error) {
        if (left > 0) continue;
        if (!(error instanceof PartialFailure)) throw error;
        this.inputs ??= inputs; // A failed update leaves the old ones.
        this.id = error.id;
        this.outputs = error.properties;
        throw error.reason;
      }
  }

  async #deleteLeaving(keys: ResourceAdapter): Promise<void> {
    for (const resource of [...this.leaving]) {
      await keys.delete(resource.outputs, { id: resource.id, urn: this.knowsUrn ? this.urn : "" });
      this.leaving.splice(this.leaving.indexOf(resource), 1);
    }
  }

  async #run(
    command: Command,
    perform: (keys: ResourceAdapter) => Promise<boolean>,
    process?: ResourceAdapter,
  ): Promise<Result> {
    const notices: string[] = [];
    const keys = process ?? this.start(command, notices);
    const first = this.#service.requests.length;
    const result = await perform(keys).then(
      (changes) => ({ changes, error: null }),
      (error: unknown) => {
        if (error instanceof PartnerError || error instanceof Error)
          return { changes: true, error: error.message };
        throw error;
      },
    );
    return { ...result, notices, requests: this.#service.requests.slice(first) };
  }
}
