import assert from "node:assert/strict";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import type { Entry } from "./engine.ts";
import type { Finished, Known } from "./finished.ts";
import { holdersOf, keysOf, mayCreate, openCreationOf, type Internal } from "./key-outputs.ts";
import type { Service } from "./service.ts";

/** Asserts that each valid key is in the state, or that a message named it when it was lost. */
export function assertNoKeyLost(finished: Finished, known: Known): void {
  const { calls, stack, service, before, wasKilled, now } = finished;
  const failed = calls.filter((call) => mayCreate(call, now) && call.errors.length > 0);
  const isRemembered = ({ name, outputs }: Entry): boolean =>
    openCreationOf(outputs) !== null && failed.some((call) => call.name === name);
  for (const { key, isLive } of service.keys) {
    // What is given again is no longer what was lost or deleted.
    if (isLive) known.gone.delete(key);
    if (holdersOf(key, stack).length > 0) known.lost.delete(key);
    if (!isLive || known.lost.has(key) || holdersOf(key, stack).length > 0) continue;
    known.lost.add(key);
    const holders = holdersOf(key, before.stack.values());
    if (service.issuedKeys.includes(key))
      // If it dies, the engine warns about an interrupted creation.
      assert(
        wasKilled || stack.some(isRemembered),
        "a key is lost, and the state does not remember its creation",
      );
    else {
      assert(
        holders.every((holder) => mayLose(finished, key, holder)),
        "a key is lost that could be deleted",
      );
      assert(isNamed(finished, key, holders), "a key is no longer in the state, and no warning names it");
    }
  }
}

/**
 * Whether a resource may lose a key that works, with a warning: it was not read, nothing tells what it is
 * deleted by, a person has named the wrong value, or the service refused to delete it and a person has acted.
 */
function mayLose({ service, notices, isIdChosen }: Finished, key: string, { outputs }: Entry): boolean {
  const { current, previous } = keysOf(outputs);
  const holding = [current, previous].find((each) => JSON.stringify(each).includes(key));
  if (holding === undefined || notices.some(({ text }) => text.startsWith("Gave up"))) return true;
  // The 404 of the value that a person has chosen decides, whatever the service answered to the key.
  const isSent = service.requests.includes(`DELETE /api-key/${encodeURIComponent(key)}`);
  if (isIdChosen && isSent && service.absentIds.length > 0) return true;
  if (holding.apiKey !== key) return service.deletesBy === "key"; // A person has named the wrong value.
  return holding.response === null && service.deletesBy !== "key";
}

/** Returns the valid keys of a resource that its service can delete, by what the resource has. */
export function deletableKeys(service: Service, outputs: Properties): readonly string[] {
  const { deletesBy, missesRoute, liveKeys } = service;
  const { current, previous } = keysOf(outputs);
  return liveKeys().filter((key) => {
    const holding = [current, previous].find(({ apiKey }) => apiKey === key);
    return holding && (deletesBy === "key" ? !missesRoute(key) : holding.response != null);
  });
}

/** Asserts that a warning names each key that counts as gone although the service has not deleted it. */
export function assertGoneKeysNamed(finished: Finished): void {
  const { stack, service, before } = finished;
  const isDeleted = (value: unknown): boolean => service.deletedKeys.some((key) => key === value);
  for (const { key, isLive } of service.keys) {
    const isKey = ({ outputs }: Entry) => [outputs["apiKey"], outputs["previousApiKey"]].includes(key);
    const holders = [...before.stack.values()].filter(isKey);
    if (isLive || isDeleted(key) || holders.length === 0 || holdersOf(key, stack).length > 0) continue;
    assert(isNamed(finished, key, holders), "a key counts as gone, and no warning names it");
  }
}

/** Whether a warning names a key by its last characters, or by the time of its creation, if there are any. */
function isNamed({ notices }: Finished, key: string, holders: readonly Entry[]): boolean {
  const warnings = notices.filter(({ severity }) => severity === "warning").map(({ text }) => text);
  return holders.some(({ outputs }) => {
    const { previous, openCreation } = outputs["internal"] as Internal;
    const times = [outputs["createdAt"], previous?.createdAt, openCreation?.at].filter(Boolean);
    const names = [...times.map((time) => String(time).slice(11, 16)), `…${key.slice(-4)}`];
    // Nothing may be shown of a short key that was imported, or of a value that a person took for the key.
    const isNameless = key.length < 20 || !Object.values(outputs).includes(key);
    return warnings.some(
      (text) => names.some((name) => text.includes(name)) || (isNameless && text.includes("key")),
    );
  });
}
