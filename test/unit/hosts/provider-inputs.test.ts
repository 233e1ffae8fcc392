import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/shared/properties.js";
import {
  checkedProviderInputs,
  diffProviderInputs,
  unknownSettings,
  wrongTypes,
} from "../../../provider/src/hosts/provider-inputs.js";

const GIVEN = { baseUrl: "https://eu.example.com", accessToken: "token-of-the-program" };

describe("the inputs of a provider", () => {
  const TYPE = "pulumi:providers:partners";

  it.each<[name: string, news: Properties]>([
    [`${TYPE}::default`, {}],
    [`${TYPE}::default_0_1_0_beta_1`, { version: "0.1.0-beta.1" }],
    [`${TYPE}::default_https_/example.com/a-b`, {}],
    [`${TYPE}::default_0_1_0_github_/api.github.com/x`, { version: "0.1.0" }],
  ])("of %s with %j are those of the default provider", (name, news) => {
    const inputs = checkedProviderInputs(`urn:pulumi:dev::test::${name}`, { ...GIVEN, ...news });
    expect(inputs).toEqual({ ...GIVEN, ...news, account: "default", explicit: "false" });
  });

  // The engine would give none of these names to a default provider. An empty account name counts as not set.
  it.each<[name: string, news: Properties, account: string]>([
    [`${TYPE}::default_eu`, { account: "" }, "default_eu"],
    [`${TYPE}::default/eu`, { account: "" }, "default/eu"],
    [`${TYPE}::eu::default`, { account: "us" }, "us"],
    [`${TYPE}::default`, { version: "0.1.0" }, "default"],
    [`${TYPE}::default_1_2_3`, { version: "0.1.0" }, "default_1_2_3"],
    [`${TYPE}::default_1_2_3`, {}, "default_1_2_3"],
    [`my:Region$${TYPE}::default`, {}, "default"],
    [`${TYPE}::eu`, { account: null }, "eu"],
    [`${TYPE}::eu`, { account: 42 }, "42"],
  ])("of %s with %j are those of an explicit provider", (name, news, account) => {
    const inputs = checkedProviderInputs(`urn:pulumi:dev::test::${name}`, { ...GIVEN, ...news });
    expect(inputs).toEqual({ ...GIVEN, ...news, account, explicit: "true" });
  });

  it("have unknown headers if one of them is unknown, because they are encrypted together", () => {
    const check = (headers: unknown) =>
      checkedProviderInputs(`urn:pulumi:dev::test::${TYPE}::eu`, { ...GIVEN, headers })["headers"];
    expect(check({ "X-Key": UNKNOWN, "X-Tenant": "a" })).toBe(UNKNOWN);
    expect(check(JSON.stringify({ "X-Key": UNKNOWN }))).toBe(UNKNOWN);
    expect(check({ "X-Key": "k" })).toEqual({ "X-Key": "k" });
  });

  it.each<[what: string, news: Properties, failure: string]>([
    ["a list as account", { account: ["eu"] }, "account must be text."],
    ["true as account", { account: true }, "account must be text."],
    ["a number as accessToken", { accessToken: 1e22 }, "accessToken must be text: quote it."],
  ])("with %s are refused", (_what, news, failure) => {
    expect(wrongTypes({ ...GIVEN, ...news })).toEqual([failure]);
  });

  it("are unknown settings, unless the engine adds them", () => {
    const added = { version: "0.1.0", pluginDownloadURL: "https://get.example.com", __internal: {} };
    const news = { ...GIVEN, account: "eu", explicit: "true", ...added, basUrl: "", responses: {} };
    expect(unknownSettings(news)).toEqual(["basUrl"]);
  });

  it("are accepted with a number as account", () => {
    expect(wrongTypes({ ...GIVEN, account: 42 })).toEqual([]);
  });
});

describe("a difference between a provider's old and new inputs", () => {
  const EU = { ...GIVEN, account: "eu" };

  it.each<[what: string, olds: Properties, news: Properties, changed: string[], replaces: string[]]>([
    ["no setting", EU, EU, [], []],
    ["no setting, but the type of the account", { ...EU, account: 42 }, { ...EU, account: "42" }, [], []],
    ["the address", EU, { ...EU, baseUrl: "https://x.example" }, ["baseUrl"], []],
    ["the account", EU, { ...EU, account: "us" }, ["account"], ["account"]],
    ["a header", { ...EU, headers: '{"x":"1"}' }, { ...EU, headers: '{"x":"2"}' }, ["headers"], []],
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
