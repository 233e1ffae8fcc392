import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { JWT, K, S, TOKEN, readKey } from "./support.ts";

/** Returns the pointer of the key, or why there is none and the possible keys. */
function read(body: unknown, apiKey?: string): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reading = readKey(text, { apiKey });
  if (reading.kind === "refused") return [reading.reason, ...reading.candidates].join(" ");
  expect(reading.apiKey).toBe(K);
  return reading.pointer;
}

describe("a response with the new key and another secret yields the new key or a refusal with both", () => {
  it.each<[body: object, reading: string]>([
    [{ plainTextToken: K, user: { api_token: S } }, "several /plainTextToken /user/api_token"],
    [{ token: K, account: { apiKey: S } }, "several /token /account/apiKey"],
    [{ apiKey: K, secret: S }, "several /apiKey /secret"],
    [{ api_key: K, api_secret: S }, "several /api_key /api_secret"],
    [{ apiKey: K, apiToken: S }, "several /apiKey /apiToken"],
    [{ key: S, plain: K }, "several /key /plain"],
    [{ token: S, full: K }, "several /token /full"],
    [{ apiKey: S, credentials: { raw: K } }, "several /apiKey /credentials/raw"],
    [{ value: S, apiKeyFull: K }, "several /value /apiKeyFull"],
    [{ token: JWT, a: { mail: { apiKey: K } } }, "several /token /a/mail/apiKey"],
    [{ token: K, a: { credentials: { secret: S } } }, "several /token /a/credentials/secret"],
    [{ token: K, keys: [{ id: 7, apiKey: S }] }, "several /token /keys/0/apiKey"],
    [{ api_key: S, replaced_by: { api_key: K } }, "several /api_key /replaced_by/api_key"],
    [{ grant: K, user: { api_token: S } }, "several /user/api_token /grant"],
    [{ id: K, account: { api_token: S } }, "several /account/api_token /id"],
    [{ user: { api_token: S }, data: { grant: K } }, "several /user/api_token /data/grant"],
    [{ grant: K, user_api_key: S }, "several /user_api_key /grant"],
    [{ id: 7, user: { api_token: S } }, "none /user/api_token"],
    [{ apiKey: "pk_live_****", user: { api_token: S } }, "none /user/api_token"],
    [{ data: { key: null }, user: { api_token: S } }, "none /user/api_token"],
    [{ grant: K, userapikey: S, the_account_token: S }, "several /userapikey /the_account_token /grant"],
    [{ grant: K, viewer: { apiKey: S } }, "several /viewer/apiKey /grant"],
    [{ token: K, owner: { apiKey: S } }, "/token"],
    [{ token: K, created_by_api_key: S }, "/token"],
    [{ token: K, parent_api_key: S, replaced_api_key: JWT }, "/token"],
    [{ token: K, meta: { request: { api_key: S } } }, "/token"],
    [{ token: K, links: { api_key: `/api-key/${S}` } }, "/token"],
    [{ key: K, apiKeyPrevious: S, rotatedFrom: { key: JWT } }, "/key"],
    [{ key: K, sessionToken: S, webhook: { secret: JWT } }, "/key"],
    [{ apiKey: K, token: TOKEN }, "/apiKey"],
    [{ apiKey: K, key_id: "8f14e45f", key_hash: S, token_type: "x-1-bearer" }, "/apiKey"],
    [{ apiKey: K, tags: [{ key: "team-7f3a2b1c" }] }, "/apiKey"],
  ])("%j: %s", (body, reading) => {
    expect(read(body)).toBe(reading);
  });
});

const OTHERS =
  "replaced previous rotated old superseded parent owner created_by creator issuer issued_by request session " +
  "former existing expired revoked links updated_by requested_by author rotated_from";

