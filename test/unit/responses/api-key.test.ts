import { describe, expect, it } from "vitest";

import { readApiKey } from "../../../provider/src/api/responses.js";
import { KEY, OTHER, keyOf, problemOf, readable } from "./support.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
const REMEDY = "Set partners:responses.apiKey to the JSON Pointer of the key.";

describe("the key is recognised", () => {
  it.each<[shape: string, body: unknown, keyId: string | null]>([
    ["flat", { apiKey: KEY }, null],
    ["in snake case", { api_key: KEY }, null],
    ["in any other spelling", { "API-Key": KEY }, null],
    ["under a plain name", { key: KEY }, null],
    ["as a token", { token: KEY, token_type: "Bearer", expires_in: 3600 }, null],
    ["as a bare JSON string", KEY, null],
    ["in an envelope with a status", { status: "success", code: 201, data: { apiKey: KEY } }, null],
    ["in an object of its own", { apiKey: { id: 7, name: "ci-deploy", key: KEY } }, "7"],
    ["as the value of an object called key", { key: { id: "k-7", value: KEY } }, "k-7"],
    ["in a JSON:API document", { data: { type: "api-keys", id: "9", attributes: { key: KEY } } }, "9"],
    ["inside an object of its own", { apiKey: { attributes: { key: KEY } }, token: OTHER }, null],
    ["as the secret of a credential", { credential: { id: "c_1", secret: KEY } }, "c_1"],
    ["four objects deep", { response: { data: { attributes: { apiKey: { token: KEY } } } } }, null],
    [
      "beside an id that could be a key",
      { id: "0b7c2d1e-4f5a-6b7c-8d9e-0a1b2c3d4e5f", key: KEY },
      "0b7c2d1e-4f5a-6b7c-8d9e-0a1b2c3d4e5f",
    ],
    ["beside its display prefix under a name of its own", { prefix: "sk_live_9f8E", apiKey: KEY }, null],
    ["beside its display prefix under a name for keys", { key: "sk_live_9f8E", token: KEY }, null],
    ["beside its masked form under a stronger name", { apiKey: "sk_live_****3210", key: KEY }, null],
    [
      "beside forms masked in other ways",
      { apiKey: "sk_live_...3210", rawKey: "sk_xxxxxxxxxx", key: "sk_####3210", secret: KEY },
      null,
    ],
    ["beside a redacted secret", { apiKey: KEY, key: "[REDACTED]" }, null],
    [
      "beside a hash and a hint",
      { apiKeyHash: "5f4dcc3b5aa765d61d8327deb882cf99", keyHint: "...3210-hint", apiKey: KEY },
      null,
    ],
    ["twice", { key: KEY, apiKey: { id: 3, key: KEY } }, "3"],
    ["beside a session token", { apiKey: KEY, token: JWT }, null],
    ["beside a message and a URL", { message: "created", key: KEY, url: "https://a.example/keys/7" }, null],
    ["beside a label under a name for keys", { key: "ci key", value: KEY }, null],
    [
      "beside a URL, a date and a number under names for keys",
      { key: "https://a.example/k/1", value: "2031-05-06T07:08:09Z", token: "1234567890", secret: KEY },
      null,
    ],
    ["beside other forms of hiding", { apiKey: "XXXX-XXXX-XXXX-9F3A", key: "(hidden)", token: KEY }, null],
    ["beside text that begins with it", { apiKey: KEY, message: `${KEY} is your key` }, null],
    ["beside a date without a time", { key: "2031-05-06", token: KEY }, null],
    ["beside the scheme of its header", { token: "BearerToken", secret: KEY }, null],
    [
      "beside a number, null, a flag and a list",
      { key: 12345678901, token: null, secret: true, value: [OTHER], apiKey: KEY },
      null,
    ],
    ["beside a key in an array", { apiKey: KEY, keys: [{ apiKey: OTHER }] }, null],
    [
      "in an object with a member __proto__",
      JSON.parse(`{"__proto__":{"apiKey":"${OTHER}"},"apiKey":"${KEY}"}`),
      null,
    ],
  ])("%s", (_, body, keyId) => {
    expect(keyOf(body)).toMatchObject({ readable: true, apiKey: KEY, keyId });
  });

  it("after a byte order mark", () => {
    expect(readApiKey(`\uFEFF{"apiKey":"${KEY}"}`, {})).toMatchObject({ readable: true, apiKey: KEY });
  });

  it("as a bare JSON string of 16 characters", () => {
    expect(keyOf("abcdefghijklmnop")).toMatchObject({
      readable: true,
      apiKey: "abcdefghijklmnop",
      keyId: null,
    });
  });

  it("when it is a JWT", () => {
    expect(keyOf({ accessToken: JWT })).toMatchObject({ readable: true, apiKey: JWT });
  });

  it.each([8, 4096])("with a length of %d", (length) => {
    const apiKey = "k".repeat(length);
    expect(keyOf({ apiKey })).toMatchObject({ readable: true, apiKey });
  });
});

