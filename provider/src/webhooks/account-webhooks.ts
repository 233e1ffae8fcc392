import type { AccountSession } from "../account/account-session.js";
import type { Notice } from "../account/notice.js";
import { withoutSpecialValues } from "../adapter/properties.js";
import type { JsonObject } from "../bodies/json.js";
import type { HttpResponse } from "../partner-api/attempt.js";
import { failureOf, PartnerError } from "../partner-api/errors.js";
import type { WebhookState } from "../partner-api/operations.js";
import type { PartnerWebhook } from "../registration.js";
import { idsOf, type KnownStates, type StateMap } from "./fleet-state.js";
import { readWebhookList, type UnreadableList, type WebhookListReading } from "./webhook-list-reader.js";
import { WebhookList } from "./webhook-list.js";
import {
  listIsNull,
  notListed,
  progress,
  stateUnknown,
  unreadableList,
  type WebhookFailure,
} from "./webhook-messages.js";

/** The maximum number of reports of progress: the engine redraws its display each time. */
const MAX_REPORTS = 100;

/**
 * Reads the list of the account's webhooks, sends changes, and remembers both: what was read from the
 * response that the session keeps, and what was set. A 2xx is believed, whatever a later list shows.
 *
 * A webhook has one change at a time: whoever wants to change it decides {@link AccountWebhooks.whenIdle}.
 */
export class AccountWebhooks {
  readonly #session: AccountSession;
  /** The states that this process has set; `null` after a change that failed and may have been made. */
  readonly #changes = new Map<number, WebhookState | null>();
  /** The change in flight of each webhook. */
  readonly #inFlight = new Map<number, Promise<void>>();
  /** The warnings already shown. */
  readonly #warned = new Set<"unknown" | "unlisted" | "null">();
  #last: { response: HttpResponse; reading: WebhookListReading | UnreadableList } | null = null;

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /**
   * Returns the list. One request serves the process. It is repeated if a complete list from before this call
   * lacks one of the webhooks.
   *
   * @throws {PartnerError} if the list cannot be read.
   */
  async lookUp(webhookIds: readonly number[]): Promise<WebhookList> {
    const startedAt = this.#session.now();
    const list = await this.#read();
    return webhookIds.some((id) => list.isGone(id)) ? this.#read(startedAt) : list;
  }

  /** Returns a list that is requested after this call. @throws {PartnerError} if it cannot be read. */
  readAgain(): Promise<WebhookList> {
    return this.#read(this.#session.now());
  }

  /** Lists all webhooks of the account. @throws {PartnerError} if the list is unreadable or incomplete. */
  async listAll(): Promise<readonly PartnerWebhook[]> {
    const list = await this.#read();
    list.requireComplete("all");
    return Array.from(list.webhooks.values(), ({ webhookId, record }) => ({
      webhookId,
      state: list.stateOf(webhookId),
      record: withoutSpecialValues(record) as JsonObject,
    }));
  }

  /**
   * Calls a function as soon as none of the webhooks has a change in flight. It must compare states and call
   * {@link setStates} before it waits for anything: others may be waiting for the same webhooks.
   */
  async whenIdle<Value>(webhookIds: readonly number[], change: () => Promise<Value>): Promise<Value> {
    const changesInFlight = (): Promise<void>[] => webhookIds.flatMap((id) => this.#inFlight.get(id) ?? []);
    for (let changes = changesInFlight(); changes.length > 0; changes = changesInFlight())
      await Promise.allSettled(changes);
    return change();
  }

  /** Whether this process has set one of the webhooks to another state, may have done so, or is doing so. */
  mayDifferFrom(states: StateMap): boolean {
    const isOther = (id: number): boolean => this.#changes.has(id) && this.#changes.get(id) !== states[id];
    return idsOf(states).some((id) => isOther(id) || this.#inFlight.has(id));
  }

  /** Remembers states that webhooks have although their changes were refused. */
  remember(states: KnownStates): void {
    for (const [id, state] of Object.entries(states)) this.#changes.set(Number(id), state);
  }

  /**
   * Sets the states of webhooks, all at once, and shows the progress. None may have a change in flight.
   *
   * @returns what failed, by ID.
   */
  async setStates(states: KnownStates): Promise<WebhookFailure[]> {
    const changes = Object.entries(states);
    const step = Math.ceil(changes.length / MAX_REPORTS);
    let finished = 0;
    const set = async ([id, state]: [string, WebhookState]): Promise<WebhookFailure[]> => {
      const webhookId = Number(id);
      const error = await failureOf(this.#setState(webhookId, state));
      finished += 1;
      if (changes.length > 1 && (finished % step === 0 || finished === changes.length))
        this.#session.showStatus(progress(finished, changes.length));
      return error === null ? [] : [{ webhookId, error }];
    };
    return (await Promise.all(changes.map(set))).flat();
  }

  /**
   * Warns that drift is not detected if the list does not show the states of some webhooks, if it is
   * incomplete and lacks some, or if it is null. Each warning is about the whole list, so it is shown once
   * for all resources.
   *
   * @param coversOthers Whether it matters as well if the list lacks webhooks that nobody names.
   */
  warnAboutUnknown(list: WebhookList, webhookIds: readonly number[], coversOthers = false): void {
    const session = this.#session;
    const { webhooks, incompleteSign } = list;
    const isUnknown = (id: number): boolean => webhooks.get(id)?.state === null;
    if (webhookIds.some(isUnknown))
      this.#warnOnce("unknown", () =>
        stateUnknown(list.ids().filter(isUnknown), list.stateFields(), session.settings),
      );
    const lacksSome = coversOthers || webhookIds.some((id) => !webhooks.has(id));
    if (incompleteSign !== null && lacksSome)
      this.#warnOnce("unlisted", () => notListed(incompleteSign, session.settings));
    else if (list.isNull && webhookIds.length > 0) this.#warnOnce("null", listIsNull);
  }

  #warnOnce(about: "unknown" | "unlisted" | "null", notice: () => Notice): void {
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    this.#session.notify(notice());
  }

  /** Is in flight as soon as it is called. */
  #setState(webhookId: number, state: WebhookState): Promise<void> {
    const change = this.#sendState(webhookId, state).finally(() => this.#inFlight.delete(webhookId));
    this.#inFlight.set(webhookId, change);
    return change;
  }

  async #sendState(webhookId: number, state: WebhookState): Promise<void> {
    const client = await this.#session.open();
    try {
      await client.setWebhookState(webhookId, state);
      this.#changes.set(webhookId, state);
    } catch (error) {
      if (error instanceof PartnerError && error.mayHaveChanged) this.#changes.set(webhookId, null);
      throw error;
    }
  }

  /** @param notBefore When the list must have been requested, at the earliest. @default any time */
  async #read(notBefore?: number): Promise<WebhookList> {
    const response = await this.#session.requestList(notBefore);
    if (this.#last?.response !== response) {
      const { responses } = this.#session.readSettings();
      this.#last = { response, reading: readWebhookList(response.text, response.headers, responses) };
    }
    const { reading } = this.#last;
    if (!reading.isReadable) throw unreadableList(reading, this.#session.settings);
    return new WebhookList(this.#session, reading, this.#changes);
  }
}
