import { ignorePartnerError, type RequestError } from "../api/errors.js";
import type { ListResponse } from "../api/client.js";
import type { WebhookState } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { PartnerService } from "../shared/partner-service.js";
import { ResourceError } from "../shared/problems.js";
import type { WebhookList } from "./list-pages.js";

/**
 * Milliseconds for which a list is reused: long enough to update hundreds of webhooks, short enough to see
 * manual changes.
 */
const MAX_LIST_AGE = 30_000;
/** Milliseconds before each further reading of a list that may lag: 7 s in all, for a lag of some seconds. */
const LAG_WAITS = [1_000, 2_000, 4_000];

/** The requests of the registry. */
type WebhookService = Pick<PartnerService, "requestList" | "listWebhooks" | "setWebhookState">;

/** A request for the list, whose pages are read when someone needs them. */
interface ListRequest {
  readonly requestedAt: number;
  readonly response: Promise<ListResponse>;
  snapshot: Promise<WebhookSnapshot> | null;
}

/** What a registry needs to know, and how it waits. */
export interface RegistryOptions {
  /** Milliseconds since the epoch. */
  readonly currentTime: () => number;
  /** Waits for some milliseconds, or until the process is asked to stop. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns the milliseconds that the current call of the engine may take from now on. */
  readonly timeLeft: () => number;
  /** The setting `readWebhooks`. If it is false, the registry knows only our own changes. */
  readonly readsList: boolean;
}

/** The last change that we made to each webhook. */
type Changes = Map<number, { readonly state: WebhookState; readonly at: number }>;

/**
 * The webhooks of one account. One `GET` serves all resources of the process: concurrent lookups share it,
 * our own changes are applied to it, and it is repeated after 30 s.
 */
export class WebhookRegistry {
  readonly #client: WebhookService;
  readonly #options: RegistryOptions;
  readonly #changes: Changes = new Map();
  /** Our changes that have not finished, by webhook ID. */
  readonly #pending = new Map<number, Promise<unknown>>();
  /** The last list that was read. */
  #last: WebhookSnapshot | null = null;
  #latest: ListRequest | null = null;
  #failure: unknown = null;

  constructor(client: WebhookService, options: RegistryOptions) {
    this.#client = client;
    this.#options = options;
  }