describe("the key is refused, and the message lists the paths of candidates", () => {
  it.each<[shape: string, body: unknown, what: string]>([
    [
      "two distinct strong names",
      { apiKey: KEY, apiToken: OTHER },
      "More than one value of the response could be the key: /apiKey, /apiToken.",
    ],
    [
      "two spellings of a name",
      { apiKey: KEY, api_key: OTHER },
      "More than one value of the response could be the key: /apiKey, /api_key.",
    ],
    [
      "two distinct weak names",
      { result: { key: KEY, token: OTHER } },
      "could be the key: /result/key, /result/token.",
    ],
    [
      "a pair inside apiKey",
      { apiKey: { key: KEY, secret: OTHER } },
      "could be the key: /apiKey/key, /apiKey/secret.",
    ],
    [
      "a pair that looks like a setting",
      { key: "deploy-key-name", value: KEY },
      "could be the key: /key, /value.",
    ],
    [
      "a weak name that continues the strong one",
      { apiKey: "sk_live_9f8E", token: KEY },
      "could be the key: /apiKey, /token.",
    ],
    [
      "a value that another one continues, whatever its name and place",
      { apiKey: "pk_live_abcd", fullKeyValue: "pk_live_abcdefghijklmnop" },
      "could be the key: /apiKey, /fullKeyValue.",
    ],
    [
      "a value that an element of an array continues",
      { key: "sk_live_9f8E", grants: [{ code: KEY }] },
      "could be the key: /key, /grants/*/code.",
    ],
    [
      "a value that a masked one continues",
      { apiKey: "sk_live_9f8E", display: "sk_live_9f8E****" },
      "could be the key: /apiKey, /display.",
    ],
    [
      "a value that something made from it continues",
      { apiKey: KEY, sessionToken: `${KEY}.${OTHER}` },
      "could be the key: /apiKey, /sessionToken.",
    ],
    ...[
      ...["XXXX-XXXX-XXXX-9F3A", "xxxx-9F3A-8E7D", "pk_live_----------9F3A", "pk_live_______9F3A"],
      ...["(hidden)", "[FILTERED]", "<your-key>", "sk_live_hidden", "hidden-by-policy"],
    ].map((apiKey): [string, unknown, string] => [
      `the mask ${apiKey}`,
      { apiKey },
      "Nothing in it looks like one.",
    ]),
    [
      "an unknown name",
      { access: { grant: KEY } },
      "No key was recognised in the response. Candidates: /access/grant.",
    ],
    ["an array of keys", { data: [{ apiKey: KEY }] }, "Candidates: /data/*/apiKey."],
    ["an array at the root", [KEY], "Candidates: /*."],
    [
      "an object five deep",
      { data: { data: { data: { data: { data: { apiKey: KEY } } } } } },
      "Candidates: /data/data/data/data/data/apiKey.",
    ],
    ["an object of an unknown name", { partner: { apiKey: KEY } }, "Candidates: /partner/apiKey."],
    [
      "a masked key",
      { apiKey: "sk_live_************3210" },
      "No key was recognised in the response. Nothing in it looks like one.",
    ],
    [
      "a key that is cut short with an ellipsis",
      { apiKey: "sk_live_9f8E…" },
      "Nothing in it looks like one.",
    ],
    ["only an id", { id: KEY, keyId: KEY, apiKeyId: KEY }, "Nothing in it looks like one."],
    [
      "only a prefix and a hash",
      { keyPrefix: "sk_live_9f8E", key_hash: OTHER },
      "Nothing in it looks like one.",
    ],
    ["a message in place of the key", { apiKey: "sent by mail" }, "Nothing in it looks like one."],
    ["a URL in place of the key", { key: "https://a.example/keys/7" }, "Nothing in it looks like one."],
    ["a number in place of the key", { apiKey: 1234567890123456 }, "Nothing in it looks like one."],
    ["digits in place of the key", { apiKey: "1234567890123456" }, "Nothing in it looks like one."],
    [
      "a date in place of the key",
      { token: "2031-05-06T07:08:09.123+02:00" },
      "Nothing in it looks like one.",
    ],
    ["7 characters", { apiKey: "abc1234" }, "Nothing in it looks like one."],
    ["4097 characters", { apiKey: "k".repeat(4097) }, "Nothing in it looks like one."],
    ["a bare string of 15 characters", "abcdefghijklmno", 'Candidates: "" (the whole response).'],
    ["a bare sentence", "Your key was sent by mail.", "Nothing in it looks like one."],
    ["an empty object", {}, "Nothing in it looks like one."],
    ["null", null, "Nothing in it looks like one."],
    [
      "names that may be data",
      { "a@b.example": KEY, x9: KEY, ["n".repeat(25)]: KEY, "a/b": { c: KEY } },
      "Candidates: /*, /*/c.",
    ],
  ])("%s", (_, body, what) => {
    const problem = problemOf(keyOf(body));
    expect(problem).toContain(what);
    expect(problem.endsWith(` ${REMEDY}`)).toBe(true);
    expect(problem).not.toContain(KEY);
    expect(problem).not.toContain(OTHER);
  });

  it("lists eight candidates at most", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    const candidates = (count: number): string =>
      problemOf(keyOf(Object.fromEntries(names.slice(0, count).map((name) => [name, KEY]))));
    expect(candidates(8)).toContain("Candidates: /a, /b, /c, /d, /e, /f, /g, /h. ");
    expect(candidates(9)).toContain("Candidates: /a, /b, /c, /d, /e, /f, /g, /h and more. ");
  });
});

