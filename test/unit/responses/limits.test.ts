import { describe, expect, it } from "vitest";

import {
  parseResponseMapping,
  readApiKey,
  readWebhookList,
  reportsFailure,
} from "../../../provider/src/api/responses.js";
import { KEY, webhooksOf } from "./support.ts";

const MILLION = 1_000_000;
/** Far beyond what recursion can do: that ends at some ten thousand calls. */
const DEPTH = 200_000;

/** Milliseconds of this thread's CPU time, least of three runs: other work on the machine does not count. */
function fastest(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe("nesting has no limit that could be run into", () => {
  it.each([
    ["arrays", "[".repeat(DEPTH) + "]".repeat(DEPTH)],
    ["objects", '{"data":'.repeat(DEPTH) + "1" + "}".repeat(DEPTH)],
    ["paging objects", `{"webhooks":[],"meta":${'{"meta":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}}`],
    ["objects in records", `[{"id":1,"webhook":${'{"webhook":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}}]`],
    ["objects beside a key", `{"apiKey":"${KEY}","x":${'{"x":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}}`],
    ["brackets without an end", "[".repeat(DEPTH)],
  ])("%s", (_, text) => {
    expect(() => [
      readApiKey(text, {}),
      readWebhookList(text, undefined, {}),
      reportsFailure(text),
    ]).not.toThrow();
  });

  it("pointers", () => {
    const pointer = "/data".repeat(DEPTH);
    expect(readApiKey('{"data":1}', { apiKey: pointer }).readable).toBe(false);
    expect(readWebhookList("[{}]", undefined, { webhookId: pointer }).readable).toBe(false);
  });
});

describe("time grows with the length of the input, and no faster", () => {
  it("200,000 webhooks are read in less than a second", () => {
    const records = Array.from({ length: 200_000 }, (_, index) => ({
      id: index + 1,
      url: "https://hooks.example.com/partner",
      status: index % 2 === 0 ? "active" : "disabled",
    }));
    const text = JSON.stringify({ data: records, next: null });
    expect(webhooksOf(readWebhookList(text, undefined, {}))).toHaveLength(200_000);
    expect(fastest(() => readWebhookList(text, undefined, {}))).toBeLessThan(1000);
  }, 30_000);

  it.each<[what: string, make: (length: number) => string]>([
    ["one letter", (length) => "a".repeat(length)],
    ["dashes", (length) => "-".repeat(length)],
    ["spaces", (length) => " ".repeat(length)],
    ["a date that does not end", (length) => `2031-05-06T${"0".repeat(length)}!`],
    ["semicolons", (length) => ";".repeat(length)],
    ["relations", (length) => ";rel=".repeat(length / 5)],
    ["quotes", (length) => '; rel="'.repeat(length / 7)],
    ["tildes", (length) => `/${"~0".repeat(length / 2)}~`],
    ["slashes", (length) => "/".repeat(length)],
    ["digits", (length) => "9".repeat(length)],
  ])("for a megabyte of %s, anywhere", (_, make) => {
    const long = make(MILLION);
    const quoted = JSON.stringify(long);
    const read = (): void => {
      readApiKey(long, {});
      readApiKey(`{"apiKey":${quoted},"secret":${quoted},${quoted}:{"key":${quoted}}}`, {});
      readWebhookList(
        `{"total":${quoted},"data":[{"id":${quoted},"state":${quoted},${quoted}:1}]}`,
        long,
        {},
      );
      reportsFailure(`{"error":${quoted},"status":${quoted},"code":500}`.slice(0, MILLION));
      readWebhookList("[]", undefined, {}, { "content-range": long, "x-next-page": long, [long]: "1" });
      readWebhookList('[{"id":1,"state":1}]', long, { webhookState: long, active: [long] });
      parseResponseMapping({ apiKey: long, [long]: long, active: [long], disabled: [long] });
    };
    expect(fastest(read)).toBeLessThan(1000);
  });

  it.each<[what: string, text: string]>([
    ["spellings of one name with one key", object(50_000, (index) => `"key${spelling(index)}":"${KEY}"`)],
    ["spellings of one name", object(50_000, (index) => `"key${spelling(index)}":"${KEY}${index}"`)],
    [
      "values that begin alike",
      object(500, (index) => `"${"_".repeat(index)}key":"k${"a".repeat(3000 + index)}"`),
    ],
    ["objects to look into", object(50_000, (index) => `"${index}data":{"x":{"y":"${KEY}"}}`)],
    ["arrays to choose from", object(50_000, (index) => `"${index}":[{"id":${index}}]`)],
    ["records with names of their own", `[${array(50_000, (index) => `{"id":${index + 1},"n${index}":1}`)}]`],
    [
      "records that disagree",
      `[${array(50_000, (index) => `{"id":${index + 1},"state":"on","enabled":0}`)}]`,
    ],
    ["links", `{"webhooks":[],"links":[${array(50_000, () => '{"rel":"self","href":"/"}')}]}`],
  ])(
    "for many %s",
    (_, text) => {
      const read = (): void => {
        readApiKey(text, {});
        readWebhookList(text, undefined, {});
        readWebhookList(text, undefined, { webhookState: "/nowhere" });
      };
      expect(fastest(read)).toBeLessThan(3000);
    },
    60_000,
  );
});

function array(length: number, item: (index: number) => string): string {
  return Array.from({ length }, (_, index) => item(index)).join(",");
}

function object(length: number, member: (index: number) => string): string {
  return `{${array(length, member)}}`;
}

/** A different row of separators for each index; names are compared without them. */
function spelling(index: number): string {
  return index.toString(2).replaceAll("0", "_").replaceAll("1", "-");
}
