import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { SECRET_OUTPUTS } from "../../provider/src/registration.js";
import { ROOT } from "../../provider/tools/checkout.ts";

interface Resource {
  readonly properties: Readonly<Record<string, { readonly secret?: boolean }>>;
  readonly inputProperties: Readonly<Record<string, unknown>>;
  readonly requiredInputs?: readonly string[];
  readonly required?: readonly string[];
  readonly listInputs?: object;
}

interface Schema {
  readonly provider: Resource;
  readonly resources: Readonly<Record<string, Resource>>;
}

interface Program {
  readonly resources: Readonly<Record<string, { readonly type: string; readonly properties: object }>>;
  readonly outputs: Readonly<Record<string, string>>;
}

const schema = JSON.parse(readFileSync(join(ROOT, "provider/schema.json"), "utf8")) as Schema;

it("marks the secret outputs and the access token as secrets", () => {
  const secrets = Object.values({ ...schema.resources, provider: schema.provider }).flatMap(
    ({ properties }) => Object.keys(properties).filter((name) => properties[name]?.secret),
  );
  // `internal` is not in the schema, because programs do not use it. The plugin itself marks a `previousApiKey`.
  const marked = SECRET_OUTPUTS.filter((name) => !["internal", "previousApiKey"].includes(name));
  expect(secrets.sort()).toEqual([...marked, "accessToken"].sort());
});

// With such defaults, generated SDKs would send the token of one account to the server of another.
it("has no defaults from the environment", () => {
  expect(JSON.stringify(schema)).not.toContain("defaultInfo");
});

// `pulumi do` would refuse settings from the environment, and the Partner API cannot list keys.
it("requires no input of the provider, and offers to list webhooks", () => {
  const { required, requiredInputs } = schema.provider;
  expect([required, requiredInputs]).toEqual([undefined, undefined]);
  const listed = Object.entries(schema.resources).filter(([, { listInputs }]) => listInputs);
  expect(listed.map(([type]) => type)).toEqual(["partners:index:PartnerWebhookState"]);
});

it("declares everything that the YAML example uses", () => {
  const program = parse(readFileSync(join(ROOT, "examples/yaml/Pulumi.yaml"), "utf8")) as Program;
  const resourceOf = (name: string): Resource | undefined =>
    schema.resources[program.resources[name]?.type.replace(":", ":index:") ?? ""];
  for (const [name, { properties }] of Object.entries(program.resources)) {
    const { inputProperties, requiredInputs = [] } =
      resourceOf(name) ?? expect.fail(`${name} has no known type`);
    expect(Object.keys(inputProperties), name).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(properties), name).toEqual(expect.arrayContaining([...requiredInputs]));
  }
  for (const [, name = "", output = ""] of JSON.stringify(program.outputs).matchAll(/\{(\w+)\.(\w+)\}/g))
    expect(resourceOf(name)?.properties, `${name}.${output}`).toHaveProperty(output);
});
