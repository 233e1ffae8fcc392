import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/handlers/contract.js";
import {
  checkedProviderInputs,
  diffProviderInputs,
  hasUnknown,
} from "../../../provider/src/hosts/provider-inputs.js";

const GIVEN = { baseUrl: "https://eu.example.com", accessToken: "token-of-the-program" };

describe("the inputs of a provider", () => {
  it.each<[name: string, account: unknown, added: Properties]>([
    ["default", undefined, { account: "default", explicit: "false" }],
    ["default_0_1_0_beta_1", undefined, { account: "default", explicit: "false" }],
    ["default_https_/example.com/a-b", undefined, { account: "default", explicit: "false" }],
    ["default_0_1_0_github_/api.github.com/x", undefined, { account: "default", explicit: "false" }],
    // Explicit providers, for which an empty account name counts as not set.
    ["default_eu", "", { account: "default_eu", explicit: "true" }],
    ["default/eu", "", { account: "default/eu", explicit: "true" }],
    ["eu::default", "us", { account: "us", explicit: "true" }],
  ])("of the name %s and the account %j get %j", (name, account, added) => {
    const urn = `urn:pulumi:dev::test::pulumi:providers:partners::${name}`;
    const news = account === undefined ? GIVEN : { ...GIVEN, account };
    expect(checkedProviderInputs(urn, news)).toEqual({ ...GIVEN, ...added });
  });

  it.each<[inputs: Properties, expected: boolean]>([
    [GIVEN, false],
    [{ baseUrl: UNKNOWN }, true],
    [{ ...GIVEN, responses: { apiKey: UNKNOWN } }, true],
    [{ ...GIVEN, responses: JSON.stringify({ apiKey: UNKNOWN }) }, true],
  ])("%j contain an unknown value: %j", (inputs, expected) => {
    expect(hasUnknown(inputs)).toBe(expected);
  });
});

describe("a difference between a provider's old and new inputs", () => {
  const EU = { ...GIVEN, account: "eu" };

  it.each<[what: string, olds: Properties, news: Properties, changed: string[], replaces: string[]]>([
    ["no setting", EU, EU, [], []],
    ["the address", EU, { ...EU, baseUrl: "https://x.example" }, ["baseUrl"], []],
    ["the account", EU, { ...EU, account: "us" }, ["account"], ["account"]],
    [
      "the account of stack configuration, which must not replace keys when it is changed back",
      { ...GIVEN, account: "prod", explicit: "false" },
      { ...GIVEN, account: "default", explicit: "false" },
      ["account"],
      [],
    ],
    [
      "the names of the inputs, after a move from dynamic resources",
      { "partners:baseUrl": GIVEN.baseUrl, "partners:accessToken": GIVEN.accessToken },
      EU,
      ["account"],
      [],
    ],
  ])("in %s changes and replaces the right settings", (_what, olds, news, changed, replaces) => {
    expect(diffProviderInputs(olds, news)).toEqual({ changed, replaces });
  });
});
