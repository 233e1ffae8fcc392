import * as grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";

import { NativeConfiguration } from "../../../provider/src/hosts/native-configuration.js";
import { PluginHost } from "../../../provider/src/hosts/plugin-host.js";
import { fromStruct, toStruct } from "../../../provider/src/hosts/struct.js";
import { SIGNATURE, UNKNOWN, type Properties } from "../../../provider/src/adapter/properties.js";
import type { Notice } from "../../../provider/src/account/notice.js";

const TYPE = "pulumi:providers:partners";
const GIVEN = { baseUrl: "https://eu.example.com", accessToken: "t0ken" };

function hostAlone(): PluginHost {
  return new PluginHost(undefined, grpc);
}

/** Checks the inputs of a provider. */
function check(news: Properties, name = `${TYPE}::eu`, project = "test") {
  const host = hostAlone();
  const warnings: string[] = [];
  Object.assign(host.session, { notify: ({ text }: Notice) => void warnings.push(text) });
  const urn = `urn:pulumi:dev::${project}::${name}`;
  const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(news));
  const response = new NativeConfiguration(host).check(request);
  const failures = response.getFailuresList();
  return {
    raw: response.getInputs()?.toJavaScript() ?? {},
    inputs: fromStruct(response.getInputs()),
    problems: failures.map((failure) => failure.getReason()),
    properties: failures.map((failure) => failure.getProperty()),
    warnings,
    session: host.session,
  };
}

describe("the inputs of a provider", () => {
  it.each(["", "_0_1_0_beta_1", "_https_/example.com/a-b", "_0_1_0_github_/api.github.com/x"])(
    "of default%s are those of the default provider",
    (suffix) => {
      const { inputs } = check(GIVEN, `${TYPE}::default${suffix}`);
      expect(inputs).toEqual({ ...GIVEN, account: "default", explicit: "false" });
    },
  );

  // The engine would give none of these names to a default provider. An empty account name counts as not set.
  it.each<[name: string, news: Properties, account: string]>([
    [`${TYPE}::default_eu`, { account: "" }, "default_eu"],
    [`${TYPE}::default/eu`, { account: null }, "default/eu"],
    [`${TYPE}::eu::default`, { account: "us" }, "us"],
    [`my:Region$${TYPE}::default`, {}, "default"],
  ])("of %s with %j are those of an explicit provider", (name, news, account) => {
    const { inputs } = check({ ...GIVEN, ...news }, name);
    expect(inputs).toEqual({ ...GIVEN, ...news, account, explicit: "true" });
  });

  it("mark the token and the headers as secrets, and unknown headers as unknown", () => {
    const secret = (value: unknown) => ({ [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value });
    const headers = { "X-Key": "k", "X-Tenant": "a" };
    const secrets = { accessToken: secret(GIVEN.accessToken), headers: secret(headers) };
    expect(check({ ...GIVEN, headers }).raw).toMatchObject(secrets);
    for (const partly of [{ ...headers, "X-Key": UNKNOWN }, JSON.stringify({ "X-Key": UNKNOWN })])
      expect(check({ ...GIVEN, headers: partly }).raw).toMatchObject({ headers: UNKNOWN });
  });

  it("become settings, whether they are text or values, in the spelling of each language", () => {
    const values = { headers: { "X-Key": "k" }, requestTimeout: 5, responses: { api_key: "/k" } };
    const texts = Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)] as const);
    for (const news of [values, Object.fromEntries(texts)]) {
      const { session, problems } = check({ ...GIVEN, ...news });
      expect(problems).toEqual([]);
      const expected = { requestTimeout: 5000, headers: { "X-Key": "k" }, responses: { apiKey: "/k" } };
      expect(session.readSettings()).toMatchObject(expected);
    }
  });

  it("fail if they are missing or wrong, without a property, whose value the engine would print", () => {
    const { problems, properties } = check({ accessToken: "t", requestTimeout: "soon" });
    const problem = /Set the Provider's baseUrl.*requestTimeout: it must be/;
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(properties).toEqual([""]);
    const wrong = check({ ...GIVEN, accessToken: 1e22, account: ["eu"] });
    const notText = ["accessToken must be text: quote it.", "account must be text: quote it."];
    expect(wrong.problems).toEqual(notText);
    expect(check({ accessToken: "t", baseUrl: UNKNOWN }).problems, "not known yet").toEqual([]);
  });

  it("cause a warning if they have no effect, unless they may be those of a project named partners", () => {
    const added = { version: "0.1.0", pluginDownloadURL: "https://get.example.com", __internal: {} };
    const news = { ...GIVEN, ...added, rotate: "1" };
    const byDefault = `${TYPE}::default_0_1_0`;
    expect(check(news).warnings).toEqual([expect.stringMatching(/^"rotate" is not a pulumi-partners/)]);
    expect(check(news, byDefault).warnings).toEqual([expect.stringMatching(/^"partners:rotate" is not/)]);
    expect(check(news, byDefault, "partners").warnings).toEqual([]);
  });
});

const EU = { ...GIVEN, account: "eu", explicit: "true" };
const DEFAULT = { ...GIVEN, account: "default", explicit: "false" };
const DYNAMIC = { "partners:baseUrl": GIVEN.baseUrl, "partners:accessToken": GIVEN.accessToken };

it.each<[what: string, olds: Properties, news: Properties, changed: string[], replaces: string[]]>([
  ["no setting", EU, EU, [], []],
  ["the address", EU, { ...EU, baseUrl: "https://x.example" }, ["baseUrl"], []],
  ["the account", EU, { ...EU, account: "us" }, ["account"], ["account"]],
  ["a header", { ...EU, headers: { x: "1" } }, { ...EU, headers: { x: "2" } }, ["headers"], []],
  // Changing it back must not replace keys.
  ["the account of stack configuration", { ...DEFAULT, account: "prod" }, DEFAULT, ["account"], []],
  ["the names of the inputs, after a move from dynamic resources", DYNAMIC, EU, ["account"], []],
])("a difference in %s changes and replaces the right settings", (_what, olds, news, changed, replaces) => {
  const request = new proto.DiffRequest().setOlds(toStruct(olds)).setNews(toStruct(news));
  const response = new NativeConfiguration(hostAlone()).diff(request);
  const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
  expect(response.getChanges()).toBe(changed.length > 0 ? DIFF_SOME : DIFF_NONE);
  expect([response.getDiffsList(), response.getReplacesList()]).toEqual([changed, replaces]);
});

// After an import without an `up`, the engine configures a provider with inputs that no check has stamped.
it.each<[urn: string, inputs: Properties, hasStack: boolean]>([
  [`urn:pulumi:dev::test::${TYPE}::default_0_1_0`, DEFAULT, true],
  [`urn:pulumi:dev::test::${TYPE}::eu`, EU, true],
  [`urn:pulumi:dev::test::${TYPE}::default`, GIVEN, true],
  [`urn:pulumi:dev::default::${TYPE}::`, GIVEN, false], // `pulumi do`
  [`urn:pulumi:dev::default::${TYPE}::`, EU, false], // With the option `--provider`.
])("a stack is assumed unless the provider has no name: %s with %j", (urn, inputs, hasStack) => {
  const host = hostAlone();
  const request = new proto.ConfigureRequest().setUrn(urn).setArgs(toStruct(inputs));
  new NativeConfiguration(host).configure(request);
  expect(host.session.hasStack).toBe(hasStack);
});
