import { expect, it } from "vitest";

import schema from "../../../provider/schema.json" with { type: "json" };
import { PARTNER_WEBHOOKS, RESOURCES, SECRET_OUTPUTS } from "../../../provider/src/registration.js";
import { ADDRESSES, addressesOf } from "../../../provider/tools/release/addresses.ts";
import { page } from "../docs/pages.ts";
import { SETTINGS } from "../../../provider/src/setting-names.js";

const LANGUAGES = ["go", "java", "python", "typescript", "yaml"];

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

it("says where the release is only once the changelog dates it: before, somebody else could own the address", () => {
  const given = addressesOf(page("CHANGELOG.md"));
  const { homepage, repository, pluginDownloadURL }: Partial<typeof ADDRESSES> = schema as object;
  expect({ homepage, repository, pluginDownloadURL }).toEqual(given);
  const addresses = JSON.stringify(schema).match(/[a-z]+:\/\/[^\s"\\`]+/g);
  expect(new Set(addresses)).toEqual(new Set([...Object.values(given), "https://partners.example.com"]));
});

it.each([
  ["Unreleased", {}],
  ["2026-12-01", ADDRESSES],
])("a changelog that says %s for this version decides whether there are addresses", (date, addresses) => {
  const changelog = (version: string) =>
    `# Changelog\n\n## [${version}] - ${date}\n\n## [0.0.1] - 2026-01-01\n`;
  expect(addressesOf(changelog(schema.version))).toEqual(addresses);
  expect(addressesOf(changelog("99.0.0"))).toEqual({});
});

it("says what replaces a resource", () => {
  const inputs = Object.values(resources).flatMap(({ inputProperties }) => Object.entries(inputProperties));
  const replacing = inputs.filter(([, property]) => "willReplaceOnChanges" in (property as object));
  expect(replacing.map(([name]) => name)).toEqual(["webhookId"]);
});

/** Returns the descriptions in a part of the schema, without their programs. */
function descriptionsOf(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    name === "description" && typeof value === "string"
      ? [value.replaceAll(/^```.*?^```$/gms, "")]
      : descriptionsOf(value),
  );
}

it.each([
  [
    "the syntax of one language",
    /\bnull\b|\bundefined\b|\bRecord\b|\bawait\b|=>|\{ |: "|`"\w/,
    'by ID: `{ 101: "active" }`',
  ],
  ["names without a code mark", /^(?:[^`\n]|`[^`\n]*`)*\b[a-z]+[A-Z]/m, "changing `x` or baseUrl"],
  ["links to other pages", /\]\(/, "[keys](../keys.md)"],
])("no description contains %s, because readers of all languages see it", (_what, pattern, wrong) => {
  const descriptions = descriptionsOf(schema);
  expect(wrong).toMatch(pattern);
  expect(descriptions.length).toBeGreaterThan(50);
  expect(descriptions.filter((text) => pattern.test(text.replaceAll(/<!--.*?-->/g, "")))).toEqual([]);
});

it("each resource and function has an example in every language that we test", () => {
  const described = [schema.provider, ...Object.values(schema.resources), ...Object.values(schema.functions)];
  for (const { description } of described) {
    const languages = [...description.matchAll(/^```(\w+)\n/gm)].map(([, language]) => language);
    expect(languages.filter((language) => language !== "sh").sort()).toEqual(LANGUAGES);
  }
});

it("the descriptions say how to import and to get a resource, and which options leave keys behind", () => {
  const { "partners:index:PartnerApiKey": key, "partners:index:PartnerWebhookState": webhook } =
    schema.resources;
  for (const { description } of [key, webhook])
    for (const section of ["## Import", "## Get", "## Resource options"])
      expect(description).toContain(section);
  expect(key.description).toMatch(/leave valid keys behind.*\n\n- `retainOnDelete`.*\n- `deletedWith`/);
});
