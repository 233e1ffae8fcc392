import type { PartnerClient, WebhookList } from "../api/client.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { ResourceError } from "./problems.js";

/** Milliseconds for which a list serves all webhooks: enough for an update of hundreds, little next to a person's change. */
const FRESH_FOR = 30_000;

interface Snapshot extends WebhookList {
  readonly requestedAt: number;
  /** Those that we have changed since. */
  readonly changed: Map<number, WebhookReading>;
}

interface ListRequest {
  readonly requestedAt: number;
  readonly snapshot: Promise<Snapshot>;
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
  #latest: ListRequest | null = null;

  /** @param currentTime Milliseconds since the epoch. */
  constructor(client: Pick<PartnerClient, "listWebhooks">, currentTime: () => number) {
    this.#client = client;
    this.#currentTime = currentTime;
  }

  /**
   * Looks a webhook up.
   *
   * @param within Milliseconds for a request, if one is needed and less than `operationTimeout` is to be spent on it.
   * @returns `null` if it certainly does not exist: it is missing from a complete list that was requested after this call.
   * @throws {RequestError} if the list cannot be read.
   * @throws {ResourceError} if the webhook is missing from a list that does not prove that it is gone.
   */
  async find(webhookId: number, within?: number): Promise<WebhookReading | null> {
    const began = this.#currentTime();
    let snapshot = await this.#read(began - FRESH_FOR, within);
    if (!snapshot.webhooks.has(webhookId) && snapshot.requestedAt < began)
      snapshot = await this.#read(began, within);
    const webhook = snapshot.changed.get(webhookId) ?? snapshot.webhooks.get(webhookId);
    if (webhook) return webhook;
    if (snapshot.provesAbsence) return null;
    throw new ResourceError({ kind: "absenceUnproven", webhookId, complete: snapshot.complete });
  }

  /** All webhooks. @throws {RequestError} if the list cannot be read. @throws {ResourceError} if it is not complete. */
  async all(): Promise<readonly WebhookReading[]> {
    const { webhooks, changed, complete } = await this.#read(this.#currentTime() - FRESH_FOR);
    if (!complete) throw new ResourceError({ kind: "incompleteList" });
    return [...webhooks.values()].map((webhook) => changed.get(webhook.webhookId) ?? webhook);
  }

  /** The error for a webhook that does not exist, which names those that do. @throws {RequestError} */
  async missing(webhookId: number): Promise<ResourceError> {
    const { webhooks } = await this.#read(this.#currentTime() - FRESH_FOR);
    return new ResourceError({ kind: "noSuchWebhook", webhookId, existing: [...webhooks.keys()] });
  }

  /** Makes sure that the list can be read with the present settings. @throws {RequestError} if not. */
  async assertReadable(): Promise<void> {
    await this.#read(this.#currentTime() - FRESH_FOR);
  }

  /** Takes note of a change of ours, so that it need not be read back. */
  changed(webhookId: number, state: WebhookState): void {
    this.#changes.set(webhookId, { state, at: this.#currentTime() });
    void this.#latest?.snapshot.then(
      (snapshot) => {
        apply(snapshot, webhookId, state);
      },
      () => undefined, // A list that could not be read has nothing to bring up to date.
    );
  }

  /** Forgets what was read: a change may have been made, and only the server knows. */
  forget(): void {
    this.#latest = null;
  }

  /** The list, requested at `notBefore` or later. */
  #read(notBefore: number, within?: number): Promise<Snapshot> {
    const latest = this.#latest;
    if (!latest || latest.requestedAt < notBefore) return this.#request(within);
    // A caller with time must not fail because another one had little.
    const retry = latest.limited && within === undefined;
    return retry ? latest.snapshot.catch(() => this.#read(notBefore)) : latest.snapshot;
  }

  #request(within?: number): Promise<Snapshot> {
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

  #snapshot(requestedAt: number, list: WebhookList): Snapshot {
    const snapshot = { ...list, requestedAt, changed: new Map<number, WebhookReading>() };
    for (const [webhookId, change] of this.#changes) {
      if (change.at >= requestedAt) apply(snapshot, webhookId, change.state);
      else this.#changes.delete(webhookId);
    }
    return snapshot;
  }
}

function apply({ webhooks, changed }: Snapshot, webhookId: number, state: WebhookState): void {
  const known = webhooks.get(webhookId);
  if (known) changed.set(webhookId, { ...known, state, missing: null });
}
