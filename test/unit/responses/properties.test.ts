import fc from "fast-check";
import { expect, it } from "vitest";

import { messageIn } from "../../../provider/src/api/server-message.js";
import { nodesOf, parseDocument, pointersOf } from "../../../provider/src/json.js";
import { reportsFailure } from "../../../provider/src/responses/failure-report.js";
import { idsBesideKey, readApiKeyId } from "../../../provider/src/responses/key-ids.js";
import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { runSeed, seededRandom } from "../../support/random.ts";
import { K, S, isFailedCreation, readKey } from "./support.ts";

const RUNS = { numRuns: 500, seed: runSeed() };
/** Part of every string value and of no printable name. Where it appears, a value has leaked. */
const MARKER = "Zq7";
const NAMES =
  "apiKey api_key key token secret value rawKey id data attributes result webhooks webhook webhookId items errors " +
  "error success code links meta rel state status active enabled disabled disabledAt paused next total hasMore " +
  `__proto__ constructor toString length 0 a/b ~1 ${MARKER.repeat(9)} ${MARKER}@x.y`;

const prefixes = fc.constantFrom("", "pk_live_", "https://", "Bearer ", "**", "<b>");
const scalar = fc.oneof(
  fc.tuple(prefixes, fc.string({ unit: "binary", maxLength: 24 })).map((parts) => parts.join(MARKER)),
  fc.constantFrom("active", "off", "1", "", K, S, 1, 12, 1e300, true, false, null),
);
const member = fc.constantFrom("", ...NAMES.split(" "));
const id = fc.tuple(fc.constant("id"), fc.integer({ min: 1, max: 99 }));
/** JSON with the names that the readers look for. */
const documents = fc
  .letrec((tie) => {
    const entry = fc.tuple(member, tie("node"));
    const record = fc.tuple(id, entry).map((entries) => Object.fromEntries(entries));
    return {
      node: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        scalar,
        fc.array(entry, { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
        fc.array(tie("node"), { maxLength: 5 }),
        fc.array(record, { maxLength: 5 }),
      ),
    };
  })
  .node.map((value) => JSON.stringify(value));
const texts = fc.oneof(documents, fc.json(), fc.string({ unit: "binary" }));
const pointer = fc
  .array(member, { maxLength: 3 })
  .map((names) => names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
const pointers = {
  apiKey: pointer,
  apiKeyId: pointer,
  webhooks: pointer,
  webhookId: pointer,
  webhookState: pointer,
};
const mappings: fc.Arbitrary<ResponseMapping> = fc.record(
  { ...pointers, active: fc.array(scalar) },
  { requiredKeys: [] },
);

/** Calls all readers. */
function readAll(text: string, mapping: ResponseMapping, header: string): void {
  const headers = { link: header, "content-range": header, "x-pagination": header, [header]: "1" };
  readKey(text, mapping);
  readApiKeyId(text, mapping);
  isFailedCreation(201, text, mapping);
  idsBesideKey(text);
  readWebhookList(text, headers, 200, mapping);
  reportsFailure(text);
  messageIn(parseDocument(text));
}

// A key that looks like words is refused. That must be rare, because the user cannot prevent it.
it.each([
  { prefix: "", length: 16, most: 100 },
  { prefix: "", length: 32, most: 2 },
  { prefix: "pk_live_", length: 24, most: 10 },
])('of 20,000 random keys "$prefix" and $length of A-Z, a-z, 0-9, at most $most are refused', (row) => {
  const random = seededRandom(RUNS.seed);
  const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const character = (): string | undefined => characters[Math.floor(random() * characters.length)];
  const key = (): string => row.prefix + Array.from({ length: row.length }, character).join("");
  const readings = Array.from({ length: 20_000 }, () => readKey(JSON.stringify({ apiKey: key() })));
  expect(readings.filter(({ kind }) => kind === "refused").length).toBeLessThanOrEqual(row.most);
});

it("of 20,000 random keys in base64, at most 200 are refused", () => {
  const random = seededRandom(RUNS.seed);
  const bytes = (): number[] => Array.from({ length: 32 }, () => Math.floor(random() * 256));
  const keys = Array.from({ length: 20_000 }, () => Buffer.from(bytes()).toString("base64"));
  const readings = keys.map((apiKey) => readKey(JSON.stringify({ apiKey })));
  expect(readings.filter(({ kind }) => kind === "refused").length).toBeLessThanOrEqual(200);
});

it("any text, with any mapping, yields only complete strings as keys, valid IDs, or a refusal", () => {
  fc.assert(
    fc.property(texts, mappings, fc.string(), (text, mapping, header) => {
      readAll(text, mapping, header); // Never throws.
      const key = readKey(text, mapping);
      if (key.kind === "found" && text.includes('"')) expect(text).toContain(JSON.stringify(key.apiKey));
      const list = readWebhookList(text, {}, 200, mapping);
      if (!list.readable) return;
      for (const [id, webhook] of list.webhooks) {
        expect(webhook.webhookId).toBe(id);
        expect(Number.isSafeInteger(id) && id > 0).toBe(true);
        expect(webhook.state === null).toBe(webhook.missing !== null);
      }
    }),
    { ...RUNS, numRuns: 1000 },
  );
});

it("a document's values, and names that may be data, are never shown", () => {
  fc.assert(
    fc.property(documents, (text) => {
      const key = readKey(text);
      const list = readWebhookList(text, {}, 200, {});
      const shown = [
        key.kind === "found" ? key.pointer : [key.candidates, key.misfit],
        idsBesideKey(text),
        list.readable ? list.pointers : list.candidates,
        list.readable ? [...list.webhooks.values()].map(({ record }) => pointersOf(nodesOf(record))) : [],
      ];
      expect(JSON.stringify(shown)).not.toContain(MARKER);
    }),
    RUNS,
  );
});

const many = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(",");
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + "1" + close.repeat(depth);

it.each<[what: string, text: (size: number) => string]>([
  ["nested arrays of keys", (n) => `{"key":${nested(n, `["${K}",`, "]")}}`],
  ["nested objects next to a key", (n) => `{"apiKey":"${K}","error":${nested(n, '{"next":', "}")}}`],
  ["nested members of a webhook", (n) => `[{"id":1,"webhook":${nested(n, '{"webhook":', "}")}}]`],
  ["secrets next to a key", (n) => `{"apiKey":"${K}",${many(n, (i) => `"secret${i}":"${S}${i}"`)}}`],
  ["records", (n) => `[${many(n, (i) => `{"id":${i + 1},"is${i}":1,"active":1,"status":"on"}`)}]`],
  ["words", (n) => JSON.stringify({ message: "a1 ".repeat(n * 20), key: "A1-".repeat(n * 20) })],
  ["one long name", (n) => JSON.stringify({ ["apikey".repeat(n * 20)]: K })],
  ["one long text", (n) => JSON.stringify({ key: "a".repeat(n * 20), error: "-".repeat(n * 20) })],
  ["text that is not JSON", (n) => "<=9 rel".repeat(n * 10)],
])(
  "CPU time grows linearly with %s",
  (_, text) => {
    const run = (size: number): number => {
      const body = text(size);
      const times = [1, 2].map(() => {
        const before = process.threadCpuUsage();
        readAll(body, {}, body.slice(0, 100_000));
        const { user, system } = process.threadCpuUsage(before);
        return (user + system) / 1000;
      });
      return Math.min(...times);
    };
    // In milliseconds. Four times the input takes four times as long, and sixteen times as long if anything
    // is quadratic.
    expect(run(8000)).toBeLessThan(10 * run(2000) + 20);
  },
  30_000,
);
