import { describe, expect, it } from "vitest";

import { KEY, OTHER, keyOf, readable } from "./support.ts";

const PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----\n";

describe("a second secret is seen", () => {
  it.each<[case_: string, rest: Record<string, unknown>]>([
    ["a signing secret", { signingSecret: OTHER }],
    ["a refresh token", { refresh_token: OTHER }],
    ["a weak name", { token: OTHER }],
    ["a value beside the key", { value: OTHER }],
    ["a password", { account: { password: "hunter2x" } }],
    ["a password of digits", { password: "98765432" }],
    ["a private key with line breaks", { privateKey: PEM }],
    ["a private key longer than any API key", { private_key: "k".repeat(5000) }],
    ["a passphrase with spaces", { passphrase: "correct horse battery" }],
    ["elements of an array", { recoveryTokens: ["recover-1a", "recover-2b"] }],
    ["a member of objects in an array", { webhooks: [{ id: 1 }, { id: 2, secret: OTHER }] }],
    ["a value inside an object with the name of a secret", { webhookSecret: { id: 1, value: OTHER } }],
    ["a value in a list of credentials", { credentials: [{ value: OTHER }] }],
    ["something that has the key and more in it", { sessionToken: `${OTHER}.${KEY}` }],
    ["words that only speak of hiding", { passphrase: "correct-hidden-battery" }],
    ["a secret at a great depth", { a: { b: { c: { d: { e: { f: { g: { clientSecret: OTHER } } } } } } } }],
  ])("%s", (_, rest) => {
    expect(readable(keyOf({ apiKey: KEY, ...rest })).otherSecrets).toBe(true);
  });

  it("at the place that the mapping does not name", () => {
    expect(readable(keyOf({ key: KEY, token: OTHER }, { apiKey: "/key" })).otherSecrets).toBe(true);
    expect(readable(keyOf({ key: KEY, token: OTHER }, { apiKey: "/token" })).otherSecrets).toBe(true);
  });
});

describe("nothing would be lost by", () => {
  it.each<[case_: string, rest: Record<string, unknown>]>([
    ["nothing else", {}],
    ["the key again", { key: KEY, data: { secret: KEY } }],
    ["the beginning and the end of the key", { token: KEY.slice(0, 12), key: KEY.slice(-10) }],
    ["the key as a header", { authToken: `Bearer ${KEY}` }],
    ["the id of the key", { id: "ak_12345678", accessKey: "ak_12345678" }],
    ["a masked secret", { secret: "whsec_********", clientSecret: "XXXX-XXXX-9F3A", token: "------9F3A" }],
    ["a date", { nextKey: "2031-05-06T07:08:09Z" }],
    ["a public key", { publicKey: "pk_live_1234567890" }],
    ["a hint, a type and an id", { secretHint: OTHER, tokenType: "Bearer-token", keyId: "k-12345678" }],
    [
      "ordinary text",
      { name: "my integration", createdBy: "someone@example.com", url: "https://a.example/" },
    ],
    ["a value that nothing calls a secret", { limits: { value: "unlimited" } }],
    ["numbers, flags and nulls", { secret: null, password: false, token: 123456789012 }],
  ])("%s", (_, rest) => {
    expect(readable(keyOf({ apiKey: KEY, ...rest })).otherSecrets).toBe(false);
  });
});
