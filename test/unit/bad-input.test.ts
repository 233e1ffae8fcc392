import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

import { parseBaseUrl } from "../../provider/src/api/base-url.js";
import { ConfigurationError, PartnerError } from "../../provider/src/api/errors.js";
import { systemTiming } from "../../provider/src/api/timing.js";
import { readSettings, type Settings } from "../../provider/src/plugin/settings.js";
import { CANARIES, findLeaks } from "../support/canary.ts";
import { runSeed } from "../support/random.ts";
import { scaled } from "../support/random.ts";
import { clientFor, failureOf, FakeTiming, listen } from "./api/support.ts";

const SECRET = "Zq8RkT3vWm5LxB7nYc2Hd9"; // Of characters that stand anywhere, also in a URL.
const seed = runSeed();
/** Milliseconds: far more than the properties take, also on a machine that has much else to do. */
const PATIENCE = scaled(60_000);

/** Values that are refused, by setting. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  baseUrl: [
    ...["partners.example.com", "//partners.example.com", "https://", "https://?", "https://[::1", "\0", " "],
    ...["https://exa mple.com", "https://%zz", "https://999.999.999.999", "https://a:99999", "https://x^y"],
    ...[
      "http://partners.example.com",
      "http://[2001:db8::1]",
      "http://0.0.0.0",
      "http://0",
      "http://127.1.example",
    ],
    ...["http://localhost.", "http://ⓛocalhost.example", "http://169.254.169.254", "http://[fe80::1]"],
    ...[`https://${SECRET}@example.com`, `https://user:${SECRET}@example.com`, `http://:${SECRET}@127.0.0.1`],
    ...[`https://example.com/?token=${SECRET}`, `https://example.com/#${SECRET}`, "https://example.com?"],
    ...[
      `ftp://${SECRET}@example.com`,
      "file:///etc/passwd",
      `data:,${SECRET}`,
      `javascript:${SECRET}`,
      "ws://a",
    ],
    ...["https://example.com/api/v1/partners", "https://example.com/api/v1/partners///"],
  ],
  accessToken: [
    ...[
      `${SECRET}\n`,
      `${SECRET}\r\nx-evil: 1`,
      `Bearer ${SECRET}`,
      `${SECRET}\0`,
      `${SECRET}\u007f`,
      `"${SECRET}" `,
    ],
    ...[
      `${SECRET}é`,
      `${SECRET}\u200b`,
      `\ufeff${SECRET}`,
      `${SECRET}\ud83d\udd11`,
      "x".repeat(8193),
      "\ud800",
    ],
  ],
  requestTimeout: [
    "0",
    "-0",
    "-1",
    "3601",
    "1e999",
    "NaN",
    "soon",
    "1,5",
    "٣",
    "1_000",
    "null",
    "{}",
    "\0",
    " ",
  ],
  operationTimeout: ["0", "-1e-9", "86401", "Infinity", "1 2", "0x", "true"],
  maxConnections: ["0", "-16", "1025", "many"],
  requestsPerSecond: ["0", "-1", "100001", "1/s"],
  responses: [
    ...[
      "{",
      "[]",
      "null1",
      '"/a"',
      "7",
      SECRET,
      `{"apiKey":"${SECRET}"}`,
      '{"apiKey":"#/a"}',
      '{"webhookId":""}',
    ],
    ...['{"webhooks":7}', '{"webhookState":"/~2"}', `{"${SECRET}":"/a"}`, '{"__proto__":{"apiKey":"/a"}}'],
    ...[
      '{"active":[]}',
      `{"active":"${SECRET}"}`,
      `{"active":[{"${SECRET}":1}]}`,
      '{"active":[1],"disabled":["1"]}',
    ],
  ],
};

/** A value for each that is accepted. */
const RIGHT: Readonly<Record<string, string>> = {
  baseUrl: "https://partners.example.com/gateway",
  accessToken: CANARIES.token,
  requestTimeout: "0.5",
  operationTimeout: "60",
  maxConnections: "4",
  requestsPerSecond: "1e-9",
  responses: '{"apiKey":"/data/key","active":["GO"]}',
};

