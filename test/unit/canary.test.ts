import { inspect } from "node:util";
import { describe, expect, it } from "vitest";

import type { PartnerClient } from "../../provider/src/api/client.js";
import { PartnerError } from "../../provider/src/api/errors.js";
import { renderError } from "../../provider/src/hosts/messages.js";
import { CANARIES, findLeaks } from "../support/canary.ts";
import { clientFor, failureOf, InstantClock, scripted } from "./api/support.ts";

const { token } = CANARIES;
const hex = (text: string): string => Buffer.from(text).toString("hex");

/** The scanner finds nothing in the engine tests, so this is where it is seen to work. */
describe("the search for leaks finds a secret", () => {
  it.each<[form: string, text: string]>([
    ["without its beginning", token.slice(12)],
    ["without its end", token.slice(0, 30)],
    ["percent-encoded twice", encodeURIComponent(encodeURIComponent(token))],
    ["as JSON in JSON in JSON", JSON.stringify(JSON.stringify(JSON.stringify({ token })))],
    ["with escapes of JSON", token.replaceAll("/", "\\/").replaceAll("+", "\\u002b")],
    ["in base64url, two characters in", Buffer.from(`a:${token}`).toString("base64url")],
    ["in hex, with colons", hex(token).replace(/(..)/g, "$1:")],
    ["wrapped", token.replace(/(.{7})/g, "$1\n    ")],
    ["in colours", token.replace(/(.{5})/g, "$1\u001b[31m")],
  ])("%s", (_form, text) => {
    expect(findLeaks({ here: `before ${text} after` }, { token })).toHaveLength(1);
  });

  it("in the right place, once for each secret, and nothing else", () => {
    const places = { one: "nothing pk_live_", two: `${token} ${token}`, three: CANARIES.clientSecret };
    expect(findLeaks(places, { ...CANARIES, key: "pk_live_dEWUlrisGTTd9x-VOgy9StU-Sl7ldmV7" })).toEqual([
      expect.stringMatching(/^token in two \(plain\): /),
      expect.stringMatching(/^clientSecret in three \(plain\): /),
    ]);
  });
});

/** What no well-formed response has: undici words the errors of these itself. */
it.each<[what: string, bytes: string]>([
  ["a status line", `HTTP/1.1 401 ${token}\r\ncontent-length: 0\r\n\r\n`],
  ["a header that is too long", `HTTP/1.1 200 OK\r\nx-echo: ${token.repeat(10_000)}\r\n\r\n`],
  ["a header that is none", `HTTP/1.1 200 OK\r\n${token}\r\n\r\n`],
  ["an error that is cut off", `HTTP/1.1 500 OK\r\ncontent-length: 999\r\n\r\n{"message":"${token}`],
])("a token that is repeated in %s shows up in no error and in no log", async (_what, bytes) => {
  const key = CANARIES.existingKey;
  const calls: readonly ((client: PartnerClient) => Promise<unknown>)[] = [
    (client) => client.createApiKey(),
    (client) => client.deleteApiKey(key),
    (client) => client.listWebhooks(),
    (client) => client.setWebhookState(7, "active"),
  ];
  for (const call of calls) {
    const lines: string[] = [];
    const target = { ...(await scripted({ bytes, end: "fin" })), accessToken: token };
    const log = (line: string): void => void lines.push(line);
    const error = await failureOf(call(clientFor(target, { clock: new InstantClock(), log })));
    expect(error).toBeInstanceOf(PartnerError);
    const facts = inspect(error, { depth: 20, showHidden: true });
    const places = { facts, text: renderError(error, { explicit: false }), log: lines.join("\n") };
    expect(lines.length).toBeGreaterThan(0);
    expect(findLeaks(places, CANARIES)).toEqual([]);
  }
});
