import { SettingsError, type PartnerError } from "../api/errors.js";
import type { Properties, ResourceName } from "./properties.js";
import { assertOwned, otherAccount, otherServer } from "./ownership.js";
import { PartialFailure } from "./partial-failure.js";
import type { PluginProcess } from "./plugin-process.js";
import type { InputProblem } from "./problems.js";
import { RepeatedCalls, type CallResult } from "./repeated-calls.js";
import type { Plan, Resource } from "./resource.js";

/** The setting, which is also an input and an output of each resource that can drift. */
const REFRESH_FIRST = "refreshBeforeUpdate";

/**
 * Whether the engine must read a resource before each preview and update.
 *
 * @param outputs The outputs in its state.
 */
export function isRefreshedFirst(outputs: Properties): boolean {
  return outputs[REFRESH_FIRST] === true;
}

/**
 * Whether a read takes over a resource, for an import or for a `get` in the program, instead of reading one
 * in the state: every state has an account, because the adapter adds it to the outputs.
 */
export function isAdoption(olds: Properties): boolean {
  return olds["account"] === undefined;
}

/**
 * Lets a host use a {@link Resource}. It converts between properties and the types of the resource, and does
 * what all resources share: it protects the resources of other accounts and servers, adds the properties
 * `account`, `server` and `refreshBeforeUpdate`, says what a host keeps after a failure, and continues
 * repeated calls.
 *
 * All methods except `diff` may throw a {@link PartnerError}.
 */
export class ResourceAdapter<Inputs = unknown, State = unknown> {
  readonly #plugin: PluginProcess;
  readonly #resource: Resource<Inputs, State>;
  readonly #calls: RepeatedCalls<Inputs, State>;

  constructor(plugin: PluginProcess, resource: Resource<Inputs, State>) {
    this.#plugin = plugin;
    this.#resource = resource;
    this.#calls = new RepeatedCalls(resource);
  }

