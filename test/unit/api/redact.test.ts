import { describe, expect, it } from "vitest";

import { printableId, redactText, serverMessage } from "../../../provider/src/api/redact.js";

const token = "tok_7Qm2Zr9XbK/+gTw=vL8sWc";
const key = "p?%k";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("text from a server", () => {
  it.each<[how: string, text: string, shown: string | null]>([
    ["is shown unchanged", "misconfigurations 123456789012345", "misconfigurations 123456789012345"],
    ["without the token", `bad token ${token}!`, "bad token ***!"],
    ["without the token percent-encoded", `in ${encodeURIComponent(token)}`, "in ***"],
    ["without the token in base64", `in ${base64(token)}`, "in ***="],
    ["without the token in base64url", `in ${Buffer.from(token).toString("base64url")}`, "in ***"],
    ["without the key, even a short one", `no key ${key}`, "no key ***"],
    ["without other secrets", "key sk_test_4eC39HqLyjWDarjtT1 revoked", "key *** revoked"],
    ["on one line", "first\r\nsecond\u2028third", "first second third"],
    ["without colors and changes of text direction", "a\u001b[31mb\u202ec", "a [31mb c"],
    ["without CI commands", "::set-output name=x::y", ": :set-output name=x: :y"],
    ["as null if nothing is left", " \n\u0000 ", null],
  ])("%s", (_how, text, shown) => {
    expect(redactText(text, [token, key])).toBe(shown);
  });

  it("is cut after 200 characters, but never inside a secret, whose start would remain", () => {
    expect(redactText("ab ".repeat(100), [])).toBe(`${"ab ".repeat(66)}a…`);
    const secret = "zzzz-yyyy-zzzz";
    for (let before = 4070; before < 4100; before++) {
      const words = `${".".repeat(before).replace(/./g, (_dot, at: number) => (at % 2 ? " " : "."))}${secret}`;
      expect(redactText(words, [secret])).not.toContain("zzz");
    }
  });
});

it.each<[how: string, id: unknown, shown: string | null]>([
  ["is shown", "a.B:c-d_7", "a.B:c-d_7"],
  ["is not shown if it has an escape sequence", "\u001b[31mred", null],
  ["is not shown if it has a GitHub Actions command", "::stop-commands::x", null],
  ["is not shown if it ends with a line break", "a\n", null],
  ["is not shown if it is too long", "x".repeat(129), null],
  ["is not shown if it is not text", ["a"], null],
  ["is not shown if it has the token", "req-token-123-x", null],
])("a request ID %s", (_how, id, shown) => {
  expect(printableId(id, ["token-123"])).toBe(shown);
});

it.each<[text: string, words: string | null]>([
  ['{"message":"At most 5 keys","error":"Forbidden"}', "At most 5 keys"],
  ['{"error":{"code":"E1","message":"At most 5 keys"}}', "At most 5 keys"],
  ['{"error":"invalid_client","error_description":"Unknown client"}', "Unknown client"],
  ['{"type":"about:blank","title":"Forbidden","detail":"At most 5 keys"}', "At most 5 keys"],
  ['{"errors":[{"message":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"message":" ","error":"Forbidden"}', "Forbidden"],
  ['{"message":{"text":"x"}}', null],
  ["<html>Forbidden</html>", null],
  ["", null],
])("the message in %s is %j", (text, words) => {
  expect(serverMessage(text)).toBe(words);
});
