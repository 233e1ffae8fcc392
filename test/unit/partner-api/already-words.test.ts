import { expect, it } from "vitest";

import { saysAlready } from "../../../provider/src/partner-api/already-words.ts";
import type { WebhookState } from "../../../provider/src/partner-api/operations.ts";
import { clientFor, errorOf, listen, TOKEN } from "./support.ts";

const OWN = { active: ["LIVE", 1, true], disabled: ["switched off", 0] };

it.each<[words: string, state: WebhookState | null]>([
  ["Webhook 101 is already active.", "active"],
  ["webhook already enabled", "active"],
  ["WEBHOOK_ALREADY_ACTIVE", "active"],
  ["WebhookAlreadyDisabled", "disabled"],
  ["The webhook has already been disabled", "disabled"],
  ["already inactive", "disabled"],
  ["is already paused", "disabled"],
  ["is already Live", "active"],
  ["has been switched off already, or is already switched off", "disabled"],
  ["active already", null],
  ["The endpoint is not verified", null],
  ["A change is already in progress", null],
  ["is already being disabled", null],
  ["is not already active", null],
  ["cannot be changed: already active", null],
  ["isn't already active", null],
  ["already active, was disabled by an administrator", null],
  ["already disabled, enabled in another region", null],
  ["another webhook is already active", null],
  ["only one may be on: 12 is already active", null],
  ["already changed 1 time", null],
  ["it is already true", null],
  ["already activated today", null],
  ["", null],
])("%j says that a webhook is already %s", (words, expected) => {
  const states = ["active", "disabled"] as const;
  expect(states.filter((state) => saysAlready(words, state, OWN))).toEqual(expected ? [expected] : []);
});

it("the error of a 409 knows that the webhook is so already, also if its words cannot be quoted", async () => {
  let [status, message] = [409, `${TOKEN} is wrong here: already active`];
  const { url } = await listen((_request, response) =>
    response.writeHead(status).end(JSON.stringify({ message })),
  );
  const client = clientFor(url);
  const error = await errorOf(client.setWebhookState(101, "active"));
  expect(error.message).not.toContain("already");
  expect(error.isAlreadySo).toBe(true);
  expect(error.withMessage("in other words", {}).isAlreadySo).toBe(true);
  expect((await errorOf(client.setWebhookState(101, "disabled"))).isAlreadySo).toBe(false);
  status = 422;
  expect((await errorOf(client.setWebhookState(101, "active"))).isAlreadySo).toBe(false);
  [status, message] = [409, "already LIVE"];
  const mapped = clientFor(url, { responses: { active: ["live"] } });
  expect((await errorOf(client.setWebhookState(101, "active"))).isAlreadySo).toBe(false);
  expect((await errorOf(mapped.setWebhookState(101, "active"))).isAlreadySo).toBe(true);
});

it.each<[message: string, requests: number]>([
  ["already active", 300],
  ["endpoint is not verified", 600],
])("300 changes that are all refused with %j are %i requests", async (message, count) => {
  const body = JSON.stringify({ message });
  const { url, requests } = await listen((_request, response) => response.writeHead(409).end(body));
  const client = clientFor(url);
  const ids = Array.from({ length: 300 }, (_, index) => index + 1);
  const errors = await Promise.all(ids.map((id) => errorOf(client.setWebhookState(id, "active"))));
  expect(requests).toHaveLength(count);
  expect(new Set(errors.map(({ isAlreadySo }) => isAlreadySo))).toEqual(new Set([count === 300]));
});
