import { expect, it } from "vitest";

import * as deletionMessages from "../../../provider/src/keys/deletion-messages.ts";
import * as keyMessages from "../../../provider/src/keys/key-messages.ts";
import type { OpenCreation } from "../../../provider/src/keys/key-state.ts";
import { memberProposal, type ProposeMember } from "../../../provider/src/setting-messages.ts";
import { PartnerError, type ErrorCode } from "../../../provider/src/partner-api/errors.ts";

const messages = { ...keyMessages, ...deletionMessages };
const URN = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/partners:PartnerApiKey::checkout";
const AT = "2026-03-01T12:00:00.000Z";
const BODY = '{"secret":"4eC39HqLyjWDarjtT1zdp7dc"}';
const KEY = { apiKey: "pk_live_4eC39HqLyjWDarjtT1zdp7dc", createdAt: AT, response: null };
const SHORT = { ...KEY, apiKey: "4eC39HqLyjWDarjt" };
const API = "https://partners.example.com/api/v1/partners";

const settingName = (name: string): string => `partners:${name}`;
const propose: ProposeMember = (member, values) => memberProposal("configuration", {}, member, values);
const lost = { at: AT, trigger: null, response: null };
const unread = { ...lost, response: { body: BODY, encoding: "utf8", isCutOff: false } as const };
const cutOff = { ...unread, response: { ...unread.response, isCutOff: true } };
const pointers = ["/data/token", "/data/secret"];
const failure = (code: ErrorCode, text: string) => new PartnerError(code, text);
const timeout = failure(
  "PARTNERS_TIMEOUT",
  `POST ${API}/api-key: timed out while waiting for the response. If the server is slow, raise partners:requestTimeout.`,
);
const malformed =
  `POST ${API}/api-key: the response is not valid HTTP (HPE_INVALID_HEADER_TOKEN). Check partners:baseUrl. ` +
  "If it is right, the service or a gateway has to correct its responses.";
const refused = new PartnerError(
  "PARTNERS_STATUS",
  `DELETE ${API}/api-key/{api_key}: the server returned 422.`,
  { status: 422 },
);
const uncertain = new PartnerError(
  "PARTNERS_STATUS",
  `DELETE ${API}/api-key/{api_key}: the server returned 500. The key may have been deleted. Run this again later.`,
  { status: 500, mayHaveChanged: true },
);
const conflict = new PartnerError(
  "PARTNERS_STATUS",
  `POST ${API}/api-key: the server returned 409. Run this again. If that fails, the service may allow only one key at ` +
    "a time: if this stack has it, rotate without overlap, with deleteBeforeReplace.",
);
const OTHER = URN.replace(/checkout$/, "billing");
const blocks = (
  creation: OpenCreation,
  pointers: readonly string[] | null,
  hasKey: boolean,
  urn: string,
  hasStack = true,
) => {
  const proposal = pointers && propose("apiKey", pointers);
  return messages.openCreationBlocks({ creation, proposal }, { hasKey, urn, hasStack });
};

const undeleted = (error: PartnerError, key: deletionMessages.UndeletedKey["key"] = KEY) => ({ key, error });
const removalFailed = (
  failures: Parameters<typeof messages.removalFailed>[0],
  facts: { isLasting?: boolean; lacksKeys?: boolean } = {},
) =>
  messages.removalFailed(failures, {
    urn: URN,
    isLasting: false,
    lacksKeys: false,
    hasStack: true,
    ...facts,
  });
const answer = (value: string, pointer: string | null, status: number | null, serverWords?: string) => {
  const facts = { status, ...(serverWords !== undefined && { serverWords }) };
  const failure = new PartnerError("PARTNERS_STATUS", "DELETE: never shown.", facts);
  const said = status === null ? ("nothing deleted" as const) : failure;
  return { identifier: { value, pointer, isChosen: false }, answer: said };
};
const LASTING = { server: "https://partners.example.com", proposal: null, mayPass: false };
const PASSING = { ...LASTING, mayPass: true };
const notDeleted = messages.keyNotDeleted(KEY, [answer(KEY.apiKey, null, 422), answer("17", "/id", 404)], {
  ...LASTING,
  proposal: propose("apiKeyId", ["/id"]),
});

