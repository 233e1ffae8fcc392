import { describe, expect, it, vi } from "vitest";

import { PartnerError } from "../../../provider/src/partner-api/errors.js";
import { parseBaseUrl, type Refuse } from "../../../provider/src/account/setting-parsers.js";
import { SettingsReader } from "../../../provider/src/account/settings.js";

type Values = Readonly<Record<string, unknown>>;

const SECRET = "S3CRET-0123456789";
const RIGHT = { baseUrl: "https://partners.example.com", accessToken: "t0ken" };
const env = {
  ...{ PARTNERS_BASE_URL: "https://env.example.com", PARTNERS_ACCESS_TOKEN: "env-t0ken" },
  PARTNERS_HEADERS: '{"X-Tenant":"env"}',
};

/** Returns a reader of stack configuration, without `partners:` in its keys, and of the environment. */
function readerOf(values: Values, variables: NodeJS.ProcessEnv = {}, hasStack = true): SettingsReader {
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const source = new Map(Object.entries(values).map(([name, value]) => [`partners:${name}`, text(value)]));
  return new SettingsReader(source, variables, hasStack);
}

/** Returns the error about settings. */
function messageOf(values: Values, variables: NodeJS.ProcessEnv = {}, hasStack = true): string {
  try {
    readerOf(values, variables, hasStack).read();
  } catch (error) {
    if (error instanceof PartnerError && error.code === "PARTNERS_CONFIGURATION") return error.message;
    throw error;
  }
  throw new Error("the settings are valid");
}

