import { expect, it } from "vitest";

import * as messages from "../../../provider/src/keys/key-messages.ts";
import { PartnerError, type ErrorCode } from "../../../provider/src/partner-api/errors.ts";

const URN = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout";
const AT = "2026-03-01T12:00:00.000Z";
const BODY = '{"secret":"4eC39HqLyjWDarjtT1zdp7dc"}';
const KEY = { apiKey: "pk_live_4eC39HqLyjWDarjtT1zdp7dc", createdAt: AT, response: null };
const SHORT = { ...KEY, apiKey: "4eC39HqLyjWDarjt" };
const API = "https://partners.example.com/api/v1/partners";

const settingName = (name: string): string => `partners:${name}`;
const lost = { at: AT, trigger: null, response: null };
const unread = { ...lost, response: { body: BODY, encoding: "utf8", isCutOff: false } as const };
const candidates = ["/data/token", "/data/secret"];
const failure = (code: ErrorCode, text: string) => new PartnerError(code, text);
const timeout = failure(
  "PARTNERS_TIMEOUT",
  `POST ${API}/api-key: timed out while waiting for the response. If the server is slow, raise partners:requestTimeout.`,
);
const refused = failure("PARTNERS_STATUS", `DELETE ${API}/api-key/{api_key}: the server returned 422.`);

/** Every error and notice of keys, as it is shown. */
const ALL = [
  messages.keyLost(lost, false, URN),
  messages.lostCreation(timeout, messages.keyLost(lost, false, URN)),
  messages.keyLost(lost, true, ""),
  messages.keyUnrecognized(unread, candidates, false, URN, settingName),
  messages.keyUnrecognized(unread, [], true, URN, settingName),
  messages.keyLost(unread, false, ""),
  messages.previousDeleted(failure("PARTNERS_STATUS", `POST ${API}/api-key: the server returned 400.`)),
  messages.untrackedCreation(lost, URN),
  messages.untrackedCreation(unread, ""),
  messages.undeletedCreation(lost, candidates, settingName),
  messages.sameKey(null),
  messages.sameKey(URN),
  messages.sameKeyKept(KEY, URN),
  messages.deletionUnclear(KEY, URN, { idPointer: "/data/id", keyPointer: "/data/key" }, settingName),
  messages.deletionUnclear(SHORT, "", { idPointer: null, keyPointer: "/api_key" }, settingName),
  messages.keyStillNeeded(KEY, URN),
  messages.deletionRefused(refused, KEY, URN),
  messages.keyWasGone({ ...SHORT, createdAt: null }, URN, null, settingName),
  messages.keyWasGone(KEY, URN, "/id", settingName),
  messages.rotationAhead(KEY, URN, "trigger", "2026-03-08T12:00:00.000Z"),
  messages.rotationAhead({ ...KEY, createdAt: null }, URN, "age", null),
  messages.previousKeyEnds(KEY, URN, true),
  messages.previousKeyEnds(SHORT, URN, false),
  messages.wrongKeyId(),
  messages.cannotCheckExistence(),
];
const TEXTS = ALL.map((each) => (each instanceof Error ? each.message : each.text));

