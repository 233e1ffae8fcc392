/** The remedies of setting-messages.txt and resource-messages.txt. */
import { refuse, sandboxFor } from "../../support/sandbox.ts";
import { startGateway } from "./gateway.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

const ORDERS = { webhookId: 101, state: "disabled", stateOnDestroy: "leave" };

async function start() {
  return new Person(await sandboxFor(), { webhook1: ORDERS });
}

/** Corrects a setting that breaks a rule. */
function wrong(setting: string, values: readonly string[]) {
  return async (words: string): Promise<Person> => {
    const person = await start();
    for (const value of values) {
      const { [setting]: right = "", ...others } = person.settings;
      person.settings[setting] = value;
      await person.fail();
      await person.correct(words, right);
      if (!(setting in others)) void 0;
    }
    return person;
  };
}

export const SETTING_DRILLS: Drills = {
  'as in "pulumi config set partners:baseUrl': async (words) => {
    const person = await start();
    delete person.settings["baseUrl"];
    await person.fail();
    await person.follow(words);
    await person.correct(words, person.service.url);
    return person;
  },
  "Correct partners:baseUrl": wrong("baseUrl", []),
};
export const X = [refuse, startGateway, expectPeace];
