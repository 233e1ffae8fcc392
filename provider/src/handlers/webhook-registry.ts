import type { PartnerClient, WebhookList } from "../api/client.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError } from "./problems.js";

/** Milliseconds for which a list serves all webhooks: enough for an update of hundreds, little next to a person's change. */
const FRESH_FOR = 30_000;

interface ListRequest {
  readonly requestedAt: number;
  readonly snapshot: Promise<WebhookSnapshot>;
  /** Whether less than `operationTimeout` may be spent on it. */
  readonly limited: boolean;
}

/**
 * What is known of the account's webhooks: one `GET` serves all resources of the process (single flight), is kept up to date
 * with our own changes, and is read again after 30 s.
 */
export class WebhookRegistry {
  readonly #client: Pick<PartnerClient, "listWebhooks">;
  readonly #currentTime: () => number;
  readonly #changes = new Map<number, { readonly state: WebhookState; readonly at: number }>();
  /** Changes of ours that are on their way. */
  readonly #pending = new Map<number, Promise<unknown>>();
  #latest: ListRequest | null = null;

  /** @param currentTime Milliseconds since the epoch. */
  constructor(client: Pick<PartnerClient, "listWebhooks">, currentTime: () => number) {
    this.#client = client;
    this.#currentTime = currentTime;
  }

  /**
   * Looks webhooks up in one list, once our own changes to them have ended.
   *
   * @param webhookIds The list is read again if one of them is missing and it was requested before this call.
   * @param within Milliseconds for a request, if one is needed and less than `operationTimeout` is to be spent on it.
   * @throws {RequestError} if the list cannot be read.
   */
  async look(webhookIds: readonly number[], within?: number): Promise<WebhookSnapshot> {
    const pending = webhookIds.flatMap((webhookId) => this.#pending.get(webhookId) ?? []);
    if (pending.length > 0) await Promise.all(pending);
    const began = this.#currentTime();
    const snapshot = await this.#read(began - FRESH_FOR, within);
    const mayBeNew = snapshot.requestedAt < began && webhookIds.some((webhookId) => !snapshot.get(webhookId));
    return mayBeNew ? this.#read(began, within) : snapshot;
  }

  /**
   * Makes a change and takes note of it, so that it need not be read back.
   *
   * @param send Rejects where the change may have been made or not, which only the server knows.
   */
  async change(webhookId: number, state: WebhookState, send: () => Promise<void>): Promise<void> {
    const sent = send();
    // Without it, a resource that takes a webhook over would compare with a state that is about to change.
    const ended = sent.then(
      () => {
        this.#changed(webhookId, state);
      },
      () => {
        this.#latest = null;
      },
    );
    this.#pending.set(webhookId, ended);
    await ended;
    if (this.#pending.get(webhookId) === ended) this.#pending.delete(webhookId);
    await sent;
  }

  #changed(webhookId: number, state: WebhookState): void {
    this.#changes.set(webhookId, { state, at: this.#currentTime() });
    void this.#latest?.snapshot.then(
      (snapshot) => {
        snapshot.apply(webhookId, state);
      },
      () => undefined, // A list that could not be read has nothing to bring up to date.
    );
  }

  /** The list, requested at `notBefore` or later. */
  #read(notBefore: number, within?: number): Promise<WebhookSnapshot> {
    const latest = this.#latest;
    if (!latest || latest.requestedAt < notBefore) return this.#request(within);
    // A caller with time must not fail because another one had little.
    const retry = latest.limited && within === undefined;
    return retry ? latest.snapshot.catch(() => this.#read(notBefore)) : latest.snapshot;
  }

  #request(within?: number): Promise<WebhookSnapshot> {
    const requestedAt = this.#currentTime();
    const snapshot = this.#client.listWebhooks(within).then((list) => this.#snapshot(requestedAt, list));
    const latest = { requestedAt, snapshot, limited: within !== undefined };
    this.#latest = latest;
    // A failure is for those who waited for this request; the next caller tries again.
    snapshot.catch(() => {
      if (this.#latest === latest) this.#latest = null;
    });
    return snapshot;
  }

  #snapshot(requestedAt: number, list: WebhookList): WebhookSnapshot {
    const snapshot = new WebhookSnapshot(requestedAt, list);
    for (const [webhookId, change] of this.#changes) {
      if (change.at >= requestedAt) snapshot.apply(webhookId, change.state);
      else this.#changes.delete(webhookId);
    }
    return snapshot;
  }
}

/** One list of the account's webhooks, kept up to date with our own changes. */
export class WebhookSnapshot {
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  readonly #list: WebhookList;
  readonly #changed = new Map<number, WebhookReading>();

  constructor(requestedAt: number, list: WebhookList) {
    this.requestedAt = requestedAt;
    this.#list = list;
  }

  /** Whether a webhook that is missing is certain not to exist. */
  get provesAbsence(): boolean {
    return this.#list.provesAbsence;
  }

  get(webhookId: number): WebhookReading | undefined {
    return this.#changed.get(webhookId) ?? this.#list.webhooks.get(webhookId);
  }

  /** All webhooks. @throws {ResourceError} if the list is not complete. */
  all(): readonly WebhookReading[] {
    const { webhooks, complete } = this.#list;
    if (!complete) throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete });
    return [...webhooks.values()].map((webhook) => this.#changed.get(webhook.webhookId) ?? webhook);
  }

  /** The error for webhooks that are missing. @param names Their ids, or what was given instead of one. */
  absence(names: readonly (number | string)[]): ResourceError {
    const { webhooks, complete, provesAbsence } = this.#list;
    const webhookId = names.find((name) => typeof name === "number");
    if (provesAbsence || webhookId === undefined)
      return new ResourceError({ kind: "noSuchWebhook", webhookIds: names, existing: [...webhooks.keys()] });
    return new ResourceError({ kind: "absenceUnproven", webhookId, complete });
  }

  /** Takes note of a change of ours. */
  apply(webhookId: number, state: WebhookState): void {
    const known = this.#list.webhooks.get(webhookId);
    if (known) this.#changed.set(webhookId, { ...known, state, missing: null });
  }
}