describe("settings", () => {
  it("are read from stack configuration, then from the environment", () => {
    const given = {
      ...{ requestTimeout: "2.5", headers: { "X-Tenant": "acme", "X-Unset": null } },
      ...{ responses: { apiKey: "/data/key" }, previousBaseUrl: "https://old.example.com/gate/" },
    };
    const variables = {
      ...{ ...env, PARTNERS_REQUEST_TIMEOUT: "9", PARTNERS_RESPONSES: '{"webhooks":"/hooks"}' },
      PARTNERS_PREVIOUS_BASE_URL: "https://env-old.example.com",
    };
    expect(readerOf({ ...RIGHT, ...given }, variables).read()).toMatchObject({
      ...{ accessToken: RIGHT.accessToken, headers: { "X-Tenant": "acme" }, requestTimeout: 2500 },
      ...{ responses: given.responses, servers: [RIGHT.baseUrl, "https://old.example.com/gate"] },
    });
    expect(readerOf({}, variables).read()).toMatchObject({
      ...{ accessToken: env.PARTNERS_ACCESS_TOKEN, headers: { "X-Tenant": "env" }, requestTimeout: 9000 },
      responses: { webhooks: "/hooks" },
      servers: [env.PARTNERS_BASE_URL, variables.PARTNERS_PREVIOUS_BASE_URL],
    });
  });

  it("that are empty count as not set, and a variable loses one newline at its end", () => {
    const empty = { requestTimeout: "", headers: "", responses: "", previousBaseUrl: "", account: "" };
    expect(readerOf({ ...RIGHT, ...empty }).read().requestTimeout).toBe(30_000);
    expect(readerOf(empty).account).toBe("default");
    for (const end of ["\n", "\r\n"])
      expect(readerOf({}, { ...env, PARTNERS_ACCESS_TOKEN: `t${end}` }).read().accessToken).toBe("t");
    for (const end of ["\n\n", "\r", "\n ", " "])
      expect(messageOf({}, { ...env, PARTNERS_ACCESS_TOKEN: `t${end}` })).toMatch(/^Correct PARTNERS_ACCESS/);
  });

  // With another account's variables in the shell, a stack that forgets its token would send that account's
  // token to its own server.
  it("take the secrets of the environment only together with its address", () => {
    expect(messageOf({ baseUrl: RIGHT.baseUrl, headers: {} }, env)).toBe(
      "PARTNERS_ACCESS_TOKEN is used only with PARTNERS_BASE_URL, but the address is set in partners:baseUrl: " +
        "set partners:accessToken, or move the address to PARTNERS_BASE_URL. Nothing was sent.",
    );
    expect(messageOf(RIGHT, env)).toBe(
      "PARTNERS_HEADERS is used only with PARTNERS_BASE_URL, but the address is set in partners:baseUrl: " +
        "set partners:headers, or unset PARTNERS_HEADERS. Nothing was sent.",
    );
    expect(readerOf({ ...RIGHT, headers: {} }, env).read().headers).toEqual({});
    expect(readerOf({ baseUrl: env.PARTNERS_BASE_URL }, env).read().accessToken).toBe("env-t0ken");
    const mine = { accessToken: "mine", headers: { "X-Tenant": "env" } };
    expect(readerOf({ accessToken: "mine" }, env).read()).toMatchObject(mine);
  });

  it("may be long: how much fits into a header is for the server to say", () => {
    const long = SECRET.repeat(1000);
    const given = { accessToken: long, headers: { "x-key": `${long} ${long}` } };
    expect(readerOf({ ...RIGHT, ...given }).read()).toMatchObject(given);
  });

  it("of a Provider come only from its arguments, also without a stack", () => {
    const given = { explicit: "true", baseUrl: RIGHT.baseUrl, account: "eu" };
    const message =
      "Set the Provider's accessToken. A Provider does not read environment variables. Nothing was sent.";
    for (const hasStack of [true, false]) expect(messageOf(given, env, hasStack)).toBe(message);
  });

  it("without a stack come only from the environment, and are named there", () => {
    const reader = readerOf({}, {}, false);
    const [address, token] = ["PARTNERS_BASE_URL", "PARTNERS_ACCESS_TOKEN"].map(
      (name) => `Set ${name} in the environment: "pulumi do" does not read stack configuration.`,
    );
    expect(() => reader.read()).toThrow(`${address} ${token} Nothing was sent.`);
    expect(reader.settingName("responses.active[0]")).toBe("active[0] in PARTNERS_RESPONSES");
    expect(reader.proposeMember("complete", [true])).toBe("set PARTNERS_RESPONSES to '{\"complete\":true}'");
  });

  it("are all named in one error if they are missing or wrong", () => {
    const responses = { apiKey: "key", other: 1, another: 2 };
    const problems = [
      "Set partners:baseUrl or PARTNERS_BASE_URL, as in " +
        '"pulumi config set partners:baseUrl https://partners.example.com".',
      "Correct partners:previousBaseUrl: it is not a URL; it should look like https://partners.example.com.",
      'Set partners:accessToken or PARTNERS_ACCESS_TOKEN, as in "pulumi config set --secret partners:accessToken".',
      "Correct partners:requestTimeout: it must be a number of seconds from 0.001 to 86400.",
      'Correct partners:responses.apiKey: it must be a JSON Pointer such as "/data/key".',
      "Correct partners:responses: it has an unknown member; valid members: apiKey, apiKeyId, webhooks, webhookId, " +
        "webhookState, active, disabled, complete.",
    ];
    const message = messageOf({ requestTimeout: "soon", responses, previousBaseUrl: "x" });
    expect(message).toBe(`${problems.join(" ")} Nothing was sent.`);
  });

  it.each<[setting: string, value: unknown]>([
    ["accessToken", `${SECRET}\n`],
    ["accessToken", `${SECRET}é`],
    ["accessToken", `Bearer ${SECRET}`],
    ["previousBaseUrl", SECRET],
    ["baseUrl", `https://user:${SECRET}@a.example`],
    ["headers", SECRET],
    ["headers", { "x-key": `${SECRET}\n` }],
    ["headers", { "x-key": 7 }],
    ["headers", { [`${SECRET}:`]: "x" }],
    ["requestTimeout", SECRET],
    ["responses", SECRET],
    ["responses", { [SECRET]: 1 }],
  ])("are refused without repeating their values: %s = %j", (setting, value) => {
    const message = messageOf({ ...RIGHT, [setting]: value });
    expect(message).toMatch(new RegExp(`^Correct partners:${setting}: it .{10,200}\\. Nothing was sent\\.$`));
    expect(message).not.toContain("S3CRET");
  });

  it.each(["Host", "authorization", "Content-Length", "Accept-Encoding", "Proxy-Authorization", "TE"])(
    "refuse the header %s, which belongs to the client",
    (name) => {
      const rule = `it must not contain the header ${name.toLowerCase()}, which`;
      expect(messageOf({ ...RIGHT, headers: { [name]: "x" } })).toContain(rule);
    },
  );

  it("are named by where they are set; those that are not set, by where the address is", () => {
    const mapping = { responses: { apiKey: "/k" } };
    const { PARTNERS_BASE_URL } = env;
    const variables = { PARTNERS_BASE_URL, PARTNERS_RESPONSES: "{}" };
    for (const [reader, expected] of [
      [readerOf({ ...RIGHT, ...mapping }), ["partners:responses.apiKey", "partners:headers"]],
      [readerOf(RIGHT, variables), ["apiKey in PARTNERS_RESPONSES", "partners:headers"]],
      [readerOf({}, variables), ["apiKey in PARTNERS_RESPONSES", "PARTNERS_HEADERS"]],
      [readerOf({}), ["partners:responses.apiKey", "partners:headers"]],
      [readerOf({ explicit: "true" }), ["the Provider's responses.apiKey", "the Provider's headers"]],
    ] as const)
      expect(["responses.apiKey", "headers"].map(reader.settingName)).toEqual(expected);
    expect(readerOf({}, variables).settingName("account"), "the account has no variable").toBe(
      "partners:account",
    );
  });

  const inEnvironment = { ...env, PARTNERS_RESPONSES: '{"active":["it\'s on"],"apiKey":"/old"}' };

  it.each<[place: string, reader: SettingsReader, one: string, several: string, none: string]>([
    [
      "a Provider",
      readerOf({ ...RIGHT, explicit: "true" }, inEnvironment),
      'set the Provider\'s responses.apiKey to "/key"',
      'set the Provider\'s responses.webhookState to "POINTER" (replace POINTER with "/a" or "/b" or "/c", whichever is right)',
      'set the Provider\'s responses.webhooks to "POINTER" (replace POINTER with the JSON Pointer of the value)',
    ],
    [
      "stack configuration",
      readerOf({ responses: { apiKey: "/old" } }, inEnvironment),
      'run "pulumi config set --path partners:responses.apiKey /key"',
      'run "pulumi config set --path partners:responses.webhookState POINTER" ' +
        '(replace POINTER with "/a" or "/b" or "/c", whichever is right)',
      'run "pulumi config set --path partners:responses.webhooks POINTER" ' +
        "(replace POINTER with the JSON Pointer of the value)",
    ],
    [
      "the environment, whose other members stay",
      readerOf({}, inEnvironment),
      `set PARTNERS_RESPONSES to '{"active":["it'\\''s on"],"apiKey":"/key"}'`,
      `set PARTNERS_RESPONSES to '{"active":["it'\\''s on"],"apiKey":"/old","webhookState":"POINTER"}' (replace POINTER with "/a" or "/b" or "/c", whichever is right)`,
      `set PARTNERS_RESPONSES to '{"active":["it'\\''s on"],"apiKey":"/old","webhooks":"POINTER"}' ` +
        "(replace POINTER with the JSON Pointer of the value)",
    ],
  ])("that say where a value is are proposed in the form of %s", (_place, reader, one, several, none) => {
    expect(reader.proposeMember("apiKey", ["/key"])).toBe(one);
    expect(reader.proposeMember("webhookState", ["/a", "/b", "/c"])).toBe(several);
    expect(reader.proposeMember("webhooks", [])).toBe(none);
  });

  it("that are the whole response, or a word, are named so that a shell and the CLI read them", () => {
    const reader = readerOf(RIGHT);
    const command = "pulumi config set --path partners:responses.apiKey ''";
    expect(reader.proposeMember("apiKey", [""])).toBe(`run "${command}"`);
    expect(reader.settingName("responses.active[0]")).toBe("'partners:responses.active[0]'");
  });
});

