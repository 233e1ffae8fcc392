import type { WebhookState } from "../partner-api/operations.js";
import type { ListResponse, PluginProcess } from "../plugin/plugin-process.js";
import { readWebhookList, type WebhookListReading } from "./webhook-list-reader.js";
import { declaredTwice, listIncomplete, unreadableList, type Need } from "./webhook-messages.js";

/** One list of the account's webhooks, with our own changes applied. */
export interface WebhookList extends Pick<WebhookListReading, "webhooks" | "incompleteSign"> {
  /** When it was requested, by the clock of the process, in milliseconds. */
  readonly requestedAt: number;
  /** Whether a webhook does not exist: it is not listed, and nothing says that the list is incomplete. */
  isGone(webhookId: number): boolean;
  /** @throws {PartnerError} if something says that the list is incomplete. It names what needs all of it. */
  requireComplete(need: Need): void;
  /** Returns the state of a webhook, as listed or as we have changed it since; `null` if it is unknown. */
  stateOf(webhookId: number): WebhookState | null;
}

/** A webhook that a resource declares; `others`: all that no resource names. */
type Declared = number | "others";

/** What a process knows of the webhooks of its account: the list, our own changes, and who declares which. */
export class WebhookRegistry {
  readonly #plugin: PluginProcess;
  /** The URN of the first resource that declares each; empty if the host does not know it. */
  readonly #owners = new Map<Declared, string>();
  /** The state that we last gave each webhook, and when. */
  readonly #changes = new Map<number, { readonly state: WebhookState; readonly at: number }>();
  #last: { response: ListResponse["response"]; reading: ReturnType<typeof readWebhookList> } | null = null;

  constructor(plugin: PluginProcess) {
    this.#plugin = plugin;
  }

  /**
   * Records what a resource declares. Two resources with one webhook would overwrite each other.
   * @throws {PartnerError} if another resource declares the same; never without a URN.
   */
  declare(webhooks: readonly Declared[], urn: string): void {
    for (const webhook of webhooks) if (!this.#owners.has(webhook)) this.#owners.set(webhook, urn);
    if (urn === "") return;
    const conflict = [...this.#owners].find(
      ([other, owner]) => !["", urn].includes(owner) && webhooks.some((one) => overlaps(one, other)),
    );
    if (conflict === undefined) return;
    const [other, owner] = conflict;
    throw declaredTwice(other !== "others" && webhooks.includes(other) ? other : null, [owner, urn]);
  }

  /**
   * Returns those webhooks that no resource of the program declares. Only these are released, so that a
   * resource that is renamed, replaced or split undoes nothing.
   */
  undeclared(webhookIds: readonly number[]): number[] {
    return this.#owners.has("others") ? [] : webhookIds.filter((id) => !this.#owners.has(id));
  }

  /**
   * Returns the list. One request serves the process. It is repeated if a complete list from before this call
   * lacks a webhook.
   *
   * @param notBefore When the list must have been requested, at the earliest. @default any time
   */
  async lookUp(webhookIds: readonly number[], notBefore = -Infinity): Promise<WebhookList> {
    const startedAt = this.#plugin.now();
    const list = await this.#read(notBefore);
    const isMissing = webhookIds.some((id) => list.isGone(id));
    return isMissing && list.requestedAt < startedAt ? this.#read(startedAt) : list;
  }

  /** Sets the state of a webhook. @throws {PartnerError} */
  async setState(webhookId: number, state: WebhookState): Promise<void> {
    const client = await this.#plugin.open();
    await client.setWebhookState(webhookId, state);
    this.#changes.set(webhookId, { state, at: this.#plugin.now() });
  }

  async #read(notBefore: number): Promise<WebhookList> {
    const { response, requestedAt } = await this.#plugin.requestList(notBefore);
    if (this.#last?.response !== response) {
      const { responses } = this.#plugin.readSettings();
      this.#last = { response, reading: readWebhookList(response.text, response.headers, responses) };
    }
    const { reading } = this.#last;
    if (!reading.isReadable) throw unreadableList(reading, this.#plugin.settingName);
    const { webhooks, incompleteSign } = reading;
    return {
      webhooks,
      incompleteSign,
      requestedAt,
      isGone: (webhookId) => incompleteSign === null && !webhooks.has(webhookId),
      requireComplete: (need) => {
        if (incompleteSign !== null) throw listIncomplete(need, incompleteSign, this.#plugin.settingName);
      },
      stateOf: (webhookId) => {
        const change = this.#changes.get(webhookId);
        if (change !== undefined && change.at >= requestedAt) return change.state;
        return webhooks.get(webhookId)?.state ?? null;
      },
    };
  }
}

/** Whether two resources may set the same webhook. */
function overlaps(one: Declared, other: Declared): boolean {
  return one === other || one === "others" || other === "others";
}
