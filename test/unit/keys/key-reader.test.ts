import { expect, it } from "vitest";

import { readApiKey, type KeyReading } from "../../../provider/src/keys/key-reader.ts";
import { nodesOf, resolvePointer } from "../../../provider/src/bodies/json.ts";
import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.ts";
import { ACCESS_TOKEN } from "../../support/partner-api-server.ts";
import { runSeed, scaled, seededRandom } from "../../support/random.ts";
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

function keyIn(reading: KeyReading): string | null {
  return reading.kind === "found" ? reading.apiKey : null;
}

it.each<[what: string, body: unknown, pointer: string]>([
  ["as the contract names it", { api_key: KEY }, "/api_key"],
  ["in another spelling", { "API-Key": KEY }, "/API-Key"],
  ["under a name that ends with it", { partners_api_key: KEY }, "/partners_api_key"],
  ["in an envelope", { data: { attributes: { token: KEY } } }, "/data/attributes/token"],
  ["in an object that is named after it", { newApiKey: { value: KEY } }, "/newApiKey/value"],
  ["in plain text by its name", { plainTextKey: KEY }, "/plainTextKey"],
  ["under several known words", { full_client_secret_value: KEY }, "/full_client_secret_value"],
  ["under words that follow", { token_plaintext: KEY }, "/token_plaintext"],
  ["in a JSON string", JSON.stringify(KEY), ""],
  ["in plain text with a newline", `${KEY}\n`, ""],
  ["in plain text, if it ends with padding", `${KEY}==\n`, ""],
  ["if it is a UUID", { key: UUID }, "/key"],
  ["if it is base64 with slashes", { key: "abC1/dEf2+ghI3/jkL4==" }, "/key"],
  ["if it occurs twice", { key: KEY, result: { token: KEY } }, "/key"],
  ["next to IDs, dates, names and addresses", { key: KEY, ...LABELS }, "/key"],
  ["next to other secrets", { token: KEY, refresh_token: OTHER, previous: { key: OTHER } }, "/token"],
  [
    "under the name of the contract, if it consists of letters",
    { api_key: "pk_live_qwertzuiopasdfgh" },
    "/api_key",
  ],
  ["under the name of the contract, if it looks like a path", { apiKey: "/api/v1/4eC39H" }, "/apiKey"],
  ["if the failure of another thing is named", { key: KEY, status: "ok", errors: [] }, "/key"],
])("the key is read %s", (_what, body, pointer) => {
  const value = typeof body === "string" ? body.trim().replaceAll('"', "") : resolvePointer(body, pointer);
  expect(read(body)).toEqual({ kind: "found", apiKey: value });
});

it.each<[what: string, body: unknown, pointers: string[] | null]>([
  ["if two values are named like the key", { key: KEY, token: OTHER }, ["/key", "/token"]],
  ["if any other long value has a digit", { key: KEY, seed: OTHER }, ["/key", "/seed"]],
  ["if it is in an array", { key: KEY, more: [OTHER] }, ["/key", "/more/0"]],
  ["if a short one is named as a secret", { key: KEY, password: "hunter2hunter" }, ["/key", "/password"]],
  ["if the key is in an array", { keys: [{ key: KEY }] }, ["/keys/0/key"]],
  ["if the object around it is another thing", { partner: { key: KEY } }, ["/partner/key"]],
  ["if a name hides it, of which no pointer is proposed", { "4f3a2b1c9d8e7f60": { key: KEY } }, []],
  ["if its name is not known", { val: KEY }, ["/val"]],
  ["if one word of its name is not known", { signing_key: KEY }, ["/signing_key"]],
  ["if only its end is known", { monkey: KEY, hockey: OTHER }, ["/monkey", "/hockey"]],
  ["under a secret of a hook", { webhookSecret: KEY }, ["/webhookSecret"]],
  ["under a secret of a server", { server_secret: KEY }, ["/server_secret"]],
  ["under the prefix of another secret", { public_access_key: KEY, next_token: OTHER }, []],
  [
    "if another key precedes that of the contract",
    { client_key: OTHER, api_key: KEY },
    ["/api_key", "/client_key"],
  ],
  [
    "if another value beside the contract's name may be one",
    { api_key: "qwertzuiop", encoded: OTHER },
    ["/api_key", "/encoded"],
  ],
  ["if the response reports a failure", { success: false, key: KEY }, ["/key"]],
  ["if it is masked", { key: "pk_live_************arjtT1", token: "abcd…" }, null],
  ["if it is the access token", { key: ACCESS_TOKEN, token: `Bearer:${ACCESS_TOKEN}` }, null],
  ["if it is a URL or a path", { key: "https://a.example/4eC39HqLyjWD", token: "/api/v1/4eC39H" }, []],
  ["if it is a date", { key: "2026-03-01T12:00:00Z", value: "2026-03-01" }, []],
  ["if it consists of words", { key: "partner-main-2024", token: "deprecated" }, []],
  ["if it has spaces", { key: "see your mail 1" }, null],
  ["if it is short or long", { token: "abc1234", value: "a1".repeat(2100) }, null],
  ["if it is a number", { key: 1234567890123456 }, null],
  ["of an ID alone", { id: "key_9f8e7d6c5b4a3f2e1d0c", keyId: "k_9f8e7d6c5b4a3f2e1d0c" }, []],
  ["of a form", `api_key=${KEY}`, null],
  ["of a form with more members", `id=7&api_key=${KEY}`, null],
  ["of JSON that is not whole", `{"key":"${KEY}`, null],
  ["of a web page", `<html><body>${KEY}</body></html>`, null],
  ["of an empty body", "", null],
])("nothing is read %s", (_what, body, pointers) => {
  expect(read(body)).toEqual(pointers === null ? { kind: "nothing" } : { kind: "possible", pointers });
});

