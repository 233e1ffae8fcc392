import { describe, expect, it } from "vitest";

import { reportsFailure } from "../../../provider/src/api/responses.js";
import { KEY, OTHER, keyOf, listOf, problemOf, webhooksOf } from "./support.ts";

type Body = Record<string, unknown>;

/** Envelopes of a failure: what they hold beside their data, which is left out or empty. */
const FAILURES: [what: string, body: Body][] = [
  ["success: false", { success: false }],
  ["success as text", { Success: "False" }],
  ["ok: 0", { ok: 0 }],
  ["isSuccess: false", { isSuccess: false }],
  ["the status error, in any case", { status: "ERROR" }],
  ["the status fail", { status: "fail" }],
  ["the status Failed", { status: "Failed" }],
  ["the status failure", { Status: "FAILURE" }],
  ["the status errors", { status: "errors" }],
  ["the status false", { status: false, message: "Invalid token" }],
  ["the result error", { result: "error" }],
  ["the status 401", { status: 401 }],
  ["a status code as text", { statusCode: "503" }],
  ["an HTTP status", { http_status: 400 }],
  ["a status code of one's own, without data", { status: 40101 }],
  ["a code above 400, without data", { code: 40101, msg: "token expired" }],
  ["a code as text, without data", { code: "401" }],
  ["a code in the metadata, without data", { meta: { code: 401, requestId: "r-1" } }],
  ["a code in a status object", { status: { code: 500, message: "internal" } }],
  ["a flag for an error", { error: true }],
  ["an error message", { error: "unavailable" }],
  ["an error object", { error: { code: "E1" } }],
  ["a list of errors", { errors: [{ title: "x" }] }],
  ["a map of errors", { errors: { token: ["expired"] } }],
  ["an error code", { errcode: 40001, errmsg: "invalid credential" }],
];

/** Envelopes that speak of no failure. */
const SUCCESSES: [what: string, body: Body][] = [
  ["nothing", {}],
  ["success", { success: true, ok: 1, status: "success", code: 200, statusCode: "201" }],
  ["errors that are none", { error: null, errors: [] }],
  ["other errors that are none", { error: "", errors: {} }],
  ["an error number 0", { error: 0, errcode: "0" }],
  ["an error as text that is none", { error: "false", errors: "None" }],
  ["an error object that says ok", { error: { code: "ok", message: "" } }],
  ["a code of one's own beside a word of success", { code: 20000, message: "success" }],
  ["a status below 400", { status: 399, httpStatus: 302 }],
  ["state words", { status: "active", result: "done" }],
  ["long text", { status: "error".repeat(100), message: "failed" }],
];

describe("a failure in an envelope", () => {
  it.each(FAILURES)("is seen: %s", (_, body) => {
    expect(reportsFailure(JSON.stringify(body))).toBe(true);
  });

  it.each(FAILURES)("lets no empty list be believed, with and without responses.webhooks: %s", (_, body) => {
    for (const mapping of [{}, { webhooks: "/data" }]) {
      const problem = problemOf(listOf({ ...body, data: [] }, mapping));
      expect(problem).toContain("The response reports a failure");
      expect(problem).not.toMatch(/expired|unavailable|Invalid token|internal/);
    }
  });

  it.each(FAILURES)("lets nothing be taken for the key, unless responses.apiKey says so: %s", (_, body) => {
    const answer = { ...body, key: "error.key_limit_reached" };
    expect(problemOf(keyOf(answer))).toContain("The response reports a failure");
    expect(keyOf(answer)).toMatchObject({ mappable: true });
    expect(problemOf(keyOf(answer))).not.toMatch(/expired|unavailable|Invalid token|internal|limit/);
    expect(keyOf({ ...body, key: KEY }, { apiKey: "/key" })).toMatchObject({ readable: true, apiKey: KEY });
  });

  it("is told also where responses.apiKey finds nothing", () => {
    const problem = problemOf(keyOf({ error: true, key: "quota_exceeded" }, { apiKey: "/data/key" }));
    expect(problem).toContain("The response reports a failure");
    expect(problem).toContain("partners:responses.apiKey points at nothing");
  });

  it("is seen in empty containers beside a code", () => {
    for (const data of [null, [], {}, { items: [] }, { items: [], total: 0 }]) {
      expect(reportsFailure(JSON.stringify({ code: 40101, data }))).toBe(true);
    }
    expect(reportsFailure('{"code":40101,"data":[],"details":[{"field":"token"}]}')).toBe(true);
  });
});

describe("no failure", () => {
  it.each(SUCCESSES)("is seen in %s", (_, body) => {
    expect(reportsFailure(JSON.stringify(body))).toBe(false);
    expect(webhooksOf(listOf({ ...body, data: [] }))).toEqual([]);
    expect(keyOf({ ...body, data: { apiKey: KEY, scopes: [] } })).toMatchObject({ apiKey: KEY });
  });

  it("is seen in a code above 400 beside data", () => {
    expect(webhooksOf(listOf({ code: 10000, data: [{ id: 1 }] }))).toHaveLength(1);
    expect(webhooksOf(listOf({ status: 1000, data: { items: [{ id: 1 }] } }))).toHaveLength(1);
    expect(keyOf({ code: 10000, data: { apiKey: KEY } })).toMatchObject({ apiKey: KEY });
  });

  it.each<[what: string, record: Body]>([
    ["its deliveries fail", { id: 7, enabled: true, status: "failed" }],
    ["its last delivery was answered 500", { id: 7, url: "https://a.example/hook", statusCode: 500 }],
    ["it counts errors", { webhookId: "7", active: false, errors: 3 }],
    ["its state is a flag", { id: 7, url: "https://a.example/hook", status: false }],
  ])("is seen in the record of a webhook: %s", (_, record) => {
    expect(reportsFailure(JSON.stringify(record))).toBe(false);
  });

  it("is seen in what is no object", () => {
    for (const text of ["", "error", "null", '"error"', "[]", '[{"error":1}]', '{"error":', "<html>", "{}"]) {
      expect(reportsFailure(text)).toBe(false);
    }
  });
});

it("a failure is seen where an answer about a webhook names it", () => {
  expect(reportsFailure('{"webhookId":7,"status":"failed","message":"no"}')).toBe(true);
  expect(reportsFailure('{"id":7,"url":"https://a.example","error":"gone"}')).toBe(true);
  expect(reportsFailure(`\uFEFF {"id":7,"enabled":true,"success":false}`)).toBe(true);
});

it("more than a megabyte is not looked at for a failure", () => {
  const text = (length: number): string => JSON.stringify({ success: false, x: "x".repeat(length) });
  expect(reportsFailure(text(1_000_000))).toBe(true);
  expect(reportsFailure(text(1_100_000))).toBe(false);
  expect(problemOf(keyOf({ ok: false, key: OTHER }))).not.toContain(OTHER);
});
