import { describe, expect, it } from "vitest";

import { readApiKey, type ResponseMapping } from "../../../provider/src/api/responses.js";
import { KEY, OTHER, keyOf, problemOf } from "./support.ts";

describe("responses.apiKey is the only thing used for the key", () => {
  it.each<[case_: string, body: unknown, pointer: string]>([
    ["against a stronger name", { apiKey: OTHER, data: { grant: KEY } }, "/data/grant"],
    ["through an array", { keys: [{ apiKey: OTHER }, { apiKey: KEY }] }, "/keys/1/apiKey"],
    ["with the escapes of RFC 6901", { "a/b": { "c~d": { "~1": KEY } } }, "/a~1b/c~0d/~01"],
    ["with an empty name", { "": KEY }, "/"],
    ["with a name that an object inherits from nowhere", JSON.parse(`{"__proto__":"${KEY}"}`), "/__proto__"],
    ["for the whole document", KEY, ""],
  ])("%s", (_, body, apiKey) => {
    expect(keyOf(body, { apiKey })).toMatchObject({ readable: true, apiKey: KEY });
  });

  it.each(["abc", "1234567890123456", "ab**cdefghijk", "2031-05-06"])("and believed about %s", (key) => {
    expect(keyOf({ key }, { apiKey: "/key" })).toMatchObject({ readable: true, apiKey: key });
  });

  it("and may have up to 4096 characters", () => {
    expect(keyOf({ key: "k".repeat(4096) }, { apiKey: "/key" })).toMatchObject({ readable: true });
    expect(keyOf({ key: "k".repeat(4097) }, { apiKey: "/key" })).toMatchObject({ readable: false });
  });

  it.each<[case_: string, body: unknown, pointer: string, what: string]>([
    ["a miss", { apiKey: KEY }, "/data/key", "points at nothing in the response. Candidates: /apiKey."],
    ["a miss in an array", [KEY], "/01", "points at nothing in the response. Candidates: /*."],
    ["a miss past the end of an array", [KEY], "/-", "points at nothing"],
    ["an inherited name", { apiKey: KEY }, "/constructor/name", "points at nothing"],
    [
      "a number",
      { apiKey: KEY, n: 5 },
      "/n",
      "does not point at a string of 1 to 4096 visible ASCII characters. Candidates: /apiKey.",
    ],
    ["an object", { apiKey: { key: KEY } }, "/apiKey", "does not point at a string"],
    ["an empty string", { apiKey: "" }, "/apiKey", "does not point at a string"],
    ["a sentence", { apiKey: "sent by mail" }, "/apiKey", "does not point at a string"],
    ["half a character", { apiKey: "key\ud800key" }, "/apiKey", "does not point at a string"],
    ["a setting that is no pointer", { apiKey: KEY }, "apiKey", "points at nothing"],
  ])("%s makes the response unreadable", (_, body, apiKey, what) => {
    const problem = problemOf(keyOf(body, { apiKey }));
    expect(problem).toContain(`partners:responses.apiKey ${what}`);
    expect(problem).toContain("Set partners:responses.apiKey to the JSON Pointer of the key.");
    expect(problem).not.toContain(KEY);
  });
});

