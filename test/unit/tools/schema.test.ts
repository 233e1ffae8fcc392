import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import schema from "../../../provider/schema.json" with { type: "json" };
import { SECRET_OUTPUTS } from "../../../provider/src/registration.js";
import { ROOT } from "../../../provider/tools/checkout.ts";

const resources: Readonly<
  Record<string, { properties: object; inputProperties: object; requiredInputs?: string[] }>
> = schema.resources;

it("marks the secret outputs, the access token and the headers as secrets", () => {
  const secrets = [...Object.values(resources), schema.provider].flatMap(({ properties }) =>
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

it("declares everything that the YAML example uses", () => {
  const program = parse(readFileSync(join(ROOT, "examples/yaml/Pulumi.yaml"), "utf8")) as {
    readonly resources: Readonly<Record<string, { readonly type: string; readonly properties: object }>>;
    readonly outputs: object;
  };
  const resourceOf = (name: string) => resources[program.resources[name]?.type.replace(":", ":index:") ?? ""];
  for (const [name, { properties }] of Object.entries(program.resources)) {
    const { inputProperties, requiredInputs = [] } = resourceOf(name) ?? expect.fail(`${name} has no type`);
    expect(Object.keys(inputProperties), name).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(properties), name).toEqual(expect.arrayContaining(requiredInputs));
  }
  for (const [, name = "", output = ""] of JSON.stringify(program.outputs).matchAll(/\{(\w+)\.(\w+)\}/g))
    expect(resourceOf(name)?.properties, `${name}.${output}`).toHaveProperty(output);
});
