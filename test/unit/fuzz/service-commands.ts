import fc from "fast-check";

import { faults, isSuccess } from "../loss/arbitraries.ts";
import { command, type Command } from "./commands.ts";
import { ACCOUNTS, WEBHOOKS } from "./model.ts";
import { RIGHT, type Settings } from "./settings.ts";

const accounts = fc.constantFrom(...ACCOUNTS);
const webhooks = fc.constantFrom<number[]>(...WEBHOOKS);
const states = fc.constantFrom("active" as const, "disabled" as const);

/** Somebody else changes something at a service. */
export const driftCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(accounts, webhooks, states).map(([account, id, state]) =>
    command(
      `somebody sets ${account}/${id} to ${state}`,
      (_model, world) => {
        world.service(account).sandbox.setWebhookState(id, state);
        world.observer.ledger.drifted(account, id);
        return undefined;
      },
      (model) => model.webhooks.has(`${account}/${id}`),
    ),
  ),
  fc.tuple(accounts, webhooks).map(([account, id]) =>
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
  ),
  fc.tuple(accounts, webhooks, states).map(([account, id, state]) =>
    command(
      `somebody adds ${account}/${id}, ${state}`,
      (model, world) => {
        world.service(account).sandbox.addWebhook(id, state);
        model.webhooks.add(`${account}/${id}`);
        return undefined;
      },
      (model) => !model.webhooks.has(`${account}/${id}`),
    ),
  ),
  fc.tuple(accounts, fc.nat({ max: 3 })).map(([account, index]) =>
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
  ),
];

/** Faults come and go. */
export const weatherCommands: fc.Arbitrary<Command>[] = [
  fc
    .tuple(
      accounts,
      faults(
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
    ),
  accounts.map((account) =>
    command(
      `no more faults in ${account}`,
      (model, world) => {
        world.service(account).calm();
        model.stormy.delete(account);
        return undefined;
      },
      (model) => model.stormy.has(account),
    ),
  ),
];

const correction: fc.Arbitrary<Command> = accounts.map((account) =>
  command(
    `configure ${account} rightly`,
    (model) => void model.settings.set(account, RIGHT),
    (model) => model.settingsOf(account) !== RIGHT,
  ),
);

/** Somebody changes the configuration, or the service the token; mostly for the better. */
export const configurationCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(accounts, changes()).map(([account, change]) =>
    command(`configure ${account} ${JSON.stringify(change)}`, (model) => {
      model.settings.set(account, { ...model.settingsOf(account), ...change });
      return undefined;
    }),
  ),
  correction,
  correction,
  correction,
  accounts.map((account) =>
    command(`the token of ${account} expires`, (model, world) => {
      world.service(account).sandbox.rotateAccessToken();
      model.settings.set(account, { ...model.settingsOf(account), token: "wrong" });
      return undefined;
    }),
  ),
];

function changes(): fc.Arbitrary<Partial<Settings>> {
  return fc.oneof(
    fc.record({ mapping: fc.constantFrom<Settings["mapping"][]>("right", "none", "wrong") }),
    fc.record({ token: fc.constantFrom<Settings["token"][]>("right", "wrong", "missing") }),
    fc.record({ url: fc.constantFrom<Settings["url"][]>("right", "elsewhere", "other", "down") }),
  );
}
