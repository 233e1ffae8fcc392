import { createServer, type AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

import type { PartnerClient } from "../../provider/src/api/client.js";
import { PartnerError } from "../../provider/src/api/errors.js";
import type { Operation } from "../../provider/src/api/operations.js";
import { readApiKey, readWebhookList } from "../../provider/src/api/responses.js";
import { CANARIES, findLeaks } from "../support/canary.ts";
import { clientFor, failureOf, FakeTiming } from "./api/support.ts";

/** Of characters that a request id may have, as most tokens and keys are. */
const token = "tok_7Qm2Zr9XbK4gTw.vL8sWc3NfHd1pYx6";
const key = "key-Hb2uQe7JxTn5Zc-Sk9dRm4WgPv1Ya8i";
const SECRETS = { ...CANARIES, token, key };

/** What is sent for a request, given as it came; then the connection is closed. `null` resets it. */
type Reply = (request: string) => string | null;

/** Answers with a status, and repeats token and key wherever an answer has room for them. */
function status(code: number, requestId = token): Reply {
  return () => {
    const body = JSON.stringify({ error: `bad token ${token}`, authorization: `Bearer ${token}`, key });
    return [
      `HTTP/1.1 ${code} ${token}`,
      `x-request-id: ${requestId}`,
      `request-id: ${key}`,
      `location: https://elsewhere.example/?token=${encodeURIComponent(token)}`,
      `www-authenticate: Bearer realm="${token}"`,
      `content-length: ${body.length}`,
      "connection: close",
      "",
      body,
    ].join("\r\n");
  };
}

const REPLIES: readonly (readonly [what: string, reply: Reply])[] = [
  ...[301, 302, 400, 401, 403, 404, 408, 409, 410, 418, 422, 429, 500, 502, 503, 599].map(
    (code) => [`a status of ${code}`, status(code)] as const,
  ),
  ["a request id with the token inside", status(403, `req-${token}-1`)],
  ["a request id from the path", (request) => status(403, /([^/]+) HTTP/.exec(request)?.[1])(request)],
  ["a request id with colours", status(403, `\u001b[31m${token}\u001b[0m`)],
  ["a request id with a command for a CI system", status(403, `::set-output name=token::${token}`)],
  ["its own request", (request) => request],
  ["a header that is too long", () => `HTTP/1.1 200 OK\r\nx-echo: ${token.repeat(1000)}\r\n\r\n`],
  ["a header that is none", () => `HTTP/1.1 200 OK\r\n${token}\r\n\r\n`],
  ["a body that breaks off", () => `HTTP/1.1 500 OK\r\ncontent-length: 999\r\n\r\n{"token":"${token}"`],
  ["nothing", () => null],
];

const OPERATIONS: Readonly<Record<Operation, (client: PartnerClient) => Promise<unknown>>> = {
  createApiKey: (client) => client.createApiKey(),
  deleteApiKey: (client) => client.deleteApiKey(key),
  listWebhooks: (client) => client.listWebhooks(),
  activateWebhook: (client) => client.activateWebhook(7),
  disableWebhook: (client) => client.disableWebhook(7),
};

describe.each(REPLIES)("to %s, neither error nor log repeats token or key of", (_what, reply) => {
  it.each(Object.entries(OPERATIONS))("%s", async (_operation, call) => {
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const client = clientFor(await answering(reply), { timing: new FakeTiming(), log });
    onTestFinished(() => client.close());
    const error = await failureOf(call(client));
    expect(error).toBeInstanceOf(PartnerError);
    expect(lines.length).toBeGreaterThan(0);
    const places = { error: everythingOf(error), log: lines.join("\n") };
    expect(findLeaks(places, SECRETS)).toEqual([]);
    expect(JSON.stringify(places)).not.toMatch(/\\u001b|::|"cause":/); // No colours, no commands, nothing attached.
  });
});

describe("what is said about a response that cannot be read has none of its values and of its names that may be data, where", () => {
  const name = "Zq8RkT3vWm5LxB7nYc2Hd9"; // A key as a name: no longer than names that are printed.
  const secrets = { ...SECRETS, name };
  it.each<[what: string, body: unknown]>([
    ["keys are names", { [name]: { createdAt: "2030-01-01" }, keys: { [name]: key } }],
    ["two values come into question", { apiKey: key, data: { [name]: name, api_key: token } }],
    ["names are values", { result: { [key]: name, token: name, key: token } }],
    ["there is an error", { error: { message: `unknown token ${token}`, detail: key } }],
    [
      "lists have names that are keys",
      { [name]: [{ id: 1, secret: key }], [key]: [{ id: 2, secret: token }] },
    ],
    ["records have no id", [{ secret: key, [name]: 1, nested: { [token]: 2 } }]],
    ["ids are not unique", [1, 1].map((id) => ({ id, [name]: id, secret: key }))],
    ["states disagree", [{ id: 1, active: true, status: "off", [name]: token, secret: key }]],
    ["a map holds the records", { webhooks: { [name]: { state: "active" }, [key]: {} } }],
  ])("%s", (_what, body) => {
    const text = JSON.stringify(body);
    const nowhere = { apiKey: "/nowhere", webhooks: "/nowhere", webhookId: "/no", webhookState: "/no" };
    const readings = [{}, nowhere, { webhookState: "/no" }, { webhookId: "/no" }].flatMap((mapping) => {
      const list = readWebhookList(text, undefined, mapping);
      const problems = list.readable
        ? [...list.webhooks.values()].map(({ problem }) => problem)
        : list.problem;
      const reading = readApiKey(text, mapping);
      return [reading.readable ? null : reading.problem, problems];
    });
    expect(findLeaks({ problems: JSON.stringify(readings) }, secrets)).toEqual([]);
  });
});

/** All that could be printed of an error, by whomever. */
function everythingOf(error: unknown): string {
  return inspect(error, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null });
}

async function answering(reply: Reply): Promise<{ url: string; accessToken: string }> {
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", (request) => {
        const answer = reply(request.toString("latin1"));
        if (answer === null) socket.resetAndDestroy();
        else socket.end(answer, "latin1");
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, accessToken: token };
}
