import { describe, expect, it } from "vitest";

import type { ResponseMapping } from "../../../provider/src/api/responses.js";
import { listOf, webhooksOf } from "./support.ts";

type Fields = Record<string, unknown>;

/** The states of records with the given fields, in order. */
function statesOf(records: readonly Fields[], mapping: ResponseMapping = {}): (string | null)[] {
  const webhooks = webhooksOf(
    listOf(
      records.map((fields, index) => ({ id: index + 1, ...fields })),
      mapping,
    ),
  );
  return webhooks.map(({ state, problem }) => (problem === null ? state : "refused"));
}

/** Why the state of a single record is refused. */
function problemOfState(fields: Fields, mapping: ResponseMapping = {}): string | null | undefined {
  return webhooksOf(listOf([{ id: 1, ...fields }], mapping))[0]?.problem;
}

describe("the state is recognised", () => {
  it.each<[shape: string, active: Fields, disabled: Fields]>([
    ["as state", { state: "active" }, { state: "disabled" }],
    ["as status, in any case", { Status: "ENABLED" }, { Status: "Disabled" }],
    ["as on and off", { webhook_state: "on" }, { webhook_state: "off" }],
    ["as a past participle", { webhookStatus: "activated" }, { webhookStatus: "deactivated" }],
    ["as active and inactive", { state: "active" }, { state: "inactive" }],
    ["as a flag", { active: true }, { active: false }],
    ["as a flag with is", { is_active: true }, { is_active: false }],
    ["as enabled", { enabled: true }, { isEnabled: false }],
    ["as a number", { enabled: 1 }, { enabled: 0 }],
    ["as a flag in the other sense", { disabled: false }, { disabled: true }],
    ["as a number in the other sense", { isInactive: 0 }, { isInactive: 1 }],
    ["as a timestamp that is null", { disabled_at: null }, { disabled_at: "2031-05-06T07:08:09Z" }],
    ["as a time since 1970", { deactivatedAt: null }, { deactivatedAt: 1936000000 }],
    ["as the earliest time that is one", { disabledAt: null }, { disabledAt: "1971-01-01" }],
    ["as the least number that is a time", { disabledAt: null }, { disabledAt: 1_000_000_000 }],
    ["in attributes", { attributes: { active: true } }, { attributes: { active: false } }],
    ["in the webhook that a record wraps", { webhook: { state: "on" } }, { webhook: { state: "off" } }],
    [
      "by fields that agree",
      { state: "active", enabled: 1, disabledAt: null },
      { status: "off", enabled: 0, disabledAt: "2031-05-06" },
    ],
    [
      "beside a word that is not known",
      { status: "healthy", enabled: true },
      { status: "healthy", enabled: false },
    ],
    [
      "before a word that is not known",
      { enabled: true, status: "pending" },
      { enabled: false, status: "pending" },
    ],
    [
      "beside words and flags of another stop, where it is disabled anyway",
      { state: "active", status: "ok", paused: false, deleted: 0, deletedAt: null },
      { enabled: false, status: "suspended", paused: true, deletedAt: "2031-05-06" },
    ],
    ["beside a count of another stop", { state: "active", blocked: 1 }, { state: "off", blocked: 5 }],
    ["beside a count", { active: 3, state: "active" }, { active: 1, state: "disabled" }],
    ["beside a history", { activatedAt: null, enabled: true }, { activatedAt: "2031-05-06", enabled: false }],
  ])("%s", (_, active, disabled) => {
    expect(statesOf([active, disabled])).toEqual(["active", "disabled"]);
  });

  it("per record, where only some records have a flag", () => {
    expect(statesOf([{ active: true }, {}, { active: null }, { active: false }])).toEqual([
      "active",
      null,
      null,
      "disabled",
    ]);
  });
});

