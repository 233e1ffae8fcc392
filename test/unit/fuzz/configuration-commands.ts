import fc from "fast-check";

import { command, type Command } from "./commands.ts";
import { ACCOUNTS } from "./model.ts";
import { RIGHT, type Settings } from "./settings.ts";

const accounts = fc.constantFrom(...ACCOUNTS);

const correction: fc.Arbitrary<Command> = accounts.map((account) =>
  command(
    `configure ${account} rightly`,
    (model) => void model.settings.set(account, RIGHT),
    (model) => model.settingsOf(account) !== RIGHT,
  ),
);

const misconfiguration = fc.tuple(accounts, changes()).map(([account, change]) =>
  command(`configure ${account} ${JSON.stringify(change)}`, (model) => {
    model.settings.set(account, { ...model.settingsOf(account), ...change });
    return undefined;
  }),
);

const expiry = accounts.map((account) =>
  command(`the token of ${account} expires`, (model, world) => {
    world.service(account).sandbox.rotateAccessToken();
    model.settings.set(account, { ...model.settingsOf(account), token: "wrong" });
    return undefined;
  }),
);

/** Somebody changes the configuration, or the service the token; mostly for the better. */
export const configuration: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: misconfiguration },
  { weight: 3, arbitrary: correction },
  { weight: 1, arbitrary: expiry },
);

function changes(): fc.Arbitrary<Partial<Settings>> {
  return fc.oneof(
    fc.record({ mapping: fc.constantFrom<Settings["mapping"][]>("right", "none", "wrong") }),
    fc.record({ token: fc.constantFrom<Settings["token"][]>("right", "wrong", "missing") }),
    fc.record({ url: fc.constantFrom<Settings["url"][]>("right", "elsewhere", "other", "down") }),
  );
}