it.each([
  ["https://eu.example.com:8443/a b/", "https://eu.example.com:8443", "/a%20b", false],
  ["HTTPS://EU.example.com:443/gate/", "https://eu.example.com", "/gate", false],
  ["http://localhost:8080", "http://localhost:8080", "", true],
  ["http://127.1.2.3", "http://127.1.2.3", "", true],
  ["http://[::1]:1", "http://[::1]:1", "", true],
])("a base URL may be %s", (text, origin, prefix, loopback) => {
  const address = origin + prefix;
  expect(parseBaseUrl(text, vi.fn<Refuse>())).toEqual({ address, origin, prefix, loopback });
});

it.each([
  ["partners.example.com", /^is not a URL/],
  ["http://partners.example.com", /^must start with https:/],
  ["http://localhost.", /^must start with https:/],
  ["http://127.0.0.1.nip.io", /^must start with https:/],
  ["ftp://127.0.0.1", /^must start with https:/],
  ["https://a.example/?a=1", /query/],
  ["https://a.example/#top", /fragment/],
  ["https://a.example?", /query/],
  ["https://a.example/api/v1/partners//", /must not include \/api\/v1\/partners/],
  ["http://:pass@127.0.0.1", /user name or password/],
])("a base URL must not be %s", (text, rule) => {
  const refuse = vi.fn<Refuse>(() => null);
  expect(parseBaseUrl(text, refuse)).toBeNull();
  expect(refuse.mock.calls).toEqual([[expect.stringMatching(rule)]]);
});