/** Every error and notice of keys, as it is shown. */
const ALL = [
  blocks(lost, null, false, URN),
  messages.withSentence(timeout, blocks(lost, null, false, URN).message),
  blocks({ ...lost, cause: malformed }, null, false, URN),
  blocks(lost, null, true, ""),
  blocks(cutOff, null, true, URN),
  blocks(unread, pointers, false, URN),
  blocks(unread, [], true, URN),
  blocks(unread, null, false, ""),
  blocks(unread, pointers, false, URN, false),
  messages.withSentence(
    failure("PARTNERS_STATUS", `POST ${API}/api-key: the server returned 400.`),
    messages.PREVIOUS_DELETED,
  ),
  messages.openCreationDropped(lost, URN),
  messages.openCreationDropped(unread, ""),
  messages.openCreationNotDeleted(lost, URN, propose("apiKey", pointers)),
  messages.sameKey(URN, URN, null),
  messages.sameKey(OTHER, URN, settingName("responses.apiKey")),
  messages.oldKeyMayRemain(conflict),
  messages.deletedKeyAgain(KEY, URN),
  messages.keyHeldByOther(KEY, URN, URN),
  messages.keyHeldByOther(KEY, "", OTHER),
  messages.keyHeldByOther(KEY, URN, ""),
  messages.keyIdInUse(KEY, URN),
  messages.keyIsAccessToken(KEY, URN, settingName),
  messages.keyStillNeeded(KEY, URN),
  messages.keyStillNeeded(KEY, ""),
  notDeleted,
  messages.keyNotDeleted(
    { ...KEY, apiKey: "a/b", storedAs: KEY.apiKey },
    [answer("a/b", null, 404), answer("17", null, null), answer(KEY.apiKey, null, 403, "It is in use")],
    LASTING,
  ),
  messages.keyNotDeleted(KEY, [answer(KEY.apiKey, null, 404), answer("17", "/id", 503)], PASSING),
  messages.previousNotDeleted(refused),
  messages.keyGivenUp(KEY, URN, notDeleted),
  removalFailed([undeleted(refused)], { isLasting: true }),
  removalFailed([undeleted(uncertain)], { lacksKeys: true }),
  removalFailed([undeleted(uncertain), undeleted(uncertain, SHORT)]),
  removalFailed([undeleted(refused), undeleted(uncertain, SHORT)], { lacksKeys: true }),
  messages.keyWasGone({ ...SHORT, createdAt: null }, URN),
  messages.keyWasGone(KEY, ""),
  messages.keyCorrected(URN, settingName),
  messages.rotationWaits(KEY, URN, "2026-03-08T12:00:00.000Z"),
  messages.keyFromFuture(KEY, URN, "2027-04-05T12:00:00.000Z"),
  messages.rotationAhead(KEY, URN, "trigger", "2026-03-08T12:00:00.000Z"),
  messages.rotationAhead({ ...KEY, createdAt: null }, URN, "age", null),
  messages.previousKeyEnds(KEY, URN, true),
  messages.previousKeyEnds(SHORT, URN, false),
  messages.wrongKeyId(),
  messages.unusableKey("OLD_KEY"),
  messages.variableNotSet("OLD_KEY"),
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
  expect(lengths.at(-1)).toBeLessThanOrEqual(480);
  for (const text of TEXTS) expect(text).not.toMatch(/4eC39Hq|"secret":/);
});

it("several failures of a removal keep what is known of all of them, and are no longer one status", () => {
  const both = removalFailed([undeleted(refused), undeleted(uncertain)]);
  expect(both).toMatchObject({ code: "PARTNERS_STATUS", mayHaveChanged: true, status: null, summary: null });
});

it("a removal with one failure, and nothing to add, fails with just that one", () => {
  const summary = "DELETE: the server returned 401";
  const rejected = new PartnerError("PARTNERS_STATUS", `${summary}.`, { status: 401, summary });
  expect(removalFailed([undeleted(rejected)])).toBe(rejected);
  // The command names the resource, so that each one shows it.
  const kept = removalFailed([undeleted(rejected)], { lacksKeys: true });
  expect(kept).toMatchObject({ status: 401, summary: null });
});

it("what is said of several identifiers keeps what is known of each request", () => {
  const changed = new PartnerError("PARTNERS_STATUS", "DELETE.", { status: 422, mayHaveChanged: true });
  const answers = [{ ...answer(KEY.apiKey, null, 422), answer: changed }, answer("17", "/id", 404)];
  const error = messages.keyNotDeleted(KEY, answers, LASTING);
  expect(error).toMatchObject({ code: "PARTNERS_RESOURCE", status: null, mayHaveChanged: true });
  const passing = messages.keyNotDeleted(KEY, [...answers, answer("x", null, 503)], PASSING);
  expect(passing).toMatchObject({ code: "PARTNERS_STATUS", status: 503, mayHaveChanged: true });
});

it("a command to paste names the resource, whatever its name is", () => {
  const commandFor = (urn: string) => /--replace (.*)"/.exec(blocks(lost, null, false, urn).message)?.[1];
  const urns = [URN, "urn:pulumi:dev::shop::a:b:C$a:b:C::it's", ""];
  expect(urns.map(commandFor)).toEqual([URN, `'urn:pulumi:dev::shop::a:b:C$a:b:C::it'\\''s'`, "URN"]);
});
