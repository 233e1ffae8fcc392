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

/** What the bodies of successful responses look like. What a function returns is sent as JSON, unless it is a {@link RawBody}. */
export interface Shape {
  /** Answers the creation of a key. */
  readonly apiKey: (key: IssuedKey) => unknown;
  /** Lists the webhooks. */
  readonly webhooks: (list: readonly WebhookSeed[]) => unknown;
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
export type ShapeName = "flat" | "envelope" | "nested" | "byId" | "unreadable";

const nested: Shape = {
  apiKey: ({ key, id, createdAt }) => ({ apiKey: { id, prefix: key.slice(0, 12), key, createdAt } }),
  webhooks: (list) => ({
    webhooks: list.map(({ webhookId, state }) => ({ id: webhookId, attributes: { state } })),
  }),
};

/** Forms in which services answer the same operations. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  flat: {
    apiKey: ({ key }) => ({ apiKey: key }),
    webhooks: (list) => list.map(({ webhookId, state }) => ({ webhookId, state })),
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
