import { describe, expect, it } from "vitest";

import type { Exchange } from "../../../provider/src/api/exchange.js";
import { backoff, judge, RETRY, retryAfter } from "../../../provider/src/api/retry-policy.js";

function answered(status: number, headers: Record<string, string> = {}): Exchange {
  return { kind: "answered", status, headers, body: Buffer.alloc(0), broken: null };
}
const refused: Exchange = { kind: "unanswered", sent: false, reason: "connection", code: "ECONNREFUSED" };
const resetInFlight: Exchange = { kind: "unanswered", sent: true, reason: "connection", code: "ECONNRESET" };

describe("judge", () => {
  const others = ["listWebhooks", "deleteApiKey", "activateWebhook", "disableWebhook"] as const;

  it.each([408, 500, 502, 503, 504, 400, 401, 403, 404, 409, 303])(
    "never repeats a creation after %d",
    (status) => {
      expect(judge("createApiKey", answered(status))).toBe("fail");
    },
  );

  it("repeats a creation only if it was never sent, or was answered with 429", () => {
    expect(judge("createApiKey", refused)).toBe("again");
    expect(judge("createApiKey", resetInFlight)).toBe("fail");
    expect(judge("createApiKey", answered(429))).toBe("throttled");
  });

  it.each(others)("repeats %s after what passes by itself", (operation) => {
    for (const status of [408, 502, 503, 504]) expect(judge(operation, answered(status))).toBe("again");
    for (const status of [400, 401, 403, 404, 409, 301, 501])
      expect(judge(operation, answered(status))).toBe("fail");
    expect(judge(operation, resetInFlight)).toBe("again");
    expect(judge(operation, answered(429))).toBe("throttled");
  });

  it("repeats only reads after 500", () => {
    expect(judge("listWebhooks", answered(500))).toBe("again");
    expect(judge("activateWebhook", answered(500))).toBe("fail");
    expect(judge("deleteApiKey", answered(500))).toBe("fail");
  });

  it("takes any 2xx for a success, and asks again for a list only where its body broke off", () => {
    for (const status of [200, 201, 202, 204]) expect(judge("createApiKey", answered(status))).toBe("done");
    const broken = { ...answered(200), broken: "connection" } as Exchange;
    expect(judge("listWebhooks", broken)).toBe("again");
    expect(judge("activateWebhook", broken)).toBe("done");
    expect(judge("createApiKey", broken)).toBe("done");
  });
});

describe("backoff", () => {
  it("draws from the whole range and doubles it up to the cap", () => {
    expect([1, 2, 3, 4].map((attempt) => backoff(attempt, () => 0.5))).toEqual([100, 200, 400, 800]);
    expect(backoff(30, () => 0.999)).toBeLessThan(RETRY.maxDelay);
    expect(backoff(1, () => 0)).toBe(0);
  });
});

describe("retryAfter", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  it.each([
    ["seconds", { "retry-after": "7" }, 7000],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, 5000],
    [
      "a date, by the server's own clock",
      { "retry-after": "Thu, 01 Jan 2026 01:00:05 GMT", date: "Thu, 01 Jan 2026 01:00:00 GMT" },
      5000,
    ],
    ["a date in the past", { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    ["nothing", {}, null],
    ["nonsense", { "retry-after": "soon" }, null],
    ["a negative number", { "retry-after": "-5" }, null],
    ["a fraction", { "retry-after": "1.5" }, null],
    ["a date without zone", { "retry-after": "2026-01-01" }, null],
  ])("reads %s", (_what, headers, expected) => {
    expect(retryAfter(answered(503, headers as Record<string, string>), now)).toBe(expected);
  });
});
