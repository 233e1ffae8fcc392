import { randomBytes } from "node:crypto";

import type { WebhookSeed } from "../../provider/dist/sandbox/sandbox.js";

/** An API key that the service issued, and its public ID: `key_` and 12 hexadecimal digits. */
export type IssuedKey = Readonly<Record<"key" | "id" | "createdAt", string>>;

/** The form of successful responses. Results are sent as JSON, except a buffer. */
export interface Shape {
  /** Returns the response to the creation of a key. `token`: the access token of the request. */
  readonly apiKey: (key: IssuedKey, token: string) => unknown;
  /** Returns the webhook list. `token`: as above. */
  readonly webhooks: (list: readonly WebhookSeed[], token: string) => unknown;
  /** What identifies the key in the path of a deletion. @default "key" */
  readonly deleteBy?: "key" | "id";
}

/** The names of {@link SHAPES}. */
export type ShapeName = "flat" | "nested" | "byId" | "unreadable";

const nested: Shape = {
  apiKey: ({ key, id, createdAt }) => ({ apiKey: { id, prefix: key.slice(0, 12), key, createdAt } }),
  webhooks: (list) => {
    return { webhooks: list.map(({ webhookId, state }) => ({ id: webhookId, attributes: { state } })) };
  },
};

/** The forms of responses in which services differ. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  flat: { apiKey: ({ key }) => ({ apiKey: key }), webhooks: (list) => list },
  nested,
  byId: { ...nested, deleteBy: "id" },
  /** Cannot be recognized without `responses`: there is a second secret and a second list. */
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