describe("the state is unknown", () => {
  it.each<[shape: string, records: Fields[]]>([
    ["without a field for it", [{ name: "active", url: "https://a.example/active" }]],
    [
      "in a word that is not known",
      [{ state: "paused" }, { state: "suspended" }, { state: "failing" }, { state: "" }],
    ],
    ["in a number under state", [{ state: 1 }, { state: 0 }, { status: 200 }]],
    ["in a flag under status", [{ status: true }, { status: false }]],
    ["in a count", [{ active: 1 }, { active: 3 }]],
    ["in a count that is left out where it is 0", [{ active: 1 }, {}]],
    ["in a flag that is text in some record", [{ enabled: true }, { enabled: "no" }]],
    ["in a list or an object", [{ active: [true], state: { name: "active" } }]],
    [
      "in an activation that may be history",
      [{ activatedAt: "2031-05-06T07:08:09Z" }, { activatedAt: null }],
    ],
    ["in the zero time of Go", [{ disabledAt: "0001-01-01T00:00:00Z" }]],
    ["in the zero date of MySQL", [{ disabledAt: "0000-00-00 00:00:00" }]],
    ["in the start of 1970", [{ disabledAt: "1970-01-01T00:00:00Z" }, { disabledAt: 0 }]],
    ["in text that is no date", [{ disabledAt: "never" }, { disabledAt: "" }, { disabledAt: false }]],
    ["in an object that is not the webhook", [{ lastDelivery: { status: "active" } }]],
    [
      "in a word of another stop beside evidence for active",
      [
        { enabled: true, status: "suspended" },
        { active: true, status: "Failing" },
        { status: "paused", disabledAt: null },
        { state: "active", status: "auto-disabled" },
        { state: "disabled_by_admin", webhook: { enabled: 1 } },
      ],
    ],
    [
      "in a flag or a time of another stop beside evidence for active",
      [
        { status: "active", paused: true },
        { isDeleted: true, status: "active" },
        { enabled: true, attributes: { suspended: true } },
        { status: "active", deletedAt: "2031-05-06T07:08:09Z" },
      ],
    ],
    ["in a flag of another stop alone", [{ paused: true }, { paused: false }, { deletedAt: null }]],
    ["in an array of attributes", [{ attributes: [{ state: "active" }] }]],
  ])("%s", (_, records) => {
    expect(statesOf(records)).toEqual(records.map(() => null));
  });

  it("in the envelope, which speaks about the request", () => {
    const reading = listOf({ status: "active", state: "active", active: true, data: [{ id: 1 }] });
    expect(webhooksOf(reading)[0]).toMatchObject({ state: null, problem: null });
  });
});

describe("fields that disagree are refused", () => {
  it.each<[shape: string, fields: Fields, paths: string]>([
    ["words", { state: "active", status: "off" }, "/state, /status."],
    ["a word and a flag", { state: "active", enabled: false }, "/state, /enabled."],
    ["two spellings of a flag", { isActive: true, is_active: false }, "/isActive, /is_active."],
    ["a word and a timestamp", { status: "disabled", disabledAt: null }, "/status, /disabledAt."],
    [
      "a word and a flag with an unknown word between",
      { state: "active", status: "failing", enabled: false },
      "/state, /enabled.",
    ],
    ["places", { status: "active", webhook: { disabled: true } }, "/status, /webhook/disabled."],
  ])("%s", (_, fields, paths) => {
    expect(problemOfState(fields)).toBe(
      `The record has fields that disagree about the state: ${paths} Set partners:responses.webhookState to the JSON Pointer of the state, relative to a record of the list.`,
    );
    expect(statesOf([fields, { ...fields, id: 9 }])).toEqual(["refused", "refused"]);
  });
});

