import fc from "fast-check";

/** The webhooks that exist at the start. */
export const WEBHOOKS = [101, 102, 103] as const;

/** What a service knows of a key. */
export interface Issued {
  readonly key: string;
  readonly id: number | string;
  readonly uuid: string;
  /** Another value in the response, which could be the key. */
  readonly other: string;
}

/**
 * Services that fit the contract: what the path of a deletion names, the response to a creation, and the
 * right pointers to the key and to what it is deleted by. In the last ones, another value may be the key.
 */
export const SHAPES = [
  shape("key", ({ key }) => ({ api_key: key }), "/api_key", "/api_key"),
  shape("key", ({ key, id }) => ({ id, api_key: key }), "/api_key", "/api_key"),
  shape("id", ({ key, id }) => ({ id, api_key: key }), "/api_key", "/id"),
  shape("key", ({ key, id }) => ({ id, key }), "/key", "/key"),
  shape("id", ({ key, id }) => ({ data: { id, key } }), "/data/key", "/data/id"),
  shape("id", ({ key, id }) => ({ id, apiKey: key }), "/apiKey", "/id"),
  shape("id", ({ key, id }) => ({ data: { id, attributes: { key } } }), "/data/attributes/key", "/data/id"),
  shape("id", ({ key, id }) => ({ id, data: { key } }), "/data/key", "/id"),
  shape("id", ({ key, id }) => ({ id: "account", data: { id, key } }), "/data/key", "/data/id"),
  shape("uuid", ({ key, uuid }) => ({ key_uuid: uuid, key }), "/key", "/key_uuid"),
  shape("uuid", ({ key, id, uuid }) => ({ id, uuid, key }), "/key", "/uuid"),
  shape("id", ({ key, id, uuid }) => ({ id, uuid, key }), "/key", "/id", "/uuid"),
  shape("key", ({ key, other }) => ({ api_key: key, encoded: other }), "/api_key", "/api_key", "/encoded"),
  shape("id", ({ key, id, other }) => ({ id, key, secret: other }), "/key", "/id", "/secret"),
];
type Shape = ReturnType<typeof shape>;

function shape(
  deletesBy: "key" | "id" | "uuid",
  body: (issued: Issued) => unknown,
  apiKey: string,
  apiKeyId: string,
  other = apiKeyId,
) {
  return { deletesBy, body, pointers: { right: { apiKey, apiKeyId }, other } };
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const BASE32 = `${LOWER.toUpperCase()}234567`;
const ALPHANUMERIC = `${LOWER}0123456789`;
const BASE64 = `${LOWER.toUpperCase()}${ALPHANUMERIC}+/`;

/** How services write keys: what they begin with, the characters of the rest, and how many there are. */
export const ALPHABETS = [
  ["pk1+", BASE64, 24], // URLs and base64url spell it otherwise.
  ["", BASE32, 16],
  ["", BASE32, 26],
  ["", ALPHANUMERIC, 12],
  ["", ALPHANUMERIC, 16],
  ["", LOWER, 32],
  ["", BASE64, 32],
  ["", "0123456789abcdef", 40],
] as const;

/** How a list says whether it goes on; `total` counts all webhooks. */
const SIGNS: readonly Sign[] = [
  (goesOn, total) => ({ body: { meta: { page: 1, perPage: 2, totalPages: goesOn ? 2 : 1, total } } }),
  (goesOn) => ({ body: { next_cursor: goesOn ? "MTAz" : null } }),
  (goesOn) => ({ body: { paging: { cursors: { before: "MTAx", after: "MTAz" } }, hasMore: goesOn } }),
  (goesOn) => ({ body: { last: !goesOn, first: true, size: 2 } }),
  (_goesOn, total) => ({ body: { total_results: total } }),
  (goesOn) => ({ body: goesOn ? { continuationToken: "MTAz" } : {} }),
  (goesOn) => ({ body: {}, headers: goesOn ? { link: '</webhooks?page=2>; rel="next"' } : {} }),
];

/** What stands around the records of a list. */
type Sign = (
  goesOn: boolean,
  total: number,
) => { readonly body: object; readonly headers?: Readonly<Record<string, string>> };

/** A service, apart from its keys. */
export interface Character {
  readonly shape: Shape;
  readonly alphabet: (typeof ALPHABETS)[number];
  readonly hasNumericIds: boolean;
  /**
   * The answer to what cannot be an identifier of a key, such as a key where IDs delete. A name: that of the
   * member that counts what was deleted, in a success, as it does for any deletion.
   */
  readonly invalid: number | "affected" | "count" | "deleted" | "deletedCount";
  /** Whether its router decodes a path before it looks for the route, so that it finds none for a `/`. */
  readonly decodesPaths: boolean;
  /** How it refuses a change or a creation while another one is in flight; `null` if it does not. */
  readonly busy: { readonly status: 409 | 423; readonly retryAfter: string | null } | null;
  /**
   * What it returns to a creation while its only key is valid: that key, or a refusal. After its deletion,
   * it gives the same key again. `null` if it may have many keys.
   */
  readonly onlyKey: "same" | "refusal" | null;
  /** The webhooks that are missing from its list, and what says so; `null` if it is complete. */
  readonly pages: { readonly hidden: readonly number[]; readonly sign: Sign } | null;
}

/** The services that lives meet. */
export const characters: fc.Arbitrary<Character> = fc.record({
  shape: fc.constantFrom(...SHAPES),
  alphabet: fc.constantFrom(...ALPHABETS),
  hasNumericIds: fc.boolean(),
  invalid: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Character["invalid"][]>(404, 404, 410, 400, 422, 500) },
    { weight: 1, arbitrary: fc.constantFrom<Character["invalid"][]>("affected", "count", "deleted") },
    { weight: 1, arbitrary: fc.constant<Character["invalid"]>("deletedCount") },
  ),
  decodesPaths: fc.boolean(),
  busy: fc.option(
    fc.record({
      status: fc.constantFrom<(409 | 423)[]>(409, 409, 423),
      retryAfter: fc.constantFrom(null, null, "0", "2"),
    }),
    { freq: 3 },
  ),
  onlyKey: fc.constantFrom<Character["onlyKey"][]>(null, null, null, null, null, null, "same", "refusal"),
  pages: fc.option(
    fc.record({
      hidden: fc.subarray([...WEBHOOKS], { minLength: 1 }),
      sign: fc.constantFrom(...SIGNS),
    }),
    { freq: 4 },
  ),
});
