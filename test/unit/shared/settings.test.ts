import { describe, expect, it } from "vitest";

import { SettingsError, type SettingProblem, type SettingRule } from "../../../provider/src/api/errors.js";
import {
  accountName,
  assertNodeVersion,
  parseBaseUrl,
  readSettings,
  settingOrigins,
  type Settings,
} from "../../../provider/src/shared/settings.js";
import { EXPLICIT_KEY } from "../../../provider/src/setting-names.js";
import { startRun } from "./support.ts";

const SECRET = "Zq8RkT3vWm5LxB7nYc2Hd9";
const RIGHT = { baseUrl: "https://partners.example.com", accessToken: "t0ken" };
type Values = Readonly<Record<string, string | undefined>>;

function read(values: Values, env: NodeJS.ProcessEnv = {}): Settings {
  return readSettings({ get: (key) => values[key.replace("partners:", "")] }, env);
}

function problems(values: Values, env?: NodeJS.ProcessEnv): readonly SettingProblem[] {
  try {
    read(values, env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

it("each setting that has a value, valid or not, has an origin, which says nothing about the value", () => {
  const values: Values = { baseUrl: "no URL", headers: "" };
  const get = (key: string): string | undefined => values[key.replace("partners:", "")];
  const env = { PARTNERS_BASE_URL: SECRET, PARTNERS_ACCESS_TOKEN: SECRET, PARTNERS_RESPONSES: "" };
  expect(settingOrigins({ get }, env)).toEqual({ baseUrl: "configuration", accessToken: "environment" });
  const explicit = (key: string) => (key === EXPLICIT_KEY ? "true" : get(key));
  expect(settingOrigins({ get: explicit }, env)).toEqual({ baseUrl: "configuration" });
});

describe("settings", () => {
  const env = {
    PARTNERS_BASE_URL: "https://other.example.com/gateway/",
    PARTNERS_ACCESS_TOKEN: "other",
    PARTNERS_HEADERS: '{"X-Tenant":"acme","X-Key":"k3y"}',
    PARTNERS_ALLOW_TOKEN_OVER_PLAIN_HTTP: "false",
    PARTNERS_REQUEST_TIMEOUT: "5",
    PARTNERS_OPERATION_TIMEOUT: "6",
    PARTNERS_MAX_CONNECTIONS: "7",
    PARTNERS_REQUESTS_PER_SECOND: "0.5",
    PARTNERS_REFRESH_BEFORE_UPDATE: "true",
    PARTNERS_RESPONSES: '{"apiKey":"/data/key"}',
  };

  it("come from stack configuration, then from the environment; an empty value counts as not set", () => {
    expect(read({ requestsPerSecond: "2", requestTimeout: "" }, env)).toEqual({
      baseUrl: { origin: "https://other.example.com", prefix: "/gateway", loopback: false },
      servers: ["https://other.example.com/gateway"],
      accessToken: "other",
      headers: { "X-Tenant": "acme", "X-Key": "k3y" },
      identity: '["other",["x-key","k3y"],["x-tenant","acme"]]',
      requestTimeout: 5_000,
      operationTimeout: 6_000,
      maxConnections: 7,
      requestsPerSecond: 2,
      refreshBeforeUpdate: true,
      readWebhooks: true,
      responses: { apiKey: "/data/key" },
    });
  });

  it.each(["\n", "\r\n"])("lose the %j at their end if they come from the environment", (end) => {
    const ended = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value + end]));
    expect(read({}, ended)).toEqual(read({}, env));
    expect(problems({ accessToken: "mine" }, ended)).toMatchObject([{ kind: "separatedPair" }]);
    expect(problems({ baseUrl: env.PARTNERS_BASE_URL }, ended)).toEqual([]);
    const empty = { ...ended, PARTNERS_ACCESS_TOKEN: end };
    expect(problems({}, empty)).toEqual([{ kind: "missing", setting: "accessToken" }]);
  });

  it.each(["\n\n", "\r", "\n ", " ", "\u2028"])("from the environment do not lose %j at their end", (end) => {
    const found = problems({}, { ...env, PARTNERS_ACCESS_TOKEN: `other${end}` });
    expect(found).toEqual([{ kind: "invalid", setting: "accessToken", rule: "visibleAscii" }]);
  });

  const pair = { ...env, PARTNERS_HEADERS: "" };
  // With another account's variables in the shell, a stack that forgets its token would send that account's
  // token to its own server.
  it.each<[what: string, values: Values, variables: NodeJS.ProcessEnv, replaced: string | null]>([
    ["only the address is replaced", { baseUrl: RIGHT.baseUrl }, pair, "baseUrl"],
    ["only the token is replaced", { accessToken: "mine" }, pair, "accessToken"],
    ["both are replaced", RIGHT, pair, null],
    ["the address is the same", { baseUrl: env.PARTNERS_BASE_URL }, pair, null],
    ["the environment has only the token", RIGHT, { PARTNERS_ACCESS_TOKEN: "other" }, null],
    ["the stack lacks the token", { baseUrl: RIGHT.baseUrl }, { PARTNERS_ACCESS_TOKEN: "other" }, null],
    ["the stack lacks the address", { accessToken: "mine" }, { PARTNERS_BASE_URL: RIGHT.baseUrl }, null],
  ])("take an address and a token only together: %s", (_what, values, variables, replaced) => {
    const kept = replaced === "baseUrl" ? "accessToken" : "baseUrl";
    expect(problems(values, variables)).toEqual(replaced ? [{ kind: "separatedPair", replaced, kept }] : []);
  });

  // The headers of one account must not reach the server of another either.
  it.each<[what: string, values: Values, kept: string[]]>([
    ["only the address is replaced", { baseUrl: RIGHT.baseUrl }, ["accessToken", "headers"]],
    ["the headers are not replaced", RIGHT, ["headers"]],
    ["all are replaced", { ...RIGHT, headers: '{"X-Tenant":"mine"}' }, []],
    ["the headers are replaced by none", { ...RIGHT, headers: "{}" }, []],
    ["only the headers are replaced, as by a stack with its own tenant", { headers: "{}" }, []],
    ["the address is the same", { ...RIGHT, baseUrl: env.PARTNERS_BASE_URL }, []],
  ])("take an address and headers only together: %s", (_what, values, kept) => {
    const expected = kept.map((name) => ({ kind: "separatedPair", replaced: "baseUrl", kept: name }));
    expect(problems(values, env)).toEqual(expected);
  });

  it("identify the account by the token alone or, with headers, by both in any order and case", () => {
    const identity = (headers?: object): string =>
      read({ ...RIGHT, ...(headers && { headers: JSON.stringify(headers) }) }).identity;
    expect(identity()).toBe(RIGHT.accessToken);
    expect(identity({})).toBe(RIGHT.accessToken);
    expect(identity({ "X-Tenant": "a", "X-Key": "b" })).toBe(identity({ "x-key": "b", "x-tenant": "a" }));
    expect(identity({ "X-Tenant": "a" })).not.toBe(identity({ "X-Tenant": "b" }));
    expect(identity({ "X-Tenant": "a" })).not.toBe(RIGHT.accessToken);
  });

  it("of an explicit provider come only from its arguments", () => {
    expect(problems({ explicit: "true", baseUrl: RIGHT.baseUrl }, env)).toEqual([
      { kind: "missing", setting: "accessToken" },
    ]);
  });

  it("are all named in one error if they are missing or invalid", () => {
    const numbers = { requestTimeout: "86401", maxConnections: "many", requestsPerSecond: "0" };
    const responses = { apiKey: "key", webhooks: "/x", active: "LIVE" };
    const found = problems({ ...numbers, refreshBeforeUpdate: "yes", responses: JSON.stringify(responses) });
    const missing = ["baseUrl", "accessToken"];
    const invalid = [...Object.keys(numbers), "refreshBeforeUpdate", "responses.apiKey", "responses.active"];
    expect(found).toMatchObject([
      ...missing.map((setting) => ({ kind: "missing", setting })),
      ...invalid.map((setting) => ({ kind: "invalid", setting })),
    ]);
  });

  const names =
    "apiKey apiKeyId webhooks webhookId webhookUrl webhookName webhookState active disabled complete " +
    "nextPage pageParameter";
  const members = names.split(" ");
  it.each<[setting: string, value: unknown, rule: SettingRule]>([
    ["accessToken", `${SECRET}\n`, "visibleAscii"],
    ["accessToken", `${SECRET}é`, "visibleAscii"],
    ["accessToken", "x".repeat(8193), "visibleAscii"],
    ["previousBaseUrl", SECRET, "url"],
    ["previousBaseUrl", `ftp://${SECRET}.example`, "https"],
    ["allowTokenOverPlainHttp", SECRET, "flag"],
    ["headers", SECRET, "jsonObject"],
    ["headers", { "x-key": `${SECRET}\n` }, "headerValue"],
    ["headers", { [`${SECRET}:`]: "x" }, "headerName"],
    ["headers", { Host: SECRET }, { reserved: "host" }],
    ["requestTimeout", SECRET, { min: 0.001, max: 86_400 }],
    ["responses", SECRET, "jsonObject"],
    ["responses", [SECRET], "jsonObject"],
    ["responses", { [SECRET]: 1 }, { members }],
    ["responses", '{"__proto__":{"apiKey":"/x"}}', { members }],
    ["responses.apiKey", { apiKey: `data.${SECRET}` }, "jsonPointer"],
    ["responses.webhookId", { webhookId: "/a~2" }, "jsonPointer"],
    ["responses.webhookState", { webhookState: 1 }, "jsonPointer"],
    ["responses.active", { active: SECRET }, "wordList"],
    ["responses.disabled", { disabled: [] }, "wordList"],
    ["responses.active", { active: ["a", {}] }, "wordList"],
    ["responses.complete", { complete: "maybe" }, "flag"],
    ["responses.nextPage", { nextPage: { pointer: "/x" } }, "jsonPointer"],
    ["responses.pageParameter", { pageParameter: "a&b" }, "parameterName"],
    ["responses.disabled", { active: ["On"], disabled: ["oN"] }, "distinctWords"],
    ["responses.disabled", { active: [1], disabled: ["1"] }, "distinctWords"],
  ])("are refused without repeating their values: %s, %j", (setting, value, rule) => {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    const found = problems({ ...RIGHT, [setting.replace(/\..*/, "")]: json });
    expect(found).toEqual([{ kind: "invalid", setting, rule }]);
  });

  it("include a mapping of the responses; members that are null count as not set", () => {
    const mapping = {
      apiKey: "/data/key",
      apiKeyId: "/data/id",
      webhooks: "",
      webhookId: "/node/id",
      webhookState: "/a~1b/c~0d",
      active: ["LIVE", 1, true],
      disabled: ["dead", 0, false, null],
      complete: true,
      nextPage: "/meta/next",
      pageParameter: "page[after]",
    };
    expect(read({ ...RIGHT, responses: JSON.stringify(mapping) }).responses).toEqual(mapping);
    expect(read({ ...RIGHT, responses: '{"apiKey":null}' }).responses).toEqual({});
  });

  it("name the account; without a name, it is the default account", () => {
    const names = ["eu", "", undefined].map((name) => accountName({ get: () => name }));
    expect(names).toEqual(["eu", "default", "default"]);
  });
});

