import { describe, expect, it } from "vitest";

import { parseBaseUrl } from "../../../provider/src/api/base-url.js";

describe("parseBaseUrl", () => {
  it.each([
    ["https://partners.example.com", "https://partners.example.com", ""],
    ["https://partners.example.com/", "https://partners.example.com", ""],
    ["https://partners.example.com/gateway/v2", "https://partners.example.com", "/gateway/v2"],
    ["https://partners.example.com/gateway/", "https://partners.example.com", "/gateway"],
    ["https://partners.example.com:8443", "https://partners.example.com:8443", ""],
    ["HTTPS://Partners.Example.COM", "https://partners.example.com", ""],
    ["https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443", "/x"],
    ["https://bücher.example", "https://xn--bcher-kva.example", ""],
  ])("takes %s apart", (text, origin, prefix) => {
    expect(parseBaseUrl(text)).toEqual({ origin, prefix, loopback: false });
  });

  it.each([
    "http://127.0.0.1:4010",
    "http://127.8.9.10",
    "http://localhost:4010",
    "http://[::1]:4010",
    "http://2130706433", // 127.0.0.1 as one number: the URL parser resolves it
  ])("allows plain http to this machine: %s", (text) => {
    expect(parseBaseUrl(text)).toMatchObject({ loopback: true });
  });

  it.each([
    ["partners.example.com", "is not a URL"],
    ["", "is not a URL"],
    ["http://partners.example.com", "plain http:// would send"],
    ["http://localhost.example.com", "plain http:// would send"],
    ["http://127.0.0.1.example.com", "plain http:// would send"],
    ["http://10.0.0.1", "plain http:// would send"],
    ["http://[::ffff:10.0.0.1]", "plain http:// would send"],
    ["ftp://partners.example.com", "must start with https://"],
    ["javascript:alert(1)", "must start with https://"],
    ["https://partners.example.com/?a=1", "query"],
    ["https://partners.example.com/#top", "fragment"],
    ["https://partners.example.com/api/v1/partners", "must end before /api/v1/partners"],
    ["https://partners.example.com/api/v1/partners/", "must end before /api/v1/partners"],
  ])("refuses %s", (text, problem) => {
    expect(parseBaseUrl(text)).toEqual({ problem: expect.stringContaining(problem) as string });
  });

  it("refuses credentials without repeating them", () => {
    const { problem } = parseBaseUrl("https://user:hunter2@partners.example.com") as { problem: string };
    expect(problem).toContain("must not contain a user name");
    expect(problem).not.toContain("hunter2");
  });
});
