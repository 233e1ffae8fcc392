import { randomBytes } from "node:crypto";
import type { IssuedKey, Webhook } from "./account.js";

/**
 * What the bodies of successful responses look like. Whatever the functions return is sent as JSON.
 * @example
 * ```ts
 * await startSandbox({
 *   shape: {
 *     apiKey: ({ key, id }) => ({ id, credential: { secret: key } }),
 *     webhooks: (list) => ({ hooks: list.map(({ webhookId, state }) => ({ hook: webhookId, live: state === "active" })) }),
 *     deleteBy: "id",
 *   },
 * });
 * ```
 */
export interface Shape {
  /** The body that answers the creation of a key. */
  readonly apiKey: (key: IssuedKey) => unknown;
  /** The body that lists the webhooks. */
  readonly webhooks: (list: readonly Webhook[]) => unknown;
  /**
   * What stands in the path of a deletion: the key, or its id.
   * @default "key"
   */
  readonly deleteBy?: "key" | "id";
}

/** The names of the presets in {@link SHAPES}: what the body of a created key, and that of the list, look like. */
export type ShapeName =
  /** `{ apiKey }`; `[{ webhookId, state }]`. */
  | "flat"
  /** `{ api_key, created_at }`; `{ webhooks: [{ webhook_id, state, updated_at }] }`. */
  | "snake"
  /** Both as in `flat`, inside `{ status: "success", data }`. */
  | "envelope"
  /** `{ apiKey: { id, prefix, key, createdAt } }`; `{ webhooks: [{ id, attributes: { state } }] }`. */
  | "nested"
  /** As `nested`, and a key is deleted by its id. */
  | "byId"
  /** The key as a JSON string; `[{ id: "101", state }]`, ids as strings. */
  | "bare"
  /** States as `active: true` or `false`. */
  | "boolean"
  /** States as `enabled: 1` or `0`. */
  | "numeric"
  /** States as `status: "ENABLED"` or `"DISABLED"`. */
  | "words"
  /** States as `disabledAt: null` or the time of disabling. */
  | "timestamp"
  /**
   * Nothing that could be recognised without help. The key is at `/result/token`, beside another secret at
   * `/result/key`; the webhooks are at `/outgoing`, their id at `/ref`, their state at `/mode` as `go` or `halt`.
   */
  | "unreadable";

const flat: Shape = {
  apiKey: ({ key }) => ({ apiKey: key }),
  webhooks: (list) => list.map(({ webhookId, state }) => ({ webhookId, state })),
};

const nested: Shape = {
  apiKey: ({ key, id, createdAt }) => ({ apiKey: { id, prefix: key.slice(0, 12), key, createdAt } }),
  webhooks: (list) => ({
    webhooks: list.map(({ webhookId, state }) => ({ id: webhookId, attributes: { state } })),
  }),
};

/** The forms in which services answer the same operations; see {@link ShapeName}. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  flat,
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
    apiKey: (key) => ({ status: "success", data: flat.apiKey(key) }),
    webhooks: (list) => ({ status: "success", data: flat.webhooks(list) }),
  },
  nested,
  byId: { ...nested, deleteBy: "id" },
  bare: {
    apiKey: ({ key }) => key,
    webhooks: (list) => list.map(({ webhookId, state }) => ({ id: String(webhookId), state })),
  },
  boolean: {
    ...flat,
    webhooks: (list) => list.map(({ webhookId, state }) => ({ webhookId, active: state === "active" })),
  },
  numeric: {
    ...flat,
    webhooks: (list) =>
      list.map(({ webhookId, state }) => ({ webhookId, enabled: Number(state === "active") })),
  },
  words: {
    ...flat,
    webhooks: (list) =>
      list.map(({ webhookId, state }) => ({
        webhookId,
        status: state === "active" ? "ENABLED" : "DISABLED",
      })),
  },
  timestamp: {
    ...flat,
    webhooks: (list) =>
      list.map(({ webhookId, state, changedAt }) => ({
        webhookId,
        disabledAt: state === "active" ? null : changedAt,
      })),
  },
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
