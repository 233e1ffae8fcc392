import type { PartnerClient, WebhookList } from "../api/partner-client.js";
import type { ResourceError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading, WebhooksById } from "../api/responses.js";
import { incomplete, noSuchWebhook } from "./webhook-list-errors.js";

/** Milliseconds for which a list serves all webhooks of the process: long enough for an update of hundreds, short beside a person's change. */
const FRESH_FOR = 30_000;

interface Snapshot {
  readonly requestedAt: number;
  /** As they were when the list was read: not a copy, as there may be some hundred thousand. */
  readonly webhooks: WebhooksById;
  /** Those that we have changed since. */
  readonly changed: Map<number, WebhookReading>;
  readonly complete: boolean;
}

interface Reading {
  readonly requestedAt: number;
  readonly snapshot: Promise<Snapshot>;
  /** Whether less than `operationTimeout` may be spent on it. */
  readonly hurried: boolean;
}

/**
 * What is known of the account's webhooks: one `GET` serves all resources of the process (single flight), is kept up to
 * date with our own changes, and is read again after 30 s.
 */
export class WebhookRegistry {
  readonly #client: PartnerClient;
  readonly #now: () => number;
  readonly #changes = new Map<number, { readonly state: WebhookState; readonly at: number }>();
  #latest: Reading | null = null;

  /** @param now The clock, in milliseconds. */
  constructor(client: PartnerClient, now: () => number = () => Date.now()) {
    this.#client = client;
    this.#now = now;
  }

  /**
   * Looks a webhook up.
   *
   * @param within Milliseconds for a request, if one is needed and less than `operationTimeout` is to be spent on it.
   * @returns `null` if it certainly does not exist: it is missing from a complete list that was requested after this call.
   * @throws {PartnerError} if the list cannot be had, or it is missing from a list that is not complete.
   */
  async find(webhookId: number, within?: number): Promise<WebhookReading | null> {
    const began = this.#now();
    const snapshot = (await this.#known(webhookId, began, within)) ?? (await this.#read(began, within));
    const webhook = snapshot.changed.get(webhookId) ?? snapshot.webhooks.get(webhookId);
    if (webhook) return webhook;
    if (snapshot.complete) return null;
    throw incomplete(
      `webhook ${webhookId}`,
      " and this webhook is not on the first one",
      "this webhook cannot be managed here",
    );
  }

  /** All webhooks. @throws {PartnerError} if the list cannot be had, or is not complete. */
  async all(): Promise<readonly WebhookReading[]> {
    const { webhooks, changed, complete } = await this.#read(this.#now() - FRESH_FOR);
    if (complete) return [...webhooks.values()].map((webhook) => changed.get(webhook.webhookId) ?? webhook);
    throw incomplete("the list of webhooks", "", "the webhooks on them cannot be read");
  }

  /** Makes sure that the list can be had, with the present settings. @throws {PartnerError} if not. */
  async assertReadable(): Promise<void> {
    await this.#read(this.#now() - FRESH_FOR);
  }

  /** Takes note of a change that was made, so that it need not be read back. */
  changed(webhookId: number, state: WebhookState): void {
    this.#changes.set(webhookId, { state, at: this.#now() });
    void this.#latest?.snapshot.then((snapshot) => {
      apply(snapshot, webhookId, state);
    }, ignoreFailure);
  }

  /** Forgets what was read: a change may have been made, and only the server knows. */
  forget(): void {
    this.#latest = null;
  }

  /** The error for a webhook that does not exist, which names those that do. */
  async missing(webhookId: number): Promise<ResourceError> {
    const { webhooks } = await this.#read(this.#now() - FRESH_FOR);
    return noSuchWebhook(webhookId, [...webhooks.keys()]);
  }

  /**
   * The list, if it says enough of a webhook: it has it, or was requested at `began` or later. Not `async`, as that would keep
   * a list that is not enough while the next one is read: 29 MiB of objects with 200,000 webhooks.
   */
  #known(webhookId: number, began: number, within?: number): Promise<Snapshot | null> {
    return this.#read(began - FRESH_FOR, within).then((snapshot) =>
      snapshot.webhooks.has(webhookId) || snapshot.requestedAt >= began ? snapshot : null,
    );
  }

  /** The list, requested at `notBefore` or later. */
  #read(notBefore: number, within?: number): Promise<Snapshot> {
    const latest = this.#latest;
    if (latest && latest.requestedAt >= notBefore) {
      // Who has time must not fail because somebody else had little.
      const hurried = latest.hurried && within === undefined;
      return hurried ? latest.snapshot.catch(() => this.#read(notBefore)) : latest.snapshot;
    }
    return this.#request(within);
  }

  #request(within?: number): Promise<Snapshot> {
    const requestedAt = this.#now();
    const snapshot = this.#client.listWebhooks(within).then((list) => this.#snapshot(requestedAt, list));
    const latest = { requestedAt, snapshot, hurried: within !== undefined };
    this.#latest = latest;
    // A failure is for those who waited for this request; the next one to ask tries anew.
    snapshot.catch(() => {
      if (this.#latest === latest) this.#latest = null;
    });
    return snapshot;
  }

  #snapshot(requestedAt: number, { webhooks, complete }: WebhookList): Snapshot {
    const snapshot = { requestedAt, webhooks, changed: new Map<number, WebhookReading>(), complete };
    for (const [webhookId, change] of this.#changes) {
      if (change.at >= requestedAt) apply(snapshot, webhookId, change.state);
      else this.#changes.delete(webhookId);
    }
    return snapshot;
  }
}

function apply({ webhooks, changed }: Snapshot, webhookId: number, state: WebhookState): void {
  const known = webhooks.get(webhookId);
  if (known) changed.set(webhookId, { ...known, state, problem: null });
}

function ignoreFailure(): void {
  // A list that could not be read has nothing to bring up to date.
}
