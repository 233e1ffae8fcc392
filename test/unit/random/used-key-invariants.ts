import assert from "node:assert/strict";

import type { Call, Entry } from "./engine.ts";
import { isTargeted, type Finished, type Known } from "./finished.ts";
import { holdersOf, isUsed, keysOf, mayCreate, overlapEnd } from "./key-outputs.ts";

/** Asserts that only keys were deleted that nobody uses. */
export function assertNoUsedKeyDeleted(finished: Finished): void {
  const { stack, service, before, command, program } = finished;
  for (const key of service.deletedKeys) {
    const holders = [...before.stack].filter(([, old]) => holdersOf(key, [old]).length > 0);
    assert(holders.length > 0, "a key is deleted that no state has");
    for (const [holder, { name, outputs, replaced }] of holders) {
      // What waits for its deletion uses nothing.
      if (!replaced && isUsed(key, outputs) && !isAsked(finished, key, holder) && isSeen(finished, name, key))
        assert.fail(`a key that ${name} uses is deleted`);
      const next = stack.find((entry) => entry.name === name && entry !== holder && !entry.replaced);
      const hasNone = outputs["apiKey"] === key && next?.outputs["apiKey"] === null;
      const isForced = command.verb === "destroy" || command.deleteBeforeReplace || !program.has(name);
      const isLeftOut = !isTargeted(finished, name); // A process does not see what `--target` leaves out.
      assert(isForced || isLeftOut || !hasNone, `${name} has no key in place of the deleted one`);
    }
    for (const entry of holdersOf(key, stack))
      if (!before.stack.has(entry))
        assert(!isSeen(finished, entry.name, key), `a key that ${entry.name} has imported is deleted`);
  }
}

/** Whether the end of an overlap, or a call for a resource, asks for the deletion of its key. */
function isAsked(finished: Finished, key: string, holder: Entry): boolean {
  const { calls, before, now } = finished;
  const { name, outputs } = before.stack.get(holder) ?? holder;
  const isPrevious = !JSON.stringify(keysOf(outputs).current).includes(key);
  return calls.some((call) => {
    if (call.name !== name) return false;
    const isOver = call.verb === "update" && isPrevious && !(overlapEnd(call) > now);
    return call.verb === "delete" || isOver || (isPrevious && mayCreate(call, now));
  });
}

/**
 * Whether a process had seen that a resource holds its keys and goes on, before another one may have deleted
 * one of them. It does not see the others if all are destroyed, or those that `--target` leaves out.
 */
function isSeen({ command, planned, calls }: Finished, name: string, key: string): boolean {
  const plan = planned.get(name);
  const first = calls.findIndex(
    (call) => call.name !== name && isChange(call) && JSON.stringify(call.olds).includes(key),
  );
  const isEarly = plan !== undefined && (first < 0 || plan.calls <= first);
  return command.verb !== "destroy" && isEarly && !plan.isReplaced;
}

function isChange({ verb }: Call): boolean {
  return verb === "update" || verb === "delete";
}

/** Asserts that the state keeps a deleted key only if a person deleted it, or a call failed on the way. */
export function assertNoDeletedKeyKept(finished: Finished, known: Known): void {
  const { calls, stack, service } = finished;
  for (const { key, isLive } of service.keys)
    for (const { name, outputs, replaced } of isLive || known.gone.has(key) ? [] : holdersOf(key, stack)) {
      known.gone.add(key);
      if (replaced || !isUsed(key, outputs)) continue; // It is not planned any more, only deleted.
      const hasFailed = calls.some((call) => call.name === name && !call.succeeded);
      const isOfOther = service.deletedKeys.includes(key) && !isSeen(finished, name, key);
      assert(hasFailed || isOfOther, `${name} keeps a deleted key`);
    }
}
