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

it("all messages are those of key-messages.txt", async () => {
  const shown = ALL.map((each) =>
    each instanceof Error ? `${each.message} [${each.code}]` : `${each.severity}: ${each.text}`,
  );
  await expect(`${shown.join("\n")}\n`).toMatchFileSnapshot("key-messages.txt");
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
  const both = { code: "PARTNERS_STATUS", effect: "possible", message: `${refused.message} Two.` };
  expect(messages.failedDeletions([refused, possible])).toMatchObject(both);
});
