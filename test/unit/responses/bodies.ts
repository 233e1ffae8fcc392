/**
 * Response bodies as real services send them, with the expected reading of each. A reading must be what a person would say
 * about the body. Refused and unknown are always acceptable; any other reading is a bug.
 */

/** The new key. */
export const K = "pk_live_4eC39HqLyjWDarjtT1zdp7dc";
/** Another secret. */
export const S = "whsec_Zy8Xw7Vu6Ts5Rq4PoN3mL2kJ1";
/** A session token. */
export const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
const UUID = "0b7c2d1e-4f5a-4b7c-8d9e-0a1b2c3d4e5f";
const DATE = "2026-11-22T10:20:30Z";
const RFC_1123 = "Sun, 22 Nov 2026 10:20:30 GMT";

/** A body: text, or a value to send as JSON. */
export type Body = string | object | null | boolean;

/** The JSON Pointer of the key (`""` for the whole body), `refused`, or `failed` for a body that reports a failure and has no key. */
export type KeyRow = readonly [source: string, body: Body, reading: `/${string}` | "" | "refused" | "failed"];

export const KEY_ROWS: readonly KeyRow[] = [
  // Services that show a key once.
  ["Mailgun", { key: { id: "1a2b3c4d-9f8e7d6c", requestor: "jane@example.com", secret: K } }, "/key/secret"],
  ["Linode", { created: DATE, scopes: "*", token: "03d084436a6c91fbafd5c4b20c82e5056a2e9ce1" }, "/token"],
  [
    "Sanctum",
    { accessToken: { tokenable_type: "App\\Models\\User" }, plainTextToken: "5|3F2lx0Qk7b9RZpVnY1s" },
    "/plainTextToken",
  ],
  ["JSON:API", { data: { type: "api-keys", id: "9", attributes: { key: K } } }, "/data/attributes/key"],
  ["Auth0-like pair", { client_id: "x1Y2z3A4b5C6d7E8f9", api_key: K, api_secret: S }, "/api_key"],
  ["OpenAI", { object: "admin_api_key", id: "key_abc", redacted_value: "sk-a...def", value: K }, "refused"],
  ["Clerk", { id: "ak_1", subject: "user_2xhFjEI5X2qWRvtV13BzSj8H6Dk", secret: K }, "refused"],
  ["Heroku", { access_token: { id: UUID, token: K }, refresh_token: { id: UUID, token: S } }, "refused"],
  ["Scaleway-like pair", { access_key: "SCWXXEXAMPLE12345678", secret_key: UUID }, "refused"],
  ["Snyk-like pair", { data: { attributes: { client_id: UUID, client_secret: K } } }, "refused"],

  // The key is unambiguous.
  ["a flat key", { apiKey: K }, "/apiKey"],
  ["an envelope, code 0", { code: 0, msg: "ok", data: { api_key: K } }, "/data/api_key"],
  ["a JSON string", JSON.stringify(K), ""],
  ["plain text", `${K}\n`, ""],
  ["a byte order mark", `\uFEFF{"apiKey":"${K}"}`, "/apiKey"],
  ["a UUID under its name", { id: "0b7c2d1e-0000-4b7c-8d9e-0a1b2c3d4e5f", api_key: UUID }, "/api_key"],
  ["the key twice", { key: K, apiKey: { id: 3, key: K } }, "/key"],
  ["the key next to its prefix", { key: "pk_live_4eC3", token: K }, "/token"],
  ["the key next to its masked form", { apiKey: "pk_live_************p7dc", key: K }, "/key"],
  ["masked with dots", { key: "pk_live_...p7dc", secret: K }, "/secret"],
  ["masked with XXXX", { key: "pk_live_XXXXp7dc", token: K }, "/token"],
  ["a session token next to apiKey", { apiKey: K, token: JWT }, "refused"],
  ["a webhook secret next to apiKey", { apiKey: K, secrets: { webhook: S } }, "/apiKey"],
  ["a refresh token next to apiKey", { apiKey: K, tokens: { refresh: S } }, "/apiKey"],
  ["signing secrets next to apiKey", { api_key: K, signing_secrets: { current: S } }, "/api_key"],
  ["a secret text next to apiKey", { api_key: K, secret: { text: S } }, "refused"],
  ["a private key", { api_key: K, private_key_pem: "--BEGIN--\nMIIEvQIBADANBgkqhk" }, "/api_key"],
  ["a password with ** in it", { apiKey: K, password: "p**ssWord12345678" }, "/apiKey"],
  ["partnerKey", { partnerKey: K }, "/partnerKey"],
  ["authToken in created", { created: { authToken: K } }, "/created/authToken"],

  // Another value looks more like the key than the key itself.
  ["JWT, user.apiKey", { token: JWT, user: { apiKey: K } }, "refused"],
  ["JWT, keys as names", { token: JWT, keys: { [K]: { name: "ci" } } }, "refused"],
  ["JWT, a UUID in apiKey", { token: JWT, apiKey: { value: UUID } }, "refused"],
  ["JWT, a short key", { token: JWT, apiKey: "ab12cd34" }, "refused"],
  ["JWT, a key that begins with a slash", { token: JWT, plain: "/b3JkZXJzLWFuZC1rZXlz9A==" }, "refused"],
  ["JWT, the key in a sentence", { token: JWT, message: `Your new key is ${K}` }, "refused"],
  ["JWT, the key in JSON in a string", { token: JWT, body: `{"apiKey":"${K}"}` }, "refused"],
  ["the account's key next to the new one", { key: K, account: { apiKey: S } }, "refused"],
  ["an old key next to the new one", { apiKey: S, newApiKey: K }, "refused"],
  ...[
    "plain",
    "cleartext",
    "sha1",
    "keyString",
    "secretText",
    "raw_value",
    "plaintext_value",
    "unmasked",
    "full",
    "value_once",
  ].flatMap((name): KeyRow[] => [
    [`a label as key, ${name}`, { key: "partner-main", [name]: K }, "refused"],
    [`a long label as apiKey, ${name}`, { apiKey: "partner-main-key-2024", [name]: K }, "refused"],
  ]),
  ["a request ID as token", { token: "req_abcdef123", api_key_value_plain: K }, "refused"],
  ["JSON in a JSON string", JSON.stringify(`{"apiKey":"${K}"}`), "refused"],
  ["JSON in apiKey", { apiKey: `{"key":"${K}"}` }, "refused"],
  ["quotes in apiKey", { apiKey: `"${K}"` }, "refused"],
  ["AWS Lambda proxy", { statusCode: 201, body: `{"apiKey":"${K}"}` }, "refused"],

  // No key.
  ...[
    "pk_live_XXXXbVc7",
    "xxxx1234",
    "sk-..abcd1",
    "pk_live_4eC39HqLyj****************",
    "undefined",
    "YOUR_API_KEY",
    "${API_KEY}",
    "/api-key/17",
    "https://example.com/keys/1a2b3c4d",
    DATE,
    "12345678901234567890",
    "partner-main-2024",
    "sent by mail",
  ].map((value): KeyRow => [`apiKey: ${value}`, { apiKey: value }, "refused"]),
  ["a page token", { nextPageToken: K, items: [] }, "refused"],
  ["a webhook with its secret", { webhook: { id: 1, secret: S } }, "refused"],
  ["a hash", { apiKeyHash: "5f4dcc3b5aa765d61d8327deb882cf99", keyPrefix: "pk_4eC39Hq" }, "refused"],
  ["an accepted request", { status: "pending" }, "refused"],
  ["an array of one", [{ apiKey: K }], "refused"],
  ["XML", `<?xml version="1.0"?><key>${K}</key>`, "refused"],
  ["a PHP warning first", `<br />\n<b>Warning</b>: x in <b>y</b><br />\n{"apiKey":"${K}"}`, "refused"],
  ["an empty body", "", "refused"],
  ["a form with one field", `api_key=${K}`, "refused"],
  ["fields", `OK|7|${K}`, "refused"],
  ["JSON, percent-encoded", `%7B%22apiKey%22%3A%22${K}%22%7D`, "refused"],
  ["a class of exceptions", "com.acme.partner.v2.KeyLimitExceededException", "refused"],
  ["Laravel Sanctum, plain text", "5|3F2lx0Qk7b9RZpVnY1sT8uWdE", "refused"],
  ...[
    `api_key=${K}`,
    `&quot;${K}&quot;`,
    "error.partner.maximumNumberOfApiKeysReached",
    "APIKeyHiddenForSecurity",
    "api/v1/partners/api-key/17",
    "$2y$10$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW",
  ].map((value): KeyRow => [`apiKey: ${value}`, { apiKey: value }, "refused"]),
  ["URL characters in apiKey", { apiKey: "pk_live_hUfc/Baml+Llgg=jyHA%xN5a?Zz81$pq" }, "/apiKey"],
  ["random letters", { apiKey: "pk_live_hUfcBa-mLlggjyHAxNqwZpTrVb" }, "/apiKey"],
  ["words", { apiKey: "SentToYourEMailAddress" }, "refused"],
  ["a hash in apiKey, the key elsewhere", { apiKey: { id: 7, token: S }, token: `17|${K}` }, "refused"],
  ["an old key, and the next", { apiKey: S, next: K }, "refused"],
  ["a mask joined by a dash", { apiKey: "pk_live_4eC39H-dp7dc", token: K }, "refused"],
  ["pat", { token: "req_7f3a9b2c1d4e5f60", pat: K }, "refused"],
  ["the key in an address", { key: S, url: `https://a.example/?api_key=${K}` }, "refused"],
  ["an existing key", { message: "You have one", existing: { api_key: K } }, "refused"],
  ["a second factor", { mfa_required: true, mfa: { token: K } }, "refused"],
  ["a job", { status: "pending", token: K }, "refused"],
  ["a lower-case key, an error", { error: "deprecated", apiKey: "qwmznxbcvlaksjdhfgqpwoei" }, "refused"],
  ["a number as key next to an error", { errors: ["legacy"], key: 12345678901 }, "refused"],
  ["a page that shows the key", `<html><body><code>${K}</code></body></html>`, "refused"],
  ["a page with a script", `<html><script src="${K}.js">var a="${K}"</script>Sign in</html>`, "failed"],
  ["an existing key, in a failure", { success: false, error: "limit reached", apiKey: K }, "refused"],

  ["a date in the value", { apiKey: "key-2026-11-22-103000-v2" }, "refused"],
  ["a short path", { apiKey: "keys/7d9c1f0e3b2a" }, "refused"],
  ["masked with zeros", { apiKey: "ptk_9fQ2mZ00000000000000" }, "refused"],
  ["a product, plain text", "nginx/1.18.0-ubuntu1", "refused"],
  ["a host, plain text", "api.partner-17x9z2.example.com", "refused"],
  ["a request ID, plain text", "req_7f3a9b2c1d4e5f60a1b2", "refused"],
  ["a job as token", { data: { token: "job_018f9a7b3c2d1e0f" } }, "refused"],
  ["a build, plain text", "build_20261122103000_abc", "refused"],
  ["the key as a user name", { key: "kid-7f3a9b2c1d4e5f607", username: K }, "refused"],
  ["a hash or the key", { key: "kid-7f3a9b2c1d4e5f607", hash: K }, "refused"],
  ["a short key in the message", { key: S, message: "Your API key is Ab3dE6gH9jK2" }, "refused"],
  ["JWT, the limit is reached", { token: JWT, message: "Key limit reached" }, "refused"],
  ["an existing key, with a message", { message: "API key already exists", apiKey: K }, "refused"],
  ["a limit next to data", { message: "Maximum number of keys reached", data: { apiKey: K } }, "refused"],
  ["a key that is hidden", { data: { apiKey: "hidden" }, access_token: K }, "refused"],
  ["the key in a message, apiKey as its label", { apiKey: S, message: `Your key: ${K}` }, "refused"],
  ["assignedKey next to apiKey", { apiKey: S, assignedKey: K }, "refused"],
  ["a key that is null", { token: "req_7f3a9b2c1d4e5f60", partner: { apikey: null } }, "refused"],
  ["the key of an integration", { settings: { mailgun: { api_key: K } } }, "refused"],
  ["the key of the caller", { request: { headers: { "x-api-key": K } } }, "refused"],
  ["a public key", { publicKey: K }, "refused"],
  ["two keys (Azure)", { primaryKey: K, secondaryKey: S }, "refused"],
  ["OAuth", { access_token: K, token_type: "Bearer", expires_in: 3600 }, "/access_token"],
  ["a key with its pair", { api_key: K, client_id: "cl_8KdJ2mXq94LsPw73", client_secret: S }, "/api_key"],

  // Failed creations.
  ["a mutation", { data: { createApiKey: { apiKey: null, errors: [{ message: "x" }] } } }, "failed"],
  ["success: false", { success: false }, "failed"],
  ["a login page", "\uFEFF<!DOCTYPE html><html><body>Sign in</body></html>", "failed"],
  ["an error in words", { error: { code: "API_KEY_LIMIT_REACHED", message: "At most 5 keys" } }, "failed"],
  ["a failure in an envelope", { data: { success: false, message: "quota", requestId: UUID } }, "failed"],
  ["Laravel, unauthenticated", { message: "Unauthenticated." }, "failed"],
];

