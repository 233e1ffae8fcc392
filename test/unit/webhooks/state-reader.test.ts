import { expect, it } from "vitest";

import type { JsonObject } from "../../../provider/src/bodies/json.js";
import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.js";
import { readState } from "../../../provider/src/webhooks/webhook-state-reader.js";

const stateOf = (record: JsonObject, mapping: ResponseMapping = {}) => readState(record, mapping).state;

const SET = "2026-11-25T10:20:30Z";

it.each<JsonObject>([
  { is_active: 1 },
  { webhookEnabled: "true" },
  { disabled: false },
  { paused: false },
  { state: "Active" },
  { status: "ENABLED" },
  { disabledAt: null },
  { disabled_at: "", paused_at: 0 },
  { enabled: true, disabledAt: "0001-01-01T00:00:00Z" },
  { active: true, pausedAt: "0000-00-00 00:00:00", deletedAt: "1970-01-01T00:00:00Z" },
  { attributes: { status: "active" } },
  { status: "active", disabled: false, paused_at: null, deleted_at: null, archived: false },
  { active: true, error: "timeout", last_delivery_status: "failed", health: { status: "failing" } },
  { active: true, fallbackWebhook: { active: false }, targets: [{ disabled: true }] },
  { active: true, secret_enabled: false, disabled_events: ["a"] },
  { active: true, paused_since: null, blocked: false, revokedAt: "0001-01-01T00:00:00Z" },
])("%j is active", (record) => {
  expect(stateOf(record)).toBe("active");
});

it.each<JsonObject>([
  { active: false },
  { enabled: 0 },
  { disabled: true },
  { paused: true },
  { status: "paused" },
  { status: "suspended" },
  { status: "disabled_by_owner" },
  { disabledAt: SET },
  { paused_at: 1_764_066_030_000 },
])("%j is disabled", (record) => {
  expect(stateOf(record)).toBe("disabled");
});

it.each<JsonObject>([
  {},
  { id: 1, url: "https://example.com", alert_status: "executable" },
  { status: "pending" },
  { status: null },
  { status: { id: 1, name: "Live" } },
  { active: "maybe" },
  { isSuspended: true },
  { status: "Auto-Disabled" },
  { disabled: { at: SET } },
  { active: true, status: "disabled" },
  { active: true, state: "warming up" },
  { active: true, disabledAt: SET },
  { active: true, deleted_at: SET },
  { enabled: true, paused_since: SET },
  { status: "active", blocked: true },
  { active: true, muted_at: SET },
  { enabled: true, turnedOffAt: SET },
  { active: true, revoked_at: SET },
  { active: true, delivery: { temporarily_disabled: true } },
  { suspended_at: null },
  { disabledAt: "never" },
  { disabledAt: { by: "a" } },
  { disabled_until: SET },
])("the state of %j is unknown", (record) => {
  expect(stateOf(record)).toBe(null);
});

it("a time that no number holds, such as one in nanoseconds, is set", () => {
  expect(stateOf({ disabledAt: 1_764_066_030_000_000_000n })).toBe(null);
  expect(stateOf({ active: true, deletedAt: 1_764_066_030_000_000_000n })).toBe(null);
});

it.each<[JsonObject, ResponseMapping, "active" | "disabled" | null]>([
  [{ mode: "enabled", active: false }, { webhookState: "/mode" }, "active"],
  [{ mode: "LIVE" }, { webhookState: "/mode" }, null],
  [{ mode: "LIVE" }, { webhookState: "/mode", active: ["live"] }, "active"],
  [{ mode: "on" }, { webhookState: "/mode", active: ["live"] }, null],
  [{ mode: 2 }, { webhookState: "/mode", active: [1], disabled: ["2"] }, "disabled"],
  [{ locked: false }, { webhookState: "/locked", active: [false], disabled: [true] }, "active"],
  [{ status: "LIVE" }, { active: ["LIVE"] }, "active"],
  [{ status: "active" }, { active: ["LIVE"] }, null],
  [{ status: { name: "Live" } }, { webhookState: "/status/name", active: ["Live"] }, "active"],
  [{ status: { name: "Live" } }, { webhookState: "/status", active: ["Live"] }, null],
  [{ stats: { paused: true } }, { webhookState: "/stats/paused" }, "disabled"],
  [{ disabledAt: SET }, { webhookState: "/disabledAt" }, "disabled"],
  [{}, { webhookState: "/disabledAt" }, "active"],
  [{ attributes: { suspended_at: null } }, { webhookState: "/attributes/suspended_at" }, "active"],
  [{ attributes: { suspended_at: SET } }, { webhookState: "/attributes/suspended_at" }, "disabled"],
  [{ attributes: {} }, { webhookState: "/attributes/suspended_at" }, "active"],
  [{ pausedDate: "0001-01-01T00:00:00Z" }, { webhookState: "/pausedDate" }, "active"],
  [{ inactive_since: 1_764_066_030 }, { webhookState: "/inactive_since" }, "disabled"],
  [{ autoStoppedOn: "" }, { webhookState: "/autoStoppedOn" }, "active"],
  [{}, { webhookState: "/deactivation_time" }, null],
  [{ deactivatedTime: "soon" }, { webhookState: "/deactivatedTime" }, null],
  [{ activated_at: SET }, { webhookState: "/activated_at" }, null],
  [{ last_disabled_at: null }, { webhookState: "/last_disabled_at" }, null],
  [{ unpaused_at: null }, { webhookState: "/unpaused_at" }, null],
  [{ disabled_reason: null }, { webhookState: "/disabled_reason" }, null],
  [{ status: "active" }, { webhookState: "/stauts" }, null],
  [{ mode: null }, { webhookState: "/mode" }, null],
  [{ since: SET }, { webhookState: "/since" }, null],
  [{ paused: false }, { webhookState: "/paused", active: ["LIVE"] }, null],
  [{}, { webhookState: "/paused" }, null],
  [{}, { webhookState: "/paused", active: [null] }, "active"],
])("of %j, with the settings %j, the state is %s", (record, mapping, state) => {
  expect(stateOf(record, mapping)).toBe(state);
});
