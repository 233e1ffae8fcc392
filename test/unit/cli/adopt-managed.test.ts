import { expect, it } from "vitest";

import { assertNamesFree, managedWebhooks } from "../../../provider/src/cli/adopt/managed.js";
import type { StackResource } from "../../../provider/src/cli/stack-resources.js";

const ORDERS: StackResource = {
  kind: "webhookState",
  name: "orders",
  urn: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerWebhookState::orders",
  account: "default",
  provider: null,
  webhookId: 101,
  fingerprint: null,
  hasPreviousKey: false,
};

function context(...resources: Partial<StackResource>[]) {
  return {
    account: "default",
    stack: {
      name: "dev",
      hasOwn: () => false,
      resources: resources.map((some) => ({ ...ORDERS, ...some })),
      leaving: [],
    },
  };
}

it.each([
  ["of the account", {}, [101]],
  ["of another name for the account", { account: "old" }, []],
  ["of another account", { account: "eu", provider: "eu" }, []],
  ["from before accounts had names", { account: null }, [101]],
  ["from before accounts had names, through a Provider", { account: null, provider: "eu" }, []],
  ["with a secret id", { webhookId: null }, []],
])("a webhook %s is managed here, or not", (_what, resource, ids) => {
  expect([...managedWebhooks(context(resource)).keys()]).toEqual(ids);
});

it("outside of a project, nothing is managed, and every name is free", () => {
  const nowhere = { account: "default", stack: null };
  expect(managedWebhooks(nowhere).size).toBe(0);
  expect(() => {
    assertNamesFree("webhookState", ["orders"], nowhere);
  }).not.toThrow();
});

it("a name is free where only another kind of resource, or none, has it", () => {
  const stack = context({}, { kind: "apiKey", name: "checkout" });
  const check = (kind: StackResource["kind"], name: string) => () => {
    assertNamesFree(kind, ["free", name], stack);
  };
  expect(check("webhookState", "checkout")).not.toThrow();
  expect(check("webhookState", "orders")).toThrow(/something else called orders.*--prefix/);
  expect(check("apiKey", "checkout")).toThrow(/something else called checkout.*--name/);
});
