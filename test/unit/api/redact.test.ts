import { describe, expect, it } from "vitest";

import { printable } from "../../../provider/src/api/redact.js";

describe("printable", () => {
  it.each(["8f14e45f-ceea-467f-a5a1-c8d9a5b4a7a1", "req_42", "a.b:c-d_e"])("lets %s through", (id) => {
    expect(printable(id, [])).toBe(id);
  });

  it.each([
    ["an ANSI sequence", "\u001b[31mred"],
    ["a command of GitHub Actions", "::set-output name=x::y"],
    ["the same without white space", "::stop-commands::x"],
    ["a command of Azure Pipelines", "##vso[task.setvariable]x"],
    ["a newline", "a\nb"],
    ["white space", "a b"],
    ["nothing", ""],
    ["too much", "x".repeat(129)],
    ["no text", null],
  ])("drops %s", (_what, id) => {
    expect(printable(id, [])).toBeNull();
  });

  it("drops a text that holds a secret", () => {
    expect(printable("req-token-123-x", ["token-123"])).toBeNull();
    expect(printable("req-1", ["1"])).toBe("req-1"); // Too short a secret to be recognised in anything.
  });
});