/**
 * The webhooks, as in `101 active, 102 disabled, 103 ?`, followed by `…` if there may be more; `refused` and the setting that
 * would help; or `failed`.
 */
export type ListRow = readonly [
  source: string,
  body: Body,
  reading: string,
  headers?: Readonly<Record<string, string>>,
  status?: number,
];

const A = { id: 101, url: "https://a.example/hook", active: true };
const B = { id: 102, url: "https://b.example/hook", active: false };
const READ = "101 active, 102 disabled";
const MORE = `${READ}, …`;

/** Returns the records of webhooks 101 and 102. */
function two(first: object, second: object): object[] {
  return [
    { id: 101, ...first },
    { id: 102, ...second },
  ];
}

export const LIST_ROWS: readonly ListRow[] = [
  // The location of the list.
  ["a bare array", [A, B], READ],
  ["an empty array", [], "…"],
  ["HAL", { _embedded: { webhookList: [A, B] }, page: { size: 20, totalElements: 2, totalPages: 1 } }, READ],
  ["JSON:API", { data: [{ id: "101", attributes: { active: true } }], included: [B] }, "101 active"],
  [
    "Spring",
    {
      content: [A, B],
      pageable: { sort: { sorted: false }, pageNumber: 0, pageSize: 20, offset: 0 },
      ...{ last: true, first: true, totalPages: 1, totalElements: 2, size: 20, number: 0, sort: [] },
    },
    READ,
  ],
  ["OData", { "@odata.context": "$metadata#Webhooks", "@odata.count": 2, value: [A, B] }, READ],
  ["Hydra", { "hydra:member": [{ "@id": "/webhooks/101", ...A }], "hydra:totalItems": 1 }, "101 active"],
  ["GraphQL", { data: { webhooks: [A, B] } }, READ],
  ["GraphQL, edges", { data: { webhooks: { edges: [{ node: A }], pageInfo: {} } } }, "refused webhooks"],
  ["data next to empty tags", { data: [A, B], tags: [] }, READ],
  ["an unknown name", { outgoing: [A, B] }, "refused webhooks"],
  ["JSON-RPC", { jsonrpc: "2.0", result: [A, B] }, READ],
  ["a wrapped record", [{ webhook: A }, { webhook: B }], READ],
  ["an account with webhooks", { id: 7, name: "partner", webhooks: [A, B] }, READ],
  ["two arrays", { incoming: [A], outgoing: [B] }, "refused webhooks"],
  ["lists by state", { active: [A], disabled: [B] }, "refused webhooks"],
  ["a map by ID", { webhooks: { 101: A, 102: B }, eventTypes: [{ id: 1 }] }, "refused webhooks"],
  ["a map by ID at the root", { 101: { events: [{ id: 5 }] }, 102: { url: "/b" } }, "refused webhooks"],
  ["event types only", { event_types: [{ id: 1, name: "order.created" }] }, "refused webhooks"],
  ["event types next to an empty list", { data: [], event_types: [{ id: 1 }] }, "…"],
  ["one webhook with items", { id: 101, url: "https://a.example", items: [{ id: 1 }] }, "refused webhooks"],
  ["one webhook with an empty array", { id: 101, url: "https://a.example", items: [] }, "refused webhooks"],
  ["an empty list next to one of a usual name", { data: [], entries: [{ id: 1 }] }, "refused webhooks"],
  ["a map next to a list of a usual name", { webhooks: { 101: A }, data: [{ id: 1 }] }, "refused webhooks"],
  ["webhooks next to disabled ones", { webhooks: [A], disabled_webhooks: [B] }, "refused webhooks"],
  ["an empty list next to subscriptions", { webhooks: [], subscriptions: [A] }, "refused webhooks"],
  ["hooks of something else", { data: [A], settings: { hooks: [{ id: 1, name: "x" }] } }, "refused webhooks"],
  ["accounts with endpoints", [{ id: 3, active: true, endpoints: [{ id: 7 }] }], "refused webhooks"],
  ["accounts with an object of hooks", [{ id: 3, hooks: { data: [A] } }], "refused webhooks"],
  ["users", { users: [{ id: 1, avatar_url: "https://a.example/x.png" }] }, "refused webhooks"],
  ["webhooks next to users", { data: [A], users: [{ id: 3 }] }, "refused webhooks"],
  ["AWS", { Items: [A, B], Count: 2, ScannedCount: 2 }, READ],
  ["an envelope with a list", { code: 0, data: { list: [A, B], total: 2 } }, READ],
  ["deliveries by name", { webhook_deliveries: [{ id: 1, url: "https://a.example" }] }, "refused webhooks"],
  ["IDs only", { webhooks: [101, 102] }, "refused webhooks"],
  ["a list with a gap", [A, null], "refused webhooks"],
  ["a list that is too deep", { a: { b: { c: { list: [A] } } } }, "refused webhooks"],
  ["not JSON", "webhooks", "refused webhooks"],

  // Empty lists, which prove nothing inside an object.
  ["empty webhooks", { webhooks: [], tags: [] }, "…"],
  ["Go, webhooks: null", { webhooks: null }, "…"],
  ["data: null", { data: null }, "…"],
  ["null", null, "…"],
  ["204", "", "…", {}, 204],
  ["empty tags only", { tags: [] }, "refused webhooks"],

  // Ids.
  ["Mongo, _id next to id", [{ _id: "64f1c0ffee0000000000abcd", id: 101, active: true }], "101 active"],
  ["webhook_id next to the ID of a subscription", [{ id: 1, webhook_id: 101, active: true }], "101 active"],
  ["the webhook of a subscription", [{ id: 1, webhook: { id: 101, status: "on" } }], "refused webhookId"],
  ["two IDs, in attributes", [{ id: 101, attributes: { id: 7, active: true } }], "refused webhookId"],
  ["UUIDs", [{ id: UUID, active: true }], "refused webhookId"],
  ["webhook_id in some records", [{ id: 1, webhook_id: 101 }, { id: 2 }], "refused webhookId"],
  ["webhook_id as UUID next to a row number", [{ id: 1, webhook_id: UUID }], "refused webhookId"],
  ["deliveries", [1, 2].map((id) => ({ id, webhook_id: 101 })), "refused webhookId"],
  ["two IDs that differ", [{ id: 101, _id: 5 }], "refused webhookId"],
  ["IDs beyond 2^53", [{ id: "9223372036854775807" }], "refused webhookId"],

  // States.
  ...(
    [
      ["1 and 0", "enabled", 1, 0],
      ["yes and no", "active", "yes", "no"],
      ["inverse", "disabled", false, true],
      ["words in capitals", "status", "ACTIVE", "Inactive"],
      ["disabled_at", "disabled_at", null, DATE],
    ] as const
  ).map(([what, name, on, off]): ListRow => [
    what,
    [
      { id: 101, [name]: on },
      { id: 102, [name]: off },
    ],
    READ,
  ]),
  [
    "RFC 1123 and epoch",
    two({ disabled_at: RFC_1123 }, { disabled_at: "1795343000" }),
    "101 disabled, 102 disabled",
  ],
  ["enabled again", [{ id: 101, disabled_at: "2026-01-01", enabled_at: "2026-02-01" }], "101 ?"],
  ["two times that disagree", [{ id: 101, disabled_at: DATE, deactivated_at: null }], "101 ?"],
  ["neither enabled nor disabled", [{ id: 101, enabled_at: null, disabled_at: null }], "101 ?"],
  ["a flag next to an empty time", [{ id: 101, active: true, activated_at: "" }], "101 active"],
  ["the zero time of Go", [{ id: 101, disabled_at: "0001-01-01T00:00:00Z" }], "101 ?"],
  ["Hookdeck", two({ paused_at: DATE }, { paused_at: null, disabled_at: DATE }), "101 ?, 102 disabled"],
  ["PAUSED and failing", two({ status: "PAUSED" }, { status: "failing" }), "101 ?, 102 ?"],
  ["deleted", two({ active: true, deleted_at: DATE }, { active: false }), "101 ?, 102 disabled"],
  ["auto-disabled next to enabled", [{ id: 101, enabled: true, status: "auto_disabled" }], "101 ?"],
  ["fields that disagree", [{ id: 101, enabled: true, status: "disabled" }], "101 ?"],
  ["a count", two({ active: 1 }, { active: 3 }), "101 ?, 102 ?"],
  ["a count that is left out where it is 0", [{ id: 101, active: 1 }, { id: 102 }], "101 ?, 102 ?"],
  ["a number as status", [{ id: 101, status: 1 }], "101 ?"],
  ["an object as state", [{ id: 101, state: { name: "active" } }], "101 ?"],
  ["stopped in an object", [{ ...A, config: { temporarily_disabled: true } }], "101 ?"],
  ["ClickUp, suspended", [{ id: 101, status: "active", health: { status: "suspended" } }], "101 ?"],
  ["auto_disabled", [{ id: 101, active: true, auto_disabled: true }], "101 ?"],
  ["in the future", two({ disabled_at: "2099-01-01" }, { enabled_at: "2099-01-01" }), "101 ?, 102 ?"],
  ["harmless fields", [{ ...A, active: "Y", deletable: true, disabled_at: "" }], "101 active"],
  ...Object.entries({
    expires_at: "2019-01-01T00:00:00Z",
    starts_at: "2099-01-01T00:00:00Z",
    flags: ["paused"],
    verified: false,
    statecode: 1,
    health: { status: "failing" },
    circuit_breaker: "open",
    suspension: { reason: "x" },
  }).map(([name, value]): ListRow => [
    `active, with ${name}`,
    [{ id: 101, active: true, [name]: value }],
    "101 ?",
  ]),
  [
    "active, with unrelated fields",
    [
      {
        ...{ id: 101, active: true, expires_at: "2099-01-01", next_run_at: "2099-01-01", created_at: DATE },
        ...{ health: { status: "healthy" }, verification_status: "verified", delivery_status: "failed" },
        disabled_events: ["a"],
        ...{ events: ["subscription.paused", "deleted"], name: "Paused", owner: { status: "suspended" } },
      },
    ],
    "101 active",
  ],
  ["a state in the envelope", { active: true, status: "active", data: [{ id: 101 }] }, "101 ?"],
  ["the state of the last delivery", [{ id: 101, last_delivery: { status: "active" } }], "101 ?"],

  // Complete lists.
  ...(
    [
      ["an empty error object", { error: { code: "", message: "" } }],
      ["an error with code 200", { error: { code: 200, message: "OK" } }],
      ["errorCode 200", { errorCode: 200 }],
      ["NO_ERROR", { errorCode: "NO_ERROR" }],
      ["N/A", { error: "N/A" }],
      ["errors: [null]", { errors: [null] }],
      ["a count of errors", { meta: { errors: 2 } }],
      ["Paddle, Zendesk", { has_more: false, next: "https://a.example/webhooks?after=102" }],
      ["JSON:API, one page", { links: { self: "/w", next: null } }],
      ["links.next without href", { links: { next: { href: null } } }],
      ["next: none", { next: "none" }],
      ["next_billing_date", { next_billing_date: "2026-12-01" }],
      [
        "Zendesk, links apart",
        { meta: { has_more: false, after_cursor: "xxx" }, links: { next: "https://a.example/2" } },
      ],
      [
        "numbers of something else",
        { code: 200, took_ms: 57, quota: 100, partner_id: 55, timestamp: 1795343000, max_webhooks: 10 },
      ],
      ["the only page", { links: { first: "/w?page=1", last: "/w?page=1" } }],
      ["page size above the length", { limit: 50, offset: 0 }],
      ["a page that is filled exactly", { limit: 2, total: 2 }],
      ["GraphQL's endCursor on the last page", { pageInfo: { endCursor: "b2Zmc2V0", hasNextPage: false } }],
    ] as const
  ).map(([what, rest]): ListRow => [what, { data: [A, B], ...rest }, READ]),
  ["X-NextJS-Cache", [A, B], READ, { "x-nextjs-cache": "HIT", "x-ratelimit-limit": "2", date: RFC_1123 }],
  ["X-Total-Count of the length", [A, B], READ, { "x-total-count": "2", "content-range": "items 0-1/2" }],

  // Incomplete lists.
  ...(
    [
      ["Cloudflare", { result_info: { page: 1, per_page: 20, total_pages: 3 } }],
      ["Svix", { done: false, iterator: "iterator" }],
      ["Square", { cursor: "AbC" }],
      ["Discourse", { load_more_web_hooks: "/admin/api/web_hooks.json?offset=50" }],
      ["Discourse, total", { total_rows_web_hooks: 57 }],
      ["Airtable", { offset: "itr23sEjsdfEr3282/appSW9R5uCNmRmfl6" }],
      ["CouchDB", { total_rows: 57, offset: 0 }],
      ["page 2", { page: 2 }],
      ["GitHub search", { incomplete_results: true }],
      ["Stripe", { has_more: true }],
      ["Spring", { last: false }],
      ["a page size that is filled", { limit: 2 }],
      ["HAL", { _links: { next: { href: "/2" } } }],
      ["has_more: false of something else", { next: "https://a.example/2", events: { has_more: false } }],
      ["a flag of something else", { next: "https://a.example/2", nextRunEnabled: false }],
      ["done, with a next cursor", { done: true, next: "c2" }],
      ["not truncated, with a token", { truncated: false, nextToken: "x" }],
      ["WorkOS", { list_metadata: { after: "wh_1" } }],
      ["Cognito", { PaginationToken: "x" }],
      ["Kubernetes", { metadata: { continue: "x" } }],
      ["FHIR", { link: [{ relation: "next", url: "/2" }] }],
      ["Elasticsearch", { total: { value: 57, relation: "eq" } }],
      ["a total of something else", { limit: 2, total_requests: 1 }],
      ["not the end", { is_end: false }],
      ["partial", { partial: true }],
      ["page 1/6", { page: "1/6" }],
      ["1 of 6", { info: "Page 1 of 6" }],
      ["the address of the last page", { last: "https://a.example/webhooks?page=6" }],
      ["pages under any name", { total_de_paginas: 6 }],
      ["a link by its name", { links: [{ name: "next", href: "/2" }] }],
      ["Elasticsearch, timed out", { timed_out: true }],
      ["a filter", { filters: { status: "active" } }],
      ["a warning", { warnings: ["EU unavailable, the list is incomplete"] }],
      ["a total against hasMore", { has_more: false, total: 57 }],
    ] as const
  ).map(([what, rest]): ListRow => [`${what}: more`, { data: [A, B], ...rest }, MORE]),
  ...(
    [
      { "x-pagination": '{"totalCount":57,"pageSize":20}' },
      { "x-count": "57" },
      { "content-range": "items 0-1/57" },
      { link: '<https://a.example/webhooks?page=2>; rel="next"' },
      { link: '<https://a.example/webhooks?page=1>; rel="prev"' },
      { link: '<https://a.example/webhooks?page=6>; rel="last"' },
      { "x-range": "0-1/57" },
    ] as Record<string, string>[]
  ).map((headers): ListRow => [`header ${Object.keys(headers).join()}: more`, [A, B], MORE, headers]),
  ["206", [A, B], MORE, {}, 206],

  // Failures, even with a list.
  ["a login page", "<!DOCTYPE html><html></html>", "failed"],
  ["success: false next to an empty list", { success: false, data: [] }, "failed"],
  ["an error message next to an empty list", { errorMessage: "token expired", data: [] }, "failed"],
  ["GraphQL errors next to null", { errors: [{ message: "not allowed" }], data: null }, "failed"],
];

