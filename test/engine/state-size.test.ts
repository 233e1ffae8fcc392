import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { sandboxStack } from "./support.ts";

/** What differs from one program, run or machine to the next. */
const VARYING = new Set(["sourcePosition", "stackTrace", "created", "modified", "server"]);

interface Held {
  readonly type: string;
  readonly inputs: { readonly __provider: string };
  readonly outputs: { readonly __provider: string };
}

// The engine writes the whole state after every step, so a byte more for each resource is paid for many times over.
it("a resource takes no more of the state than it did", async () => {
  const { stack } = await sandboxStack(() => {
    new partners.PartnerWebhookState("webhook", { webhookId: 101, state: "active" });
    new partners.PartnerApiKey("key");
    return Promise.resolve({});
  });
  expect(await stack.up()).toMatchObject({ ok: true });

  const { checkpoint } = JSON.parse(await stack.stateFile()) as {
    checkpoint: { latest: { resources: Held[] } };
  };
  const ours = checkpoint.latest.resources.filter(({ type }) => type.includes("dynamic/partners:"));
  const sizes = ours.map((resource) => {
    const { type, inputs, outputs } = resource;
    expect(outputs.__provider).toBe(inputs.__provider);
    const bytes = JSON.stringify(resource, (name, value: unknown) => (VARYING.has(name) ? undefined : value));
    return [type.split(":").at(-1), { __provider: inputs.__provider.length, resource: bytes.length }];
  });
  expect(Object.fromEntries(sizes)).toEqual({
    PartnerWebhookState: { __provider: 73, resource: 804 },
    PartnerApiKey: { __provider: 67, resource: 1535 },
  });
});
