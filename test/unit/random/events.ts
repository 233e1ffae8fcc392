import fc from "fast-check";

import type { WebhookState } from "../../../provider/src/partner-api/operations.ts";
import type { Command } from "./engine.ts";
import { WEBHOOKS } from "./characters.ts";
import type { Fault } from "./service.ts";

const state = fc.constantFrom<WebhookState[]>("active", "disabled");
const webhookId = fc.constantFrom<number[]>(...WEBHOOKS);
const stateOnDestroy = fc.constantFrom("leave", "restore", "active", "disabled");
const overlapDays = fc.constantFrom(0, 2, 2, 2);
const afterDays = fc.constantFrom(3, 4);
const trigger = fc.constantFrom("spring", "summer", "autumn", "", 2027);
const which = fc.nat({ max: 5 });
const keyName = fc.constantFrom("key1", "key1", "key1", "key2");
const webhookName = fc.constantFrom("webhook1", "webhook2");
const name = fc.oneof(keyName, webhookName, fc.constant("fleet1"));

/** Creates an event with some members. */
function eventOf<Name extends string, Members>(
  event: Name,
  members: { [Member in keyof Members]: fc.Arbitrary<Members[Member]> },
): fc.Arbitrary<Members & { event: Name }> {
  return fc.record(members).map((values) => ({ ...values, event }));
}

const rotation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ trigger, overlapDays }, { requiredKeys: ["trigger"] }) },
  { weight: 1, arbitrary: fc.record({ afterDays, overlapDays }) },
);
const webhook = { webhookId, state, stateOnDestroy };
const webhookArgs = fc.record(webhook, { requiredKeys: ["webhookId", "state"] });
const states = fc.dictionary(webhookId.map(String), state, { maxKeys: 2 });
const others = fc.constantFrom("leave", "active", "disabled");
const fleetArgs = fc.record({ states, others, stateOnDestroy }, { requiredKeys: ["states"] });
/** An edit of the program. */
const edit = fc.oneof(
  eventOf("declare", { name: keyName, args: fc.record({ rotation }, { requiredKeys: [] }) }),
  eventOf("declare", { name: keyName, args: fc.record({ rotation }) }),
  eventOf("declare", { name: webhookName, args: webhookArgs }),
  eventOf("declare", { name: fc.constant("fleet1"), args: fleetArgs }),
);

const fault: fc.Arbitrary<Fault> = fc
  .record({
    method: fc.constantFrom("POST", "POST", "POST", "DELETE", "PATCH", "GET", null),
    skip: fc.constantFrom(0, 0, 0, 1, 2),
    times: fc.constantFrom(1, 1, 2, 6, 1_000),
    effect: fc.boolean(),
    kind: fc.constantFrom("status", "status", "status", "status", "reset", "reset", "cut", "page", "report"),
    status: fc.constantFrom(400, 401, 403, 404, 408, 409, 422, 429, 429, 303, 500, 502, 503),
    retryAfter: fc.constantFrom(null, null, "0", "1", "99999", "Fri, 31 Dec 2099 23:59:59 GMT"),
    missingBytes: fc.constantFrom(1, 5, 30),
  })
  // That a key or a webhook is not found is true if the service says so.
  .map((each): Fault => (each.status === 404 ? { ...each, method: "GET" } : each));
/** Takes real time, so it happens only now and then. */
const silence = fault.map((each): Fault => ({ ...each, kind: "silence", times: 1 }));

const stop = fc.record({ how: fc.constantFrom("interrupt", "kill"), after: fc.integer({ min: 1, max: 4 }) });
const delays = fc.array(fc.constantFrom(0, 0, 1, 2, 3, 5), { minLength: 1, maxLength: 4 });
const command: fc.Arbitrary<Command> = fc.record(
  {
    verb: fc.constantFrom("up", "up", "up", "up", "up", "up", "up", "preview", "refresh", "destroy"),
    parallel: fc.boolean(),
    delays,
    repetitions: fc.constantFrom(0, 2, Infinity),
    updatesCreated: fc.boolean(),
    deleteBeforeReplace: fc.boolean(),
    replace: fc.option(name, { freq: 6, nil: undefined }),
    target: fc.option(name, { freq: 6, nil: undefined }),
    stop: fc.option(stop, { freq: 6, nil: undefined }),
  },
  { requiredKeys: ["verb"] },
);
const faults = fc.oneof(
  { weight: 20, arbitrary: fc.array(fault, { maxLength: 3 }) },
  { weight: 30, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.tuple(silence) },
);

/** Where a setting points: to another value of each response, or to nothing. */
const pointer = fc.constantFrom("none", "right", "other", "nothing");

/** What people do. */
const act = fc.oneof(
  eventOf("undeclare", { name }),
  eventOf("rotate", { name: keyName, overlapDays }),
  eventOf("rotate", { name: keyName, overlapDays }),
  eventOf("overlap", { name: keyName, overlapDays: fc.constantFrom(0, 1, 2, 3, 5, null) }),
  eventOf("setBack", { name: keyName }),
  eventOf("wait", { days: fc.constantFrom(1, 1, 3) }),
  eventOf("change", { webhookId, state: fc.constantFrom("active", "disabled", "gone") }),
  eventOf("revoke", { which }),
  eventOf("forget", { name }),
  eventOf("import", { name: fc.oneof(keyName, webhookName), which, isHeld: fc.boolean() }),
  eventOf("taint", { name }),
  eventOf("rename", { name: keyName, faults }),
  eventOf("point", { apiKey: pointer, apiKeyId: pointer }),
);

/** One run in which one resource releases a webhook and another one declares it. */
const regroup = eventOf("regroup", {
  name: webhookName,
  stateOnDestroy,
  parallel: fc.constantFrom(true, true, false),
  delays,
  faults,
});

/** Two resources import one key, and both rotate it, in one run and again. */
const share = eventOf("share", {
  name: keyName,
  overlapDays: fc.constantFrom(0, 2, 2),
  parallel: fc.constantFrom(true, true, false),
  delays: fc.oneof(fc.constant([0]), delays),
  faults,
});

/** One run whose clock is ahead. */
const jump = eventOf("jump", { days: fc.constantFrom(2, 400), command, faults });

const event = fc.oneof(
  { weight: 7, arbitrary: eventOf("run", { command, faults }) },
  { weight: 1, arbitrary: share },
  { weight: 1, arbitrary: jump },
  { weight: 4, arbitrary: edit },
  { weight: 3, arbitrary: act },
  { weight: 2, arbitrary: regroup },
);

/** Something that happens to a stack. What is impossible at the moment is skipped. */
export type Event = typeof event extends fc.Arbitrary<infer Each> ? Each : never;

const edits = fc.array(edit, { minLength: 2, maxLength: 5 });

/** The life of a stack. It starts with a program. */
export const lives: fc.Arbitrary<readonly Event[]> = fc
  .tuple(edits, fc.array(event, { minLength: 10, maxLength: 30, size: "max" }))
  .map((parts) => parts.flat());