describe("responses.active and responses.disabled", () => {
  it.each<[case_: string, mapping: ResponseMapping, fields: Fields[], states: (string | null)[]]>([
    [
      "replace the words",
      { active: ["live"], disabled: ["PAUSED"] },
      [{ state: "Live" }, { state: "paused" }, { state: "active" }, { state: "off" }],
      ["active", "disabled", null, null],
    ],
    [
      "replace only the words of their own state",
      { active: ["live"] },
      [{ state: "live" }, { state: "active" }, { state: "off" }],
      ["active", null, "disabled"],
    ],
    [
      "win over a built-in word of the other state",
      { active: ["off"] },
      [{ state: "off" }, { state: "inactive" }],
      ["active", "disabled"],
    ],
    [
      "may be numbers, also where the service sends text",
      { active: [1], disabled: [2] },
      [{ status: 1 }, { status: "1" }, { status: 2 }, { status: 3 }],
      ["active", "active", "disabled", null],
    ],
    [
      "may be flags and null",
      { active: [true], disabled: [null] },
      [{ status: true }, { status: null }, { status: false }],
      ["active", "disabled", null],
    ],
    [
      "give a word of another stop its meaning",
      { active: ["failing"], disabled: ["suspended"] },
      [
        { status: "failing", enabled: true },
        { status: "suspended", enabled: 0 },
        { status: "paused", enabled: 1 },
      ],
      ["active", "disabled", null],
    ],
    [
      "do not change flags",
      { active: ["live"], disabled: ["dead"] },
      [{ enabled: true }, { enabled: false }],
      ["active", "disabled"],
    ],
  ])("%s", (_, mapping, fields, states) => {
    expect(statesOf(fields, mapping)).toEqual(states);
  });
});

describe("responses.webhookState is the only thing used for the state", () => {
  it.each<[case_: string, mapping: ResponseMapping, fields: Fields[], states: (string | null)[]]>([
    [
      "with the built-in words",
      { webhookState: "/mode" },
      [{ mode: "ON", state: "off" }, { mode: "off" }, { mode: "go" }],
      ["active", "disabled", null],
    ],
    [
      "with words of one's own",
      { webhookState: "/mode", active: ["go"], disabled: ["halt"] },
      [{ mode: "go" }, { mode: "halt" }, { mode: "on" }],
      ["active", "disabled", null],
    ],
    [
      "with flags of one's own",
      { webhookState: "/paused", active: [false], disabled: [true] },
      [{ paused: false }, { paused: true }],
      ["active", "disabled"],
    ],
    [
      "with words of one's own instead of the sense of a name",
      { webhookState: "/enabled", active: ["yes"] },
      [{ enabled: "yes" }, { enabled: true }],
      ["active", null],
    ],
    [
      "with a flag of a known name",
      { webhookState: "/config/enabled" },
      [{ config: { enabled: true } }, { config: { enabled: 0 } }],
      ["active", "disabled"],
    ],
    [
      "with a flag in the other sense",
      { webhookState: "/config/disabled" },
      [{ config: { disabled: true } }, { config: { disabled: 0 } }],
      ["disabled", "active"],
    ],
    [
      "with a flag under status",
      { webhookState: "/status" },
      [{ status: true }, { status: false }, { status: 1 }],
      ["active", "disabled", null],
    ],
    [
      "with a timestamp",
      { webhookState: "/x/disabledAt" },
      [{ x: { disabledAt: null } }, { x: { disabledAt: "2031-05-06" } }],
      ["active", "disabled"],
    ],
    [
      "but not with a flag that could mean either",
      { webhookState: "/paused" },
      [{ paused: true }, { paused: false }],
      [null, null],
    ],
    [
      "also not with a word of another stop",
      { webhookState: "/status" },
      [{ status: "paused", enabled: true }, { status: "auto-disabled" }],
      [null, null],
    ],
    [
      "against a flag of another stop",
      { webhookState: "/status" },
      [{ status: "active", paused: true }],
      ["active"],
    ],
    [
      "and ends a disagreement",
      { webhookState: "/state" },
      [{ state: "active", enabled: false }],
      ["active"],
    ],
  ])("%s", (_, mapping, fields, states) => {
    expect(statesOf(fields, mapping)).toEqual(states);
  });

  it("and refuses only the records in which it finds nothing", () => {
    const mapping = { webhookState: "/mode/name" };
    expect(statesOf([{ mode: { name: "on" } }, {}, { mode: { name: ["on"] } }], mapping)).toEqual([
      "active",
      "refused",
      "refused",
    ]);
    expect(problemOfState({ state: "on", mode: { kind: "x" } }, mapping)).toBe(
      "partners:responses.webhookState finds no single value in the record of this webhook. A record has: /id, /state, /mode/kind. Set partners:responses.webhookState to the JSON Pointer of the state, relative to a record of the list.",
    );
  });
});