describe("responses.apiKeyId is the only thing used for the id", () => {
  it.each<[case_: string, body: unknown, keyId: string]>([
    ["text", { id: 1, ref: "k-1", apiKey: KEY }, "k-1"],
    ["a number", { id: 1, ref: 77, apiKey: KEY }, "77"],
  ])("%s", (_, body, keyId) => {
    expect(keyOf(body, { apiKeyId: "/ref" })).toMatchObject({ readable: true, apiKey: KEY, keyId });
  });

  it.each<[case_: string, body: Record<string, unknown>, what: string]>([
    [
      "a miss",
      { id: 1, meta: { requestId: "r-1" } },
      "points at nothing in the response. Candidates: /id, /meta/requestId.",
    ],
    ["null", { ref: null }, "does not point at a positive whole number"],
    ["an inexact number", { ref: 2 ** 53 }, "does not point at a positive whole number"],
    ["text with spaces", { ref: "a b" }, "does not point at"],
    ["the key", { ref: KEY }, "points at the key itself."],
  ])("%s makes the response unreadable", (_, body, what) => {
    const problem = problemOf(keyOf({ apiKey: KEY, ...body }, { apiKeyId: "/ref" }));
    expect(problem).toContain(`partners:responses.apiKeyId ${what}`);
    expect(problem).toContain(
      "Set partners:responses.apiKeyId to the JSON Pointer of the id of the key, or remove it.",
    );
    expect(problem).not.toContain(KEY);
  });

  it("may have up to 256 characters", () => {
    const idOf = (length: number): unknown =>
      keyOf({ ref: "i".repeat(length), apiKey: KEY }, { apiKeyId: "/ref" });
    expect(idOf(256)).toMatchObject({ readable: true });
    expect(idOf(257)).toMatchObject({ readable: false });
  });

  it("goes with the key of the mapping", () => {
    const mapping: ResponseMapping = { apiKey: "/grant/code", apiKeyId: "/grant/number" };
    expect(keyOf({ id: 1, apiKey: OTHER, grant: { code: KEY, number: 5 } }, mapping)).toEqual({
      readable: true,
      apiKey: KEY,
      keyId: "5",
      otherSecrets: true,
    });
  });
});

describe('responses.apiKey "" takes plain text for the key', () => {
  it.each<[case_: string, text: string, apiKey: string]>([
    ["as it is", KEY, KEY],
    ["without the line break after it", `\uFEFF${KEY}\r\n`, KEY],
    ["that is short", "abc", "abc"],
    ["that is digits", "12345678901234567890\n", "12345678901234567890"],
  ])("%s", (_, text, apiKey) => {
    expect(readApiKey(text, { apiKey: "" })).toEqual({
      readable: true,
      apiKey,
      keyId: null,
      otherSecrets: false,
    });
  });

  it.each<[case_: string, text: string]>([
    ["a web page", "<html></html>"],
    ["JSON that was cut off", `{"apiKey":"${KEY}`],
    ["a string that was cut off", `"${KEY}`],
    ["a list that was cut off", `["${KEY}"`],
    ["bytes that are no text", "base64://4A"],
    ["a sentence", "Your key was sent by mail."],
    ["what is too long", "k".repeat(4097)],
    ["nothing", " \n"],
    ["null", "null"],
    ["true", "true"],
  ])("but not %s", (_, text) => {
    expect(problemOf(readApiKey(text, { apiKey: "" }))).not.toContain(KEY);
  });

  it("and nothing else does", () => {
    for (const mapping of [{}, { apiKey: "/key" }]) {
      const reading = readApiKey(KEY, mapping);
      expect(problemOf(reading)).toContain('If it is the key, set partners:responses.apiKey to "".');
      expect(reading).toMatchObject({ mappable: true });
    }
  });
});

describe("a response in which no setting could find the key says so", () => {
  it.each<[case_: string, text: string]>([
    ["empty", ""],
    ["cut off", `{"apiKey":"${KEY}`],
    ["not text", "base64://4A"],
    ["a web page", "<html>"],
    ["a sentence", "Your key was sent by mail."],
  ])("%s", (_, text) => {
    for (const mapping of [{}, { apiKey: "" }, { apiKey: "/key" }]) {
      const reading = readApiKey(text, mapping);
      expect(problemOf(reading)).toContain("No setting of partners:responses can find a key in it.");
      expect(reading).toMatchObject({ mappable: false });
    }
  });

  it("unlike JSON", () => {
    expect(keyOf({ access: { grant: KEY } })).toMatchObject({ mappable: true });
    expect(keyOf({ apiKey: KEY }, { apiKeyId: "/id" })).toMatchObject({ mappable: true });
  });
});
