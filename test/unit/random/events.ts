import fc from "fast-check";

import type { Fault, WebhookState } from "../../support/sandbox.ts";
import { PROVIDERS, type Command, type Provider } from "./engine.ts";
import { ACCOUNTS, WEBHOOKS, type KeyRules } from "./service.ts";

const effect = fc.boolean();
const status = fc.constant("status");
const retryAfter = fc.constantFrom("0", "1", "99999", "Fri, 31 Dec 2099 23:59:59 GMT");

/** A fault that loses a response, or leaves open whether anything was done. */
const lostResponse: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("reset"), effect }),
  fc.record({ kind: fc.constant("truncate"), bytes: fc.nat({ max: 120 }) }),
  fc.record({ kind: status, status: fc.constantFrom(303, 408, 500, 503), effect }),
);
/** A refusal never has an effect. */
const refusal: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("rateLimit"), retryAfter }),
  fc.record({ kind: status, status: fc.constantFrom(401, 403, 404, 409, 429) }),
);
/** A 2xx response without the key or the webhooks. */
const emptySuccess: fc.Arbitrary<Fault> = fc.record({
  kind: status,
  operation: fc.constantFrom("createApiKey", "listWebhooks", "listWebhooks"),
  status: fc.constantFrom(200, 206),
  body: fc.constantFrom("null", '{"data":[]}', "Created"),
  effect: fc.constant(true),
});
/** Whether a fault shows a list without webhooks. */
export function isEmptyList(fault: Fault): boolean {
  return fault.kind === "status" && fault.operation === "listWebhooks" && fault.status < 300;
}

/** A 201 that refuses a creation. */
const refusedCreation: fc.Arbitrary<Fault> = fc.record({
  kind: status,
  operation: fc.constant("createApiKey"),
  status: fc.constantFrom(200, 201),
  body: fc.constantFrom('{"success":false,"error":"no more keys"}', '{"errors":[{"message":"quota"}]}'),
});
/** A timeout takes real time, so it happens to one request only. */
const timeout: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constant("hang"),
  operation: fc.constantFrom("createApiKey", "deleteApiKey", "disableWebhook"),
  at: fc.constantFrom("headers", "body"),
  effect,
  times: fc.constant(1),
});

const faults: fc.Arbitrary<Fault> = fc
  .record({
    fault: fc.oneof(
      { weight: 4, arbitrary: lostResponse },
      { weight: 4, arbitrary: refusal },
      { weight: 2, arbitrary: emptySuccess },
      { weight: 1, arbitrary: refusedCreation },
      { weight: 1, arbitrary: timeout },
    ),
    operation: fc.constantFrom("createApiKey", "createApiKey", "deleteApiKey", "activateWebhook", undefined),
    skip: fc.constantFrom(0, 0, 0, 1, 2),
    times: fc.constantFrom(1, 1, 2, 5, 1_000),
  })
  .map(({ fault, operation, ...rest }): Fault => ({ ...(operation && { operation }), ...rest, ...fault }));

const states = fc.constantFrom<WebhookState[]>("active", "disabled");
const stateOnDestroy = fc.constantFrom("leave", "restore", "restore", "active", "disabled");
const webhookIds = fc.constantFrom<number[]>(...WEBHOOKS);
const overlapDays = fc.constantFrom(0, 2, 2);
const rotation = fc.oneof(
  fc.record({ trigger: fc.constantFrom("spring", "summer", "autumn"), overlapDays }),
  fc.record({ afterDays: fc.constantFrom(2, 3), overlapDays }),
);

const keyNames = fc.constantFrom("key1", "key1", "key2");
const webhookNames = fc.constantFrom("webhook1", "webhook2");
const fleetNames = fc.constantFrom("fleet1", "fleet1", "fleet2");
const names = fc.oneof(keyNames, webhookNames, fleetNames);

const declare = fc.constant("declare");
/** Through which provider a program declares a resource. `null`: the same as before, or the first one. */
const provider = fc.constantFrom<(Provider | null)[]>(null, null, "second");
const declarations = fc.oneof(
  fc.record({ event: declare, name: keyNames, provider, args: fc.record({ rotation: fc.option(rotation) }) }),
  fc.record({
    event: declare,
    name: webhookNames,
    provider,
    args: fc.record({ webhookId: webhookIds, state: states, stateOnDestroy }),
  }),
  fc.record({
    event: declare,
    name: fleetNames,
    provider,
    args: fc.record({
      states: fc.dictionary(webhookIds.map(String), states, { maxKeys: 2 }),
      others: fc.constantFrom("leave", "active", "active", "disabled"),
      stateOnDestroy,
    }),
  }),
);

