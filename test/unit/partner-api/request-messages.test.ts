/** The words of every error of a request, which request-messages.txt lists. */
import { expect, it } from "vitest";

import type { Attempt, CutOff } from "../../../provider/src/partner-api/attempt.ts";
import type { Operation } from "../../../provider/src/partner-api/operations.ts";
import {
  invalidProxy,
  requestFailed,
  type RequestFailure,
} from "../../../provider/src/partner-api/request-messages.ts";

type Facts = Omit<Partial<RequestFailure>, "outcome"> & {
  readonly end?: "done" | "failed" | "interrupted" | "throttled";
  readonly mayHaveChanged?: boolean;
  readonly attempts?: number;
};

function failed(operation: Operation, attempt: Attempt | null, facts: Facts = {}) {
  const { end = "failed", mayHaveChanged = false, attempts = 1, ...rest } = facts;
  return requestFailed({
    operation,
    webhookId: operation.endsWith("Webhook") ? 101 : null,
    server: "https://partners.example.com",
    settingName: (name) => `partners:${name}`,
    outcome: { end, attempt, mayHaveChanged, attempts } as RequestFailure["outcome"],
    pause: 0,
    serverWords: null,
    isAlreadySo: false,
    ...rest,
  });
}

const HTML = "<!doctype html><html></html>";

function returned(status: number, text = "", cutOff: CutOff | null = null): Attempt {
  return { kind: "response", status, headers: {}, body: Buffer.from(text), text, cutOff };
}

function refusedForNow(status: number): Attempt {
  return { ...returned(status), headers: { "retry-after": "7" } } as Attempt;
}

function lost(code: string, sent = false): Attempt {
  const reason = code === "timeout" ? "timeout" : "connection";
  return { kind: "noResponse", sent, reason, code };
}

const [POST, GET] = ["createApiKey", "listWebhooks"] as const;
const [PATCH, DELETE] = ["activateWebhook", "deleteApiKey"] as const;
const isPossible = { mayHaveChanged: true } as const;

const ERRORS = [
  failed(GET, returned(401)),
  failed(PATCH, returned(403), { serverWords: "Plan expired." }),
  failed(POST, returned(403), { serverWords: "At most 5 keys" }),
  failed(PATCH, refusedForNow(403), { attempts: 6, serverWords: "Rate limit exceeded" }),
  failed(POST, refusedForNow(403), { attempts: 6 }),
  failed(GET, returned(404)),
  failed(PATCH, returned(404)),
  failed(DELETE, returned(404), { ...isPossible, attempts: 2 }),
  failed(POST, returned(409)),
  failed(POST, refusedForNow(409), { attempts: 6 }),
  failed(PATCH, returned(409)),
  failed(PATCH, returned(423), { attempts: 6 }),
  failed(POST, returned(422), { serverWords: "Name missing" }),
  failed(GET, returned(503), { attempts: 6 }),
  failed(PATCH, returned(500), isPossible),
  failed(POST, returned(500), isPossible),
  failed(POST, returned(501)),
  failed(GET, returned(501)),
  failed(POST, returned(502, HTML), isPossible),
  failed(GET, returned(302)),
  failed(GET, returned(403, HTML)),
  failed(GET, returned(200, HTML), { end: "done" }),
  failed(DELETE, returned(200, '{"ok":false}'), { end: "done", ...isPossible, serverWords: "In use" }),
  failed(GET, returned(200, "", "connection"), { attempts: 6 }),
  failed(GET, returned(200, "", "timeout"), { attempts: 4 }),
  failed(GET, returned(200, "", "limit")),
  failed(GET, returned(200, "", "malformed")),
  failed(GET, returned(429), { end: "throttled", attempts: 8, pause: 59_200 }),
  failed(POST, null, { end: "throttled", attempts: 0, pause: 3_600_000 }),
  failed(POST, lost("timeout", true), isPossible),
  failed(GET, lost("timeout"), { attempts: 4 }),
  failed(GET, lost("UND_ERR_CONNECT_TIMEOUT")),
  failed(PATCH, lost("ECONNRESET", true), { ...isPossible, attempts: 6 }),
  failed(POST, lost("UND_ERR_SOCKET", true), isPossible),
  failed(POST, lost("ENOTFOUND")),
  failed(GET, lost("SELF_SIGNED_CERT_IN_CHAIN")),
  failed(GET, lost("ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE")),
  failed(GET, lost("ERR_SSL_WRONG_VERSION_NUMBER")),
  failed(GET, lost("ERR_SSL_UNSUPPORTED_PROTOCOL")),
  failed(GET, lost("CERT_HAS_EXPIRED")),
  failed(GET, lost("CERT_NOT_YET_VALID")),
  failed(GET, lost("ERR_TLS_CERT_ALTNAME_INVALID")),
  failed(GET, lost("PROXY_TLS_UNABLE_TO_VERIFY_LEAF_SIGNATURE")),
  failed(GET, lost("PROXY_407_NOT_BASIC")),
  failed(GET, lost("UND_ERR_PRX_CONN")),
  failed(GET, lost("PROXY_403")),
  failed(GET, lost("PROXY_407")),
  failed(GET, lost("PROXY_408"), { attempts: 6 }),
  failed(GET, lost("PROXY_429"), { attempts: 6 }),
  failed(GET, lost("UND_ERR_HEADERS_OVERFLOW", true)),
  failed(GET, lost("HPE_INVALID_HEADER_VALUE_CHAR", true)),
  failed(POST, lost("UND_ERR_RES_CONTENT_LENGTH_MISMATCH", true), isPossible),
  failed(DELETE, returned(503), { end: "interrupted", ...isPossible }),
  invalidProxy(),
];

it("the messages have the words of request-messages.txt", async () => {
  const lines = ERRORS.map(({ code, isUnreachable, isPermanent, message }) => {
    return `${message} [${code}${isUnreachable ? ", unreachable" : ""}${isPermanent ? ", permanent" : ""}]\n`;
  });
  await expect(lines.join("")).toMatchFileSnapshot("./request-messages.txt");
});

it("a 410 says what a 404 says", () => {
  for (const operation of [GET, PATCH, DELETE, POST]) {
    const [notFound, gone] = [404, 410].map((status) => failed(operation, returned(status)));
    expect(gone?.message).toBe(notFound?.message.replace("404", "410"));
    expect(gone?.isUnreachable).toBe(notFound?.isUnreachable);
  }
});

it("the messages are short", () => {
  const lengths = ERRORS.map(({ message }) => message.length).sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(160);
  expect(lengths.at(-1)).toBeLessThanOrEqual(250);
});

it("the messages have a summary that is the same for all webhooks", () => {
  const summaries = [7, 8].map((webhookId) => failed(PATCH, returned(403), { webhookId }).summary);
  const summary =
    "PATCH https://partners.example.com/api/v1/partners/webhooks/{webhook_id}/active: the server returned 403";
  expect(summaries).toEqual([summary, summary]);
});
