import fc from "fast-check";
import { expect, it } from "vitest";

import { markSecrets } from "../../../provider/src/hosts/secret-marks.js";
import { fromStruct, toStruct } from "../../../provider/src/hosts/struct.js";
import { SIGNATURE, UNKNOWN, withoutSpecialValues } from "../../../provider/src/adapter/properties.js";
import { runSeed } from "../../support/random.ts";

const SECRET = { [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270" };

it("any properties arrive as they were", () => {
  const value = fc.jsonValue({ stringUnit: "grapheme" });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), value), (properties) => {
      const values = withoutSpecialValues(properties) as Record<string, unknown>;
      expect(toStruct(values).toJavaScript()).toEqual(JSON.parse(JSON.stringify(values))); // Without -0.
    }),
    { seed: runSeed() },
  );
});

it("a secret is marked, unless it is absent or not known yet", () => {
  const properties = { response: { body: "" }, apiKey: null, hint: UNKNOWN, webhookId: 7 };
  const written = toStruct(markSecrets(properties, ["response", "apiKey", "hint"]));
  expect(written.toJavaScript()).toEqual({ ...properties, response: { ...SECRET, value: { body: "" } } });
  expect(fromStruct(written)).toEqual(properties);
});

it("secrets are unwrapped at any level, and what the dynamic host needs is left out", () => {
  const secret = (value: unknown) => ({ ...SECRET, value });
  const state = { a: secret([secret({ b: 1 })]), __provider: "exports", __urn: "urn" };
  expect(fromStruct(toStruct(state))).toEqual({ a: [{ b: 1 }] });
  expect(fromStruct(undefined)).toEqual({});
});
