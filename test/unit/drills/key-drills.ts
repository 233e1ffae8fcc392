/** The remedies of key-messages.txt. */
import { expect } from "vitest";

import { replaceAnswers, loseAnswers, type PartnerApiServer } from "../../support/sandbox.ts";
import { DAY, startService, type Shape } from "../keys/support.ts";
import { startGateway } from "./gateway.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

export const at = (trigger: string, overlapDays = 7) => ({ rotation: { trigger, overlapDays } });
/** A response with two values that may be the key. */
const two = (key: string) => ({ one: { value: key }, two: { value: `${key.slice(0, -6)}f7a9b2` } });
export const withId = { body: (key: string, id: string) => ({ id, key }) };

export async function startKey(shape: Shape = {}) {
  const service = await startService(shape);
  return new Person(service, { key1: at("a") });
}

/** Has the next creation answered with something that has no key, and may have one. Creates none. */
function answerWithoutKey(service: PartnerApiServer): void {
  const body = { trace: "4f1b9c07d2e85a63f1b9", span: "9c07d2e85a634f1b9c07" };
  replaceAnswers(service, "createApiKey", () => ({ status: 201, body }), 1);
}

/** Asks the service to delete a key, if the last message says so. */
export function askToDelete({ service, printed }: Person, key: string | undefined): void {
  if (/[Aa]sk the service to delete|delete it at the service/.test(printed)) service.keys.delete(key ?? "");
}

/** Rotates twice at a service that loses what it answers. @returns a person whose last rotation is lost. */
async function loseRotation(): Promise<Person> {
  const person = await startKey();
  await person.run();
  loseAnswers(person.service, "createApiKey");
  person.program.set("key1", at("b"));
  await person.fail();
  return person;
}

export const KEY_DRILLS: Drills = {
  "To create another key, set a new rotation.trigger or run": async (words) => {
    const person = await startKey();
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
    const person = await startKey();
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
    const person = await startKey({ body: two });
    await person.fail();
    await person.follow(words, "/one/value");
    return person;
  },

  "If the response contains no key, set a new rotation.trigger": async (words) => {
    const person = await startKey();
    answerWithoutKey(person.service);
    await person.fail();
    await person.follow(words);
    person.program.set("key1", at("b"));
    return person;
  },

  "If the response does not contain it,": async (words) => {
    const person = await startKey();
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

  "lists a resource twice": async (words) => {
    const follow = async (replace?: string): Promise<Person> => {
      const person = await startKey();
      const { service, stack } = person;
      await person.run();
      replaceAnswers(service, "createApiKey", (usual) => (service.keys.size ? { status: 409 } : usual()));
      replaceAnswers(service, "createApiKey", () => "reset", 1); // The replacement gets no key.
      await person.fail("up", { replace: "key1" });
      if (replace === undefined) person.program.set("key1", { rotation: { trigger: "b" } });
      for (let times = 0; times < 2; times += 1) await person.fail("up", { replace });
      expect(stack.filter(({ name }) => name === "key1")).toHaveLength(2);
      const [old] = service.keys;
      await person.follow(words);
      askToDelete(person, old);
      await person.run("up", { replace });
      return person;
    };
    await expectPeace(await follow("key1"));
    return follow();
  },

  "does not point to the key, correct it": async (words) => {
    const person = await startKey({ body: (key) => ({ account: "acct_0123456789abcdef", key }) });
    person.settings["responses"] = '{"apiKey":"/account"}';
    await person.run();
    person.program.set("key1", at("b"));
    await person.fail();
    person.program.set("key1", at("a")).set("key2", {});
    await person.fail();
    await person.follow(words);
    person.settings["responses"] = '{"apiKey":"/key"}';
    return person;
  },

  "If it does not work, set a new rotation.trigger": async (words) => {
    const person = await startKey();
    const { service } = person;
    person.options = { deleteBeforeReplace: true };
    person.program.set("key1", { rotation: { trigger: "a" } });
    await person.run();
    const [apiKey] = service.keys;
    // A cache in front of the service repeats an old response.
    replaceAnswers(service, "createApiKey", () => ({ status: 201, body: { apiKey } }), 1);
    person.program.set("key1", { rotation: { trigger: "b" } });
    await person.run();
    await person.follow(words);
    person.program.set("key1", { rotation: { trigger: "c" } });
    return person;
  },

  "If today's clock is right, set a new rotation.trigger": async (words) => {
    const person = await startKey();
    await person.run();
    person.now += 400 * DAY;
    person.program.set("key1", at("b"));
    await person.run();
    person.now -= 399 * DAY;
    await person.run();
    await person.follow(words);
    person.program.set("key1", at("c"));
    await person.run();
    await person.run();
    expect(person.printed).toBe("");
    return person;
  },

  'To import this resource, use "env:"': async (words) => {
    const person = await startKey();
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
