import { inspect } from "node:util";
import { expect, it } from "vitest";

import { PartnerError } from "../../../provider/src/api/errors.js";
import type { PartnerService } from "../../../provider/src/shared/partner-service.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import { CANARIES, findLeaks } from "../../support/canary.ts";
import { clientFor, failureOf, InstantClock, scripted } from "./support.ts";

const { token } = CANARIES;

// All other tests expect that the search finds nothing; this one proves that it can find something.
it.each([
  token,
  encodeURIComponent(token),
  JSON.stringify(JSON.stringify({ token })),
  Buffer.from(token).toString("hex"),
  Buffer.from(`x:${token}`).toString("base64url"),
])("the search for leaks finds a secret in %s", (text) => {
  expect(findLeaks({ here: `before ${text} after`, there: "tok_7Qm2" }, CANARIES)).toEqual([
    expect.stringMatching(/^token in here: /),
  ]);
});

// undici words the errors of these malformed responses itself.
it.each<[what: string, bytes: string]>([
  ["a status line", `HTTP/1.1 401 ${token} ${CANARIES.header}\r\ncontent-length: 0\r\n\r\n`],
  ["a header that is too long", `HTTP/1.1 200 OK\r\nx-echo: ${token.repeat(10_000)}\r\n\r\n`],
  ["a malformed header", `HTTP/1.1 200 OK\r\n${token}\r\n\r\n`],
  [
    "a truncated error",
    `HTTP/1.1 500 OK\r\ncontent-length: 999\r\n\r\n{"message":"${token} ${CANARIES.header}`,
  ],
])("no error and no log repeats a token or a header in %s", async (_what, bytes) => {
  const calls: readonly ((client: PartnerService) => Promise<unknown>)[] = [
    (client) => client.createApiKey(),
    (client) => client.deleteApiKey(CANARIES.existingKey),
    (client) => client.listWebhooks(),
    (client) => client.setWebhookState(7, "active"),
  ];
  for (const call of calls) {
    const lines: string[] = [];
    const target = { ...(await scripted({ bytes, end: "fin" })), accessToken: token };
    const headers = { "X-Gateway-Key": CANARIES.header };
    const log = (line: string): void => void lines.push(line);
    const error = await failureOf(call(clientFor(target, { clock: new InstantClock(), headers, log })));
    expect(error).toBeInstanceOf(PartnerError);
    const facts = inspect(error, { depth: 20, showHidden: true });
    const places = { facts, text: renderError(error), log: lines.join("\n") };
    expect(lines.length).toBeGreaterThan(0);
    expect(findLeaks(places, CANARIES)).toEqual([]);
  }
});