  /**
   * Looks up webhooks in the list, after our own changes to them have finished.
   *
   * @param webhookIds If one of them is missing from a list that was requested before this call, the list is
   *   read again. A list on several pages is then read twice: a webhook that is deleted meanwhile moves
   *   another one to a page that was already read.
   * @param notBefore When the list must have been requested, at the earliest. @default 30 s ago
   * @returns If the list is not read, these webhooks, in unknown states unless we have changed them.
   * @throws {RequestError} if the list cannot be read.
   */
  async lookUp(webhookIds: readonly number[], notBefore = -Infinity): Promise<WebhookSnapshot> {
    const pending = webhookIds.flatMap((webhookId) => this.#pending.get(webhookId) ?? []);
    if (pending.length > 0) await Promise.all(pending);
    if (!this.#options.readsList)
      return new WebhookSnapshot(unreadList(webhookIds), -Infinity, this.#changes);
    const startedAt = this.#options.currentTime();
    const snapshot = await this.#read(Math.max(startedAt - MAX_LIST_AGE, notBefore));
    const isMissingIn = (read: WebhookSnapshot) => webhookIds.some((webhookId) => !read.get(webhookId));
    if (!isMissingIn(snapshot)) return snapshot;
    const first = await this.#read(startedAt);
    if (!first.provesAbsence || !first.hasPages || !isMissingIn(first)) return first;
    const second = await this.#read(first.requestedAt + 1);
    return second.with(first);
  }

  /**
   * Returns the list, 30 s old at most, without waiting for any change. @throws {PartnerError} if it cannot
   * be read, or is not read.
   */
  async list(): Promise<WebhookSnapshot> {
    return this.#read(this.#oldestList());
  }

  /**
   * Ensures that the service can be reached and accepts the token, by one request at most: the pages of the
   * list are read when someone needs them.
   *
   * @throws {PartnerError} if the request fails, or the list is not read.
   */
  async reach(): Promise<void> {
    await this.#request(this.#oldestList()).response;
  }

  /**
   * Returns the list after all changes that are pending now, so that those in doubt share it. While it does
   * not show them, it may lag, and is read again for some seconds.
   *
   * @param showsChanges Whether a list shows the changes of the caller.
   * @throws {RequestError} if it cannot be read the first time.
   */
  async listAfterChanges(showsChanges: (list: WebhookSnapshot) => boolean): Promise<WebhookSnapshot> {
    const { currentTime, timeLeft, sleep } = this.#options;
    const deadline = currentTime() + timeLeft();
    await Promise.all(this.#pending.values());
    let list = await this.list();
    for (const wait of LAG_WAITS) {
      if (showsChanges(list) || currentTime() + wait >= deadline) break;
      await sleep(wait);
      // The first caller whose wait is over reads the list for all of them.
      const next = await this.#read(list.requestedAt + wait).catch(ignorePartnerError);
      if (next === null) break; // What was read before is evidence; a failure is none.
      list = next;
    }
    return list;
  }

  /**
   * Changes the state of a webhook, and applies the change to the list. If it fails, or if its response shows
   * the other state, it may or may not have been made, so the list is dropped.
   *
   * @returns In the second case, the error to report if the next list shows the other state as well.
   */
  async setState(webhookId: number, state: WebhookState): Promise<RequestError | null> {
    const sent = this.#client.setWebhookState(webhookId, state);
    // Lookups wait for this; otherwise, they could find a state that is about to change.
    const finished = sent.then(
      (doubt) => {
        if (doubt === null) this.#changes.set(webhookId, { state, at: this.#options.currentTime() });
        else {
          this.#changes.delete(webhookId);
          this.#latest = null;
        }
      },
      () => {
        this.#latest = null;
      },
    );
    this.#pending.set(webhookId, finished);
    await finished;
    if (this.#pending.get(webhookId) === finished) this.#pending.delete(webhookId);
    return sent;
  }

  /** Returns a webhook as it was last read, without a request; `undefined` if it was not. */
  lastSeen(webhookId: number): WebhookReading | undefined {
    return this.#last?.get(webhookId);
  }

  /** Why the last request for the list failed; `null` if it did not, or if there was none. */
  get failure(): unknown {
    return this.#failure;
  }

  /** When a list must have been requested that is not too old. @throws {ResourceError} if none is read. */
  #oldestList(): number {
    if (!this.#options.readsList) throw new ResourceError({ kind: "listNotRead", need: "list" });
    return this.#options.currentTime() - MAX_LIST_AGE;
  }

  /** Returns the list, requested at `notBefore` or later. */
  #read(notBefore: number): Promise<WebhookSnapshot> {
    const request = this.#request(notBefore);
    return (request.snapshot ??= this.#watch(request, this.#readPages(request)));
  }

  async #readPages({ requestedAt, response }: ListRequest): Promise<WebhookSnapshot> {
    const list = await this.#client.listWebhooks(await response);
    this.#last = new WebhookSnapshot(list, requestedAt, this.#changes);
    return this.#last;
  }

  /** Requests the list at `notBefore` or later. */
  #request(notBefore: number): ListRequest {
    if (this.#latest && this.#latest.requestedAt >= notBefore) return this.#latest;
    const requestedAt = this.#options.currentTime();
    this.#latest = { requestedAt, response: this.#client.requestList(), snapshot: null };
    void this.#watch(this.#latest, this.#latest.response);
    return this.#latest;
  }

  /** All callers that wait for a request share its failure; the next caller tries again. */
  #watch<Result>(request: ListRequest, result: Promise<Result>): Promise<Result> {
    result.then(
      () => {
        this.#failure = null;
      },
      (failure: unknown) => {
        this.#failure = failure;
        if (this.#latest === request) this.#latest = null;
      },
    );
    return result;
  }
}

/** Returns a list that says nothing but that webhooks may exist. */
function unreadList(webhookIds: readonly number[]): WebhookList {
  const webhooks = new Map(
    webhookIds.map((webhookId) => [webhookId, { webhookId, state: null, missing: null, record: {} }]),
  );
  return {
    readable: true,
    webhooks,
    odd: [],
    complete: false,
    provesAbsence: false,
    doubt: null,
    pointers: {},
    unread: null,
    pages: 0,
  };
}

/** One list of the account's webhooks, with our own changes applied. */
export class WebhookSnapshot {
  readonly #list: WebhookList;
  readonly #changes: Changes;
  /** When the list was requested. */
  readonly requestedAt: number;

  /** @param changes Changes after `requestedAt` overrule the list. */
  constructor(list: WebhookList, requestedAt: number, changes: Changes) {
    this.#list = list;
    this.requestedAt = requestedAt;
    this.#changes = changes;
  }

  /** Whether a webhook that is not in the list certainly does not exist. */
  get provesAbsence(): boolean {
    return this.#list.provesAbsence;
  }

  /** Whether the list has more than one page, which were read one after the other. */
  get hasPages(): boolean {
    return this.#list.pages > 1;
  }

  /** Adds the webhooks that only an earlier list shows. */
  with(earlier: WebhookSnapshot): WebhookSnapshot {
    const webhooks = new Map([...earlier.#list.webhooks, ...this.#list.webhooks]);
    return new WebhookSnapshot({ ...this.#list, webhooks }, earlier.requestedAt, this.#changes);
  }

  /** Whether the list shows the state of any webhook. */
  get showsStates(): boolean {
    return [...this.#list.webhooks.values()].some(({ state }) => state !== null);
  }

  get(webhookId: number): WebhookReading | undefined {
    const listed = this.#list.webhooks.get(webhookId);
    const change = this.#changes.get(webhookId);
    if (!listed || !change || change.at < this.requestedAt) return listed;
    return { ...listed, state: change.state, missing: null };
  }

  /** Returns all webhooks of the account. @throws {ResourceError} if the list may not show all of them. */
  all(): readonly WebhookReading[] {
    const { webhooks, complete, unread, doubt } = this.#list;
    if (!complete)
      throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete, unread, doubt });
    return [...webhooks.values()].map((webhook) => this.get(webhook.webhookId) ?? webhook);
  }

  /** Returns the error for webhooks that are not in the list. */
  absenceError(webhookIds: readonly number[]): ResourceError {
    const { webhooks, complete, provesAbsence, unread, doubt } = this.#list;
    if (provesAbsence)
      return new ResourceError({ kind: "noSuchWebhook", webhookIds, existing: [...webhooks.keys()] });
    const [webhookId = null] = webhookIds;
    return new ResourceError({ kind: "absenceUnproven", webhookId, complete, unread, doubt });
  }
}
