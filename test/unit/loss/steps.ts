import type { Properties } from "../../support/plugin-process.ts";
import type { Host, Outcome } from "./host.ts";
import type { Call, Entry, Witness } from "./stack-state.ts";

/** What a step works on. */
export type Target = Pick<Entry, "name" | "kind" | "account">;

/** The first step that failed ends the operation, as it does in the engine. */
export class StepFailed extends Error {}

/** The steps of one operation of the engine: they call handlers and keep in state what the engine keeps of the answers. */
export class Steps {
  /** Steps taken that may change something at the service. */
  taken = 0;
  readonly #entries: Entry[];
  readonly #witness: Witness;
  readonly #open: (account: string) => Promise<Host>;
  readonly #hosts = new Map<string, Promise<Host>>();
  readonly #checked = new Set<string>();

  /** @param entries The stack's state, which the steps change. */
  constructor(entries: Entry[], witness: Witness, open: (account: string) => Promise<Host>) {
    this.#entries = entries;
    this.#witness = witness;
    this.#open = open;
  }

  /** Ends the plugin processes. */
  async close(): Promise<void> {
    const hosts = await Promise.all(this.#hosts.values());
    await Promise.all(hosts.map((host) => host.close()));
  }

  async check(target: Target, olds: Properties, news: Properties): Promise<Properties> {
    this.#checked.add(`${target.account}/${String(news["webhookId"])}`);
    const outcome = await this.#call("check", target, { id: "", outputs: olds }, news, (host) =>
      host.check(news, olds),
    );
    const { inputs, failures } = granted(outcome);
    if (failures.length > 0) throw new StepFailed();
    return inputs;
  }

  async diff(target: Target, { id, outputs }: Entry, news: Properties) {
    const outcome = await this.#call("diff", target, { id, outputs }, news, (host) =>
      host.diff(id, outputs, news),
    );
    return granted(outcome);
  }

  async create(target: Target, news: Properties, old?: Entry): Promise<void> {
    this.taken += 1;
    const outcome = await this.#call("create", target, { id: "", outputs: {} }, news, (host) =>
      host.create(news),
    );
    const made = outcome.ok ? outcome.value : outcome.failure.initFailure;
    if (made) {
      const { id, properties: outputs } = made;
      const flags = { failed: !outcome.ok, condemned: false, awaitsReplacement: false };
      this.#entries.push({ ...target, id, inputs: news, outputs, ...flags });
      if (old?.awaitsReplacement) this.forget(old);
      else if (old) old.condemned = true;
    }
    granted(outcome);
  }

  async update(target: Target, old: Entry, news: Properties): Promise<void> {
    this.taken += 1;
    const outcome = await this.#call("update", target, old, news, (host) =>
      host.update(old.id, old.outputs, news),
    );
    const changed = outcome.ok ? outcome.value : outcome.failure.initFailure;
    if (changed) {
      const inputs = outcome.ok ? news : old.inputs; // engine/update.go: new outputs, old inputs.
      Object.assign(old, {
        account: target.account,
        inputs,
        outputs: changed.properties,
        failed: !outcome.ok,
      });
    }
    granted(outcome);
  }

  async delete(entry: Entry): Promise<void> {
    this.taken += 1;
    const outcome = await this.#call("delete", entry, entry, {}, (host) =>
      host.delete(entry.id, entry.outputs),
    );
    granted(outcome);
  }

  async read(entry: Entry): Promise<void> {
    const wanted = entry.inputs;
    const outcome = await this.#call("read", entry, entry, {}, (host) =>
      host.read(entry.id, entry.outputs, wanted),
    );
    const { id, properties: outputs, inputs = wanted } = granted(outcome);
    if (id === "") {
      this.forget(entry);
      return;
    }
    Object.assign(entry, { outputs, inputs, failed: false });
    await this.diff(entry, entry, wanted); // To show the drift.
  }

  /** Removes an entry from state. */
  forget(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
  }

  async #call<Value>(
    verb: Call["verb"],
    { name, kind, account }: Target,
    { id, outputs: olds }: Pick<Entry, "id" | "outputs">,
    news: Properties,
    run: (host: Host) => Promise<Value>,
  ): Promise<Outcome<Value>> {
    const opening = this.#hosts.get(account) ?? this.#open(account);
    this.#hosts.set(account, opening);
    const host = await opening;
    const declared = this.#checked.has(`${account}/${String(olds["webhookId"])}`);
    return this.#witness({ verb, name, kind, account, id, olds, news, declared }, () => run(host));
  }
}

function granted<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new StepFailed();
}