const NAMES = Object.keys(RIGHT);

/** The settings, or what is wrong with them; anything but a ConfigurationError fails the test. */
function read(values: Readonly<Record<string, string | undefined>>, explicit = false): Settings | string {
  const get = (key: string): string | undefined =>
    key === "partners:explicit" ? String(explicit) : values[key.replace("partners:", "")];
  try {
    return readSettings({ get }, {});
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

/** Whether a message speaks of a setting, by the name that a person knows it by. */
function names(message: string, setting: string, explicit: boolean): boolean {
  if (setting === "responses")
    return message.includes(explicit ? "Of the Provider: responses" : "partners:responses");
  return message.includes(
    explicit ? `The argument ${setting} of the Provider` : `partners:${setting} (PARTNERS_`,
  );
}

describe("a message about wrong settings", () => {
  it.each(NAMES.flatMap((setting) => (WRONG[setting] ?? []).map((value) => [setting, value] as const)))(
    "names %s, and does not repeat %j",
    (setting, value) => {
      const message = read({ ...RIGHT, [setting]: value });
      if (typeof message !== "string") throw new Error(`expected ${JSON.stringify(value)} to be refused`);
      expect(message).toMatch(/^A setting is missing or wrong, so nothing was sent\. [ -~]+\.$/);
      expect(names(message, setting, false)).toBe(true);
      expect(findLeaks({ message }, { ...CANARIES, SECRET })).toEqual([]);
    },
  );

  it(
    "names all that are wrong and no other, whatever the combination",
    () => {
      const wrong = fc.record(
        Object.fromEntries(NAMES.map((name) => [name, fc.option(fc.constantFrom(...(WRONG[name] ?? [])))])),
      );
      fc.assert(
        fc.property(wrong, fc.boolean(), (choice, explicit) => {
          const chosen = NAMES.filter((name) => choice[name] !== null);
          const values = Object.fromEntries(NAMES.map((name) => [name, choice[name] ?? RIGHT[name]]));
          const message = read(values, explicit);
          if (typeof message !== "string") {
            expect(chosen).toEqual([]);
            return;
          }
          expect(NAMES.filter((name) => names(message, name, explicit))).toEqual(chosen);
          expect(findLeaks({ message }, { ...CANARIES, SECRET })).toEqual([]);
        }),
        { seed, numRuns: scaled(500) },
      );
    },
    PATIENCE,
  );

  it(
    "is all that can come of any text: no other error, and no settings that could do harm",
    () => {
      const text = fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.webUrl(), fc.double().map(String));
      const any = fc.option(text, { nil: undefined });
      fc.assert(
        fc.property(fc.record(Object.fromEntries(NAMES.map((name) => [name, any]))), (values) => {
          const settings = read({ ...RIGHT, ...values });
          if (typeof settings === "string") return;
          expect(settings.accessToken).toMatch(/^[!-~]+$/);
          expect(settings.baseUrl.origin.startsWith("https://") || settings.baseUrl.loopback).toBe(true);
          for (const number of [
            settings.requestTimeout,
            settings.operationTimeout,
            settings.maxConnections,
          ]) {
            expect(number).toBeGreaterThan(0);
            expect(number).toBeLessThan(2 ** 31); // What a timer can take.
          }
        }),
        { seed, numRuns: scaled(2000) },
      );
    },
    PATIENCE,
  );
});

describe("a base URL", () => {
  it(
    "is refused, or is https or this machine, and its path is fit for a request line",
    () => {
      const part = fc.oneof(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.constantFrom("..", "%2e", "\r\n", "@", "\\"),
      );
      const host = fc.oneof(
        fc.constantFrom(
          "127.0.0.1",
          "[::1]",
          "localhost",
          "0x7f.1",
          "127.1",
          "017700000001",
          "[::ffff:7f00:1]",
        ),
        fc.constantFrom(
          "partners.example.com",
          "ｐartners.example",
          "xn--a",
          "10.0.0.1",
          "[::]",
          "127.0.0.1.nip.io",
        ),
        part,
      );
      const url = fc
        .tuple(
          fc.constantFrom("http", "https", "HTTPS", "ftp", "http\t"),
          fc.array(part),
          host,
          fc.array(part),
        )
        .map(([scheme, user, name, path]) => `${scheme}://${user.join("")}${name}/${path.join("/")}`);
      fc.assert(
        fc.property(url, (text) => {
          const parsed = parseBaseUrl(text);
          if ("problem" in parsed) {
            expect(parsed.problem).toMatch(/^(?:is not|must) [ -~]+$/);
            return;
          }
          expect(parsed.origin).toMatch(/^https?:\/\/[!-~]+$/);
          expect(parsed.prefix).toMatch(/^(?:\/[!-~]*[!-.0-~])?$/);
          if (parsed.origin.startsWith("http://")) {
            expect(parsed.origin).toMatch(
              /^http:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\]|\[::ffff:7f[^\]]*\])(?::\d+)?$/,
            );
          }
        }),
        { seed, numRuns: scaled(5000) },
      );
    },
    PATIENCE,
  );
});

