import { describe, expect, it } from "vitest";

import { fingerprint, hint } from "../../../provider/src/plugin/key-identity.js";

describe("fingerprint", () => {
  it("is the start of the key's SHA-256", () => {
    expect(fingerprint("abcdefghijklmnop")).toBe("sha256:f39dac6cbaba535e"); // printf abcdefghijklmnop | sha256sum
  });

  it("is withheld for a key that could be found by trying", () => {
    expect(fingerprint("abcdefghijklmno")).toBeNull();
  });
});

describe("hint", () => {
  it("is the last four characters of a key of 20 or more", () => {
    expect(hint("0123456789abcdefghij")).toBe("ghij");
    expect(hint("0123456789abcdefghi")).toBeNull();
  });
});
