import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, it } from "vitest";

import * as partners from "../../provider/src/index.js";

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
    call: () => ({}),
  });
});

const eu = { baseUrl: "https://eu.example.com", accessToken: "t0ken" };

// A JavaScript program can pass anything.
const PartnerApiKey = partners.PartnerApiKey as unknown as new (...args: unknown[]) => object;
const PartnerWebhookState = partners.PartnerWebhookState as unknown as new (...args: unknown[]) => object;
const Provider = partners.Provider as unknown as new (...args: unknown[]) => object;

it.each([
  [
    "options as arguments",
    () => new PartnerApiKey("k", { provider: {} }),
    'PartnerApiKey "k" has no argument "provider"',
  ],
  [
    "a call without arguments",
    () => new PartnerWebhookState("w"),
    'PartnerWebhookState "w" needs its arguments',
  ],
  ["null as arguments", () => new PartnerApiKey("k", null), 'PartnerApiKey "k" needs its arguments'],
  [
    "a misspelled argument",
    () => new Provider("eu", { ...eu, url: "" }),
    'Provider "eu" has no argument "url"',
  ],
  [
    "a misspelled option",
    () => partners.getPartnerWebhooksOutput({ providers: eu } as object),
    'getPartnerWebhooks has no argument "providers"',
  ],
  [
    "a provider that is named default",
    () => new Provider("default", eu),
    '"default" is the name of the account',
  ],
  [
    "a provider that is named default, with an empty account",
    () => new Provider("default", { ...eu, account: "" }),
    '"default" is the name',
  ],
])("%s is refused before anything is registered", (_what, make, message) => {
  expect(make).toThrow(message);
  expect(make).toThrow(pulumi.RunError); // Pulumi prints the message of a RunError without its stack.
});

it("a webhook may be declared only once per account, even with different providers", () => {
  const args = { webhookId: 9, state: "active" } as const;
  const main = new partners.Provider("main", { ...eu, account: "default" });
  const other = new partners.Provider("other", { ...eu, account: "other" });
  const again = new partners.Provider("again", { ...eu, account: "other" });
  new partners.PartnerWebhookState("by-default", args);
  const twice = () => new partners.PartnerWebhookState("twice", args, { provider: main });
  expect(twice).toThrow(
    'PartnerWebhookState "by-default" and PartnerWebhookState "twice", both in the account "default".',
  );
  new partners.PartnerWebhookState("by-other", args, { provider: other });
  expect(() => new partners.PartnerWebhookState("w", args, { provider: again })).toThrow(
    '"by-other" and PartnerWebhookState "w"',
  );
  new partners.PartnerWebhookState("by-eu", args, { provider: new partners.Provider("eu2", eu) });
  const fleet = (name: string, fleetArgs: object, account = "default") =>
    new partners.PartnerWebhookStates(name, { states: {}, ...fleetArgs }, { provider: named(account) });
  const named = (account: string) => new partners.Provider(`${account}-${Math.random()}`, { ...eu, account });
  expect(() => fleet("fleet", { states: { 8: "active", 9: "active" } })).toThrow(
    'PartnerWebhookState "by-default" and PartnerWebhookStates "fleet"',
  );
  expect(() => fleet("all", { others: "disabled" })).toThrow("others covers every webhook");
  fleet("alone", { states: { 9: "active" }, others: "disabled" }, "third");
  expect(() => fleet("more", { states: { 10: "active" } }, "third")).toThrow("others covers every webhook");
});

it("isInstance tells the resources apart", () => {
  const values = [
    new partners.PartnerApiKey("instance"),
    partners.PartnerWebhookState.get("got", "101"),
    {},
    null,
  ];
  expect(values.map((value) => partners.PartnerApiKey.isInstance(value))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(values.map((value) => partners.PartnerWebhookState.isInstance(value))).toEqual([
    false,
    true,
    false,
    false,
  ]);
});
