/** The remedies of setting-messages.txt and resource-messages.txt. */
import { expect } from "vitest";

import { configurationWarnings } from "../../../provider/src/setting-messages.ts";
import { sentenceWith } from "../../support/advice.ts";
import { sandboxFor } from "../../support/sandbox.ts";
import { showList } from "../webhooks/support.ts";
import { startGateway } from "./gateway.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

const ORDERS = { webhookId: 101, state: "disabled", stateOnDestroy: "leave" };

async function start() {
  return new Person(await sandboxFor(), { webhook1: ORDERS });
}

/** Moves all settings of a stack to the environment. */
function moveToEnvironment({ settings, env, service }: Person): void {
  for (const name of Object.keys(settings)) settings[name] = ""; // Which counts as not set.
  Object.assign(env, { PARTNERS_BASE_URL: service.url, PARTNERS_ACCESS_TOKEN: service.accessToken });
}

/** Corrects a setting that breaks a rule. */
function wrong(setting: string, values: readonly string[]) {
  return async (words: string): Promise<Person> => {
    const person = await start();
    const right = person.settings[setting] ?? "";
    for (const value of values) {
      person.settings[setting] = value;
      await person.fail();
      await person.correct(words, right);
      await expectPeace(person);
    }
    return person;
  };
}

/** Sets a required setting that is missing. */
function missing(setting: "baseUrl" | "accessToken") {
  return async (words: string): Promise<Person> => {
    const person = await start();
    const right = person.settings[setting] ?? "";
    person.settings[setting] = "";
    await person.fail();
    await person.correct(words, right);
    return person;
  };
}

/** Follows a warning about stack configuration. @returns what it says afterwards. */
async function followConfiguration(words: string, keys: readonly string[]) {
  const person = await start();
  const warn = () =>
    configurationWarnings("shop", keys, (key) => person.encrypted.has(key))
      .filter((text) => text.includes(words))
      .join("\n");
  person.printed = warn();
  await person.follow(words);
  return { person, rest: warn() };
}

export const SETTING_DRILLS: Drills = {
  'as in "pulumi config set partners:baseUrl': missing("baseUrl"),
  'as in "pulumi config set --secret partners:accessToken"': missing("accessToken"),
  "Correct partners:baseUrl": wrong("baseUrl", ["partners", "https://a:b@x.example", "http://x.example"]),
  "Correct partners:accessToken": wrong("accessToken", ["Bearer ptk_0123456789"]),
  "Correct partners:headers": wrong("headers", ["x", '{"Host":"x"}']),
  "Correct partners:requestTimeout": wrong("requestTimeout", ["soon"]),

  "Set the Provider's accessToken": async (words) => {
    const person = await start();
    Object.assign(person.settings, { explicit: "true", accessToken: "" });
    await person.fail();
    await person.follow(words);
    person.settings["accessToken"] = person.service.accessToken;
    return person;
  },

  "or move the address to PARTNERS_BASE_URL": async (words) => {
    const person = await start();
    delete person.settings["accessToken"];
    person.env["PARTNERS_ACCESS_TOKEN"] = person.service.accessToken;
    await person.fail();
    await person.follow(words);
    person.settings["accessToken"] = person.service.accessToken;
    await expectPeace(person);
    moveToEnvironment(person); // The other way.
    return person;
  },

  "or unset PARTNERS_HEADERS": async (words) => {
    const person = await start();
    person.env["PARTNERS_HEADERS"] = '{"X-Tenant":"acme"}';
    await person.fail();
    await person.correct(words, '{"X-Tenant":"acme"}');
    await expectPeace(person);
    delete person.settings["headers"];
    delete person.env["PARTNERS_HEADERS"]; // The other way.
    return person;
  },

  "PARTNERS_RESPONSES to '{": async (words) => {
    const person = await start();
    showList(person.service, (records) => ({ incoming: records, outgoing: [{ id: 2, active: false }] }));
    moveToEnvironment(person);
    await person.fail();
    await person.follow(words, "/incoming");
    return person;
  },

  "the Provider's responses.webhooks to": async (words) => {
    const person = await start();
    showList(person.service, (records) => ({ one: { two: { three: records } } }));
    person.settings["explicit"] = "true";
    await person.fail();
    const [, value = ""] = / to (".*")/.exec(await person.follow(words)) ?? [];
    person.settings["responses"] = JSON.stringify({ webhooks: JSON.parse(value) as string });
    return person;
  },

  "and rotate the token": async (words) => {
    const { person, rest } = await followConfiguration(words, ["partners:accessToken"]);
    expect(rest).toBe("");
    person.settings["accessToken"] = person.service.accessToken = "ptk_rotated_0123456789";
    return person;
  },

  "and replace the values at the gateway": async (words) => {
    const { person, rest } = await followConfiguration(words, ["partners:headers"]);
    expect(rest).toBe("");
    person.settings["headers"] = '{"X-Gateway-Key":"another"}';
    return person;
  },

  "To set a part of responses, use pulumi config set --path": async (words) => {
    const { person } = await followConfiguration(words, ["partners:responses.webhooks"]);
    showList(person.service, (records) => ({ one: { two: { three: records } } }));
    await person.type("pulumi config set --path partners:responses.webhooks /one/two/three");
    return person;
  },

  "Set partners:account back to": async (words) => {
    const person = await start();
    person.settings["account"] = "eu";
    await person.run();
    person.settings["account"] = "";
    await person.fail();
    const [, value = ""] = / to "(.*)"/.exec(sentenceWith(words, person.printed)) ?? [];
    await person.correct(words, value);
    return person;
  },

  "If this is another account, set": async (words) => {
    const { person } = await startMoved();
    await person.correct(words, person.service.url);
    return person;
  },

  "If the account has moved, set": async (words) => {
    const { person, url } = await startMoved();
    const sentence = await person.follow(words);
    const [, value = ""] = / to (\S+) for the next "pulumi up"/.exec(sentence) ?? [];
    await person.correct(words, value);
    expect(person.settings).toMatchObject({ baseUrl: url, previousBaseUrl: value });
    expect((await person.run()).error).toBeNull();
    delete person.settings["previousBaseUrl"];
    return person;
  },
};

/** A stack whose account is now at another address, too. */
async function startMoved() {
  const person = await start();
  await person.run();
  const { url } = await startGateway(person.service, () => null);
  person.settings["baseUrl"] = url;
  await person.fail();
  return { person, url };
}
