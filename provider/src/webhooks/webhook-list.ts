import type { AccountSession } from "../account/account-session.js";
import type { WebhookState } from "../partner-api/operations.js";
import type { IncompleteSign } from "./incomplete-sign-reader.js";
import type { WebhookListReading, WebhookReading } from "./webhook-list-reader.js";
import { listIncomplete, type Need } from "./webhook-messages.js";
import { stateFieldsOf, type StateField } from "./webhook-state-field-reader.js";

/**
 * One list of the account's webhooks, with our own changes applied. An incomplete one prevents `others`,
 * `getPartnerWebhooks`, and the import of a webhook that it lacks. No webhook counts as gone then: those that
 * the program or the stack names can still be changed, refreshed and released.
 */
export class WebhookList {
  /** The listed webhooks by ID, in the order of the service. */
  readonly webhooks: ReadonlyMap<number, WebhookReading>;
  /** `null` if nothing says that there are more webhooks. */
  readonly incompleteSign: IncompleteSign | null;
  /** Whether the service sent `null`. It means that there are no webhooks, unless the stack records some. */
  readonly isNull: boolean;
  readonly #changes: ReadonlyMap<number, WebhookState | null>;
  readonly #session: AccountSession;

  constructor(
    session: AccountSession,
    { webhooks, incompleteSign, isNull }: WebhookListReading,
    changes: ReadonlyMap<number, WebhookState | null>,
  ) {
    this.webhooks = webhooks;
    this.incompleteSign = incompleteSign;
    this.isNull = isNull;
    this.#changes = changes;
    this.#session = session;
  }

  /** Returns the IDs of the listed webhooks. */
  ids(): number[] {
    return [...this.webhooks.keys()];
  }

  /** Whether a webhook does not exist. */
  isGone(webhookId: number): boolean {
    return this.incompleteSign === null && !this.webhooks.has(webhookId);
  }

  /** Whether a webhook that the stack has recorded is gone. A null does not prove it, as `[]` does. */
  provesGone(webhookId: number): boolean {
    return !this.isNull && this.isGone(webhookId);
  }

  /** Returns the state of a webhook, as we have set it or as listed; `null` if it is unknown. */
  stateOf(webhookId: number): WebhookState | null {
    const change = this.#changes.get(webhookId);
    return change === undefined ? (this.webhooks.get(webhookId)?.state ?? null) : change;
  }

  /** Whether a change of ours may have been made: then, what the stack has recorded may be over, too. */
  isUnsure(webhookId: number): boolean {
    return this.#changes.get(webhookId) === null;
  }

  /** Returns the members of the records that may hold states. */
  stateFields(): StateField[] {
    const records = Array.from(this.webhooks.values(), ({ record }) => record);
    return stateFieldsOf(records, this.#session.readSettings().responses);
  }

  /** @throws {PartnerError} if the list is incomplete. */
  requireComplete(need: Need): void {
    if (this.incompleteSign !== null) throw listIncomplete(need, this.incompleteSign, this.#session.settings);
  }
}
