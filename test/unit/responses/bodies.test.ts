import { describe, expect, it } from "vitest";

import { reportsFailure } from "../../../provider/src/responses/failure-report.js";
import { isFailedCreation, readApiKey } from "../../../provider/src/responses/key-reader.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { FAILURE_ROWS, KEY_ROWS, LIST_ROWS, type Body } from "./bodies.ts";

function textOf(body: Body): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

describe("the key in the response to its creation", () => {
  it.each(KEY_ROWS)("%s", (_, body, expected) => {
    const text = textOf(body);
    const reading = readApiKey(text, {});
    const refused = isFailedCreation(text, {}) ? "failed" : "refused";
    expect(reading.kind === "found" ? reading.pointer : refused).toBe(expected);
  });
});

describe("the webhook list", () => {
  it.each(LIST_ROWS.map((row) => [row[0], row] as const))("%s", (_, row) => {
    const [, body, expected, headers = {}, status = 200] = row;
    expect(describeList(textOf(body), headers, status)).toBe(expected);
  });
});

describe("a failure in a 2xx response", () => {
  it.each(FAILURE_ROWS)("%s", (_, body, expected) => {
    expect(reportsFailure(textOf(body))).toBe(expected);
  });
});

function describeList(text: string, headers: Readonly<Record<string, string>>, status: number): string {
  if (reportsFailure(text)) return "failed";
  const reading = readWebhookList(text, headers, status, {});
  if (!reading.readable) return `refused ${reading.setting}`;
  const webhooks = [...reading.webhooks.values()].map(
    ({ webhookId, state }) => `${webhookId} ${state ?? "?"}`,
  );
  return [...webhooks, ...(reading.provesAbsence ? [] : ["…"])].join(", ");
}
