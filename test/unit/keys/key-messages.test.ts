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
  messages.unfinishedCreation(lost, null, false, URN, settingName),
  messages.lostCreation(timeout, messages.unfinishedCreation(lost, null, false, URN, settingName)),
  messages.unfinishedCreation(lost, null, true, "", settingName),
  messages.unfinishedCreation(unread, candidates, false, URN, settingName),
  messages.unfinishedCreation(unread, [], true, URN, settingName),
  messages.unfinishedCreation(unread, null, false, "", settingName),
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
  messages.keyWasGone({ ...SHORT, createdAt: null }, URN),
  messages.rotationAhead(KEY, URN, "trigger", "2026-03-08T12:00:00.000Z"),
  messages.rotationAhead({ ...KEY, createdAt: null }, URN, "age", null),
  messages.previousKeyEnds(KEY, URN, true),
  messages.previousKeyEnds(SHORT, URN, false),
  messages.wrongKeyId(),
  messages.unanswerable(),
];
const TEXTS = ALL.map((each) => (each instanceof Error ? each.message : each.text));

it("each message says what failed and one way on", () => {
  const shown = ALL.map((each) =>
    each instanceof Error ? `${each.message} [${each.code}]` : `${each.severity}: ${each.text}`,
  );
  expect(shown).toMatchInlineSnapshot(`
    [
      "A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but nobody has it: the response was lost. Set a new rotation.trigger or run "pulumi up --replace 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout'". [PARTNERS_RESOURCE]",
      "POST https://partners.example.com/api/v1/partners/api-key: timed out while waiting for the response. If the server is slow, raise partners:requestTimeout. A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but nobody has it: the response was lost. Set a new rotation.trigger or run "pulumi up --replace 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout'". [PARTNERS_TIMEOUT]",
      "A key may have been created at 2026-03-01 12:00 UTC, but nobody has it: the response was lost. The current key stays in use. Set a new rotation.trigger. [PARTNERS_RESOURCE]",
      "A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but was not found in the response, which is kept. Set partners:responses.apiKey to "/data/token" or "/data/secret", or set a new rotation.trigger. [PARTNERS_UNREADABLE]",
      "A key may have been created for "checkout" at 2026-03-01 12:00 UTC, but was not found in the response, which is kept. The current key stays in use. Set partners:responses.apiKey to its JSON Pointer, or set a new rotation.trigger. [PARTNERS_UNREADABLE]",
      "A key may have been created at 2026-03-01 12:00 UTC, but nobody has it: the response shows none. Set a new rotation.trigger or run "pulumi up --replace URN". [PARTNERS_UNREADABLE]",
      "POST https://partners.example.com/api/v1/partners/api-key: the server returned 400. The previous key was deleted. [PARTNERS_STATUS]",
      "warning: A key may have been created for "checkout" at 2026-03-01 12:00 UTC that no stack tracks. Nobody has its value.",
      "warning: A key may have been created at 2026-03-01 12:00 UTC that no stack tracks. Its response is dropped.",
      "The key created at 2026-03-01 12:00 UTC was not deleted: it was not found in the response. Set partners:responses.apiKey to "/data/token" or "/data/secret" and run this again. [PARTNERS_UNREADABLE]",
      "The server returned the current key again, not a new one. If it allows only one key, set overlapDays: 0, deleteBeforeReplace and a new rotation.trigger. [PARTNERS_RESOURCE]",
      "The server returned the key of "checkout" again, not a new one. If it allows only one key, declare one PartnerApiKey. [PARTNERS_RESOURCE]",
      "warning: The server returned the key …p7dc of "checkout" again, not a new one, so it was not deleted.",
      "The service may know the key …p7dc of "checkout" by an ID: it returned 404. Set partners:responses.apiKeyId to "/data/id" if it deletes keys by this ID, or to "/data/key" if it deletes by the key itself. [PARTNERS_RESOURCE]",
      "The service may know the key of 2026-03-01 12:00 UTC by an ID: it returned 404. Set partners:responses.apiKeyId to "/api_key" if it deletes by the key itself. [PARTNERS_RESOURCE]",
      "Did not delete the key …p7dc of "checkout": its replacement has no key. Resolve that error first. [PARTNERS_RESOURCE]",
      "DELETE https://partners.example.com/api/v1/partners/api-key/{api_key}: the server returned 422. If the key …p7dc of "checkout" no longer works, run "pulumi state delete 'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout'". [PARTNERS_STATUS]",
      "warning: The service did not find the key of "checkout", so it counts as deleted. If it still works, delete it there.",
      "information: "pulumi up" rotates the key …p7dc of "checkout" (new rotation.trigger); it stays valid until 2026-03-08 12:00 UTC.",
      "information: "pulumi up" replaces the key …p7dc of "checkout" (created at an unknown time), and deletes it at the end.",
      "warning: "pulumi up" deletes the previous key …p7dc of "checkout", before its overlap ends.",
      "information: "pulumi up" deletes the previous key of 2026-03-01 12:00 UTC of "checkout": its overlap is over.",
      "To import this resource, use "env:" and the name of an environment variable with the key, such as env:OLD_KEY. Nothing was imported. [PARTNERS_RESOURCE]",
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
