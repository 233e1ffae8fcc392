import { randomBytes } from "node:crypto";

import type { WebhookSeed } from "../../provider/dist/sandbox/sandbox.js";

/** An API key as a service may know it. */
export interface IssuedKey {
  readonly key: string;
  /** An id that is not secret: `key_` and 12 hexadecimal digits. */
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A webhook as a service may know it. */
export interface Webhook extends WebhookSeed {
  /** ISO 8601. The start of the sandbox, so that two lists only differ if a state does. */
  readonly changedAt: string;
}

/** What the bodies of successful responses look like. What a function returns is sent as JSON, unless it is a {@link RawBody}. */
export interface Shape {
  /** Answers the creation of a key. */
  readonly apiKey: (key: IssuedKey) => unknown;
  /** Lists the webhooks. */
  readonly webhooks: (list: readonly Webhook[]) => unknown;
  /** What the path of a deletion holds. @default "key" */
  readonly deleteBy?: "key" | "id";
}

/** A body that a shape sends as it is, with headers of its own and no `content-type` unless they name one. */
export class RawBody {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.body = body;
    this.headers = headers;
  }
}

/** The names of {@link SHAPES}. */
export type ShapeName =
  | "flat"
  | "snake"
  | "envelope"
  | "nested"
  | "byId"
  | "bare"
  | "boolean"
  | "numeric"
  | "words"
  | "timestamp"
  | "unreadable";

const apiKey: Shape["apiKey"] = ({ key }) => ({ apiKey: key });

const nested: Shape = {
  apiKey: ({ key, id, createdAt }) => ({ apiKey: { id, prefix: key.slice(0, 12), key, createdAt } }),
  webhooks: (list) => ({
    webhooks: list.map(({ webhookId, state }) => ({ id: webhookId, attributes: { state } })),
  }),
};

/** Forms in which services answer the same operations. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  flat: { apiKey, webhooks: eachWebhook(({ state }) => ({ state })) },
  snake: {
    apiKey: ({ key, createdAt }) => ({ api_key: key, created_at: createdAt }),
    webhooks: (list) => ({
      webhooks: list.map(({ webhookId, state, changedAt }) => ({
        webhook_id: webhookId,
        state,
        updated_at: changedAt,
      })),
    }),
  },
  envelope: {
    apiKey: ({ key }) => ({ status: "success", data: { apiKey: key } }),
    webhooks: (list) => ({
      status: "success",
      data: list.map(({ webhookId, state }) => ({ webhookId, state })),
    }),
  },
  nested,
  byId: { ...nested, deleteBy: "id" },
  bare: {
    apiKey: ({ key }) => key,
    webhooks: (list) => list.map(({ webhookId, state }) => ({ id: String(webhookId), state })),
  },
  boolean: { apiKey, webhooks: eachWebhook(({ state }) => ({ active: state === "active" })) },
  numeric: { apiKey, webhooks: eachWebhook(({ state }) => ({ enabled: Number(state === "active") })) },
  words: {
    apiKey,
    webhooks: eachWebhook(({ state }) => ({ status: state === "active" ? "ENABLED" : "DISABLED" })),
  },
  timestamp: {
    apiKey,
    webhooks: eachWebhook(({ state, changedAt }) => ({ disabledAt: state === "active" ? null : changedAt })),
  },
  /** Nothing here can be recognised without `responses`; there is a second secret and a second list. */
  unreadable: {
    apiKey: ({ key }) => ({
      result: { key: `pk_live_${randomBytes(24).toString("base64url")}`, token: key },
    }),
    webhooks: (list) => ({
      incoming: [{ ref: 1, mode: "go" }],
      outgoing: list.map(({ webhookId, state }) => ({
        ref: webhookId,
        mode: state === "active" ? "go" : "halt",
      })),
    }),
  },
};

function eachWebhook(fields: (webhook: Webhook) => object): Shape["webhooks"] {
  return (list) => list.map((webhook) => ({ webhookId: webhook.webhookId, ...fields(webhook) }));
}