/** Whether the body of a 2xx response to GET, PATCH or DELETE reports a failure. */
export type FailureRow = readonly [source: string, body: Body, failed: boolean];

export const FAILURE_ROWS: readonly FailureRow[] = [
  ["a page after a byte order mark", "\uFEFF<!DOCTYPE html>", true],
  ["a page in UTF-16", "\uFFFD\uFFFD<\0h\0t\0m\0l\0>\0", true],
  ["a redirect by script", "<script>location='/login'</script>", true],
  ["a PHP warning", "<br />\n<b>Warning</b>", true],
  ["S3, XML", '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', true],
  ["a SOAP fault", '<soap:Envelope xmlns:soap="x"><soap:Fault/></soap:Envelope>', true],
  ["response.status", { response: { status: "error" } }, true],
  ["code -1", { code: -1, msg: "x" }, true],
  ["KO", { status: "KO" }, true],
  ["success: no", { success: "no" }, true],
  ["ok: 0", { ok: 0 }, true],
  ["status: false", { status: false, message: "Invalid token" }, true],
  ["WeChat", { errcode: 40001, errmsg: "invalid credential" }, true],
  ["Anthropic", { type: "error" }, true],
  ["Apigee", { fault: { faultstring: "Invalid ApiKey", detail: { errorcode: "oauth.v2.x" } } }, true],
  ["exception", { exception: "NullPointerException" }, true],
  ["failed: true", { failed: true }, true],
  ["deleted: false", { deleted: false }, true],
  ["Authorize.Net", { messages: { resultCode: "Error" } }, true],
  ["response_code", { response_code: 401 }, true],
  ["Salesforce", [{ message: "Session expired", errorCode: "INVALID_SESSION_ID" }], true],
  ["false", false, true],
  ["text", "Unauthorized", true],
  ["a JSON string", '"Forbidden"', true],
  ["JSON-RPC", { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found" } }, true],
  ["error: 1", { error: 1 }, true],
  ["statusCode as text", { statusCode: "503" }, true],
  ["a webhook that reports no success", { id: 101, success: false }, true],
  ["an envelope, code 10001", { code: 10001, msg: "invalid token", data: null }, true],
  ["gRPC-gateway", { code: 5, message: "webhook not found", details: [] }, true],
  ["JSON-RPC 1.0", { id: 1, result: null, error: "not found" }, true],
  ["text, rate limit", "Rate limit exceeded", true],
  ["Korea", { response: { header: { resultCode: "30", resultMsg: "x" } } }, true],
  ["AWS", { __type: "com.amazon#ResourceNotFoundException" }, true],
  ["SOAP in JSON", { "soap:Envelope": { "soap:Body": { "soap:Fault": { faultstring: "y" } } } }, true],
  ["Shopify", { data: { webhookUpdate: { userErrors: [{ message: "Not valid" }] } } }, true],
  ["bulk", { results: [{ id: 7, success: false }] }, true],
  ["bulk, by outcome", { succeeded: [], failed: [{ id: 7 }] }, true],
  ["WordPress", { code: "rest_forbidden", message: "Sorry" }, true],
  ["an ID next to a failure", { id: 42, status: "error", message: "webhook not found" }, true],
  ["Lambda", { statusCode: 200, body: '{"error":"not allowed"}' }, true],
  ["a proxy", "upstream connect error or disconnect/reset before headers", true],
  ["DRF, permission", { detail: "You do not have permission to perform this action." }, true],

  ["errorCode S0000", { errorCode: "S0000", errorMessage: "success" }, false],
  ["a record without an ID, failed", { webhookUrl: "https://x", status: "failed", enabled: true }, false],
  ["a record without an ID, error", { active: false, error: "endpoint returned 500" }, false],
  ["a record without an ID, code", { status: "disabled", response_code: 500 }, false],
  ["counts", { meta: { success: 0, failed: 2 }, data: [{ id: 7 }] }, false],
  ["a success that mentions failure", { message: "Forbidden events list updated", ok: true }, false],
  ["a message of success", { message: "Webhook disabled. It will no longer receive events." }, false],
  ["records whose last delivery failed", [{ id: 7, active: true, success: false }], false],
  ["WeChat, errcode 0", { errcode: 0, errmsg: "成功" }, false],
  ["a name that starts like a failure", { name: "Unauthorized access alerts", enabled: true }, false],
  ["an empty body", "", false],
  ["OK", "OK", false],
  ["null", null, false],
  ["an empty object", {}, false],
  ["a webhook whose delivery timed out", { id: 101, active: true, error: "last delivery timed out" }, false],
  ["a webhook with errors", { data: { id: 101, errors: ["timeout"] } }, false],
  ["a webhook with the response of its last delivery", { id: 101, response: { status: 500 } }, false],
  ["Stripe, deleted", { id: "we_1", object: "webhook_endpoint", deleted: true }, false],
  ["Apache-like", { status: 200, errors: [], code: "0", errorCode: "00000", message: "Success" }, false],
  ["errorMessage: OK", { errorCode: 0, errorMessage: "Request processed" }, false],
  ["a custom success code", { code: 20000, msg: "success" }, false],
];
