import { expect } from "vitest";

import {
  readApiKey,
  readWebhookList,
  type KeyReading,
  type ResponseMapping,
  type WebhookListReading,
  type WebhookReading,
} from "../../../provider/src/api/responses.js";

/** A key as services make them, and another secret. */
export const KEY = "sk_live_9f8E7d6C5b4A3210";
export const OTHER = "whsec_Zy8Xw7Vu6Ts5Rq4P";

/** The reading of a key response that consists of one JSON value. */
export function keyOf(body: unknown, mapping: ResponseMapping = {}): KeyReading {
  return readApiKey(JSON.stringify(body), mapping);
}

/** The reading of a list response that consists of one JSON value. */
export function listOf(
  body: unknown,
  mapping: ResponseMapping = {},
  link?: string,
  headers?: Readonly<Record<string, string | string[] | undefined>>,
): WebhookListReading {
  return readWebhookList(JSON.stringify(body), link, mapping, headers);
}

/** A readable key response; anything else fails the test with the problem. */
export function readable(reading: KeyReading): KeyReading & { readable: true } {
  if (!reading.readable) throw new Error(`unreadable: ${reading.problem}`);
  return reading;
}

/** The webhooks of a readable list, in order; anything else fails the test with the problem. */
export function webhooksOf(reading: WebhookListReading): WebhookReading[] {
  if (!reading.readable) throw new Error(`unreadable: ${reading.problem}`);
  return [...reading.webhooks.values()];
}

/** The problem of an unreadable response; a readable one fails the test. */
export function problemOf(reading: KeyReading | WebhookListReading): string {
  expect(reading.readable).toBe(false);
  return reading.readable ? "" : reading.problem;
}
