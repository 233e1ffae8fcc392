import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { possibleKeys, printableId, redactText } from "../../../provider/src/api/redact.js";
import { messageIn } from "../../../provider/src/api/server-message.js";
import { parseDocument } from "../../../provider/src/json.js";
import { readFolder } from "../../support/canary.ts";
import { runSeed, scaled } from "../../support/random.ts";

const token = "tok_7Qm2Zr9XbK/+gTw=vL8sWc";
const key = "p?%k";
const hexOf = (character: string): string => Buffer.from(character).toString("hex");
/** As template engines do, such as Handlebars. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'`=/]/g, (sign) => ENTITIES[sign] ?? `&#x${hexOf(sign).toUpperCase()};`);
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** What servers do with a text before they print it. */
const ENCODERS: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  (text) => text.replace(/[^\w ]/g, (sign) => `\\u00${hexOf(sign)}`),
  (text) => text.replace(/[^\w ]/g, (sign) => `&#x${hexOf(sign)};`),
  (text) => text.replace(/[^\w ]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  (text) => encodeURIComponent(text),
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => escapeHtml(text),
];
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("text from a server", () => {
  it.each<[how: string, text: string, shown: string | null]>([
    ["is shown unchanged", "misconfigurations 123456789012345", "misconfigurations 123456789012345"],
    ["without the token", `bad token ${token}!`, "bad token ***!"],
    ["without the token percent-encoded", `in ${encodeURIComponent(token)}`, "in ***"],
    ["without the token in base64", `in ${base64(token)}`, "in ***"],
    ["without the token in base64url", `in ${Buffer.from(token).toString("base64url")}`, "in ***"],
    ["without the key, even a short one", `no key ${key}`, "no key ***"],
    ["without other secrets", "key sk_test_4eC39HqLyjWDarjtT1 revoked", "key *** revoked"],
    ["on one line", "first\r\nsecond\u2028third", "first second third"],
    ["without colors and changes of text direction", "a\u001b[31mb\u202ec", "a [31mbc"],
    ["as null if nothing is left", " \n\u0000 ", null],
  ])("%s", (_how, text, shown) => {
    expect(redactText(text, [token, key])).toBe(shown);
  });

  it.each([
    "::set-output name=x::y",
    ":::add-mask:::x",
    "##[set-output name=x]y",
    "ok ###[stop-commands]x",
    "##vso[task.setvariable variable=x]y",
    "##TeamCity[setParameter name='x' value='y']",
    "#\u0000#[x]",
    "#\r\n#[x]",
    "#\u200b#\u00ad[x]",
    ":\ufe0f:debug::x",
    "#\u{e0100}#vso\u180e[x]",
    `#${token}#[x]`,
    `#\u200b${token}\u0007#[x]`,
    `##${token.slice(0, 8)}`,
  ])("cannot hold the CI command in %j", (command) => {
    for (const text of [command, `a ${command}`, `${"a ".repeat(97)}${command}`]) {
      const shown = redactText(text, [token]) ?? "";
      // .NET, in which the runners of GitHub and Azure are written, ignores these characters in a comparison.
      expect(shown.replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")).not.toMatch(/::|##/);
    }
  });

  it.each(["tok_7Qm2Zr9X", "onlyLettersHere", "p?%k/+~&", "sk-Ab::c##d", "42x7"])(
    "does not contain %j in any encoding",
    (secret) => {
      const hex = Buffer.from(secret).toString("hex");
      const escaped = hex.replace(/../g, "%$&");
      const once = encodeURIComponent(secret);
      const exact = [
        secret,
        hex,
        hex.toUpperCase(),
        escaped,
        escaped.toUpperCase(),
        once,
        encodeURIComponent(once),
      ];
      for (const form of exact) expect(redactText(`(${form})`, [secret]), form).toBe("(***)");

      if (secret.length < 8) return; // The base64 of a short secret is too common to search for.
      for (const before of ["", "x:", "Bearer ", "1234"])
        for (const after of ["", ":", "::x", "abc"]) {
          const text = Buffer.from(before + secret + after);
          const base64 = text.toString("base64");
          for (const form of [base64, base64.replace(/=+$/, ""), encodeURIComponent(base64)])
            expect(redactText(`(${form})`, [secret]), form).toMatch(/^\(\w{0,10}\*\*\*[\w=%]{0,11}\)$/);
          expect(printableId(text.toString("base64url"), [secret])).toBeNull();
        }
    },
  );

  const oddToken = "tok/7Qm2&Zr9=X\"b'K+gT<w>v\\L8";
  it.each<[spelling: string, text: string]>([
    ["in PHP's JSON", JSON.stringify(oddToken).slice(1, -1).replaceAll("/", "\\/")],
    ["in JSON in JSON", JSON.stringify(JSON.stringify(oddToken)).slice(3, -3)],
    ["with \\u002f", oddToken.replace(/\W/g, (sign) => `\\u00${hexOf(sign)}`)],
    ["with \\u002F", oddToken.replace(/\W/g, (sign) => `\\u00${hexOf(sign).toUpperCase()}`)],
    ["with \\x2f", oddToken.replace(/\W/g, (sign) => `\\x${hexOf(sign)}`)],
    ["with &#x2F;", oddToken.replace(/\W/g, (sign) => `&#x${hexOf(sign).toUpperCase()};`)],
    [
      "with &#x2F; in PHP's JSON",
      oddToken.replace(/\W/g, (sign) => `&#x${hexOf(sign)};`).replaceAll("&", "\\u0026"),
    ],
    ["with &#047;", oddToken.replace(/\W/g, (sign) => `&#0${sign.charCodeAt(0)};`)],
    ["with &amp;", escapeHtml(oddToken)],
    ["with &amp;amp;", escapeHtml(escapeHtml(oddToken))],
    ["with &amp; in percent encoding", encodeURIComponent(escapeHtml(oddToken))],
    ["in upper case", oddToken.toUpperCase()],
    ["in lower case", oddToken.toLowerCase()],
    ["decoded as a form", oddToken.replaceAll("+", " ")],
  ])("does not contain a secret %s", (_spelling, text) => {
    expect(redactText(`(${text})`, [oddToken])).toBe("(***)");
  });

  it("does not contain a secret that up to three encoders have changed", () => {
    // A backslash before another escape can be decoded in two ways.
    const visible = fc.nat(93).map((at) => String.fromCharCode(33 + at));
    const secrets = fc.string({
      unit: visible.filter((character) => character !== "\\"),
      minLength: 16,
      maxLength: 40,
    });
    const encoders = fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 });
    const property = fc.property(secrets, encoders, (secret, chosen) => {
      const text = chosen.reduce((rest, encode) => encode(rest), secret);
      expect(redactText(`no ${text} here`, [secret]), text).toBe("no *** here");
      expect(redactText(`no ${text} here`, [], [secret]), text).toBe("no *** here");
    });
    fc.assert(property, { seed: runSeed(), numRuns: scaled(1000) });
  }, 60_000);

  it("keeps its ordinary words, whatever the secrets are", async () => {
    const docs = await readFolder(fileURLToPath(new URL("../../../docs", import.meta.url)));
    const sentences = Object.values(docs).flatMap((page) => page.replace(/\s+/g, " ").split(/(?<=[.:]) /));
    const prose = sentences.filter(
      (text) => /^[A-Za-z ,.:;'()-]{20,199}$/.test(text) && !/[\w.-]{16}|::/.test(text),
    );
    expect(prose.length).toBeGreaterThan(200);
    for (const words of prose) {
      const secrets = [16, 32, 64].map((length) => `pk_live_${randomBytes(length).toString("base64url")}`);
      const body = JSON.stringify({ apiKey: secrets[0], status: "rejected", message: words });
      expect(redactText(words, secrets, [...possibleKeys(body), ...possibleKeys(words)])).toBe(words);
    }
  });

  it("does not contain base64 with \\/ or an entity", () => {
    const text = base64("???>>>secret-???>>>");
    for (const form of [
      text.replaceAll("/", "\\/"),
      text.replaceAll("+", "&#43;"),
      text.replaceAll("/", "\\u002f"),
    ])
      expect(redactText(`(${form})`, ["???>>>secret-???>>>"]), form).toBe("(***)");
  });

  it("does not contain another secret that \\/ interrupts", () => {
    expect(redactText("key sk\\/test_4eC39\\/HqLyjWD revoked", [])).toBe("key *** revoked");
  });

  it("does not contain twelve characters of the token or the key, from any place", () => {
    for (let at = 0; at + 12 <= token.length; at++) {
      const piece = token.slice(at, at + 12);
      expect(redactText(`starts with ${piece}...`, [token]), piece).toBe("starts with ***...");
    }
    expect(redactText(`no ${token.slice(0, 12).toUpperCase()}…`, [token])).toBe("no ***…");
    expect(printableId(`r-${token.slice(2, 14)}`, [token])).toBeNull();
  });

  it("keeps the words in a token readable", () => {
    const words = "Partner-Access tokens start with partner-access-token: authentication required";
    expect(redactText(words, ["partner-access-token-authentication-7Qm2Zr9X"])).toBe(words);
  });

  it("in the response to a creation does not contain what may be a new key", () => {
    const body = JSON.stringify({
      request_id: "req_0123456789",
      error:
        "Key abcdefghijklmnopqrstuvwxyz (short: pk_9fA2x) exceeds the limit of 5 keys in eu-west on 2026-06-15",
    });
    const keys = possibleKeys(body);
    expect(redactText(messageIn(parseDocument(body)) ?? "", keys)).toBe(
      "Key *** (short: ***) exceeds the limit of 5 keys in eu-west on 2026-06-15",
    );
    expect(printableId("abcdefghijklmnopqrstuvwxyz", keys)).toBeNull();
    expect(printableId(Buffer.from("x:pk_9fA2x").toString("base64url"), keys)).toBeNull();
    expect(printableId("req_0123456789", keys)).toBe("req_0123456789");
  });

  it.each<[body: object, shown: string]>([
    [{ apiKey: "QwErTyUi", message: "QwErTyUi exceeds the quota" }, "*** exceeds the quota"],
    [{ data: { api_key: "qwertyui" }, message: "qwertyui exceeds it" }, "*** exceeds it"],
    [{ token: "qwer/tyu", message: "qwer%2Ftyu, or QWER/TYU" }, "***, or ***"],
    [{ message: "Key QwErTyUi exceeds the quota" }, "Key *** exceeds the quota"],
    [{ message: 'The key "qwertyui" exceeds it' }, 'The key "***" exceeds it'],
    [{ message: "API key: QwErTyUi exceeds it" }, "API key: *** exceeds it"],
    [{ message: "Cannot create an API key: forbidden" }, "Cannot create an API key: forbidden"],
    [{ message: "token=qwertyui" }, "token=***"],
    [
      { message: "Key creation exceeds the permitted allowance" },
      "Key creation exceeds the permitted allowance",
    ],
    [
      { token_type: "standard", key_status: "rejected", message: "A standard key is rejected" },
      "A standard key is rejected",
    ],
    [{ code: "authentication_required", message: "Authentication required" }, "Authentication required"],
  ])("in the response to the creation of a key of eight letters, %j, is %j", (body, shown) => {
    const text = JSON.stringify(body).replaceAll("/", "\\/");
    const words = messageIn(parseDocument(text)) ?? "";
    expect(redactText(words, [], [...possibleKeys(text), ...possibleKeys(words)])).toBe(shown);
  });

  it("of any length is searched for secrets of any length", () => {
    const long = randomBytes(7_000).toString("base64url");
    for (const [kind, secrets] of [
      ["the token", [long]],
      ["a new key", possibleKeys(`{"pem":"${long}"}`)],
    ] as const) {
      expect(printableId("8f14e45f-ceea-467f-a8b0-5f3b2c9d1e77", secrets), kind).not.toBeNull();
      expect(printableId(long.slice(0, 128), secrets), kind).toBeNull();
      expect(redactText(`in ${long.slice(0, 512)}`, secrets), kind).toBe("in ***");
    }
  });

  it("is cut after 200 characters, but never inside a secret, whose start would remain", () => {
    expect(redactText("ab ".repeat(100), [])).toBe(`${"ab ".repeat(66)}a…`);
    const secret = "zzzz-yyyy-zzzz";
    for (let before = 4070; before < 4100; before++) {
      const words = `${".".repeat(before).replace(/./g, (_dot, at: number) => (at % 2 ? " " : "."))}${secret}`;
      expect(redactText(words, [secret]), `after ${before} characters`).not.toContain("zzz");
    }
  });
});

