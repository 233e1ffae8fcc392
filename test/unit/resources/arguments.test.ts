import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, it } from "vitest";

import * as partners from "../../../provider/src/index.js";
import { SIGNATURE } from "../../../provider/src/adapter/properties.js";
import { assertKey } from "../../../provider/src/resources/partner-api-key.js";
import { promisesOf } from "../../../provider/src/resources/partner-resource.js";
import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATES } from "../../../provider/src/registration.js";

const registered = new Map<string, Record<string, unknown>>();
/** The names of resources, as often as they were registered. */
const names: string[] = [];

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs, type }) => {
      names.push(name);
      registered.set(name, inputs as Record<string, unknown>);
      const list = type.endsWith(":PartnerWebhooks") && { webhooks: '[{"webhookId":7,"state":null}]' };
      return { id: name, state: { ...(inputs as object), ...list, apiKey: "k3y" } };
    },
    call: () => ({}),
  });
});

const eu = { baseUrl: "https://eu.example.com", accessToken: "t0ken" };

// A JavaScript program can pass anything.
const Provider = partners.Provider as unknown as new (...args: unknown[]) => partners.Provider;

/** Returns the inputs of a resource once it is registered. */
async function inputsOf(name: string, { urn }: { urn: pulumi.Output<string> }) {
  await new Promise((resolve) => urn.apply(resolve));
  return registered.get(name);
}

const misspelled = () => partners.getPartnerWebhooksOutput({ providers: eu } as object);

it.each([
  ["no argument", () => new Provider("eu"), 'Provider "eu" needs its arguments as an object: baseUrl'],
  ["a wrong argument", () => new Provider("eu", { ...eu, url: "" }), 'Provider "eu" has no argument "url"'],
  ["a misspelled option", misspelled, 'getPartnerWebhooks has no argument "providers"'],
  ["a provider named default", () => new Provider("default", eu), '"default" is the name of the account'],
  ["an empty account", () => new Provider("default", { ...eu, account: "" }), '"default" is the name'],
  ["a number as account", () => new Provider("eu", { ...eu, account: 7 }), "account must be text: quote it"],
  ["a number as token", () => new Provider("eu", { ...eu, accessToken: 1e22 }), "accessToken must be text"],
])("%s is refused before anything is registered", (_what, make, message) => {
  expect(make).toThrow(message);
  expect(make).toThrow(pulumi.RunError); // Pulumi prints the message of a RunError without its stack.
});

it("a Provider passes its settings on as text, the token and the headers as one secret each", async () => {
  const secret = (value: string) => ({ [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value });
  const headers = { "X-Tenant": "acme", "X-Key": pulumi.output("k3y") };
  const args = { ...eu, headers, requestTimeout: 5, responses: { apiKey: "/k" }, previousBaseUrl: null };
  const provider = new Provider("settings", args);
  expect(await inputsOf("settings", provider)).toEqual({
    "partners:baseUrl": eu.baseUrl,
    "partners:accessToken": secret("t0ken"),
    "partners:headers": secret('{"X-Tenant":"acme","X-Key":"k3y"}'),
    "partners:requestTimeout": "5",
    "partners:responses": '{"apiKey":"/k"}',
    "partners:previousBaseUrl": "",
    "partners:explicit": "true",
    "partners:account": "settings",
  });
});

it.each([
  ["named", "team", "team"],
  ["named-later", pulumi.output("team"), "team"],
  ["absent", undefined, "absent"],
  ["empty-later", Promise.resolve(""), "empty-later"],
  ["null-later", pulumi.output(null), "null-later"],
])("an account has its own name, or that of the Provider: %s", async (name, account, expected) => {
  const provider = new Provider(name, { ...eu, account });
  expect(await inputsOf(name, provider)).toMatchObject({ "partners:account": expected });
});

it("a resource passes its handlers, its URN and the arguments that are given", async () => {
  const fleet = new partners.PartnerWebhookStates("fleet", { states: { 101: "active" }, others: undefined });
  const { type, __provider } = PARTNER_WEBHOOK_STATES;
  const __urn = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::fleet`;
  expect(await inputsOf("fleet", fleet)).toEqual({ states: { 101: "active" }, __provider, __urn });

  class Shop extends pulumi.ComponentResource {
    readonly key = new partners.PartnerApiKey("child", {}, { parent: this });
  }
  const { key } = new Shop("test:Shop", "shop");
  const inputs = await inputsOf("child", key);
  expect(inputs?.["__urn"]).toMatch(new RegExp(`::test:Shop\\$${PARTNER_API_KEY.type}::child$`));
});

it("a key that is null, as after an update that failed, never reaches a consumer", async () => {
  const { apiKey } = new partners.PartnerApiKey("checkout");
  expect(await promisesOf(apiKey).promise()).toBe("k3y");
  expect(() => assertKey("checkout", null)).toThrow('PartnerApiKey "checkout" has no key yet');
  expect(() => assertKey("checkout", null)).toThrow(pulumi.RunError);
});

it("the list is read once for each provider", async () => {
  const [one, two] = await Promise.all([partners.getPartnerWebhooks(), partners.getPartnerWebhooks()]);
  expect(one).toEqual({ webhooks: [{ webhookId: 7, state: null }] });
  expect(two).toEqual(one);
  const provider = new Provider("listed", eu);
  await partners.getPartnerWebhooks({ provider });
  expect(names.filter((name) => name.startsWith("webhooks"))).toEqual(["webhooks", "webhooks-listed"]);
});
