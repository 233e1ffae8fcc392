import { expect, it } from "vitest";

import schema from "../../../provider/schema.json" with { type: "json" };
import { PARTNER_WEBHOOKS, RESOURCES, SECRET_OUTPUTS } from "../../../provider/src/registration.js";
import { SETTINGS } from "../../../provider/src/setting-names.js";

interface Resource {
  readonly properties: object;
  readonly inputProperties: object;
  readonly aliases: readonly { readonly type: string }[];
}
const resources: Readonly<Record<string, Resource>> = schema.resources;

it("declares the resources, the function and the settings of the registration", () => {
  const declared = Object.entries(resources).map(([token, { properties, inputProperties, aliases }]) => ({
    nativeToken: token,
    type: aliases[0]?.type,
    inputs: Object.keys(inputProperties),
    outputs: Object.keys(properties),
  }));
  expect(RESOURCES).toMatchObject(declared);
  expect(Object.keys(schema.functions)).toEqual([PARTNER_WEBHOOKS.nativeToken]);
  for (const settings of [schema.config.variables, schema.provider.inputProperties])
    expect(Object.keys(settings)).toEqual(SETTINGS);
});

it("marks the secret outputs, the access token and the headers as secrets", () => {
  const outputs = Object.values(schema.functions).map((one) => one.outputs);
  const secrets = [...Object.values(resources), ...outputs, schema.provider].flatMap(({ properties }) =>
    Object.entries(properties).flatMap(([name, property]) => ("secret" in property ? [name] : [])),
  );
  // `internal` is not in the schema, because programs do not use it. The plugin itself marks a
  // `previousApiKey`.
  const marked = SECRET_OUTPUTS.filter((name) => !["internal", "previousApiKey"].includes(name));
  expect(secrets.sort()).toEqual([...marked, "accessToken", "headers"].sort());
});

it("has no defaults from the environment, and requires no input of the provider", () => {
  // Generated SDKs would send the token of one account to the server of another.
  expect(JSON.stringify(schema)).not.toContain("defaultInfo");
  // `pulumi do` would refuse settings from the environment.
  for (const name of ["required", "requiredInputs"]) expect(schema.provider).not.toHaveProperty(name);
});

it("accepts plain text for states, which type checkers of Python and Java refuse for an enum", () => {
  const text = { type: "string" };
  const { PartnerWebhookState: one, PartnerWebhookStates: fleet } = Object.fromEntries(
    Object.entries(resources).map(([token, { inputProperties }]) => [token.slice(15), inputProperties]),
  );
  expect(one).toMatchObject({ state: text, stateOnDestroy: text });
  expect(fleet).toMatchObject({ states: { additionalProperties: text }, others: text, stateOnDestroy: text });
});

it("needs no network for the generation of an SDK", () => {
  // The generator for C# downloads it.
  expect(schema).not.toHaveProperty("logoUrl");
});

it("names no address that somebody else could own: a release adds where it is", () => {
  const addresses = JSON.stringify(schema).match(/[a-z]+:\/\/[^\s"\\`]+/g);
  expect([...new Set(addresses)]).toEqual(["https://partners.example.com"]);
  for (const name of ["homepage", "repository", "pluginDownloadURL"]) expect(schema).not.toHaveProperty(name);
});

it("says what replaces a resource", () => {
  const inputs = Object.values(resources).flatMap(({ inputProperties }) => Object.entries(inputProperties));
  const replacing = inputs.filter(([, property]) => "willReplaceOnChanges" in (property as object));
  expect(replacing.map(([name]) => name)).toEqual(["webhookId"]);
});
