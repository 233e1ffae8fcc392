import fc from "fast-check";

import { faults, isSuccess } from "../loss/arbitraries.ts";
import { command, type Command } from "./commands.ts";
import { ACCOUNTS, WEBHOOKS } from "./model.ts";

const accounts = fc.constantFrom(...ACCOUNTS);
const webhooks = fc.constantFrom<number[]>(...WEBHOOKS);
const states = fc.constantFrom("active" as const, "disabled" as const);

const flip: fc.Arbitrary<Command> = fc.tuple(accounts, webhooks, states).map(([account, id, state]) =>
  command(
    `somebody sets ${account}/${id} to ${state}`,
    (_model, world) => {
      world.service(account).sandbox.setWebhookState(id, state);
      world.observer.ledger.drifted(account, id);
      return undefined;
    },
    (model) => model.webhooks.has(`${account}/${id}`),
  ),
);

const removal: fc.Arbitrary<Command> = fc.tuple(accounts, webhooks).map(([account, id]) =>
  command(
    `somebody removes ${account}/${id}`,
    (model, world) => {
      world.service(account).sandbox.removeWebhook(id);
      world.observer.ledger.drifted(account, id);
      model.webhooks.delete(`${account}/${id}`);
      return undefined;
    },
    (model) => model.webhooks.has(`${account}/${id}`),
  ),
);

const addition: fc.Arbitrary<Command> = fc.tuple(accounts, webhooks, states).map(([account, id, state]) =>
  command(
    `somebody adds ${account}/${id}, ${state}`,
    (model, world) => {
      world.service(account).sandbox.addWebhook(id, state);
      model.webhooks.add(`${account}/${id}`);
      return undefined;
    },
    (model) => !model.webhooks.has(`${account}/${id}`),
  ),
);

const revocation: fc.Arbitrary<Command> = fc.tuple(accounts, fc.nat({ max: 3 })).map(([account, index]) =>
  command(
    `somebody deletes key ${index} of ${account}`,
    async (_model, world) => {
      const service = world.service(account);
      const ours = service.sandbox.apiKeys.filter((key) => !service.strangers.has(key));
      const key = ours[index % ours.length];
      if (key === undefined) return;
      await service.revoke(key);
      world.observer.ledger.gone.add(key);
    },
    (model) => !model.stormy.has(account),
  ),
);

/** Somebody else changes something at a service. */
export const drift: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: flip },
  { weight: 1, arbitrary: removal },
  { weight: 3, arbitrary: addition },
  { weight: 1, arbitrary: revocation },
);

/** Time passes, so that keys fall due for rotation, and overlaps end. */
export const time: fc.Arbitrary<Command> = fc.constantFrom(1, 2).map((days) =>
  command(`${days} days pass`, (_model, world) => {
    world.days += days;
    return undefined;
  }),
);

/** Faults come. */
export const storms: fc.Arbitrary<Command> = fc
  .tuple(
    accounts,
    faults(
      undefined,
      undefined,
      "createApiKey",
      "deleteApiKey",
      "listWebhooks",
      "activateWebhook",
      "disableWebhook",
    ).filter((fault) => !isSuccess(fault)),
  )
  .map(([account, fault]) =>
    command(`fault in ${account}: ${JSON.stringify(fault)}`, (model, world) => {
      world.service(account).inject(fault);
      model.stormy.add(account);
      return undefined;
    }),
  );

/** And go. */
export const calms: fc.Arbitrary<Command> = accounts.map((account) =>
  command(
    `no more faults in ${account}`,
    (model, world) => {
      world.service(account).calm();
      model.stormy.delete(account);
      return undefined;
    },
    (model) => model.stormy.has(account),
  ),
);
