import assert from "node:assert/strict";

import { publicText } from "./engine.ts";
import type { Finished, Known } from "./finished.ts";
import { mayCreate, openCreationOf } from "./key-outputs.ts";
import { assertGoneKeysNamed, assertNoKeyLost } from "./lost-key-invariants.ts";
import {
  assertClocksTold,
  assertKeyAgainTold,
  assertNothingBlocksInVain,
  assertOverlaps,
} from "./rotation-invariants.ts";
import { assertNoDeletedKeyKept, assertNoUsedKeyDeleted } from "./used-key-invariants.ts";
import { assertWebhooks } from "./webhook-invariants.ts";

/** Checks what an operation sent, showed and kept. @throws if it broke a promise. */
export function assertOperation(finished: Finished, known: Known): void {
  assertNoSecretShown(finished);
  assertFewRequests(finished);
  assertNoKeyLost(finished, known);
  assertGoneKeysNamed(finished);
  assertNoUsedKeyDeleted(finished);
  assertOverlaps(finished);
  assertNothingBlocksInVain(finished);
  assertClocksTold(finished);
  assertKeyAgainTold(finished);
  assertNoDeletedKeyKept(finished, known);
  assertWebhooks(finished, known);
}

function assertNoSecretShown({ visible, service, stack }: Finished): void {
  const shown = [...visible, ...stack.map(({ id, outputs }) => id + publicText(outputs))].join("\n");
  for (const secret of [service.accessToken, ...service.keys.flatMap(({ key, uuid }) => [key, uuid])]) {
    const encoded = (["base64", "base64url"] as const).map((name) => Buffer.from(secret).toString(name));
    for (const spelling of [secret, encodeURIComponent(secret), ...encoded])
      assert(!shown.includes(spelling), `a secret is shown: …${shown.split(spelling)[0]?.slice(-300) ?? ""}`);
  }
}

/** Asserts that previews and refreshes change nothing, and that no key is created twice for one need. */
function assertFewRequests({ command: { verb }, calls, stack, service, now, before }: Finished): void {
  const changes = service.requests.filter((request) => !request.startsWith("GET"));
  assert(verb === "up" || verb === "destroy" || changes.length === 0, `a ${verb} sends a change`);
  assert(!service.requests.join().includes("?"), "a request has a query");
  const needs = new Set(calls.filter((call) => mayCreate(call, now)).map(({ name }) => name));
  assert(service.issuedKeys.length <= needs.size, "a key is created twice for one need");
  const creations = changes.filter((request) => request.startsWith("POST")).length - service.deniedCreations;
  const open = stack.filter((entry) => {
    const at = openCreationOf(entry.outputs)?.at;
    return at !== undefined && at !== openCreationOf(before.stack.get(entry)?.outputs ?? {})?.at;
  });
  assert(open.length <= creations, "a creation that the service has denied is kept");
}