describe("another secret is not the key, even if nothing else may be", () => {
  it.each(OTHERS.split(" "))("%s", (word) => {
    const run = word.replaceAll("_", "");
    for (const name of [word, run])
      for (const body of [
        { [name]: { api_key: S, token: S } },
        { data: { [name]: { a: { apiKey: S } } } },
        { data: { [name]: { items: [{ apiKey: S }] } } },
        { [`${name}_api_key`]: S, [`${name}ApiToken`]: S, [`${name.toUpperCase()}_API_KEY`]: S },
      ])
        expect(read(body), JSON.stringify(body)).toBe("none");
  });

  it.each(["api_key_old", "apiKeyPrevious", "owners_api_key", "the_old_api_key", "key_by_user"])(
    "%s",
    (name) => {
      expect(read({ [name]: S })).toMatch(/^none/);
    },
  );

  it.each(["/api-key/8f14e45fceea", "api/v1/keys/8f14e45fceea", "./keys/8f14e45f", "https://a.example/1a2b"])(
    "the address %s",
    (address) => {
      expect(read({ apiKey: address })).toMatch(/^none/);
      expect(read({ apiKey: K, token: address })).toBe("/apiKey");
    },
  );

  it.each([
    "scuSwAj1kEJF+jbIR5h/MLvBmxJP318w3RVovtjP",
    "/cuSwAj1kEJF+jbIR5hMLvBmxJP318w3RVovtjPqZx0=",
    "a.b:c=d_e-f/g+h",
  ])("but %s, which has slashes, may be the key", (apiKey) => {
    expect(readKey(JSON.stringify({ apiKey }))).toMatchObject({ kind: "found", apiKey });
  });

  it("the user's key is read if there is nothing else", () => {
    expect(read({ user: { id: "976m8s01119a1", email: "a@b.example", api_key: K } })).toBe("/user/api_key");
    expect(read({ status: "ok", request_id: "req_8f14e45f", data: { user: { token: K } } })).toBe(
      "/data/user/token",
    );
    expect(read({ user_token: K, created_at: "2026-11-22T10:20:30Z" })).toBe("/user_token");
  });
});

describe("the access token is never the key", () => {
  it.each<[body: unknown, apiKey: string]>([
    [{ apiKey: TOKEN }, "/apiKey"],
    [{ user: { apiKey: TOKEN } }, "/user/apiKey"],
    [{ authorization: `Bearer ${TOKEN}`, token: `Bearer:${TOKEN}` }, "/token"],
    [{ authorization: `Bearer ${TOKEN}` }, "/authorization"],
    [JSON.stringify(TOKEN), ""],
    [`${TOKEN}\n`, ""],
  ])("%j", (body, pointer) => {
    expect(read(body)).toBe("none");
    expect(read(body, pointer)).toBe("pointer");
    const short = typeof body === "string" ? body : JSON.stringify(body);
    const reading = readKey(short.replaceAll(TOKEN, "token-42"), { apiKey: pointer }, "token-42");
    expect(reading).toMatchObject({ kind: "refused", reason: "pointer" });
  });

  it("but a key that starts like a short access token is", () => {
    expect(readKey('{"apiKey":"token-42-8f14e45f"}', {}, "token-42")).toMatchObject({ kind: "found" });
  });
});

describe("a documented response never yields another secret that stands next to its key", () => {
  const shapes = readFileSync(new URL("real-shapes.json", import.meta.url), "utf8");
  const { keys } = JSON.parse(shapes) as { keys: { body: object; apiKey: string | null }[] };
  const others: object[] = [
    { user: { api_token: S } },
    { user: { key: S } },
    { owner: { apiKey: S } },
    { account: { token: S } },
    { project: { id: 7, secret: S } },
    { viewer: { name: "x", apiToken: S } },
    { created_by_api_key: S },
    { parent_api_key: S },
    { replaced_api_key: S },
    { user_token: S },
    { meta: { request: { api_key: S } } },
    { links: { api_key: `/api-key/${S}` } },
    { api_keys: [{ api_key: S }] },
    { apiToken: TOKEN, token: TOKEN },
  ];
  it.each(others)("%j", (other) => {
    for (const { body, apiKey } of keys) {
      if ("user" in other && "user" in body) continue; // The key would be lost.
      const wrapped = JSON.stringify({ data: { ...other, ...body } });
      for (const text of [
        JSON.stringify({ ...other, ...body }),
        JSON.stringify({ ...body, ...other }),
        wrapped,
      ]) {
        const reading = readKey(text);
        if (reading.kind === "found") expect([S, TOKEN, `/api-key/${S}`], text).not.toContain(reading.apiKey);
      }
      if (apiKey === null) continue;
      // Also if the name of the new key is not known.
      const renamed = JSON.stringify(body).replaceAll(
        /"[a-z_-]*(?:key|token|secret|sha1|encoded|value)":"/gi,
        '"grant":"',
      );
      const reading = readKey(JSON.stringify({ ...(JSON.parse(renamed) as object), ...other }));
      if (reading.kind === "found")
        expect([S, TOKEN, `/api-key/${S}`], renamed).not.toContain(reading.apiKey);
    }
  });
});
