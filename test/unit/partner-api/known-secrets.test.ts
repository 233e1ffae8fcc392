import { expect, it } from "vitest";

import { KnownSecrets } from "../../../provider/src/partner-api/known-secrets.ts";

const KEY = "tok?>~~>?AbCdEfGh"; // Its base64 has + and /, unlike its base64url.

/** Returns what is known after reading these. */
function knownSecrets(token: string, keys: readonly string[], headers: Record<string, string> = {}) {
  const secrets = new KnownSecrets();
  secrets.addToken(token);
  for (const key of keys) secrets.addKey(key);
  secrets.addHeaders(headers);
  return secrets;
}

const SPELLINGS: [spelling: string, text: string][] = [
  ["as it is", KEY],
  ["in another case", KEY.toUpperCase()],
  ["percent-encoded", encodeURIComponent(KEY)],
  ["in base64", Buffer.from(KEY).toString("base64").slice(0, -2)],
  ["in base64url", Buffer.from(KEY).toString("base64url").slice(0, -1)],
];

it.each(SPELLINGS)("a secret is found, and masked, wherever it occurs: %s", (_spelling, text) => {
  const secrets = knownSecrets("another-token", [KEY]);
  expect(secrets.mask(`GET /${text}: no ${text}.`)).toMatch(/^GET \/\*{3}\w?: no \*{3}\w?\.$/);
  expect(secrets.areIn(`no ${text}.`)).toBe(true);
  expect(new KnownSecrets().areIn(`no ${text}.`, [KEY])).toBe(true);
  expect(new KnownSecrets().areIn(`no ${text}.`)).toBe(false);
});

it("what is short, or a header or key of words, is not masked: a command may contain it", () => {
  const headers = { "x-debug": "true", "x-region": "eu-west-1", accept: "application/json" };
  const secrets = knownSecrets("abcd123", ["checkout", "pk_1234"], headers);
  const text = 'run "pulumi up" for checkout in eu-west-1 with abcd123 and pk_1234: application/json, true';
  expect(secrets.mask(text)).toBe(text);
});

it("any of them that has four characters is found all the same, so that nothing is quoted", () => {
  const secrets = knownSecrets("abcd123", ["checkout", "pk_1"], { "x-debug": "true", "x-version": "1" });
  const found = ["abcd123", "checkout", "pk_1", "true"].map((text) => secrets.areIn(`no ${text}`));
  expect(found).toEqual([true, true, true, true]);
  expect(secrets.areIn("no 1")).toBe(false);
});

it("an access token of words is masked", () => {
  expect(knownSecrets("production", []).mask("no production")).toBe("no ***");
});

it("of a header, a part is masked as well", () => {
  const secrets = knownSecrets("another-token", [], { "x-gateway": "Basic dXNlcjpwYXNz" });
  expect(secrets.mask("no user dXNlcjpwYXNz")).toBe("no user ***");
});

it("of two secrets, the one that contains the other is masked whole", () => {
  expect(knownSecrets("pk_live_1", ["pk_live_1x4"]).mask("pk_live_1x4, pk_live_1")).toBe("***, ***");
});

it("half a character is replaced", () => {
  expect(new KnownSecrets().mask("half \ud83d")).toBe("half \ufffd");
});
