import { expect, it } from "vitest";

import {
  partsOf,
  SIGNATURE,
  UNKNOWN,
  withoutSpecialValues,
  withoutUndefined,
} from "../../../provider/src/adapter/properties.js";

it("a service's value loses what the engine or the SDK would take for a file, a secret or an unknown", () => {
  const special = { [SIGNATURE]: "c44067f5952c0a29", __pulumiResource: true, path: "/etc/passwd" };
  expect(withoutSpecialValues([special, UNKNOWN])).toEqual([{ path: "/etc/passwd" }, null]);
});

it("a service's value loses what would become the prototype of what a program reads", () => {
  const record: unknown = JSON.parse('{"__proto__":{"active":true},"id":[{"__proto__":null}]}');
  expect(JSON.stringify(withoutSpecialValues(record))).toBe('{"id":[{}]}');
});

it("a service's value keeps what the engine can decode: whole characters, and at most 100 levels", () => {
  expect(withoutSpecialValues({ "a\ud800": ["\udfff", "😀", 2n ** 64n] })).toEqual({
    "a\ufffd": ["\ufffd", "😀", "18446744073709551616"],
  });
  const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  expect(withoutSpecialValues(nested(100))).toEqual(nested(100));
  const cut = `${"[".repeat(100)}null${"]".repeat(100)}`;
  expect(JSON.stringify(withoutSpecialValues(nested(100_000)))).toBe(cut);
});

it("what is undefined becomes null, at any level", () => {
  const properties = { a: undefined, b: [undefined, NaN, { c: undefined }], d: 0 };
  expect(withoutUndefined(properties)).toEqual({ a: null, b: [null, null, { c: null }], d: 0 });
});

it("a URN has a project, a type and a name, which may contain anything", () => {
  const parts = { project: "shop", type: "my:Shop$partners:index:PartnerApiKey", name: "a::b" };
  expect(partsOf("urn:pulumi:dev::shop::my:Shop$partners:index:PartnerApiKey::a::b")).toEqual(parts);
  expect(partsOf("")).toEqual({ project: "", type: "", name: "" });
});
