import { expect, it } from "vitest";

import * as messages from "../../../provider/src/setting-messages.ts";

const { RULES } = messages;
const [NODE, MINIMUM] = ["20.0.0", "22.19"];
const propose = (place: messages.SettingPlace, ...pointers: string[]) =>
  messages.memberProposal(place, {}, "webhooks", pointers);

/** Every sentence about settings and arguments, as it is shown. */
const ALL = [
  messages.missingSetting("baseUrl", false),
  messages.missingSetting("accessToken", false),
  messages.missingSetting("accessToken", true),
  messages.missingVariable("baseUrl"),
  messages.unusedVariable("accessToken"),
  messages.unusedVariable("headers"),
  messages.invalidSettings([messages.mustBeText("accessToken"), messages.mustBeText("accessToken")]).message,
  messages.invalidSetting("partners:accessToken", RULES.visibleAscii),
  messages.invalidSetting("partners:baseUrl", RULES.url),
  messages.invalidSetting("partners:baseUrl", RULES.noCredentials),
  messages.invalidSetting("partners:baseUrl", RULES.https),
  messages.invalidSetting("partners:baseUrl", RULES.noQuery),
  messages.invalidSetting("partners:baseUrl", RULES.noApiRoot("/api/v1/partners")),
  messages.invalidSetting("partners:headers", RULES.headers),
  messages.invalidSetting("partners:headers", RULES.reservedHeader("host")),
  messages.invalidSetting("partners:requestTimeout", RULES.seconds),
  messages.oldNode(NODE, MINIMUM),
  messages.unknownArguments("PartnerApiKey", ["rotate", "on"], ["rotation"]),
  messages.unknownArguments("PartnerApiKey", ["pk_live_4eC39Hq"], ["rotation"]),
  ...messages.configurationWarnings(
    "shop",
    ["partners:accessToken", "partners:headers", "partners:token", "partners:responses.apiKey"],
    () => false,
  ),
  propose("configuration", "/data"),
  propose("configuration", ""),
  propose("configuration", "/a b", "/c"),
  propose("environment", "/data"),
  propose("environment", "/a", "/b"),
  propose("environment"),
  propose("Provider", "/data"),
  propose("Provider", "/a", "/b"),
];

it("all messages about settings are those of setting-messages.txt", async () => {
  await expect(`${ALL.join("\n")}\n`).toMatchFileSnapshot("setting-messages.txt");
});

it("arguments that exist, and the settings of a project with this name, are not remarked on", () => {
  expect(messages.unknownArguments("PartnerApiKey", ["rotation"], ["rotation"])).toBeNull();
  expect(messages.configurationWarnings("partners", ["partners:rotate"], () => true)).toEqual([]);
});
