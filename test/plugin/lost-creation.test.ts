import { describe, expect, it } from "vitest";

import type { Fault } from "../support/sandbox.ts";
import { errorOf, KEY, startShared, takeRequests } from "./partners.ts";

const shared = startShared({ "partners:requestTimeout": "0.5" });

describe("a creation whose response is lost", () => {
  it.each<[what: string, code: string, fault: Fault]>([
    ["by a reset", "PARTNERS_CONNECTION", { kind: "reset", effect: true }],
    ["by an orderly close", "PARTNERS_CONNECTION", { kind: "fin", effect: true }],
    ["in silence", "PARTNERS_TIMEOUT", { kind: "hang", at: "headers", effect: true }],
    ["behind a 500", "PARTNERS_STATUS", { kind: "status", status: 500, effect: true }],
    ["behind a login page", "PARTNERS_UNREADABLE", { kind: "html", effect: true }],
    [
      "behind a failure that calls itself a success",
      "PARTNERS_UNREADABLE",
      { kind: "status", status: 200, body: '{"success":false,"message":"quota"}', effect: true },
    ],
  ])(
    "%s is sent once, is in no state, and the error says when a key may have been created",
    async (_what, code, fault) => {
      const { sandbox, plugin } = shared();
      sandbox.inject(fault);
      const hour = new Date().toISOString().slice(0, "2026-02-19T12".length);
      const { message, initFailure } = await errorOf(plugin.create(KEY));
      expect(message).toContain("A key may have been created that no stack tracks.");
      expect(message).toContain(`about ${hour}`);
      expect(message).toContain(`[${code}]`);
      expect(initFailure).toBeUndefined();
      expect(takeRequests(sandbox)).toBe("POST");
    },
  );
});

describe("a creation whose response is cut off or unreadable", () => {
  const gzip = Buffer.from("1f8b0800000000000003", "hex");
  it.each<[what: string, fault: Fault, kept: object]>([
    ["cut off by a reset", { kind: "resetMidBody" }, { encoding: "utf8", complete: false }],
    ["cut off by a close", { kind: "truncate", bytes: 19 }, { body: '{"apiKey":"pk_live_', complete: false }],
    ["never finished", { kind: "hang", at: "body" }, { encoding: "utf8", complete: false }],
    ["empty", { kind: "status", status: 200, body: "", effect: true }, { body: "", complete: true }],
    [
      "not text",
      { kind: "status", status: 200, body: gzip, effect: true },
      { encoding: "base64", complete: true },
    ],
  ])("because it is %s is kept, and costs no second POST", async (_what, fault, kept) => {
    const { sandbox, plugin } = shared();
    sandbox.inject(fault);
    const { message, initFailure } = await errorOf(plugin.create(KEY));
    const key = sandbox.apiKeys.at(-1) ?? "";
    expect(message).toMatch(/^A key was created at .*\[PARTNERS_UNREADABLE\]$/);
    expect(message).not.toContain(key.slice(0, 12));
    const { id, properties, reasons } = initFailure ?? { id: "", properties: {}, reasons: [] };
    expect(reasons).toEqual([message]);
    expect(properties).toMatchObject({ ...KEY, apiKey: null, response: kept });

    expect(await plugin.read(id, properties)).toMatchObject({ id, properties });
    expect(await plugin.diff(id, properties, KEY)).toMatchObject({ changes: true, replaces: [] });
    expect((await errorOf(plugin.update(id, properties, KEY))).initFailure).toMatchObject({ id, properties });
    expect((await errorOf(plugin.delete(id, properties))).message).toMatch(/\[PARTNERS_UNREADABLE\]$/);
    expect(takeRequests(sandbox)).toBe("POST");
  });
});
