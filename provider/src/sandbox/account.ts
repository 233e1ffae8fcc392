import { randomBytes } from "node:crypto";
import type { WebhookState } from "../api/operations.js";
import type { KeyAlphabet, WebhookSeed } from "./options.js";

/** An API key as the account keeps it. */
export interface IssuedKey {
  /** The key itself: `pk_live_` and 24 random bytes in base64url. */
  readonly key: string;
  /** An id that is not secret, as many services have one: `key_` and 12 hexadecimal digits. */
  readonly id: string;
  /** When it was created, ISO 8601. */
  readonly createdAt: string;
}

/** A webhook as the account keeps it. */
export interface Webhook extends WebhookSeed {
  /** When its state was last set, ISO 8601. */
  readonly changedAt: string;
}

/** Characters that mean something in a URL. */
const HOSTILE_CHARACTERS = ["/", "+", "=", "%", "?", "#"];

/** What the sandbox holds for its one customer, and the effects that the operations have on it. */
export class Account {
  #accessToken: string;
  readonly #alphabet: KeyAlphabet;
  readonly #keys = new Map<string, IssuedKey>();
  readonly #webhooks = new Map<number, Webhook>();

  constructor(accessToken: string | undefined, alphabet: KeyAlphabet) {
    this.#accessToken = accessToken ?? randomToken();
    this.#alphabet = alphabet;
  }

  /** The access token that is valid now. */
  get accessToken(): string {
    return this.#accessToken;
  }

  /** The live keys, oldest first. */
  get keys(): readonly IssuedKey[] {
    return [...this.#keys.values()];
  }

  /** The webhooks, in the order in which they were added. */
  get webhooks(): readonly Webhook[] {
    return [...this.#webhooks.values()];
  }

  /** Replaces the access token; the old one is refused from now on. */
  rotateAccessToken(): string {
    this.#accessToken = randomToken();
    return this.#accessToken;
  }

  /** Adds a key, by default a new random one. */
  createKey(key: string = randomKey(this.#alphabet)): IssuedKey {
    const issued = { key, id: `key_${randomBytes(6).toString("hex")}`, createdAt: new Date().toISOString() };
    this.#keys.set(key, issued);
    return issued;
  }

  /** The live key with this value. */
  findKey(key: string): IssuedKey | undefined {
    return this.#keys.get(key);
  }

  /** Deletes the key that has this value in this field; whether there was one. */
  deleteKey(field: "key" | "id", value: string): boolean {
    const found = this.keys.find((issued) => issued[field] === value);
    return found !== undefined && this.#keys.delete(found.key);
  }

  /** Adds a webhook; throws if there is one with this id. */
  addWebhook(webhookId: number, state: WebhookState): void {
    if (this.#webhooks.has(webhookId)) throw new Error(`The sandbox has a webhook ${webhookId} already.`);
    this.#webhooks.set(webhookId, { webhookId, state, changedAt: new Date().toISOString() });
  }

  /** Removes a webhook; throws if there is none with this id. */
  removeWebhook(webhookId: number): void {
    this.#webhooks.delete(this.#webhook(webhookId).webhookId);
  }

  /** Sets the state of a webhook; whether that changed it. Throws if there is none with this id. */
  setWebhookState(webhookId: number, state: WebhookState): boolean {
    if (this.#webhook(webhookId).state === state) return false;
    this.#webhooks.set(webhookId, { webhookId, state, changedAt: new Date().toISOString() });
    return true;
  }

  /** Whether a webhook with this id exists. */
  hasWebhook(webhookId: number): boolean {
    return this.#webhooks.has(webhookId);
  }

  #webhook(webhookId: number): Webhook {
    const webhook = this.#webhooks.get(webhookId);
    if (webhook !== undefined) return webhook;
    throw new Error(
      `The sandbox has no webhook ${webhookId}; it has ${[...this.#webhooks.keys()].join(", ")}.`,
    );
  }
}

function randomToken(): string {
  return `sandbox_${randomBytes(24).toString("base64url")}`;
}

function randomKey(alphabet: KeyAlphabet): string {
  const random = (bytes: number) => randomBytes(bytes).toString("base64url");
  if (alphabet === "base64url") return `pk_live_${random(24)}`;
  // Random characters behind "%" make a percent-escape now and then, which has to survive too.
  return `pk_live_${HOSTILE_CHARACTERS.map((hostile) => random(3) + hostile).join("")}${random(6)}`;
}
