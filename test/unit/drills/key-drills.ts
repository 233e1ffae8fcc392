/** The remedies of key-messages.txt. */
import { expect } from "vitest";

import { refuse, replaceAnswers, loseAnswers, type PartnerApiServer } from "../../support/sandbox.ts";
import { DAY, startService, type Shape } from "../keys/support.ts";
import { startGateway } from "./gateway.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

const at = (trigger: string, overlapDays = 7) => ({ rotation: { trigger, overlapDays } });
/** A response with two values that may be the key. */
const two = (key: string) => ({ one: { value: key }, two: { value: `${key.slice(0, -6)}f7a9b2` } });
const withId = { body: (key: string, id: string) => ({ id, key }) };

async function start(shape: Shape = {}) {
  const service = await startService(shape);
  return new Person(service, { key1: at("a") });
}

/** Has the next creation answered with something that has no key, and may have one. Creates none. */
function answerWithoutKey(service: PartnerApiServer): void {
  const body = { trace: "4f1b9c07d2e85a63f1b9", span: "9c07d2e85a634f1b9c07" };
  replaceAnswers(service, "createApiKey", () => ({ status: 201, body }), 1);
}

/** Asks the service to delete a key that a message names. */
function askToDelete({ service, printed }: Person, key: string | undefined): void {
  expect(printed).toMatch(/[Aa]sk the service to delete|delete it at the service/);
  expect(service.keys.delete(key ?? "")).toBe(true);
}

/** Rotates twice at a service that loses what it answers. @returns a person whose last rotation is lost. */
async function loseRotation(): Promise<Person> {
  const person = await start();
  await person.run();
  loseAnswers(person.service, "createApiKey");
  person.program.set("key1", at("b"));
  await person.fail();
  return person;
}