/** Names of the headers of any request without a body, in the order in which they are sent. */
const HEADERS = ["host", "connection", "user-agent", "accept", "accept-encoding", "authorization"];

describe("no value gets out of its place in a request", () => {
  it(
    "a token is the header that it belongs in, a path prefix and a key are in the path, and there is nothing else",
    async () => {
      const server = await listen((_request, response) => response.end("{}"));
      onTestFinished(() => server.close());
      const visible = fc.string({
        unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
        minLength: 1,
      });
      const key = fc.oneof(
        fc.string({ unit: "binary", minLength: 1 }),
        fc.constantFrom(
          "a\r\nx-evil: 1",
          "../../x",
          "a/../..",
          "%2e%2e",
          "?a=b",
          "#",
          "\\..\\",
          " ",
          "a b",
          "\u2028",
        ),
        fc.constant("k".repeat(4096)),
      );
      await fc.assert(
        fc.asyncProperty(visible, key, async (accessToken, apiKey) => {
          const client = clientFor({ url: `${server.url}/a b`, accessToken }, { timing: new FakeTiming() });
          server.requests.length = 0;
          await client.deleteApiKey(apiKey).finally(() => client.close());
          expect(server.requests).toHaveLength(1);
          const [{ url = "", headers, rawHeaders } = { url: undefined, headers: {}, rawHeaders: [] }] =
            server.requests;
          expect(headers.authorization).toBe(`Bearer ${accessToken}`);
          expect(rawHeaders.filter((_, index) => index % 2 === 0)).toEqual(HEADERS);
          const [, path = ""] = /^\/a%20b\/api\/v1\/partners\/api-key\/([^/?#]*)$/.exec(url) ?? [];
          expect(decodeURIComponent(path)).toBe(apiKey);
        }),
        { seed, numRuns: scaled(200) },
      );
    },
    PATIENCE,
  );

  it.each(["", ".", "..", "\ud800", "a\udc00"])("the key %j is not sent at all", async (key) => {
    const server = await listen((_request, response) => response.end("{}"));
    onTestFinished(() => server.close());
    const error = await failureOf(clientFor(server).deleteApiKey(key));
    expect(error).toBeInstanceOf(PartnerError);
    expect((error as PartnerError).message).toContain("Check that partners:responses.apiKey");
    expect(server.requests).toEqual([]);
  });
});

it("a wait that is longer than a timer can take is not cut to nothing", async () => {
  const stop = new AbortController();
  const wait = systemTiming.sleep(1e12, stop.signal).then(() => "slept");
  const first = await Promise.race([
    wait,
    new Promise((resolve) => setTimeout(resolve, 50, "still waiting")),
  ]);
  stop.abort();
  await wait;
  expect(first).toBe("still waiting");
});