it("the access token is never the key, nor is a text that contains a long one", () => {
  const tokens = ["t0ken-42-8f14e45f", "0ken-42-8f14e45f", "t0ken-42"];
  const body = '{"key":"t0ken-42-8f14e45f"}';
  expect(tokens.map((token) => keyIn(readApiKey(body, {}, token)))).toEqual([null, null, tokens[0]]);
  expect(readApiKey('{"key":"t0ken-42"}', {}, "t0ken-42").kind).toBe("nothing");
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
  expect(keyIn(read(body, { apiKey: pointer }))).toBe(apiKey);
});

it("the key is read under each name that consists of known words", () => {
  const names =
    "key token secret value secretId sha1 jwt apiSecret accessToken authToken bearerToken clientToken " +
    "clientSecret serviceToken personalAccessToken secretKey secretToken privateKey partnerKey appKey " +
    "appToken applicationKey licenseKey integrationKey hmacKey writeKey adminKey masterKey deployKey rawKey " +
    "plainTextToken plain_text_key full_token unhashed-key keyValue keyString keySecret tokenValue " +
    "tokenString api_token_value secret_access_key organization_api_token";
  expect(names.split(" ").filter((name) => keyIn(read({ [name]: KEY })) !== KEY)).toEqual([]);
});

/** Alphabets of services, with the lengths of their keys. */
const ALPHABETS: readonly [alphabet: string, length: number][] = [
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 26],
  ["abcdefghijklmnopqrstuvwxyz0123456789", 12],
  ["abcdefghijklmnopqrstuvwxyz0123456789", 16],
  ["abcdefghijklmnopqrstuvwxyz", 32],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 32],
  ["0123456789abcdef", 32],
];

it("under the contract's name, random keys of every usual alphabet are read", () => {
  const random = seededRandom(runSeed());
  const refused = ALPHABETS.map(([alphabet, length]) => {
    const draw = () => alphabet[Math.floor(random() * alphabet.length)] ?? "";
    const keys = Array.from({ length: scaled(2_000) }, () => Array.from({ length }, draw).join(""));
    // Five times the same x is a mask, which a random key has once in a million.
    return keys.filter((key) => !/x{5}/i.test(key) && keyIn(read({ api_key: key })) !== key).length;
  });
  expect(refused).toEqual(ALPHABETS.map(() => 0));
});

const single = SHAPES.keys.filter(({ pair }) => !pair);
const pairs = SHAPES.keys.filter(({ pair }) => pair);
const names = (shapes: readonly KeyShape[]) => shapes.map(({ like }) => like);
const readings = single.map((shape) => ({ ...shape, reading: read(shape.body) }));
const refused = readings.filter(({ reading }) => reading.kind !== "found");

it("of public services, no other value is taken for the key", () => {
  const wrong = readings.filter(({ reading, apiKey, body }) => {
    return reading.kind === "found" && reading.apiKey !== resolvePointer(body, apiKey ?? "");
  });
  console.log(`${single.length - refused.length} of ${single.length} keys are read; not:`, names(refused));
  expect(single.length - refused.length).toBeGreaterThanOrEqual(51);
  expect(names(wrong)).toEqual([]);
});

it("of public services, a refused key is read by one pointer, which is proposed for at least 90 %", () => {
  const unread = refused.filter(({ body, apiKey }) => {
    const mapping = apiKey === null ? {} : { apiKey };
    return keyIn(read(body, mapping)) !== resolvePointer(body, apiKey ?? "");
  });
  expect(names(unread)).toEqual([]);
  const proposed = refused.filter(({ reading, apiKey }) => {
    return reading.kind === "possible" && reading.pointers.includes(apiKey ?? "");
  });
  expect(proposed.length / refused.length).toBeGreaterThanOrEqual(0.9);
});

it("of a pair of a public service, one of its two values is read, or none", () => {
  const pointers = pairs.flatMap(({ body }) => {
    const apiKey = keyIn(read(body));
    return nodesOf(body).flatMap(({ value, pointer }) => (value === apiKey && apiKey ? [pointer] : []));
  });
  const ends = [...new Set(pointers.map((pointer) => pointer.split("/").at(-1)))];
  expect([pointers.length, ends.sort()]).toEqual([
    7,
    ["SecretAccessKey", "client_secret", "secret", "token"],
  ]);
});
