import { idOf, leftBy, Violation, type Done, type Evidence, type Services } from "./evidence.ts";
import { heldIn } from "./held.ts";
import type { Properties } from "../../support/plugin-process.ts";
import type { Entry } from "./stack-state.ts";

/** What must be true of services and state, as far as successes and errors have said so. */
export class Ledger {
  /** Keys that are in no state, of which an error said that they may exist, or that a crash lost. */
  readonly leaked = new Set<string>();
  /** Keys in state that are not at the service: somebody deleted them, or an error said that they may be deleted. */
  readonly gone = new Set<string>();
  /** Errors that said a key may exist, or exists. */
  alarms = 0;
  /** The keys that were ever made for each resource, by its id. */
  readonly #made = new Map<string, Set<string>>();
  /** The key that the unread response of a resource is about. */
  readonly #unread = new Map<string, string | null>();
  /** Whose outputs tell the state of a webhook, by account and id; nobody's, if something changed it behind them. */
  readonly #knownBy = new Map<string, string>();

  /** A key was made for a resource, and is in its state. */
  made(id: string, key: string): void {
    this.#made.set(id, (this.#made.get(id) ?? new Set()).add(key));
  }

  /** A key was made for a resource, and what the state has of it is a response; `null` if that is about no key. */
  answered(id: string, key: string | null): void {
    this.#unread.set(id, key);
    if (key !== null) this.made(id, key);
  }

  /** Whether a key was made for a resource. */
  belongs(id: string, key: string): boolean {
    return this.#made.get(id)?.has(key) ?? false;
  }

  /** The keys that a resource stands for, those included of which it has a response only. */
  keysIn({ id, outputs }: Pick<Entry, "id" | "outputs">): readonly string[] {
    const { keys, unread } = heldIn(outputs);
    const hidden = unread === null ? null : (this.#unread.get(id) ?? null);
    return hidden === null ? keys : [...keys, hidden];
  }

  /** Takes note of what calls did. */
  note({ done, seen }: Evidence): void {
    const heard = done.filter(({ lost }) => !lost);
    const kept = new Set(heard.flatMap((one) => this.#keptBy(one)));
    for (const [account, { changed, created, removed }] of seen) {
      for (const webhookId of changed) this.drifted(account, webhookId);
      for (const key of created) if (!kept.has(key)) this.leaked.add(key);
      for (const key of removed) this.gone.add(key);
    }
    for (const one of heard) this.#noteCall(one);
  }

  /** Somebody else may have changed a webhook, or removed it. */
  drifted(account: string, webhookId: number): void {
    this.#knownBy.delete(`${account}/${webhookId}`);
  }

  /** Makes sure that state and services agree. @throws {Violation} */
  assertAgreement(entries: readonly Entry[], services: Services): void {
    const kept = entries.filter(({ awaitsReplacement }) => !awaitsReplacement);
    const held = new Set(kept.flatMap((entry) => (entry.kind === "key" ? this.keysIn(entry) : [])));
    for (const [account, { sandbox, strangers }] of services) {
      const present = new Set(sandbox.apiKeys);
      for (const key of strangers)
        if (!present.has(key)) throw new Violation(`a stranger's key was deleted in ${account}`);
      for (const key of present) {
        if (!strangers.has(key) && !held.has(key) && !this.leaked.has(key))
          throw new Violation(`a key in ${account} is in no state, and no error said so`);
      }
    }
    for (const entry of kept) {
      const service = services.get(entry.account);
      if (entry.kind === "key") this.#assertKeys(entry, service?.sandbox.apiKeys ?? []);
      else this.#assertWebhook(entry, service?.sandbox.webhooks.get(Number(entry.outputs["webhookId"])));
    }
  }

  #assertKeys(entry: Entry, present: readonly string[]): void {
    for (const key of this.keysIn(entry)) {
      if (!this.belongs(entry.id, key))
        throw new Violation(`the state of ${entry.name} holds a key that was not made for it`);
      if (!present.includes(key) && !this.gone.has(key))
        throw new Violation(`a key of ${entry.name} is in state and gone, and no error said so`);
    }
  }

  #assertWebhook({ name, account, condemned, outputs }: Entry, state: string | undefined): void {
    const known = this.#knownBy.get(`${account}/${String(outputs["webhookId"])}`) === name;
    if (known && !condemned && outputs["state"] !== state)
      throw new Violation(
        `the state of ${name} says ${String(outputs["state"])}, the service ${state ?? "nothing"}`,
      );
  }

  /** The keys of the resource that a call was about, as it left them in the state. */
  #keptBy(one: Done): readonly string[] {
    const outputs = one.call.kind === "key" ? leftBy(one) : null;
    return outputs === null ? [] : this.keysIn({ id: idOf(one), outputs });
  }

  #noteCall({ call: { kind, verb, account, name, olds, news }, outcome }: Done): void {
    if (kind !== "webhook" || verb === "check" || verb === "diff" || verb === "delete") return;
    const webhook = `${account}/${String((verb === "read" ? olds : news)["webhookId"])}`;
    const still = verb !== "read" || (outcome.ok && (outcome.value as Properties)["id"] !== "");
    if (outcome.ok && still) this.#knownBy.set(webhook, name);
  }
}
