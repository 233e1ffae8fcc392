import proto from "@pulumi/pulumi/proto/provider_pb.js";
import fc from "fast-check";
import { expect, it } from "vitest";

import { SIGNATURE, UNKNOWN, withoutSpecialValues } from "../../../provider/src/shared/properties.js";
import { secretListField, toStruct } from "../../../provider/src/hosts/struct.js";
import { runSeed } from "../../support/random.ts";

const plain = (properties: Record<string, unknown>, secrets: string[] = []): unknown =>
  toStruct(properties, secrets).toJavaScript();

it("any properties arrive as they were, and nothing is undefined", () => {
  const value = fc.jsonValue({ stringUnit: "grapheme" });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), value), (properties) => {
      const values = withoutSpecialValues(properties) as Record<string, unknown>;
      expect(plain(values)).toEqual(JSON.parse(JSON.stringify(values))); // Without -0.
    }),
    { seed: runSeed() },
  );
  expect(plain({ a: undefined, b: [undefined, NaN] })).toEqual({ a: null, b: [null, null] });
});

const SECRET = { [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270" };

it("a secret is marked, unless it is absent or not known yet", () => {
  const secrets = ["response", "apiKey", "hint"];
  expect(plain({ response: { body: "" }, apiKey: null, hint: UNKNOWN, webhookId: 7 }, secrets)).toEqual({
    response: { ...SECRET, value: { body: "" } },
    apiKey: null,
    hint: UNKNOWN,
    webhookId: 7,
  });
});

it("a secret list that is written one element at a time arrives as it was", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ stringUnit: "grapheme" })), (values) => {
      const list = withoutSpecialValues(JSON.parse(JSON.stringify(values))) as unknown[]; // Without -0.
      const response = proto.InvokeResponse.deserializeBinary(secretListField(1, "webhooks", list));
      const expected = { webhooks: { ...SECRET, value: list } };
      expect(response.getReturn()?.toJavaScript()).toEqual(expected);
    }),
    { seed: runSeed() },
  );
});
