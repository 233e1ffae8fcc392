import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";

import { SIGNATURE } from "../../../provider/src/shared/properties.js";
import { ACCOUNT_KEY } from "../../../provider/src/setting-names.js";
import * as partners from "../../../provider/src/index.js";
import { withoutPrototype } from "../../../provider/src/resources/partner-webhook-states.js";

const registered = new Map<string, object>();

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      registered.set(name, inputs as object);
      return { id: name, state: inputs as object };
    },
    call: () => ({}),
  });
});

const eu = { baseUrl: "https://eu.example.com", accessToken: "t0ken" };

// A JavaScript program can pass anything.
const PartnerApiKey = partners.PartnerApiKey as unknown as new (...args: unknown[]) => object;
const Provider = partners.Provider as unknown as new (...args: unknown[]) => object;

it.each([
  ["options as arguments", () => new PartnerApiKey("k", { provider: {} }), '"k" has no argument "provider"'],
  ["no argument", () => new Provider("eu"), 'Provider "eu" needs its arguments as an object: baseUrl'],
  ["a wrong argument", () => new Provider("eu", { ...eu, url: "" }), 'Provider "eu" has no argument "url"'],
  [
    "a misspelled option",
    () => partners.getPartnerWebhooksOutput({ providers: eu } as object),
    'getPartnerWebhooks has no argument "providers"',
  ],
  ["a provider named default", () => new Provider("default", eu), '"default" is the name of the account'],
  ["a list as account", () => new Provider("eu", { ...eu, account: ["eu"] }), "account must be text"],
  [
    "a numeric token",
    () => new Provider("eu", { ...eu, accessToken: 1e22 }),
    "accessToken must be text: quote it",
  ],
  ["an empty account", () => new Provider("default", { ...eu, account: "" }), '"default" is the name'],
])("%s is refused before anything is registered", (_what, make, message) => {
  expect(make).toThrow(message);
  expect(make).toThrow(pulumi.RunError); // Pulumi prints the message of a RunError without its stack.
});

it("the headers of a Provider are one secret, even if only one of their values is known to be one", async () => {
  const headers = { "X-Tenant": "acme", "X-Key": pulumi.output("k3y") };
  const provider = new Provider("with-headers", { ...eu, headers }) as partners.Provider;
  await new Promise((resolve) => provider.urn.apply(resolve));
  const inputs = registered.get("with-headers") as Record<string, unknown>;
  const secret = {
    [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270",
    value: '{"X-Tenant":"acme","X-Key":"k3y"}',
  };
  expect(inputs["partners:headers"]).toEqual(secret);
});

// Pulumi's SDK would lose this ID: it assigns the members of objects one by one.
describe("a webhook with the ID __proto__", () => {
  const states = JSON.parse('{"101": "active", "__proto__": "active"}') as Record<string, "active">;
  const message =
    'states has the key "__proto__", which is not a webhook ID. Write a whole number such as 101.';

  it("is refused before anything is registered", () => {
    const declare = () => new partners.PartnerWebhookStates("lost", { states });
    expect(declare).toThrow(message);
    expect(declare).toThrow(pulumi.RunError);
  });

  it("is refused in a promise, and other IDs are passed on", async () => {
    await expect(withoutPrototype(Promise.resolve(states))).rejects.toThrow(message);
    expect(await withoutPrototype(Promise.resolve({ 101: "active" }))).toEqual({ 101: "active" });
  });
});

it.each([
  ["named", pulumi.output("team"), "team"],
  ["absent", pulumi.output<string | undefined>(undefined), "absent"],
  ["empty", Promise.resolve(""), "empty"],
  ["null", null, "null"],
  ["null-later", pulumi.output(null), "null-later"],
  ["number", 42, "42"],
  ["number-later", pulumi.output(42), "42"],
])(
  "an account that is known later gets its name, or that of the Provider: %s",
  async (name, account, expected) => {
    const provider = new Provider(name, { ...eu, account }) as partners.Provider;
    await new Promise((resolve) => provider.urn.apply(resolve));
    expect(registered.get(name)).toMatchObject({ [ACCOUNT_KEY]: expected });
  },
);
