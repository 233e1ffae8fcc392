import fc from "fast-check";

import type { Fault, WebhookState } from "../../support/sandbox.ts";
import type { Command } from "./engine.ts";
import { WEBHOOKS } from "./service.ts";

/** Statuses that refuse a request: with an effect, they would be a lie. */
const REFUSALS = [400, 401, 403, 404, 409, 422, 429, 451];
/** Statuses that leave open whether anything was done. */
const OPEN_ENDED = [302, 303, 307, 408, 500, 502, 503, 504, 520];

const effect = fc.boolean();
const retryAfter = fc.constantFrom("0", "1", "7", "99999", "soon", "Fri, 31 Dec 2099 23:59:59 GMT");
const headers = fc.oneof(fc.constant({}), fc.record({ "retry-after": retryAfter }));

const wireFaults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constantFrom("reset", "fin"), effect }),
  fc.record({ kind: fc.constant("resetMidBody") }),
  fc.record({ kind: fc.constant("truncate"), bytes: fc.nat({ max: 120 }) }),
  fc.record({ kind: fc.constant("html"), effect }),
  fc.record({ kind: fc.constant("rateLimit"), retryAfter }),
  fc.record({ kind: fc.constant("status"), status: fc.constantFrom(...OPEN_ENDED), headers, effect }),
  fc.record({ kind: fc.constant("status"), status: fc.constantFrom(...REFUSALS), headers }),
);

/** A success that says nothing. Of another operation it would be a lie where the server refuses. */
const silentSuccess: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant("status"),
  operation: fc.constantFrom("createApiKey", "listWebhooks"),
  status: fc.constantFrom(200, 202, 206),
  body: fc.constantFrom("", "{}", "null", "Created"),
  effect: fc.constant(true),
});

/** The client waits for nothing, which takes real time, so they are few. */
const slowFaults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("hang"), at: fc.constant("headers"), effect }),
  fc.record({ kind: fc.constant("hang"), at: fc.constant("body") }),
);

/** Something that goes wrong on the wire, once or for a while. */
const faults: fc.Arbitrary<Fault> = fc
  .record({
    fault: fc.oneof(
      { weight: 20, arbitrary: wireFaults },
      { weight: 3, arbitrary: silentSuccess },
      { weight: 1, arbitrary: slowFaults },
    ),
    operation: fc.constantFrom("createApiKey", "deleteApiKey", "listWebhooks", "activateWebhook", undefined),
    skip: fc.constantFrom(0, 0, 0, 1, 2),
    times: fc.constantFrom(1, 1, 2, 5, 1_000),
  })
  .map(({ fault, operation, skip, times }): Fault => {
    const most = fault.kind === "hang" ? 2 : Infinity;
    return { ...(operation && { operation }), skip, times: Math.min(times, most), ...fault };
  });

/** A server that is not the Partner API. */
const elsewhere = fc.constant<Fault>({ kind: "status", status: 404, times: 1_000 });

const states = fc.constantFrom<WebhookState[]>("active", "disabled");
const stateOnDestroy = fc.constantFrom("leave", "restore", "restore", "active", "disabled");
const webhookIds = fc.constantFrom<number[]>(...WEBHOOKS);
const overlapDays = fc.constantFrom(0, 1, 1, 2);
const rotations = fc.oneof(
  fc.record({ trigger: fc.constantFrom("spring", "summer", "autumn"), overlapDays }),
  fc.record({ afterDays: fc.constantFrom(2, 3), overlapDays }),
);

const keyNames = fc.constantFrom("key1", "key2");
const webhookNames = fc.constantFrom("webhook1", "webhook2", "webhook3");
const fleetNames = fc.constantFrom("fleet1", "fleet2");
const names = fc.oneof(keyNames, webhookNames, fleetNames);

const declare = fc.constant("declare");
const declarations = fc.oneof(
  fc.record({ event: declare, name: keyNames, args: fc.record({ rotation: fc.option(rotations) }) }),
  fc.record({
    event: declare,
    name: webhookNames,
    args: fc.record({ webhookId: webhookIds, state: states, stateOnDestroy }),
  }),
  fc.record({
    event: declare,
    name: fleetNames,
    args: fc.record({
      states: fc.dictionary(webhookIds.map(String), states),
      others: fc.constantFrom("leave", "leave", "active", "disabled"),
      stateOnDestroy,
    }),
  }),
);

const stop = fc.record({
  how: fc.constantFrom("interrupt", "kill"),
  after: fc.integer({ min: 1, max: 4 }),
});

const runs = fc.record({
  event: fc.constant("run"),
  faults: fc.array(fc.oneof({ weight: 9, arbitrary: faults }, { weight: 1, arbitrary: elsewhere }), {
    maxLength: 3,
  }),
  /** What is set as `responses`: what the service needs, nothing, or a pointer to nothing. */
  mapping: fc.constantFrom("right", "right", "right", "none", "wrong"),
  command: fc.record<Command>({
    verb: fc.constantFrom("up", "up", "up", "up", "preview", "refresh", "destroy"),
    parallel: fc.boolean(),
    stop: fc.option(stop, { freq: 5 }),
  }),
});

/** Edits that remove or rename a resource, time that passes, and what others do at the service. */
const others = fc.oneof(
  fc.record({ event: fc.constant("remove"), name: names, as: fc.option(names) }),
  fc.record({ event: fc.constant("wait"), days: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    event: fc.constant("webhook"),
    webhookId: webhookIds,
    state: fc.constantFrom("active", "disabled", "gone"),
  }),
  fc.record({ event: fc.constant("revoke"), which: fc.nat({ max: 3 }) }),
);

const events = fc.oneof(
  { weight: 5, arbitrary: runs },
  { weight: 4, arbitrary: declarations },
  { weight: 2, arbitrary: others },
);

/** The life of a stack. It begins with a program. */
export const lives = fc
  .tuple(
    fc.array(declarations, { minLength: 3, maxLength: 6 }),
    fc.array(events, { maxLength: 24, size: "max" }),
  )
  .map((parts) => parts.flat());

/** Something that happens. An event that makes no sense when its turn comes is passed over. */
export type Event = typeof lives extends fc.Arbitrary<(infer Each)[]> ? Each : never;
