/* eslint-disable @typescript-eslint/require-await -- Written as users write it. */
import pulumi from "@pulumi/pulumi";

import type { Kind } from "../case.ts";

/** Handlers that do nothing: what is left is the engine, the SDK and the serialization of the handlers. */
const nothing: pulumi.dynamic.ResourceProvider = {
  async check(_olds: object, news: object) {
    return { inputs: news };
  },
  async diff() {
    return { changes: false };
  },
  async create(inputs: { webhookId?: number }) {
    return { id: String(inputs.webhookId ?? "key"), outs: inputs };
  },
  async read(id: string, props: object) {
    return { id, props };
  },
  async update(_id: string, _olds: object, news: object) {
    return { outs: news };
  },
  async delete() {},
};

class Nothing extends pulumi.dynamic.Resource {
  constructor(name: string, args: object) {
    super(nothing, name, args);
  }
}

/** What {@link floor} declares. */
export function declare(kind: Kind, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new Nothing(`key-${index}`, { apiKey: undefined });
    else new Nothing(`webhook-${index}`, { webhookId: index, state: "active" });
  }
}