describe("a base URL", () => {
  it.each([
    ["https://eu.example.com:8443/a b/", "https://eu.example.com:8443", "/a%20b", false],
    ["HTTPS://EU.example.com:443/gate/", "https://eu.example.com", "/gate", false],
    ["http://localhost:8080", "http://localhost:8080", "", true],
    ["http://127.1.2.3", "http://127.1.2.3", "", true],
    ["http://[::1]:1", "http://[::1]:1", "", true],
  ])("may be %s", (text, origin, prefix, loopback) => {
    expect(parseBaseUrl(text)).toEqual({ origin, prefix, loopback });
  });

  it.each([
    ["partners.example.com", "url"],
    ["http://partners.example.com", "https"],
    ["http://localhost.", "https"],
    ["http://127.0.0.1.nip.io", "https"],
    ["http://[::ffff:10.0.0.1]", "https"],
    ["ftp://a.example", "https"],
    ["https://a.example/?a=1", "noQuery"],
    ["https://a.example/#top", "noQuery"],
    ["https://a.example?", "noQuery"],
    ["https://a.example/api/v1/partners//", "noApiRoot"],
    [`https://user:${SECRET}@a.example`, "noCredentials"],
    [`http://:${SECRET}@127.0.0.1`, "noCredentials"],
  ])("must not be %j", (text, rule) => {
    expect(parseBaseUrl(text)).toBe(rule);
  });
});

