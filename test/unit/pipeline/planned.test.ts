import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { expect, it } from "vitest";

import { Planned } from "../../../examples/pipeline/planned.ts";

/** Plans one step on a resource whose inputs stay or change. */
function plan(op: string, before: object, after = before): Planned {
  const planned = new Planned();
  const state = (inputs: object) => ({
    type: "t",
    urn: "u",
    id: "1",
    parent: "",
    provider: "",
    inputs,
    outputs: {},
  });
  const metadata = { op, urn: "u", type: "t", provider: "", old: state(before), new: state(after) };
  planned.add({ resourcePreEvent: { metadata } } as unknown as EngineEvent);
  return planned;
}

it.each(["same", "read", "refresh"])("a plan of %s needs no approval", (op) => {
  expect(plan(op, { a: 1 }).isEmpty).toBe(true);
});

it.each(["create", "update", "delete", "replace"])(
  "a plan of %s needs an approval, which depends on the inputs",
  (op) => {
    expect(plan(op, { a: 1 }).isEmpty).toBe(false);
    expect(plan(op, { a: 1 }).digest).toBe(plan(op, { a: 1 }).digest);
    expect(plan(op, { a: 1 }).digest).not.toBe(plan(op, { a: 1 }, { a: 2 }).digest);
  },
);

it("an option that changes without an operation needs an approval", () => {
  expect(plan("same", { a: 1 }, { a: 2 }).isEmpty).toBe(false);
});
