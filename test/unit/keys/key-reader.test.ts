import { describe, expect, it } from "vitest";

import { identifyKey, readApiKey, type KeyReading } from "../../../provider/src/keys/key-reader.ts";
import { nodesOf, resolvePointer } from "../../../provider/src/bodies/json.ts";
import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.ts";
import { ACCESS_TOKEN } from "../../support/partner-api-server.ts";
import { SHAPES, type KeyShape } from "../../support/shapes.ts";

const KEY = "pk_live_4eC39HqLyjWDarjtT1";
const OTHER = "sk_9f8e7d6c5b4a3f2e1d0c";
const UUID = "6c7da4e0-4f3d-d16b-c5fb-c4cbd38cfbe2";

/** What stands next to keys, and is never one. */
const LABELS = {
  ...{ id: "key_9f8e7d6c5b4a3f2e1d0c", key_id: UUID, tenant: UUID, keyHash: "0123456789abcdef01" },
  ...{ key_prefix: "pk_live_4eC39Hq", masked_key: "pk_****jtT1", token_type: "bearer" },
  ...{ expires_at: "2027-01-01T00:00:00Z", created: 1767225600123456, label: "partner-main-2024" },
  ...{ owner: "shop-2026@example.com", keyUrl: "https://partners.example.com/keys/1234567890" },
};

/** Reads a body: text, or anything else as JSON. */
function read(body: unknown, mapping: ResponseMapping = {}): KeyReading {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readApiKey(text, mapping, ACCESS_TOKEN);
}

it.each<[what: string, body: unknown, pointer: string]>([
  ["as the contract names it", { api_key: KEY }, "/api_key"],
  ["in another spelling", { "API-Key": KEY }, "/API-Key"],
  ["under a name that ends with it", { partners_api_key: KEY }, "/partners_api_key"],
  ["in an envelope", { data: { attributes: { token: KEY } } }, "/data/attributes/token"],
  ["in an object that is named after it", { newApiKey: { value: KEY } }, "/newApiKey/value"],
  ["in a JSON string", JSON.stringify(KEY), ""],
  ["in plain text with a newline", `${KEY}\n`, ""],
  ["if it is a UUID", { key: UUID }, "/key"],
  ["if it is base64 with slashes", { key: "abC1/dEf2+ghI3/jkL4==" }, "/key"],
  ["if it occurs twice", { key: KEY, result: { token: KEY } }, "/key"],
  ["next to IDs, dates, names and addresses", { key: KEY, ...LABELS }, "/key"],
  ["next to other secrets", { token: KEY, refresh_token: OTHER, previous: { key: OTHER } }, "/token"],
  ["if the failure of another thing is named", { key: KEY, status: "ok", errors: [] }, "/key"],
])("the key is read %s", (_what, body, pointer) => {
  const value = typeof body === "string" ? KEY : resolvePointer(body, pointer);
  expect(read(body)).toEqual({ apiKey: value, candidates: null });
});

it.each<[what: string, body: unknown, candidates: string[] | null]>([
  ["if two values are named like the key", { key: KEY, token: OTHER }, ["/key", "/token"]],
  ["if any other long value has a digit", { key: KEY, seed: OTHER }, ["/key", "/seed"]],
  ["if it is in an array", { key: KEY, more: [OTHER] }, ["/key", "/more/0"]],
  ["if a short one is named as a secret", { key: KEY, password: "hunter2hunter" }, ["/key", "/password"]],
  ["if the key is in an array", { keys: [{ key: KEY }] }, ["/keys/0/key"]],
  ["if the object around it is another thing", { partner: { key: KEY } }, ["/partner/key"]],
  ["if a name hides it, of which no pointer is proposed", { "4f3a2b1c9d8e7f60": { key: KEY } }, []],
  ["if its name is not known", { val: KEY }, ["/val"]],
  ["if the response reports a failure", { success: false, key: KEY }, ["/key"]],
  ["if it is masked", { key: "pk_live_************arjtT1", token: "abcd…" }, null],
  ["if it is the access token", { key: ACCESS_TOKEN, token: `Bearer:${ACCESS_TOKEN}` }, null],
  ["if it is a URL or a path", { key: "https://a.example/4eC39HqLyjWD", token: "/api/v1/4eC39H" }, null],
  ["if it is a date", { key: "2026-03-01T12:00:00Z", value: "2026-03-01" }, null],
  ["if it consists of words", { key: "partner-main-2024", token: "deprecated" }, null],
  ["if it has spaces", { key: "see your mail 1" }, null],
  ["if it is short or long", { token: "abc1234", value: "a1".repeat(2100) }, null],
  ["if it is a number", { key: 1234567890123456 }, null],
  ["of an ID alone", { id: "key_9f8e7d6c5b4a3f2e1d0c", keyId: "k_9f8e7d6c5b4a3f2e1d0c" }, null],
  ["of JSON that is not whole", `{"key":"${KEY}`, null],
  ["of a web page", `<html><body>${KEY}</body></html>`, null],
  ["of an empty body", "", null],
])("nothing is read %s", (_what, body, candidates) => {
  expect(read(body)).toEqual({ apiKey: null, candidates });
});

it("the access token is never the key, nor is a text that contains a long one", () => {
  const tokens = ["t0ken-42-8f14e45f", "0ken-42-8f14e45f", "t0ken-42"];
  const body = '{"key":"t0ken-42-8f14e45f"}';
  expect(tokens.map((token) => readApiKey(body, {}, token).apiKey)).toEqual([null, null, tokens[0]]);
  expect(readApiKey('{"key":"t0ken-42"}', {}, "t0ken-42").apiKey).toBeNull();
});

