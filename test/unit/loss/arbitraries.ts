import fc from "fast-check";

import type { Fault, Operation, ShapeName } from "../../support/sandbox.ts";

/** Milliseconds for one request where a fault makes the client wait for nothing. */
export const SHORT_TIMEOUT = 150;

const SHAPE_NAMES: readonly ShapeName[] = [
  "flat",
  "snake",
  "envelope",
  "nested",
  "byId",
  "bare",
  "boolean",
  "numeric",
  "words",
  "timestamp",
  "unreadable",
];

/** The shapes of responses, those that cannot be read without a mapping more often than their share. */
export const shapes: fc.Arbitrary<ShapeName> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SHAPE_NAMES) },
  { weight: 1, arbitrary: fc.constant<ShapeName>("unreadable") },
);

/** Statuses that refuse a request. A server that acts all the same lies about HTTP, so they never come with an effect. */
const REFUSALS = [400, 401, 403, 405, 409, 413, 418, 421, 422, 425, 429, 431, 451];
/** Statuses that leave open whether anything was done. */
const OPEN_ENDED = [300, 301, 302, 303, 304, 307, 308, 408, 500, 501, 502, 503, 504, 507, 520, 599];

const retryAfter = fc.constantFrom(
  undefined,
  "0",
  "1",
  "7",
  "99999",
  "soon",
  "-1",
  "Fri, 31 Dec 1999 23:59:59 GMT",
  "Fri, 31 Dec 2099 23:59:59 GMT",
);

const headers = retryAfter.map((value): Record<string, string> => (value ? { "retry-after": value } : {}));

/** What happens in place of the answer, the operation performed or not. */
const replacing: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("reset"), effect: fc.boolean() }),
  fc.record({ kind: fc.constant("fin"), effect: fc.boolean() }),
  fc.record({
    kind: fc.constant("status"),
    status: fc.constantFrom(...OPEN_ENDED),
    headers,
    effect: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("status"), status: fc.constantFrom(...REFUSALS), headers }),
  fc.record({ kind: fc.constant("rateLimit"), retryAfter: retryAfter.map((value) => value ?? 0) }),
  fc.record({
    kind: fc.constant("redirect"),
    location: fc.constantFrom("/elsewhere", "http://127.0.0.1:1/api/v1/partners/api-key"),
    effect: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("html"), effect: fc.boolean() }),
);

/** What happens to the answer. The operation was performed, and the status is one of success. */
const mangling: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("resetMidBody") }),
  fc.record({ kind: fc.constant("truncate"), bytes: fc.nat({ max: 120 }) }),
  fc.record({
    kind: fc.constant("status"),
    status: fc.constantFrom(200, 202, 203, 204, 206, 299),
    body: fc.constantFrom("", "{}", "null", "Created"),
    effect: fc.constant(true),
  }),
);

/** What costs the client its whole {@link SHORT_TIMEOUT}, or much of it. */
const slow: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("hang"), at: fc.constant("headers"), effect: fc.boolean() }),
  fc.record({ kind: fc.constant("hang"), at: fc.constant("body") }),
  fc.record({ kind: fc.constant("slow"), bytesPerSecond: fc.constantFrom(200, 2_000, 100_000) }),
);

/** Which requests it happens to. */
function targets(operations: readonly (Operation | undefined)[], times: fc.Arbitrary<number>) {
  return fc.record({
    operation: fc.constantFrom(...operations),
    skip: fc.constantFrom(0, 0, 0, 1, 2),
    times,
  });
}

/** Faults of these operations; `undefined` is any. Hangs are rarer, and few in a row, as each takes real time. */
export function faults(...operations: readonly (Operation | undefined)[]): fc.Arbitrary<Fault> {
  const often = fc.tuple(
    fc.oneof(replacing, mangling),
    targets(operations, fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1_000))),
  );
  const seldom = fc.tuple(slow, targets(operations, fc.integer({ min: 1, max: 2 })));
  return fc
    .oneof({ weight: 29, arbitrary: often }, { weight: 1, arbitrary: seldom })
    .map(([fault, { operation, ...target }]) => ({ ...fault, ...target, ...(operation && { operation }) }))
    .filter(isHonest);
}

/** Whether a fault answers with a success of its own; a lie, where the operation is refused for another reason. */
export function isSuccess(fault: Fault): boolean {
  return fault.kind === "status" && fault.status >= 200 && fault.status < 300;
}

/** Whether the client may be kept waiting by a fault. */
export function isSlow({ kind }: Fault): boolean {
  return kind === "hang" || kind === "slow";
}

/** A deletion answered "gone" must be true. */
function isHonest(fault: Fault): boolean {
  return (
    !(fault.kind === "status" && (fault.status === 404 || fault.status === 410)) || fault.effect === true
  );
}
