import { expect, it } from "vitest";

import { PartnerError } from "../../../provider/src/partner-api/errors.js";
import { SettingsReader } from "../../../provider/src/account/settings.js";
import type { UnreadableList } from "../../../provider/src/webhooks/webhook-list-reader.js";
import * as messages from "../../../provider/src/webhooks/webhook-messages.js";

const here = new SettingsReader({ get: () => undefined }, {});
const many = Array.from({ length: 23 }, (_, index) => index + 1);
const urn = (name: string, path = ""): string =>
  `urn:pulumi:dev::shop::${path}partners:index:PartnerWebhookState::${name}`;
const status = (code: number, webhookId: number) =>
  new PartnerError(
    "PARTNERS_STATUS",
    `PATCH https://partners.example.com/api/v1/partners/webhooks/${webhookId}/disable: the server returned ${code}.`,
    { status: code },
  );
const unreadable = (problem: UnreadableList["problem"], ...pointers: string[]) => {
  const other = problem === "not found" ? "webhooks" : null;
  const setting = ["missing", "too large", "not unique"].includes(problem) ? "webhookId" : other;
  return messages.unreadableList({ isReadable: false, problem, setting, pointers }, here);
};
const words = [{ pointer: "/status/name", values: ['"Live"', '"Paused"'], needsWords: true }];
const flags = [
  { pointer: "/active", values: ["true", "false"], needsWords: false },
  { pointer: "/disabledAt", values: ["null"], needsWords: false },
];
const failures = (...codes: number[]) =>
  codes.map((code, index) => ({ webhookId: 103 + index, error: status(code, 103 + index) }));

const ALL = [
  unreadable("not JSON"),
  unreadable("error"),
  unreadable("not found"),
  unreadable("not found", "/hooks", "/archive"),
  unreadable("not found", ""),
  unreadable("missing"),
  unreadable("missing", "/uuid"),
  unreadable("too large"),
  unreadable("too large", "/ref"),
  unreadable("not unique"),
  messages.listIncomplete("others", "/meta/has_more", here),
  messages.listIncomplete("others", "responses.complete", here),
  messages.listIncomplete("all", "Link", here),
  messages.noSuchWebhook([7], [101, 102]),
  messages.noSuchWebhook([7, 8], []),
  messages.noSuchWebhook([99], many),
  messages.declaredTwice(101, [urn("orders"), urn("fleet")]),
  messages.declaredTwice(101, [urn("orders"), urn("orders", "eu$")]),
  messages.declaredTwice(null, [urn("orders"), urn("fleet")]),
  messages.fleetIncomplete(failures(403, 403, 502), 5),
  messages.fleetIncomplete(failures(...many.map(() => 403)), 23),
  messages.perhapsAlreadySo(status(409, 101), "active", true),
  messages.perhapsAlreadySo(status(409, 101), "disabled", false),
  messages.listIncomplete("import", "/has_more", here),
  messages.importNeedsState(flags, here),
  messages.importNeedsState([], here),
  messages.invalidWebhookId("orders"),
  messages.invalidWebhookId("9007199254740993"),
  messages.invalidArgument("webhookId", "101"),
  messages.invalidArgument("webhookId", 9007199254740992),
  messages.invalidState("orders", false),
  messages.invalidState("9007199254740993", false),
  messages.invalidState("101", true),
  messages.importOfFleet(),
  messages.willChange("states", "disabled", [101]),
  messages.willChange("states", "active", [101, 102]),
  messages.willChange("others", "disabled", many),
  messages.willChange("stateOnDestroy", "active", [101, 102]),
  messages.stateUnknown([101], [], here),
  messages.stateUnknown([101, 102], words, here),
  messages.stateUnknown(many, flags, here),
  messages.notListed("/has_more", here),
  messages.notListed("", here),
  messages.notListed("responses.complete", here),
  messages.notListed("left out", here),
  messages.listIsNull(),
  messages.progress(2, 3),
].map((message) => {
  if (typeof message === "string") return message;
  return message instanceof PartnerError ? `${message.message} [${message.code}]` : message.text;
});

it("all messages are these", async () => {
  await expect(`${ALL.join("\n")}\n`).toMatchFileSnapshot("webhook-messages.txt");
});

it("the failure of a fleet has the status of its failures, if they have one, and may have changed what one may", () => {
  const facts = (...codes: number[]) => messages.fleetIncomplete(failures(...codes), 5);
  expect(facts(403, 403)).toMatchObject({ status: 403, mayHaveChanged: false });
  expect(facts(403, 404).status).toBe(null);
  const lost = new PartnerError("PARTNERS_TIMEOUT", "timed out", { mayHaveChanged: true });
  const mixed = messages.fleetIncomplete([...failures(403), { webhookId: 7, error: lost }], 5);
  expect(mixed).toMatchObject({ code: "PARTNERS_STATUS", status: null, mayHaveChanged: true });
});

it("half of them have at most 160 characters, and none has more than 400", () => {
  const lengths = ALL.map(({ length }) => length).toSorted((one, other) => one - other);
  expect(lengths[Math.floor(ALL.length / 2)]).toBeLessThanOrEqual(160);
  expect(lengths.at(-1)).toBeLessThanOrEqual(400);
});