it.each(["Ab3----Cd", "Ab3_____Cd-_-", "aXXXXb-9f8E7d", "9f8xxxx-9f8E7d", "unhidden7key", "a(b)c(defg)"])(
  "the key %s is not masked",
  (apiKey) => {
    expect(keyOf({ apiKey })).toMatchObject({ readable: true, apiKey });
  },
);

it("a value that another one continues is refused at any depth", () => {
  const deep = `${'{"x":'.repeat(50)}"${KEY}"${"}".repeat(50)}`;
  expect(problemOf(readApiKey(`{"apiKey":"${KEY.slice(0, 12)}","y":${deep}}`, {}))).toContain("/apiKey");
});

describe("a body that is not JSON is called what it is", () => {
  it.each([
    ["", "The body of the response is empty."],
    [" \r\n", "The body of the response is empty."],
    ["\n<!doctype html><title>Log in</title>", "it looks like an HTML page. Check that partners:baseUrl"],
    [`{"apiKey":"${KEY}`, "The body of the response is not JSON; it may have been cut off."],
    [KEY, "The body of the response is not JSON."],
  ])("%j", (text, problem) => {
    expect(problemOf(readApiKey(text, {}))).toContain(problem);
  });
});

describe("the id of the key", () => {
  it.each<[case_: string, body: unknown, keyId: string | null]>([
    ["prefers the name that says most", { id: 1, keyId: 2, apiKeyId: 3, apiKey: KEY }, "3"],
    ["is not taken from another object", { id: 1, apiKey: { key: KEY } }, null],
    ["is never the key", { id: KEY, key: KEY }, null],
    ["is never something that holds the key", { id: `key:${KEY}`, key: KEY }, null],
    ["is not a number that JSON cannot carry exactly", { id: 2 ** 53, key: KEY }, null],
    [
      "is not zero, a fraction, a flag or text with spaces",
      { id: 0, keyId: 1.5, apiKeyId: true, ID: "a b", key: KEY },
      null,
    ],
    ["is not one of two spellings that differ", { keyId: 1, key_id: 2, id: 3, key: KEY }, null],
    ["is not one of two places that differ", { id: 1, apiKey: KEY, data: { id: 2, apiKey: KEY } }, null],
  ])("%s", (_, body, keyId) => {
    expect(readable(keyOf(body)).keyId).toBe(keyId);
  });
});