describe("plain HTTP to another machine", () => {
  const values = { ...RIGHT, baseUrl: "http://partners.internal:8080/gate" };
  const invalid = [{ kind: "invalid", setting: "baseUrl", rule: "https" }];

  it("is refused, unless a setting allows it", () => {
    expect(problems(values)).toEqual(invalid);
    expect(problems({ ...values, allowTokenOverPlainHttp: "false" })).toEqual(invalid);
    expect(read({ ...values, allowTokenOverPlainHttp: "true" }).baseUrl).toEqual({
      origin: "http://partners.internal:8080",
      prefix: "/gate",
      loopback: false,
    });
    const PARTNERS_ALLOW_TOKEN_OVER_PLAIN_HTTP = "true";
    expect(problems(values, { PARTNERS_ALLOW_TOKEN_OVER_PLAIN_HTTP })).toEqual([]);
    expect(problems({ ...values, explicit: "true" }, { PARTNERS_ALLOW_TOKEN_OVER_PLAIN_HTTP })).toEqual(
      invalid,
    );
  });

  it("is allowed only for http://", () => {
    for (const baseUrl of ["ftp://a.example", "ws://a.example"])
      expect(problems({ ...RIGHT, baseUrl, allowTokenOverPlainHttp: "true" })).toEqual(invalid);
  });

  it("is allowed for the previous address, to which nothing is sent", () => {
    const { servers } = read({ ...RIGHT, previousBaseUrl: values.baseUrl });
    expect(servers).toEqual([RIGHT.baseUrl, values.baseUrl]);
  });

  it.each([
    [values.baseUrl, [{ kind: "plainHttp", host: "partners.internal:8080" }]],
    ["http://127.0.0.1:1", []],
    [RIGHT.baseUrl, []],
  ])("causes one warning for each account, even if nothing is sent: %s", (url, expected) => {
    const { plugin, notices } = startRun({ ...RIGHT, url }, { allowTokenOverPlainHttp: "true" });
    plugin.readSettings();
    const source = {
      "partners:baseUrl": url,
      "partners:accessToken": "t",
      "partners:allowTokenOverPlainHttp": "true",
    };
    plugin.configure(new Map(Object.entries(source))); // The engine may configure a process twice.
    plugin.readSettings();
    expect(notices).toEqual(expected);
  });
});

it.each([
  ["https://partners.example.com", [{ kind: "tlsNotVerified" }]],
  ["http://127.0.0.1:1", []],
])("NODE_TLS_REJECT_UNAUTHORIZED=0 and %s give the warnings %j", async (url, expected) => {
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const { plugin, notices } = startRun({ url, accessToken: "t0ken" }, {}, { env });
  await plugin.open();
  expect(notices).toEqual(expected);
});

it("a version of Node that cannot run undici is refused", () => {
  for (const version of ["22.19.0", "22.100.0", "24.0.0", "100.1.0", "25.0.0-nightly20261101"])
    assertNodeVersion(version);
  for (const version of ["20.20.2", "22.18.9", "22.9.99", "9.99.99"])
    expect(() => {
      assertNodeVersion(version);
    }, version).toThrow(SettingsError);
});
