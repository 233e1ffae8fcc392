import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readChange } from "../../../provider/src/responses/change-reader.js";
import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";

/** Reads the answer to the change of webhook 7. */
function read(body: unknown, mapping: ResponseMapping = {}) {
  return readChange(typeof body === "string" ? body : JSON.stringify(body), 7, mapping);
}

describe("the answer to a change", () => {
  it.each<[string, unknown]>([
    ["a success", { success: true }],
    ["nothing", ""],
    ["text", "OK"],
    ["an event about it", { id: "evt_1", status: "done" }],
    ["another webhook", { id: 8, state: "disabled" }],
    ["a delivery of another webhook", { id: 7, webhookId: 8, state: "disabled" }],
    ["the account of its owner", { success: true, account: { status: "active" } }],
    [
      "its old and its new record",
      { before: { id: 7, state: "active" }, after: { id: 7, state: "disabled" } },
    ],
  ])("shows no state if it is %s", (_what, body) => {
    expect(read(body)).toEqual({ failed: false, shown: null });
  });

  it.each<[string, unknown]>([
    ["alone", { id: 7, state: "disabled" }],
    ["without its ID", { state: "disabled" }],
    ["in an envelope, without its ID", { success: true, data: { state: "disabled" } }],
    ["in an envelope", { data: { id: "7", type: "webhook", attributes: { state: "disabled" } } }],
    ["in an object of its own", { webhook: { webhookId: 7, active: false } }],
    [
      "in the list of all",
      [
        { id: 6, state: "active" },
        { id: 7, state: "disabled" },
      ],
    ],
    ["with the error of its last delivery", { id: 7, state: "disabled", error: "last delivery timed out" }],
    ["with the status of its last delivery", { id: 7, active: false, status: "failed" }],
    ["with its owner", { id: 7, state: "disabled", owner: { id: 7, state: "active" } }],
  ])("shows the state of the webhook %s", (_where, body) => {
    expect(read(body)).toEqual({ failed: false, shown: "disabled" });
  });

  it("shows the state of a record that only the settings describe", () => {
    const mapping = { webhookId: "/ref", webhookState: "/mode", active: ["go"], disabled: ["halt"] };
    expect(read({ hook: { ref: 7, mode: "halt" } }, mapping)).toEqual({ failed: false, shown: "disabled" });
    expect(read({ hook: { ref: 8, mode: "halt" } }, mapping)).toEqual({ failed: false, shown: null });
  });

  it("does not count a missing member as a state, as it does in a list", () => {
    const mapping = { webhookState: "/pausedAt", active: [null], disabled: ["*"] };
    expect(read({ success: true }, mapping)).toEqual({ failed: false, shown: null });
    expect(read({ id: 7, success: false }, mapping)).toEqual({ failed: true, shown: null });
    expect(read({ id: 7, pausedAt: null }, mapping)).toEqual({ failed: false, shown: "active" });
  });

  it.each<[string, unknown, unknown]>([
    ["false success", { success: false }, null],
    ["an error", { error: "locked" }, null],
    ["a failed status", { status: "failed" }, null],
    ["a failed status of the webhook", { id: 7, status: "failed" }, null],
    ["a web page", "<!doctype html><title>Log in</title>", null],
    ["a status beside an error", { status: "disabled", error: "your account is disabled" }, null],
    ["an error in a record without an ID", { state: "disabled", errors: ["timed out"] }, "disabled"],
    ["an error outside the record", { error: "locked", data: { id: 7, state: "active" } }, "active"],
    ["false success in the record", { id: 7, state: "active", success: false }, "active"],
  ])("reports a failure with %s", (_what, body, shown) => {
    expect(read(body)).toEqual({ failed: true, shown });
  });

  it("never throws, and shows a state only if the body contains its word", () => {
    const word = fc.constantFrom(
      "id",
      "state",
      "status",
      "error",
      "data",
      "webhook",
      "active",
      7,
      true,
      null,
    );
    const body = fc.oneof(
      fc.json(),
      fc.letrec((tie) => ({
        value: fc.oneof({ maxDepth: 4 }, word, fc.array(tie("value")), tie("record")),
        record: fc.dictionary(
          fc.constantFrom("id", "state", "status", "error", "data", "hook"),
          tie("value"),
        ),
      })).value,
    );
    fc.assert(
      fc.property(body, (value) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        const { shown } = read(text);
        expect(shown === null || /active/.test(text)).toBe(true);
      }),
    );
  });
});
