import assert from "node:assert/strict";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import { isTargeted, type Finished } from "./finished.ts";
import {
  DAY,
  mayCreate,
  openCreationOf,
  rotationOf,
  withoutOpenCreation,
  type Internal,
} from "./key-outputs.ts";

/** Asserts that an overlap lasts as long as it is declared, from the time when the current key was read. */
export function assertOverlaps(finished: Finished): void {
  const { calls, stack, before, began, now, succeeded, command } = finished;
  for (const entry of stack.filter(({ name }) => name.startsWith("key"))) {
    const old = before.stack.get(entry);
    const { rotatedAt } = entry.outputs["internal"] as Internal;
    const isRead =
      old?.outputs["createdAt"] !== entry.outputs["createdAt"] && entry.outputs["createdAt"] !== null;
    const time = Date.parse(rotatedAt ?? "");
    if (isRead) assert(time >= began && time <= now, `${entry.name} has a wrong beginning of its overlap`);
    else if (old) assert.equal(rotatedAt, (old.outputs["internal"] as Internal).rotatedAt);

    const isForced = calls.some((call) => call.name === entry.name && call.errors.length > 0);
    const { overlapDays } = rotationOf(entry.inputs);
    const { previousApiKey, previousExpiresAt } = entry.outputs;
    const isLeft = entry.replaced || !isTargeted(finished, entry.name);
    if (!succeeded || command.verb !== "up" || isForced || isLeft || previousApiKey === null) continue;
    const end = Date.parse(String(previousExpiresAt));
    assert(isRead || end > began, `${entry.name} keeps a previous key after its overlap`);
    if (overlapDays !== undefined) assert.equal(end, time + overlapDays * DAY, "an overlap has a wrong end");
    else if (!isRead) assert.equal(previousExpiresAt, old?.outputs["previousExpiresAt"], "an overlap moves");
  }
}

/** Asserts that no open creation fails an update in which no key is due. */
export function assertNothingBlocksInVain({ calls, service, now, command, before }: Finished): void {
  if (service.requests.length > 0 || command.verb !== "up") return;
  for (const { name, verb, olds, news, errors } of calls) {
    const [entry] = [...before.stack.values()].filter((each) => each.name === name && !each.replaced);
    const response = entry && openCreationOf(entry.outputs)?.response;
    const isKept = response != null && !response.isCutOff;
    const call = { name, verb, olds: withoutOpenCreation(olds), news };
    if (verb !== "update" || !name.startsWith("key") || isKept || mayCreate(call, now)) continue;
    assert.deepEqual(errors, [], `nothing is due, but ${name} fails`);
  }
}

/** Asserts that each run says so if the time of a key is ahead by more than a day. */
export function assertClocksTold({ planned, before, program, notices, now }: Finished): void {
  for (const { name, replaced, outputs } of before.stack.values()) {
    const { trigger = "" } = rotationOf(program.get(name) ?? {});
    const { trigger: used } = (outputs["internal"] ?? {}) as Partial<Internal>;
    const isRotating = trigger !== "" && String(trigger) !== used;
    if (!planned.has(name) || replaced || isRotating || !isAhead(outputs, now)) continue;
    const isTold = notices.some(({ text }) => text.startsWith(CLOCK_WAS_WRONG) && text.includes(name));
    assert(isTold, `no warning says that a clock was ahead for ${name}`);
  }
}

/** How the warning of a clock that was ahead begins. */
export const CLOCK_WAS_WRONG = "A clock was wrong";

/** Whether a key was created or took over more than a day after a time. */
export function isAhead({ apiKey, createdAt, internal }: Properties, now: number): boolean {
  const times = [createdAt, (internal as Internal | undefined)?.rotatedAt].map(String);
  return typeof apiKey === "string" && times.some((time) => Date.parse(time) > now + DAY);
}

/** Asserts that a run names a key that it has deleted, and uses all the same: it was given again. */
export function assertKeyAgainTold({ stack, service, notices }: Finished): void {
  for (const key of service.issuedKeys.filter((each) => service.deletedKeys.includes(each)))
    if (stack.some(({ outputs, replaced }) => outputs["apiKey"] === key && !replaced))
      assert(
        notices.some(({ text }) => text.includes("again, which this run has deleted")),
        "a key was given again, and no warning says so",
      );
}
