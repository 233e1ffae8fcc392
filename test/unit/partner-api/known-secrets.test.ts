import { expect, it } from "vitest";

import { KnownSecrets } from "../../../provider/src/partner-api/known-secrets.ts";

const KEY = "tok?>~~>?AbCdEfGh"; // Its base64 has + and /, unlike its base64url.

function masked(text: string, headers: Readonly<Record<string, string>> = {}): string {
  const secrets = new KnownSecrets();
  secrets.add(KEY, "abc1234");
  secrets.addHeaders(headers);
  return secrets.mask(text);
}

it.each<[spelling: string, text: string]>([
  ["as it is", KEY],
  ["in another case", KEY.toUpperCase()],
  ["percent-encoded", encodeURIComponent(KEY)],
  ["in base64", Buffer.from(KEY).toString("base64").slice(0, -2)],
  ["in base64url", Buffer.from(KEY).toString("base64url").slice(0, -1)],
])("a secret is masked %s, wherever it occurs", (_spelling, text) => {
  expect(masked(`GET /${text}: no ${text}.`)).toMatch(/^GET \/\*{3}\w?: no \*{3}\w?\.$/);
});

it("what is short, or a header of words, is not masked: it may be part of any message", () => {
  const headers = { "x-debug": "true", "x-region": "eu-west-1", accept: "application/json" };
  const text = "abc1234 is true in eu-west-1, as application/json";
  expect(masked(text, headers)).toBe(text);
});

it("what has eight characters is masked, also if only a whole header has them", () => {
  expect(masked("no abcd1234, no a1b2 c3d4", { "x-short": "abcd1234", "x-parts": "a1b2 c3d4" })).toBe(
    "no ***, no ***",
  );
});

it("a secret that is not well-formed, which only a state can hold, is masked as well", () => {
  const secrets = new KnownSecrets();
  secrets.add("half \ud83d of it");
  expect(secrets.mask("no half \ud83d of it")).toBe("no ***");
});

it("of a header, a part is masked as well", () => {
  expect(masked("no user dXNlcjpwYXNz", { "x-gateway": "Basic dXNlcjpwYXNz" })).toBe("no user ***");
});

it("of two secrets, the one that contains the other is masked whole", () => {
  const secrets = new KnownSecrets();
  secrets.add("pk_live_1", "pk_live_1234");
  expect(secrets.mask("pk_live_1234, pk_live_1")).toBe("***, ***");
});
