import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { parseBaseUrl } from "../../../provider/src/api/base-url.js";
import { createConnections, type Connections } from "../../../provider/src/api/connections.js";
import type { Exchange, ExchangeRequest } from "../../../provider/src/api/exchange.js";
import { exchange } from "../../../provider/src/api/http.js";
import { API_ROOT, OPERATIONS, type Operation } from "../../../provider/src/api/operations.js";
import { startScriptedServer, type Play, type ScriptedServer } from "../../support/scripted-server.ts";
import { operations } from "./calls.ts";
import { BROKEN_BODIES, goodAnswer, LOST_ANSWERS } from "./matrix-faults.ts";

/** Real milliseconds until an attempt is given up; only silence takes that long. */
const REQUEST_TIMEOUT = 400;

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

/** Connections to the server, which end with the test. */
function connectTo(url: string): Connections {
  const baseUrl = parseBaseUrl(url);
  if ("problem" in baseUrl) throw new Error(baseUrl.problem);
  const connections = createConnections(baseUrl, "token", 4);
  onTestFinished(() => connections.close());
  return connections;
}

function requestFor(operation: Operation, url: string): ExchangeRequest {
  const { method, template } = OPERATIONS[operation];
  return {
    method,
    path: new URL(url).pathname + API_ROOT + template.replace(/\{\w+\}/, "101"),
    fresh: method === "POST",
    keepBody: 1024,
    connectTimeout: 5_000,
    requestTimeout: REQUEST_TIMEOUT,
    remaining: 5_000,
  };
}

/** What became of one call of `exchange`, and how many requests arrived because of it. */
async function once(operation: Operation, play: Play, warm: boolean) {
  const good = goodAnswer("listWebhooks");
  const { url, requests } = server.scene(warm ? [good, play, good] : [play, good]);
  const connections = connectTo(url);
  if (warm) await exchange(connections, requestFor("listWebhooks", url));
  const before = requests.length;
  const outcome = await exchange(connections, requestFor(operation, url));
  const arrived = requests.length - before;
  // Whatever undici might have left to send would go out with, or before, the next request of each kind.
  await exchange(connections, requestFor("listWebhooks", url));
  await exchange(connections, requestFor("createApiKey", url));
  return { outcome, arrived, later: requests.length - before - arrived - 2 };
}

/** How an attempt ended, in one word. */
function ended(outcome: Exchange): string {
  return outcome.kind === "unanswered" ? outcome.code : `${outcome.status} ${outcome.broken ?? "whole"}`;
}

const CODES: Readonly<Record<keyof typeof LOST_ANSWERS, string>> = {
  "a reset": "ECONNRESET",
  "a close": "UND_ERR_SOCKET",
  silence: "TIMEOUT",
  "a reset in the status line": "ECONNRESET",
  "a close in the headers": "UND_ERR_SOCKET",
  "something that is not HTTP": "HTTPParserError",
  "headers without end": "UND_ERR_HEADERS_OVERFLOW",
  "an upgrade that nobody wanted": "UND_ERR_SOCKET",
  "a 100 that nobody wanted": "UND_ERR_SOCKET",
};
const ENDS: Readonly<Record<keyof typeof BROKEN_BODIES, string>> = {
  "a reset in the body": "200 connection",
  "a close in the body": "200 connection",
  "silence in the body": "200 timeout",
  "a close between chunks": "200 connection",
  "a chunk that is none": "200 connection",
  "a reset in the body of a 503": "503 connection",
  "silence in the body of a 404": "404 timeout",
  "a page of HTML": "200 whole",
  "a page of HTML with 502": "502 whole",
  "103 before the answer": "200 whole",
};
const cases: [what: string, end: string, play: (operation: Operation) => Play][] = [
  ...(Object.keys(CODES) as (keyof typeof CODES)[]).map((what): (typeof cases)[number] => [
    what,
    CODES[what],
    () => LOST_ANSWERS[what],
  ]),
  ...(Object.keys(ENDS) as (keyof typeof ENDS)[]).map((what): (typeof cases)[number] => [
    what,
    ENDS[what],
    (operation) => BROKEN_BODIES[what](operation, {}),
  ]),
];

describe.each([
  ["a new connection", false],
  ["a connection that was kept alive, unless it creates", true],
])("one attempt on %s", (_on, warm) => {
  it.each(cases)(
    "that meets %s is one request on the wire (%s), for every operation",
    async (_what, end, play) => {
      const all = operations.map(async (operation) => {
        const { outcome, arrived, later } = await once(operation, play(operation), warm);
        const sent = outcome.kind === "answered" || outcome.sent;
        return [operation, { end: ended(outcome), sent, arrived, later }];
      });
      const expected = { end, sent: true, arrived: 1, later: 0 };
      expect(Object.fromEntries(await Promise.all(all))).toEqual(
        Object.fromEntries(operations.map((operation) => [operation, expected])),
      );
    },
  );
});
