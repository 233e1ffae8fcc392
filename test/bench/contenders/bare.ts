import { join } from "node:path";
import pulumi from "@pulumi/pulumi";

import type { Contender } from "../contender.ts";
import { pulumiSubject } from "../pulumi-subject.ts";

const HANDLERS = join(import.meta.dirname, "bare-handlers.cjs");

/** Our registration and our state, with handlers that do nothing. */
class Bare extends pulumi.CustomResource {
  constructor(name: string, webhookId: number) {
    const inputs = { webhookId, state: "active", initialState: undefined, account: undefined };
    const __provider = `exports.handler=()=>require(${JSON.stringify(HANDLERS)})`;
    super("pulumi-nodejs:dynamic/partners:PartnerWebhookState", name, { ...inputs, __provider });
  }
}

/** What the engine takes for resources like ours; the difference to {@link ours} is what we do. */
export const bare: Contender = {
  name: "engine",
  description: "resources that register and look in state like ours, with handlers that do nothing",
  unavailable: (kind) => Promise.resolve(kind === "keys" ? "measured for webhooks only" : null),
  begin: (_kind, count, sandbox) =>
    pulumiSubject(sandbox, {
      declare: () => {
        for (let index = 1; index <= count; index += 1) new Bare(`webhook-${index}`, index);
      },
    }),
};
