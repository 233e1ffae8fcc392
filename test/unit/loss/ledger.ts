import { claimOf } from "./claims.ts";
import { Violation, type Done, type Evidence, type Services } from "./evidence.ts";
import type { Entry } from "./stack-state.ts";
import type { Properties } from "../../support/plugin-protocol.ts";

/** What must be true of services and state, as far as successes and errors have said so. */
export class Ledger {
  /** The key of each resource by its id, from what the server did; `null` if no key is known to have been made for it. */
  readonly keyOf = new Map<string, string | null>();
  /** Keys that are in no state, of which an error said that they may exist, or that a crash lost. */
  readonly leaked = new Set<string>();
  /** Keys in state that are not at the service: somebody deleted them, or an error said that they may be deleted. */
  readonly gone = new Set<string>();
  /** Errors that said a key may exist, or exists. */
  alarms = 0;
  /** Whose outputs tell the state of a webhook, by account and id; nobody's, if something changed it behind them. */
  readonly #knownBy = new Map<string, string>();

  /** Takes note of what calls did. @param lost Whether the engine never heard how they ended. */
  note({ done, seen }: Evidence, lost: boolean): void {
    for (const [account, { changed, created, removed }] of seen) {
      for (const webhookId of changed) this.drifted(account, webhookId);
      const ofResources = new Set(this.keyOf.values());
      for (const key of created) if (lost || !ofResources.has(key)) this.leaked.add(key);
      for (const key of removed) this.gone.add(key);
    }
    for (const one of done) if (!lost) this.#noteCall(one);
  }

  /** Somebody else may have changed a webhook, or removed it. */
  drifted(account: string, webhookId: number): void {
    this.#knownBy.delete(`${account}/${webhookId}`);
  }

  /** Makes sure that state and services agree. @throws {Violation} */
  assertAgreement(entries: readonly Entry[], services: Services): void {
    const held = new Set(entries.map(({ id }) => this.keyOf.get(id)));
    for (const [account, { sandbox, strangers }] of services) {
      const present = new Set(sandbox.apiKeys);
      for (const key of strangers)
        if (!present.has(key)) throw new Violation(`a stranger's key was deleted in ${account}`);
      for (const key of present) {
        if (!strangers.has(key) && !held.has(key) && !this.leaked.has(key))
          throw new Violation(`a key in ${account} is in no state, and no error said so`);
      }
    }
    for (const entry of entries.filter(({ awaitsReplacement }) => !awaitsReplacement)) {
      const service = services.get(entry.account);
      if (entry.kind === "key") this.#assertKey(entry, service?.sandbox.apiKeys ?? []);
      else this.#assertWebhook(entry, service?.sandbox.webhooks.get(Number(entry.outputs["webhookId"])));
    }
  }

  #assertKey({ name, id, outputs }: Entry, present: readonly string[]): void {
    const key = this.keyOf.get(id) ?? null;
    if (outputs["apiKey"] !== null && outputs["apiKey"] !== key)
      throw new Violation(`the state of ${name} holds a key that is not the one made for it`);
    if (key !== null && !present.includes(key) && !this.gone.has(key))
      throw new Violation(`the key of ${name} is in state and gone, and no error said so`);
  }

  #assertWebhook({ name, account, condemned, outputs }: Entry, state: string | undefined): void {
    const known = this.#knownBy.get(`${account}/${String(outputs["webhookId"])}`) === name;
    if (known && !condemned && outputs["state"] !== state)
      throw new Violation(
        `the state of ${name} says ${String(outputs["state"])}, the service ${state ?? "nothing"}`,
      );
  }

  #noteCall({ call: { kind, verb, account, name, olds, news }, outcome }: Done): void {
    if (verb === "create" && kind === "key" && !outcome.ok && claimOf(outcome.failure.message) !== "none")
      this.alarms += 1;
    if (kind !== "webhook" || verb === "check" || verb === "diff" || verb === "delete") return;
    const webhook = `${account}/${String((verb === "read" ? olds : news)["webhookId"])}`;
    const still = verb !== "read" || (outcome.ok && (outcome.value as Properties)["id"] !== "");
    if (outcome.ok && still) this.#knownBy.set(webhook, name);
  }
}