it.each<[how: string, id: unknown, shown: string | null]>([
  ["is shown", "a.B:c-d_7", "a.B:c-d_7"],
  ["is not shown if it has an escape sequence", "\u001b[31mred", null],
  ["is not shown if it has a GitHub Actions command", "::stop-commands::x", null],
  ["is not shown if it has the token in base64", Buffer.from("Bearer token-123").toString("base64url"), null],
  ["is not shown if it has the token in hex", Buffer.from("token-123").toString("hex"), null],
  ["is not shown if it ends with a line break", "a\n", null],
  ["is not shown if it is too long", "x".repeat(129), null],
  ["is not shown if it is not text", ["a"], null],
  ["is not shown if it has the token", "req-token-123-x", null],
])("a request ID %s", (_how, id, shown) => {
  expect(printableId(id, ["token-123"])).toBe(shown);
});

it.each<[text: string, words: string | null]>([
  ['{"message":"At most 5 keys","error":"Forbidden"}', "At most 5 keys"],
  ['{"error":{"code":"E1","message":"At most 5 keys"}}', "At most 5 keys"],
  ['{"error":"invalid_client","error_description":"Unknown client"}', "Unknown client"],
  ['{"type":"about:blank","title":"Forbidden","detail":"At most 5 keys"}', "At most 5 keys"],
  ['{"errors":[{"message":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"errors":["At most 5 keys","Try later"]}', "At most 5 keys"],
  ['{"errors":[{"code":"E1"},{"code":"E2","title":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"errors":[{"title":"Forbidden","detail":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"errors":[{"id":"8f14e45f","source":{"pointer":"/data"},"title":"At most 5 keys"}]}', "At most 5 keys"],
  ['{"title":"Invalid","errors":{"keys":["At most 5 keys"],"name":["Taken"]}}', "At most 5 keys"],
  ['{"errors":{"keys":"At most 5 keys"}}', "At most 5 keys"],
  ['{"errors":{"key":["At most 5 keys"]}}', "At most 5 keys"],
  ['{"error":{"code":"E1","reason":"At most 5 keys"}}', "At most 5 keys"],
  ['{"errors":[{"code":"E1"}],"error":"Forbidden"}', "Forbidden"],
  ['{"errors":[{"code":"E1","api_key":"k"}]}', null],
  ['{"errors":[],"api_key":"k"}', null],
  ['{"message":" ","error":"Forbidden"}', "Forbidden"],
  ['{"message":{"text":"x"}}', null],
  ["<html>Forbidden</html>", null],
  ["", null],
])("the message in %s is %j", (text, words) => {
  expect(messageIn(parseDocument(text))).toBe(words);
});
