import { describe, expect, it } from "vitest";

import { answeredWith, HOOK, sharing } from "./answered.ts";
import { errorOf, KEY } from "./partners.ts";

const MIB = 2 ** 20;

describe("a list of webhooks", () => {
  it.each<[what: string, body: string | Buffer]>([
    ["bytes that are no UTF-8", Buffer.from('[{"id":101,"url":"\xff","state":"disabled"}]', "latin1")],
    ["a byte order mark", '\ufeff[{"id":101,"state":"disabled"}]'],
    ["names twice: the last one counts", '[{"id":1,"id":101,"state":"on","state":"disabled"}]'],
    ["a member __proto__", '[{"id":101,"__proto__":{"state":"active"},"state":"disabled"}]'],
    ["the name __proto__, one like any other", '{"__proto__":[{"id":101,"state":"disabled"}]}'],
    ["names of functions", '[{"id":101,"constructor":{},"toString":1,"then":1,"state":"disabled"}]'],
  ])("is read that has %s", async (_what, body) => {
    const plugin = await answeredWith(body);
    expect(await plugin.read("101", HOOK)).toMatchObject({ id: "101", properties: { state: "disabled" } });
  });

  const { answered } = sharing(200);
  it.each<[what: string, body: string | Buffer, problem: string]>([
    ["100,000 levels of arrays", "[".repeat(1e5) + "]".repeat(1e5), "partners:responses.webhooks"],
    ["100,000 levels of objects", `${'{"a":'.repeat(1e5)}1${"}".repeat(1e5)}`, "partners:responses.webhooks"],
    ["an id twice", '[{"id":101,"state":"on"},{"id":101,"state":"off"}]', "partners:responses.webhookId"],
    ["ids beyond 2⁵³", '[{"id":9007199254740993}]', "partners:responses.webhookId"],
    [
      "a list beside a __proto__ with one",
      '{"__proto__":{"hooks":[]},"hooks":[{"id":1}]}',
      "partners:responses.webhooks",
    ],
    ["null", "null", "partners:responses.webhooks"],
    ["no body", "", "The body of the response is empty."],
    ["half of a character", Buffer.of(0x5b, 0xf0, 0x9f), "it may have been cut off"],
    ["bytes of gzip", Buffer.from("1f8b0800000000000003abe6020043bfa6a302000000", "hex"), "is not JSON"],
    ["UTF-16", Buffer.from('[{"id":101}]', "utf16le"), "is not JSON"],
    ["a page", "<!doctype html><title>Log in</title>", "Check that partners:baseUrl is"],
  ])("is refused that is %s", async (_what, body, problem) => {
    const plugin = answered(body);
    const { message } = await errorOf(plugin.read("101", HOOK));
    expect(message).toContain("the list could not be read");
    expect(message).toContain(problem);
    expect(message).toMatch(/^[ -~]*\[PARTNERS_UNREADABLE\]$/);
  });
});

describe("the response to a creation", () => {
  const key = "k_9f8E7d6C5b4A3210";
  const { answered } = sharing(201);

  it.each<[what: string, body: string | Buffer]>([
    ["bytes that are no UTF-8 beside it", Buffer.from(`{"label":"caf\xe9","apiKey":"${key}"}`, "latin1")],
    ["a byte order mark", `\ufeff{"apiKey":"${key}"}`],
    ["its name twice: the last one counts", `{"apiKey":"k_0000000000000000","apiKey":"${key}"}`],
    ["a member __proto__", `{"__proto__":{"apiKey":"k_0000000000000000"},"apiKey":"${key}"}`],
    ["20,000 levels beside it", `{"apiKey":"${key}","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
  ])("gives its key with %s", async (_what, body) => {
    const plugin = answered(body);
    expect(await plugin.create(KEY)).toMatchObject({ properties: { apiKey: key } });
  });

  it.each<[what: string, body: string | Buffer, kept: string]>([
    ["20,000 levels around it", `${'{"a":'.repeat(5000)}"${key}"${"}".repeat(5000)}`, key],
    ["bytes that are no UTF-8 in it", Buffer.from(`{"apiKey":"${key}\xff"}`, "latin1"), "base64:eyJhcGlLZ"],
    ["bytes of gzip", Buffer.from("1f8b0800000000000003", "hex"), "base64:H4sI"],
    ["no value but __proto__", `{"__proto__":{"apiKey":"${key}"}}`, key],
    ["a NUL", `{"odd":"${key}\0"}`, key],
    ["nothing", "", ""],
  ])("is kept that has %s", async (_what, body, kept) => {
    const plugin = answered(body);
    const { initFailure, message } = await errorOf(plugin.create(KEY));
    expect(message).toContain("A key EXISTS on the server now.");
    expect(message).not.toContain(key);
    expect(initFailure?.properties["response"]).toContain(kept);
  });
});

describe("check", () => {
  const { answered } = sharing(200);

  const numbers = [NaN, Infinity, -Infinity, -0, 2 ** 53, 1e308, Number.MIN_VALUE];
  const texts = ["7", "7 ", "0x7", "\u0667", "\0", "../7", "7".repeat(MIB)];
  const others = [[7], {}, JSON.parse(`${'{"a":'.repeat(50)}7${"}".repeat(50)}`) as unknown, true, null];
  it.each<[what: string, values: readonly unknown[]]>([
    ["numbers", numbers],
    ["texts", texts],
    ["others", others],
  ])("refuses %s that are no webhookId, without repeating them", async (_what, values) => {
    for (const webhookId of values) {
      const { failures } = await answered("[]").check({ ...HOOK, webhookId });
      expect(failures).toMatchObject([{ property: "" }]);
      expect(failures[0]?.reason).toMatch(
        /^webhookId must be a positive whole number such as 7: it (?:is|has) [a-z0 ,();A-Z]{10,100}\.$/,
      );
    }
  });

  it("refuses what is no state, without repeating it", async () => {
    const states = ["Active", "active ", "", "enabled", 1, true, null, ["active"], {}, "x".repeat(MIB)];
    for (const state of states) {
      const { failures } = await answered("[]").check({ ...HOOK, state });
      expect(failures).toEqual([{ property: "", reason: 'state must be "active" or "disabled".' }]);
    }
  });
});