export const KEY_DRILLS: Drills = {
  "To create another key, set a new rotation.trigger or run": async (words) => {
    const person = await start();
    loseAnswers(person.service, "createApiKey");
    await person.fail();
    askToDelete(person, [...person.service.keys][0]);
    await person.follow(words); // The second choice; the first one is the next drill.
    return person;
  },

  "To create another key, set a new rotation.trigger.": async (words) => {
    const person = await loseRotation();
    askToDelete(person, [...person.service.keys][1]);
    await person.follow(words);
    person.program.set("key1", at("c"));
    return person;
  },

  "Ask the service to delete that key": async (words) => {
    const person = await loseRotation();
    await person.follow(words);
    askToDelete(person, [...person.service.keys][1]);
    person.program.set("key1", at("a")); // Nobody needs another one.
    return person;
  },

  "Once that is corrected, set a new rotation.trigger": async (words) => {
    const person = await start();
    const { service } = person;
    const gateway = await startGateway(service, (request) => {
      if (!request.startsWith("POST ")) return null;
      service.keys.add("pk_created_and_lost");
      return "HTTP/1.1 201 Created\r\nx-note: a\u0001b\r\n\r\n";
    });
    person.settings["baseUrl"] = gateway.url;
    await person.fail();
    await person.follow(words);
    askToDelete(person, "pk_created_and_lost");
    gateway.answer = () => null; // It is corrected.
    person.program.set("key1", at("b"));
    return person;
  },

  "The stack keeps the response: run": async (words) => {
    const person = await start({ body: two });
    await person.fail();
    await person.follow(words, "/one/value");
    return person;
  },

  "If the response contains no key, set a new rotation.trigger": async (words) => {
    const person = await start();
    answerWithoutKey(person.service);
    await person.fail();
    await person.follow(words);
    person.program.set("key1", at("b"));
    return person;
  },

  "If the response does not contain it, ask the service to delete it": async (words) => {
    const person = await start();
    const { service } = person;
    answerWithoutKey(service);
    await person.fail();
    service.keys.add("pk_created_without_being_shown");
    person.program.clear();
    await person.fail();
    askToDelete(person, "pk_created_without_being_shown");
    await person.follow(words);
    return person;
  },

  "set overlapDays to 0, deleteBeforeReplace to true": async (words) => {
    const { person, service } = await startWithOneKey();
    await person.run();
    person.program.set("key1", at("b"));
    await person.fail();
    await person.follow(words);
    person.options = { deleteBeforeReplace: true };
    person.program.set("key1", at("c", 0));
    await person.run();
    expect([...service.keys]).toEqual([person.stack[0]?.outputs["apiKey"]]);
    return person;
  },

  "If it allows only one key, declare one PartnerApiKey": async (words) => {
    const { person } = await startWithOneKey();
    person.program.set("key2", {});
    await person.fail();
    await person.follow(words);
    person.program.delete("key2");
    return person;
  },

  "Set another access token first": async (words) => {
    const person = await start();
    const { service } = person;
    await person.run();
    const [key = ""] = service.keys;
    person.settings["accessToken"] = service.accessToken = key;
    person.program.clear();
    await person.fail();
    await person.follow(words);
    person.settings["accessToken"] = service.accessToken = "ptk_another_0123456789";
    return person;
  },

  "Fix that error first": async (words) => {
    await expectPeace(await followReplacement(words, false)); // In the dynamic host.
    return followReplacement(words, true);
  },

  "the key is gone: run": async (words) => {
    const person = await start({ ...withId, deletesBy: "id", malformed: 400 });
    await person.run();
    person.service.keys.clear(); // A person has revoked it.
    person.program.clear();
    await person.fail();
    await person.follow(words);
    return person;
  },

  "To give up that key without deleting it, set a new rotation.trigger": async (words) => {
    const person = await startPreviousRefused();
    await person.follow(words);
    person.program.set("key1", at("c"));
    await person.run();
    askToDelete(person, [...person.service.keys][0]);
    return person;
  },

  "If that key no longer works, run": async (words) => {
    const person = await start();
    await person.run();
    person.service.answers.deleteApiKey = () => ({ status: 422 });
    person.service.keys.clear();
    person.program.clear();
    await person.fail();
    await person.follow(words);
    return person;
  },

  "To keep the resource, declare it and run": async (words) => {
    const follow = async (isDeclared: boolean): Promise<Person> => {
      const person = await start();
      await person.run();
      const deleteAndFail = async (usual: () => unknown) => ({ ...((await usual()) as object), status: 500 });
      replaceAnswers(person.service, "deleteApiKey", deleteAndFail, 1);
      if (!isDeclared) person.program.clear();
      await person.fail(isDeclared ? "destroy" : "up");
      person.program.set("key1", at("a"));
      await person.follow(words);
      return person;
    };
    await expectPeace(await follow(true));
    return follow(false);
  },

  "If it still works, delete it at the service": async (words) => {
    const person = await start();
    await person.run();
    const [key = ""] = person.service.keys;
    refuse(person.service, "deleteApiKey", 404); // By its key, it is not found.
    person.program.clear();
    await person.run();
    await person.follow(words);
    askToDelete(person, key);
    return person;
  },

  'To import this resource, use "env:"': async (words) => {
    const person = await start();
    person.service.keys.add("pk_made_by_hand_0123456789");
    person.options = { imports: { name: "key1", id: "pk_made_by_hand_0123456789" } };
    await person.fail();
    const [, id = ""] = /such as (env:\w+)/.exec(await person.follow(words)) ?? [];
    person.env[id.replace("env:", "")] = "pk_made_by_hand_0123456789";
    person.program.set("key1", {});
    person.options = { imports: { name: "key1", id } };
    return person;
  },
};

/** A hook repeats the creation of a replacement until the engine goes on without a key. */
async function followReplacement(words: string, knowsUrn: boolean): Promise<Person> {
  const person = await start();
  const { service } = person;
  person.knowsUrn = knowsUrn;
  await person.run();
  replaceAnswers(service, "createApiKey", () => "reset", 1);
  await person.fail("up", { replace: "key1", repetitions: 10 });
  await person.follow(words);
  await person.fail(); // That error: it says what to do.
  await person.follow("Ask the service to delete that key");
  person.program.set("key1", at("b"));
  return person;
}

/** A service that has one key at a time, and returns it again. */
async function startWithOneKey() {
  const service = await startService();
  let created = 0;
  service.answers.createApiKey = () => {
    if (service.keys.size === 0) service.keys.add(`pk_live_4eC39HqLyjWDarjtT${(created += 1)}`);
    return { status: 201, body: { apiKey: [...service.keys][0] } };
  };
  return { service, person: new Person(service, { key1: at("a") }) };
}

/** A service that refuses to delete the previous key, whose overlap is over. */
async function startPreviousRefused(): Promise<Person> {
  const person = await start();
  for (const trigger of ["a", "b"]) {
    person.program.set("key1", at(trigger));
    await person.run();
  }
  refuse(person.service, "deleteApiKey", 422, Infinity);
  person.now += 7 * DAY;
  await person.fail();
  return person;
}
