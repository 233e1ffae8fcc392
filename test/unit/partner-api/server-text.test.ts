import { expect, it } from "vitest";

import { KnownSecrets } from "../../../provider/src/partner-api/known-secrets.ts";
import { quoteServer } from "../../../provider/src/partner-api/server-text.ts";

const TOKEN = "tok/7Qm2+Zr9?XbK%gTw";
const KEY = "pk?live/letters";
const ROOT = "/api/v1/partners";

const secrets = new KnownSecrets();
secrets.addToken(TOKEN);
secrets.addKey(KEY);
secrets.addHeaders({ "x-version": "1" });
const quote = (text: string, type = "application/json"): string | null =>
  quoteServer({ text, headers: { "content-type": type } }, (said) => secrets.areIn(said));
const said = (message: string): string | null => quote(JSON.stringify({ message }));
const base64 = (text: string, form: "base64" | "base64url" = "base64"): string =>
  Buffer.from(text).toString(form);

it.each<[body: string, words: string | null]>([
  ['{"message":"At most 5 keys","error":"Forbidden"}', "At most 5 keys"],
  ['{"error":{"code":"E1","message":"At most 5 keys"}}', "At most 5 keys"],
  ['{"error":"invalid_client","error_description":"Unknown client"}', "Unknown client"],
  ['{"type":"about:blank","title":"Forbidden","detail":"At most 5 keys"}', "At most 5 keys"],
  ['{"errors":[{"message":"At most 5 keys"},{"message":"Try later"}]}', "At most 5 keys"],
  ['{"errors":["At most 5 keys","Try later"]}', "At most 5 keys"],
  ['{"errors":[{"title":"Forbidden","detail":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"error":"Forbidden"}', "Forbidden"],
  ['{"message":" ","error":"Forbidden"}', "Forbidden"],
  ['{"detail":[{"loc":["path","id"],"msg":"Not a number"}]}', "Not a number"],
  ['{"fault":{"faultstring":"Quota exceeded","detail":{"errorcode":"x"}}}', "Quota exceeded"],
  ['{"errors":{"base":["At most 5 keys","Try later"]}}', "At most 5 keys"],
  ['{"message":["At most 5 keys"],"error":"Forbidden"}', "At most 5 keys"],
  ['{"error":{"message":{"message":"too deep"}}}', null],
  ['{"message":{"text":"x"}}', null],
  ['{"errors":[]}', null],
  ["<html>Forbidden</html>", null],
])("the server's words in %s are %j", (body, words) => {
  expect(quote(body)).toBe(words);
});

it.each<[text: string, words: string | null]>([
  ["Monthly quota exceeded\n", "Monthly quota exceeded"],
  ['{"message":"At most 5 keys"}', "At most 5 keys"],
  ["key sk_test_4eC39HqLyjWDarjtT1 revoked", "key *** revoked"],
  [`no access for ${KEY}`, null],
  ["Error: no\n  at main.go:7", null],
  ["ab ".repeat(100), null],
  ["<html>Forbidden</html>", null],
  [" \n", null],
])("the server's words in the plain text %j are %j", (text, words) => {
  expect(quote(text, "text/plain; charset=utf-8")).toBe(words);
  if (!text.startsWith("{")) expect(quote(text, "text/html")).toBeNull();
});

it.each<[spelling: string, text: string]>([
  ["as it is", KEY],
  ["percent-encoded", encodeURIComponent(TOKEN)],
  ["percent-encoded in lower case", encodeURIComponent(TOKEN).toLowerCase()],
  ["in base64", base64(TOKEN)],
  ["in base64url", base64(TOKEN, "base64url")],
  ["in base64, with more text", base64(`${TOKEN}~x`)],
  ["with an invisible character in it", `${TOKEN.slice(0, 5)}\u200b${TOKEN.slice(5)}`],
  ["after 100,000 characters", `${"x ".repeat(50_000)}${TOKEN}`],
])("nothing is quoted if a secret occurs in it %s", (_spelling, text) => {
  expect(said(`no access for ${text}, sorry`)).toBeNull();
});

it("nothing is quoted if it shows nothing", () => {
  expect(said("\u200b\u0000\n")).toBeNull();
});

it.each<[how: string, text: string, shown: string]>([
  ["is unchanged", "At most 5 keys of 123456789012345", "At most 5 keys of 123456789012345"],
  ["has no other secrets", "key sk_test_4eC39HqLyjWDarjtT1 revoked", "key *** revoked"],
  ["has the path of an operation", `no PATCH ${ROOT}/webhooks/101/on`, `no PATCH ${ROOT}/webhooks/101/on`],
  ["has no key in a path", `no ${ROOT}/api-key/pk_4eC39HqLyjWDarjtT1 here`, `no ${ROOT}/api-key/*** here`],
  ["has no secret before a path", `sk4eC39HqLyjWDarjtT1${ROOT}/x`, `***${ROOT}/x`],
  ["has no other path", "see /api/v2/partners/webhooks", "see ***"],
  ["is one line", "first\r\nsecond\u2028third", "first second third"],
  ["has no colors, no changes of direction", "a\u001b[31mb\u202ec", "a [31mbc"],
  ["has no commands of a CI system", "::set x=y ##[x] #\u200b#vso[y]", ": :set x=y # #[x] # #vso[y]"],
  ["may contain a secret that is too short to be one", "at most 1 key", "at most 1 key"],
  ["is well-formed", "half \ud83d", "half \ufffd"],
])("what is quoted %s", (_how, text, shown) => {
  expect(said(text)).toBe(shown);
});

it("what is quoted has at most 200 characters", () => {
  expect(said("ab ".repeat(100))).toBe(`${"ab ".repeat(66)}a…`);
  expect(said(":".repeat(400))).toHaveLength(200);
});

it("what is quoted is found in 8 MiB of one character without an error", () => {
  for (const character of ["x", "7", "\u0000", "\u200b", " "]) {
    const text = character.repeat((8 * 1024 * 1024) / Buffer.byteLength(character));
    expect((said(text) ?? "").length, JSON.stringify(character)).toBeLessThanOrEqual(200);
    expect(quote(text)).toBeNull();
    expect(quote(text, "text/plain")).toBeNull();
  }
});