const stop = fc.record({ how: fc.constantFrom("interrupt", "kill"), after: fc.integer({ min: 1, max: 4 }) });
const runs = fc.record({
  event: fc.constant("run"),
  faults: fc.array(faults, { maxLength: 3 }),
  /** The setting `responses`: correct, missing, or a pointer to nothing. */
  mapping: fc.constantFrom("right", "right", "right", "none", "wrong"),
  command: fc.record<Command>({
    verb: fc.constantFrom("up", "up", "up", "up", "preview", "refresh", "destroy"),
    parallel: fc.boolean(),
    retries: fc.constantFrom(0, 0, 0, 2),
    stop: fc.option(stop, { freq: 5 }),
    targets: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      fc.uniqueArray(names, { minLength: 1, maxLength: 2 }),
    ),
    deleteBeforeReplace: fc.boolean(),
  }),
});

/**
 * A change of the program that is reverted after its `up`. The engine survives, so it keeps what each step
 * returned.
 */
const reverts = fc.record({
  event: fc.constant("revert"),
  change: declarations,
  faults: fc.array(faults, { minLength: 1, maxLength: 2 }),
  parallel: fc.boolean(),
});

/** A `destroy` that fails partway, and is repeated. */
const teardowns = fc.record({
  event: fc.constant("teardown"),
  faults: fc.array(faults, { minLength: 1, maxLength: 2 }),
  parallel: fc.boolean(),
});

/** A change of the program while the list of webhooks lags. */
const delays = fc.record({
  event: fc.constant("delay"),
  change: declarations,
  lag: fc.integer({ min: 1, max: 2 }),
  parallel: fc.boolean(),
});

/** A rotation without overlap at a service that allows only one key. */
const onlyKeys = fc.record({ event: fc.constant("onlyKey"), name: keyNames, parallel: fc.boolean() });

const providers = fc.constantFrom(...(Object.keys(PROVIDERS) as Provider[]));
/** Whether the program gives a renamed resource its old name as an alias. */
const hasAlias = fc.boolean();

/** A resource is renamed, and may move to another provider. The first `up` targets one of the names. */
const renames = fc.record({
  event: fc.constant("rename"),
  name: names,
  provider: providers,
  hasAlias,
  first: fc.constantFrom("old", "new"),
  parallel: fc.boolean(),
});

/** What the service does otherwise than usual. `lag`: see `Service.lag`. */
export type Limits = KeyRules & { readonly lag: number };

const limits = fc.record<Limits>({
  oneKey: fc.constantFrom(false, false, false, true),
  sameKey: fc.boolean(),
  oneRecord: fc.boolean(),
  keyLag: fc.constantFrom(0, 5_000, 60_000),
  lag: fc.constantFrom(0, 1, 2),
});

/**
 * Removed, renamed or moved resources, passing time, changes that others make at the service, and its limits.
 */
const others = fc.oneof(
  fc.record({ event: fc.constant("move"), name: names, provider: providers }),
  fc.record({
    event: fc.constant("remove"),
    name: names,
    as: fc.option(names),
    provider: providers,
    hasAlias,
  }),
  fc.record({ event: fc.constant("wait"), days: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    event: fc.constant("webhooks"),
    account: fc.constantFrom(...ACCOUNTS),
    changed: fc.uniqueArray(webhookIds, { minLength: 1 }),
    state: fc.constantFrom("active", "disabled", "gone"),
  }),
  fc.record({ event: fc.constant("revoke"), which: fc.nat({ max: 3 }) }),
  fc.record({ event: fc.constant("look") }),
);

const events = fc.oneof(
  { weight: 6, arbitrary: runs },
  { weight: 5, arbitrary: declarations },
  { weight: 3, arbitrary: others },
  { weight: 3, arbitrary: fc.record({ event: fc.constant("limits"), limits }) },
  { weight: 1, arbitrary: reverts },
  { weight: 1, arbitrary: teardowns },
  { weight: 1, arbitrary: delays },
  { weight: 1, arbitrary: onlyKeys },
  { weight: 1, arbitrary: renames },
);

/** The life of a stack. It starts with a program. */
export const lives = fc
  .tuple(
    fc.array(declarations, { minLength: 3, maxLength: 6 }),
    fc.array(events, { maxLength: 40, size: "max" }),
  )
  .map((parts) => parts.flat());

/** Something that happens. An event that is impossible at the moment is skipped. */
export type Event = typeof lives extends fc.Arbitrary<(infer Each)[]> ? Each : never;