it.each<[what: string, body: unknown, pointer: string, apiKey: string | null]>([
  ["decides between several", { key: KEY, token: OTHER }, "/token", OTHER],
  ["finds what has another name", { nested: [{ val: KEY }] }, "/nested/0/val", KEY],
  ["finds what looks like words", { key: "partner-main-2024" }, "/key", "partner-main-2024"],
  ["finds it in a response that reports a failure", { ok: false, key: KEY }, "/key", KEY],
  ["finds a whole text", `${KEY}.${OTHER}\n`, "", `${KEY}.${OTHER}`],
  ["finds no object", { key: { value: KEY } }, "/key", null],
  ["finds nothing else if it is wrong", { key: KEY }, "/other", null],
  ["never finds the access token", { key: ACCESS_TOKEN }, "/key", null],
  ["never finds what is masked", { key: "pk_live_***arjtT1" }, "/key", null],
  ["never finds JSON that is not whole", `{"key":"${KEY}`, "", null],
])("a pointer %s", (_what, body, pointer, apiKey) => {
  expect(read(body, { apiKey: pointer }).apiKey).toBe(apiKey);
});

describe("what identifies a key", () => {
  const identify = (body: object, mapping: ResponseMapping = {}) =>
    identifyKey(JSON.stringify(body), KEY, mapping);

  it.each<[what: string, body: object, idPointer: string | null]>([
    ["an ID next to it", { id: 7, key: KEY }, "/id"],
    ["the ID of a key", { api_key_id: "a7", api_key: KEY }, "/api_key_id"],
    ["the ID of an object around it", { id: "a7", data: { key: KEY } }, "/id"],
    ["the ID of an object that is named after it", { key: { id: "a7" }, value: KEY }, "/key/id"],
    ["but no ID of another thing", { user: { id: 7 }, accountId: 8, key: KEY }, null],
    ["nor the key itself", { id: KEY, key: KEY }, null],
    ["nor what would change the path", { id: "..", keyId: ".", kid: "", key: KEY }, null],
  ])("may be %s", (_what, body, idPointer) => {
    expect(identify(body)).toMatchObject({ idPointer });
  });

  it("is what responses.apiKeyId finds: text, a number of any size, or the key", () => {
    const body = `{"id":12345678901234567890,"n":7,"text":"a7","none":["","..","."],"key":"${KEY}"}`;
    const id = (apiKeyId: string) => identifyKey(body, KEY, { apiKeyId }).id;
    expect(["/id", "/n", "/text", "/key"].map(id)).toEqual(["12345678901234567890", "7", "a7", KEY]);
    const unusable = ["/none", "/none/0", "/none/1", "/none/2", "/gone", ""];
    expect(unusable.map(id)).toEqual(unusable.map(() => null));
  });

  it("is certainly the key itself if both settings agree, but not if a name hides an ID next to it", () => {
    const both = identifyKey(null, KEY, { apiKey: "/made/up", apiKeyId: "/made/up" });
    const hidden = identify({ "key-4f3a2b1c9d8e7f60": { id: 1, key: KEY } });
    expect([both.isDeletedByKey, hidden.isDeletedByKey]).toEqual([true, false]);
  });

  it("is proposed by pointers that can be set", () => {
    const hidden = { "key-4f3a2b1c9d8e7f60": { id: 1, key: KEY } };
    expect(identify(hidden)).toMatchObject({ idPointer: null, keyPointer: "/api_key" });
    expect(identify(hidden, { apiKey: "/a/key" })).toMatchObject({ keyPointer: "/a/key" });
    expect(identify({ id: 1, key: KEY })).toMatchObject({ idPointer: "/id", keyPointer: "/key" });
  });
});

const single = SHAPES.keys.filter(({ pair }) => !pair);
const pairs = SHAPES.keys.filter(({ pair }) => pair);
const names = (shapes: readonly KeyShape[]) => shapes.map(({ like }) => like);
const readings = single.map((shape) => ({ ...shape, reading: read(shape.body) }));
const refused = readings.filter(({ reading }) => reading.apiKey === null);

it("of public services, no other value is taken for the key", () => {
  const wrong = readings.filter(({ reading, apiKey, body }) => {
    return reading.apiKey !== null && reading.apiKey !== resolvePointer(body, apiKey ?? "");
  });
  console.log(`${single.length - refused.length} of ${single.length} keys are read; not:`, names(refused));
  expect(names(wrong)).toEqual([]);
});

it("of public services, a refused key is read by one pointer, which is proposed for at least 90 %", () => {
  const unread = refused.filter(({ body, apiKey }) => {
    const mapping = apiKey === null ? {} : { apiKey };
    return read(body, mapping).apiKey !== resolvePointer(body, apiKey ?? "");
  });
  expect(names(unread)).toEqual([]);
  const proposed = refused.filter(({ reading, apiKey }) => {
    return reading.candidates?.includes(apiKey ?? "");
  });
  expect(proposed.length / refused.length).toBeGreaterThanOrEqual(0.9);
});

it("of a pair of a public service, one of its two values is read, or none", () => {
  const pointers = pairs.flatMap(({ body }) => {
    const { apiKey } = read(body);
    return nodesOf(body).flatMap(({ value, pointer }) => (value === apiKey && apiKey ? [pointer] : []));
  });
  const ends = [...new Set(pointers.map((pointer) => pointer.split("/").at(-1)))];
  expect([pointers.length, ends.sort()]).toEqual([6, ["client_secret", "secret", "token"]]);
});