it("each message says what failed and one way on", () => {
  const shown = ALL.map((each) =>
    each instanceof Error ? `${each.message} [${each.code}]` : `${each.severity}: ${each.text}`,
  );
  expect(shown).toMatchInlineSnapshot(`
    [
      "A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but its value was lost with the response. Set a new rotation.trigger or run "pulumi up --replace 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout'". [PARTNERS_RESOURCE]",
      "POST https://partners.example.com/api/v1/partners/api-key: timed out while waiting for the response. If the server is slow, raise partners:requestTimeout. A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but its value was lost with the response. Set a new rotation.trigger or run "pulumi up --replace 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout'". [PARTNERS_TIMEOUT]",
      "A key may have been created at 2026-03-01 12:00 UTC, but its value was lost with the response. The current key stays in use. Set a new rotation.trigger. [PARTNERS_RESOURCE]",
      "A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but no key was recognized in the response, which the stack keeps. Set partners:responses.apiKey to "/data/token" or "/data/secret", or set a new rotation.trigger. [PARTNERS_UNREADABLE]",
      "A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but no key was recognized in the response, which the stack keeps. The current key stays in use. Set partners:responses.apiKey to its JSON Pointer, or set a new rotation.trigger. [PARTNERS_UNREADABLE]",
      "A key may have been created at 2026-03-01 12:00 UTC, but the response contains no key. Set a new rotation.trigger or run "pulumi up --replace URN". [PARTNERS_UNREADABLE]",
      "POST https://partners.example.com/api/v1/partners/api-key: the server returned 400. The previous key was deleted. [PARTNERS_STATUS]",
      "warning: A key that no stack tracks may have been created for "checkout" at 2026-03-01 12:00 UTC. Its value is unknown.",
      "warning: A key that no stack tracks may have been created at 2026-03-01 12:00 UTC. Its response was discarded.",
      "The key created at 2026-03-01 12:00 UTC was not deleted: it was not recognized in the response. Set partners:responses.apiKey to "/data/token" or "/data/secret" and run this again. [PARTNERS_UNREADABLE]",
      "The service returned the current key again, not a new one. If it allows only one key, set overlapDays to 0, deleteBeforeReplace to true, and a new rotation.trigger. [PARTNERS_RESOURCE]",
      "The service returned the key of "checkout" again, not a new one. If it allows only one key, declare one PartnerApiKey. [PARTNERS_RESOURCE]",
      "warning: The service returned the key …p7dc of "checkout" again, not a new one, so it was not deleted.",
      "The service returned 404 for the key …p7dc of "checkout": it may identify keys by an ID. Set partners:responses.apiKeyId to "/data/id" if it deletes keys by this ID, or to "/data/key" if it deletes by the key itself. [PARTNERS_RESOURCE]",
      "The service returned 404 for the key created 2026-03-01 12:00 UTC: it may identify keys by an ID. Set partners:responses.apiKeyId to "/api_key" if it deletes by the key itself. [PARTNERS_RESOURCE]",
      "Did not delete the key …p7dc of "checkout": its replacement has no key. Fix the replacement's error first. [PARTNERS_RESOURCE]",
      "DELETE https://partners.example.com/api/v1/partners/api-key/{api_key}: the server returned 422. If the key …p7dc of "checkout" no longer works, run "pulumi state delete 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout'". [PARTNERS_STATUS]",
      "warning: The service did not find the key of "checkout", so it counts as deleted. If it still works, delete it there.",
      "warning: The service did not find the key …p7dc of "checkout", so it counts as deleted. If it still works, delete it there, and set partners:responses.apiKeyId to "/id".",
      "information: "pulumi up" rotates the key …p7dc of "checkout" (new rotation.trigger); it stays valid until 2026-03-08 12:00 UTC.",
      "information: "pulumi up" replaces the key …p7dc of "checkout" (created at an unknown time), and deletes it at the end.",
      "warning: "pulumi up" deletes the previous key …p7dc of "checkout", before its overlap ends.",
      "information: "pulumi up" deletes the previous key created 2026-03-01 12:00 UTC for "checkout": its overlap is over.",
      "To import this resource, use "env:" followed by the name of the environment variable that holds the key, such as env:OLD_KEY. Nothing was imported. [PARTNERS_RESOURCE]",
      "The Partner API cannot tell whether a key exists. Nothing was sent. [PARTNERS_RESOURCE]",
    ]
  `);
});

it("no message is long, or shows a key or a response", () => {
  const lengths = TEXTS.map((text) => text.length).sort((one, other) => one - other);
  expect(lengths[lengths.length >> 1]).toBeLessThanOrEqual(160);
  expect(lengths.at(-1)).toBeLessThanOrEqual(400);
  for (const text of TEXTS) expect(text).not.toMatch(/4eC39Hq|"secret":/);
});

it("several failures of a removal are told together, and may have had an effect if one of them may", () => {
  const possible = new PartnerError("PARTNERS_TIMEOUT", "Two.", { effect: "possible" });
  expect(messages.failedDeletions([refused])).toBe(refused);
  expect(messages.failedDeletions([refused, possible])).toMatchObject({
    code: "PARTNERS_STATUS",
    effect: "possible",
    message: `${refused.message} Two.`,
  });
});
