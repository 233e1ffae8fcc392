import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

import { SECRET_OUTPUTS } from "../../provider/src/registration.js";
import { ROOT } from "../support/checkout.ts";

interface Type {
  readonly $ref?: string;
  readonly type?: string;
  readonly secret?: boolean;
  readonly enum?: readonly { readonly value: string }[];
  readonly properties?: Readonly<Record<string, Type>>;
  readonly required?: readonly string[];
}

interface Resource extends Type {
  readonly properties: Readonly<Record<string, Type>>;
  readonly inputProperties: Readonly<Record<string, Type>>;
  readonly requiredInputs?: readonly string[];
}

interface Schema {
  readonly provider: Resource;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly types: Readonly<Record<string, Type>>;
}

interface Program {
  readonly resources: Readonly<Record<string, { readonly type: string; readonly properties: object }>>;
  readonly outputs: Readonly<Record<string, string>>;
}

const schema = JSON.parse(readFileSync(join(ROOT, "provider/schema.json"), "utf8")) as Schema;

it("declares as secret what is secret in state, and the token", () => {
  const secrets = Object.values({ ...schema.resources, provider: schema.provider }).flatMap(
    ({ properties }) => Object.keys(properties).filter((name) => properties[name]?.secret),
  );
  // Programs do not need `internal`.
  expect(secrets.sort()).toEqual(
    [...SECRET_OUTPUTS.filter((name) => name !== "internal"), "accessToken"].sort(),
  );
});

// Generated SDKs would fill an explicit provider from the environment, and send the token of one account to the server of another.
it("takes no default from the environment", () => {
  expect(JSON.stringify(schema)).not.toContain("defaultInfo");
});

it("has all that the example in YAML uses", () => {
  const program = parse(readFileSync(join(ROOT, "examples/yaml/Pulumi.yaml"), "utf8")) as Program;
  const resourceOf = (name: string): Resource | undefined =>
    schema.resources[program.resources[name]?.type.replace(":", ":index:") ?? ""];
  for (const [name, { properties }] of Object.entries(program.resources)) {
    const { inputProperties, requiredInputs = [] } =
      resourceOf(name) ?? expect.fail(`${name} has no known type`);
    expectFits({ type: "object", properties: inputProperties, required: requiredInputs }, properties, name);
  }
  for (const [, name = "", output = ""] of JSON.stringify(program.outputs).matchAll(/\{(\w+)\.(\w+)\}/g))
    expect(resourceOf(name)?.properties, `${name}.${output}`).toHaveProperty(output);
});

/** Holds that a value of a program has a type of the schema. */
function expectFits(given: Type, value: unknown, path: string): void {
  const type = given.$ref === undefined ? given : schema.types[given.$ref.replace("#/types/", "")];
  if (type?.enum)
    expect(
      type.enum.map((one) => one.value),
      path,
    ).toContain(value);
  else if (type?.type === "object") {
    const { properties = {}, required = [] } = type;
    expect(Object.keys(properties), path).toEqual(expect.arrayContaining(Object.keys(value as object)));
    expect(Object.keys(value as object), path).toEqual(expect.arrayContaining([...required]));
    for (const [name, member] of Object.entries(value as object))
      expectFits(properties[name] ?? {}, member, `${path}.${name}`);
  } else expect(typeof value, path).toBe(type?.type === "integer" ? "number" : type?.type);
}
