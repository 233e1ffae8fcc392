import { describe, expect, it } from "vitest";

import { ConfigurationError } from "../../../provider/src/api/errors.js";
import { accountName } from "../../../provider/src/plugin/setting-lookup.js";
import { readSettings, type Settings } from "../../../provider/src/plugin/settings.js";

function read(config: Record<string, string>, env: NodeJS.ProcessEnv = {}): Settings {
  return readSettings({ get: (key) => config[key] }, env);
}

function problem(config: Record<string, string>, env: NodeJS.ProcessEnv = {}): string {
  try {
    read(config, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error("expected a ConfigurationError");
}

const complete = { "partners:baseUrl": "https://partners.example.com", "partners:accessToken": "t0ken" };

describe("settings", () => {
  it("have defaults for all but the URL and the token", () => {
    expect(read(complete)).toEqual({
      baseUrl: { origin: "https://partners.example.com", prefix: "", loopback: false },
      accessToken: "t0ken",
      requestTimeout: 30_000,
      operationTimeout: 120_000,
      maxConnections: 16,
      requestsPerSecond: null,
      responses: {},
    });
  });

  it("come from stack configuration first, then from the environment", () => {
    const env = {
      PARTNERS_BASE_URL: "https://other.example.com",
      PARTNERS_ACCESS_TOKEN: "other",
      PARTNERS_REQUEST_TIMEOUT: "5",
      PARTNERS_OPERATION_TIMEOUT: "6",
      PARTNERS_MAX_CONNECTIONS: "7",
      PARTNERS_REQUESTS_PER_SECOND: "0.5",
      PARTNERS_RESPONSES: '{"apiKey":"/data/key"}',
    };
    expect(read({ "partners:accessToken": "mine" }, env)).toMatchObject({
      baseUrl: { origin: "https://other.example.com" },
      accessToken: "mine",
      requestTimeout: 5_000,
      operationTimeout: 6_000,
      maxConnections: 7,
      requestsPerSecond: 0.5,
      responses: { apiKey: "/data/key" },
    });
  });

  it("that are missing are all named in one message, with key and variable", () => {
    const message = problem({});
    for (const name of [
      "partners:baseUrl",
      "PARTNERS_BASE_URL",
      "partners:accessToken",
      "PARTNERS_ACCESS_TOKEN",
    ]) {
      expect(message).toContain(name);
    }
    expect(message).toContain("pulumi config set --secret partners:accessToken");
  });

  it("of an explicit provider come from its arguments only", () => {
    const env = { PARTNERS_BASE_URL: "https://a.example.com", PARTNERS_ACCESS_TOKEN: "token-of-a" };
    const message = problem(
      { "partners:explicit": "true", "partners:baseUrl": "https://b.example.com" },
      env,
    );
    expect(message).toContain("Give the Provider its argument accessToken");
    expect(message).not.toContain("baseUrl");
  });

  it.each([
    ["a newline at its end", "t0ken\n"],
    ["a header in it", "t0ken\r\nx-evil: 1"],
    ["a blank", "t0 ken"],
    ["an accent", "tóken"],
    ["a NUL", "t\u0000ken"],
  ])("refuse a token with %s, without repeating it", (_what, token) => {
    const message = problem({ ...complete, "partners:accessToken": token });
    expect(message).toContain(
      "partners:accessToken (PARTNERS_ACCESS_TOKEN) must be of visible ASCII characters only",
    );
    expect(message).not.toMatch(/t.?0?.?ken[^)]*evil|tóken/);
  });

  it.each(["0", "-1", "soon", "NaN", "Infinity", " ", "1e9"])("refuse %j seconds", (value) => {
    expect(problem({ ...complete, "partners:requestTimeout": value })).toContain(
      "partners:requestTimeout (PARTNERS_REQUEST_TIMEOUT) must be a number above 0 and at most 3600 seconds.",
    );
  });

  it("report a bad URL and a bad mapping together, by name", () => {
    const message = problem({
      "partners:baseUrl": "http://user:hunter2@example.com",
      "partners:accessToken": "t0ken",
      "partners:responses": '{"apiKey":"no-slash"}',
    });
    expect(message).toContain("2 settings are missing or wrong");
    expect(message).toContain("responses.apiKey");
    expect(message).not.toContain("hunter2");
  });
});

describe("the account", () => {
  it("is called what configuration says, else default", () => {
    expect(accountName({ get: () => undefined })).toBe("default");
    expect(accountName({ get: (key) => (key === "partners:account" ? "eu" : undefined) })).toBe("eu");
  });
});
