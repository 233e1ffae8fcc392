import { describe, expect, it } from "vitest";

import { printableId, redactWords } from "../../../provider/src/api/redact.js";

const token = "tok_7Qm2Zr9XbK/+gTw=vL8sWc";
const key = "p?%k";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("what a server said", () => {
  it.each<[what: string, words: string, shown: string | null]>([
    [
      "is shown as it is",
      "Delete authentication-misconfiguration 123456789012345",
      "Delete authentication-misconfiguration 123456789012345",
    ],
    ["without the token", `bad token ${token}!`, "bad token ***!"],
    ["without the token percent-encoded", `in ${encodeURIComponent(token)}`, "in ***"],
    ["without the token in base64", `in ${base64(token)}`, "in ***="],
    ["without the token in base64url", `in ${Buffer.from(token).toString("base64url")}`, "in ***"],
    ["without the key, short as it may be", `no key ${key}`, "no key ***"],
    ["without secrets of others", "key sk_test_4eC39HqLyjWDarjtT1 revoked", "key *** revoked"],
    ["on one line", "first\r\nsecond\u2028third", "first second third"],
    ["without colours and changes of direction", "a\u001b[31mb\u202ec", "a [31mb c"],
    ["without commands to a CI system", "::set-output name=x::y", ": :set-output name=x: :y"],
    ["as nothing, if nothing is left", " \n\u0000 ", null],
  ])("%s", (_how, words, shown) => {
    expect(redactWords(words, [token, key])).toBe(shown);
  });

  it("is cut after 200 characters, and never inside a secret, where its first part would show", () => {
    expect(redactWords("ab ".repeat(100), [])).toBe(`${"ab ".repeat(66)}a…`);
    const secret = "zzzz-yyyy-zzzz";
    for (let before = 4070; before < 4100; before++) {
      const words = `${".".repeat(before).replace(/./g, (_dot, at: number) => (at % 2 ? " " : "."))}${secret}`;
      expect(redactWords(words, [secret])).not.toContain("zzz");
    }
  });

  it("keeps what is too short to be a secret", () => {
    expect(redactWords("a is b", ["a", ""])).toBe("a is b");
  });
});

describe("a request id", () => {
  it("is shown", () => {
    expect(printableId("a.B:c-d_7", [])).toBe("a.B:c-d_7");
  });

  it.each([
    ["an escape sequence", "\u001b[31mred"],
    ["a command to GitHub Actions", "::stop-commands::x"],
    ["a line break at its end", "a\n"],
    ["too much", "x".repeat(129)],
    ["no text", ["a"]],
    ["the token", "req-token-123-x"],
  ])("is not shown if it is or has %s", (_what, id) => {
    expect(printableId(id, ["token-123"])).toBeNull();
  });
});
