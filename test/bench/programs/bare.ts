import { join } from "node:path";
import pulumi from "@pulumi/pulumi";

import type { Kind } from "../case.ts";

const HANDLERS = join(import.meta.dirname, "bare-handlers.cjs");

/** Our registration and our state, with handlers that do nothing. */
class Bare extends pulumi.CustomResource {
  constructor(name: string, webhookId: number) {
    const inputs = { webhookId, state: "active", initialState: undefined };
    const __provider = `exports.handler=()=>require(${JSON.stringify(HANDLERS)})`;
    super("pulumi-nodejs:dynamic/partners:PartnerWebhookState", name, { ...inputs, __provider });
  }
}

/** What {@link bare} declares. */
export function declare(_kind: Kind, count: number): void {
  for (let index = 1; index <= count; index += 1) new Bare(`webhook-${index}`, index);
}