  /**
   * Validates arguments and fills in defaults. A problem that is an error would fail the update as well.
   *
   * @param olds The inputs in the state; empty for a new resource.
   * @param urn The URN of the resource, if the host knows it. It tells apart two resources that declare the
   * same webhook.
   */
  async check(
    olds: Properties,
    args: Properties,
    urn?: string,
  ): Promise<{ readonly inputs: Properties; readonly problems: readonly (InputProblem | PartnerError)[] }> {
    this.#plugin.readSettings(); // Even if nothing changes, because the next change would fail.
    const oldInputs = this.#resource.inputsOf(olds);
    const { inputs: read, problems } = this.#resource.readArguments(args, oldInputs);
    const inputs = { ...read, account: this.#plugin.account, ...this.#refreshInput() };
    const found: (InputProblem | PartnerError)[] = [...problems];
    if (problems.length === 0)
      found.push(...(await this.#resource.check(this.#resource.inputsOf(inputs), oldInputs, urn)));
    if (isRefreshedFirst(inputs) && !this.#plugin.canRefreshFirst) found.push(new SettingsError([REFUSED]));
    // The default provider has one account: it could create the new resource but not delete the old one.
    const account = this.#plugin.isExplicit ? null : otherAccount(this.#plugin, olds);
    if (account) found.push(account);
    return { inputs, problems: found };
  }

  /**
   * Compares the outputs in the state with checked inputs. Sends no request.
   *
   * @param name Tells apart two resources with the same key.
   */
  diff(
    olds: Properties,
    news: Properties,
    name: ResourceName = NAMELESS,
  ): { readonly changes: boolean; readonly replaces: string[] } {
    const plan = this.#plan(olds, news, name);
    const changes = plan.changes || isRefreshedFirst(olds) !== isRefreshedFirst(news);
    const difference = { changes, replaces: [...plan.replaces] };
    // The process of the old account deletes it.
    if (olds["account"] !== this.#plugin.account) return difference;
    const server = otherServer(this.#plugin, olds);
    if (server === null) return difference;
    this.#plugin.warn(server);
    if (server.kind === "moved") return { ...difference, changes: true };
    // A replacement would create the new resource before it fails to delete the old one; an update fails at
    // once.
    return { ...difference, replaces: [] };
  }

  /**
   * Returns the outputs for a preview, `UNKNOWN` where only the update can tell.
   *
   * @param olds `null` for a creation.
   */
  preview(olds: Properties | null, news: Properties): Properties {
    if (olds !== null) assertOwned(this.#plugin, olds);
    return this.#complete(this.#resource.preview(olds && this.#resource.stateOf(olds), news), news);
  }

  /**
   * The engine may repeat a call of `create`, `update` or `delete` that failed, with the same arguments.
   *
   * @param urn As in `check`.
   * @throws {PartialFailure} if the resource exists but is not complete.
   */
  async create(news: Properties, urn = ""): Promise<{ readonly id: string; readonly outputs: Properties }> {
    const id = this.#resource.newId(this.#resource.inputsOf(news));
    const result = await this.#calls.apply({ id, urn, olds: null, news });
    return { id: result.id, outputs: this.#outputsOf(result, news) };
  }

  /** @returns `null` if the resource is gone; `inputs` only if they can drift. */
  async read(
    olds: Properties,
  ): Promise<{ readonly outputs: Properties; readonly inputs?: Properties } | null> {
    assertOwned(this.#plugin, olds);
    const state = this.#resource.stateOf(olds);
    const found = await this.#resource.read(state);
    if (found === null) return null;
    // A newer version of the program may have written other outputs as well.
    const outputs = found.state === state ? olds : { ...olds, ...this.#resource.outputsOf(found.state) };
    const inputs = found.inputs && { ...found.inputs, account: olds["account"], ...recordedRefresh(olds) };
    return { outputs: this.#complete(outputs, olds), ...(inputs && { inputs }) };
  }

  /** @throws {PartialFailure} if the update failed but its outputs must be kept. */
  async update(id: string, olds: Properties, news: Properties, urn = ""): Promise<Properties> {
    assertOwned(this.#plugin, olds);
    if (this.#onlyRecords(olds, news, { id, urn })) return this.#complete(olds, news);
    return this.#outputsOf(await this.#calls.apply({ id, urn, olds, news }), news);
  }

  async delete(olds: Properties, name: ResourceName = NAMELESS): Promise<void> {
    assertOwned(this.#plugin, olds);
    await this.#resource.remove(this.#resource.stateOf(olds), name);
  }

  /**
   * Takes over a resource for an import or a `get`, by the ID that the user gave. `inputs`: with which a
   * program declares it.
   */
  async adopt(
    id: string,
  ): Promise<{ readonly id: string; readonly inputs: Properties; readonly outputs: Properties }> {
    const { state, inputs } = await this.#resource.adopt(id);
    const news = { ...inputs, account: this.#plugin.account, ...this.#refreshInput() };
    return { id, inputs: news, outputs: this.#complete(this.#resource.outputsOf(state), news) };
  }

  /** Plans an update, and shows its warnings. */
  #plan(olds: Properties, news: Properties, name: ResourceName): Omit<Plan, "notices"> {
    const moves = (olds["account"] ?? null) !== (news["account"] ?? null);
    const [state, inputs] = [this.#resource.stateOf(olds), this.#resource.inputsOf(news)];
    const { changes, replaces, notices } = this.#resource.plan(state, inputs, { name, moves });
    for (const notice of notices) this.#plugin.warn(notice);
    return { changes, replaces: moves ? [...replaces, "account"] : replaces };
  }

  /**
   * Whether an update only records that the address of the server has changed, or that the engine need no
   * longer read the resource first: it has just read it. Then there is nothing to send.
   */
  #onlyRecords(olds: Properties, news: Properties, name: ResourceName): boolean {
    const [before, after] = [isRefreshedFirst(olds), isRefreshedFirst(news)];
    const records = before === after ? otherServer(this.#plugin, olds) !== null : before;
    return records && !this.#plan(olds, news, name).changes;
  }

  /** @throws {PartialFailure} after a failure. */
  #outputsOf({ id, state, failure }: CallResult<State>, news: Properties): Properties {
    const outputs = this.#complete(this.#resource.outputsOf(state), news);
    if (failure) throw new PartialFailure(id, outputs, failure);
    return outputs;
  }

  /** Adds to outputs what each resource has. @param from Properties with its account, such as its inputs. */
  #complete(outputs: Properties, from: Properties): Properties {
    const own = Object.entries(outputs).filter(([name]) => name !== REFRESH_FIRST);
    const [server] = this.#plugin.readSettings().servers;
    return { ...Object.fromEntries(own), account: from["account"], server, ...recordedRefresh(from) };
  }

  /** Without the setting, nothing is recorded. */
  #refreshInput(): Properties {
    const isSet = this.#resource.canDrift && this.#plugin.readSettings().refreshBeforeUpdate;
    return isSet ? { [REFRESH_FIRST]: true } : {};
  }
}

/**
 * Returns the setting that properties record. The engine keeps it with each resource until it creates, reads
 * or updates the resource, so a new value must count as a difference.
 */
function recordedRefresh(properties: Properties): Properties {
  return isRefreshedFirst(properties) ? { [REFRESH_FIRST]: true } : {};
}

/** A resource of which the host knows nothing. */
const NAMELESS: ResourceName = { id: "", urn: "" };

/** A host that cannot pass the setting to the engine refuses it. */
const REFUSED = { kind: "invalid", setting: REFRESH_FIRST, rule: "nativeOnly" } as const;
