/** The remedies of key-messages.txt about deletions. */
import { expect } from "vitest";

import { refuse, replaceAnswers } from "../../support/sandbox.ts";
import { DAY } from "../keys/support.ts";
import { askToDelete, at, startKey, withId } from "./key-drills.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

export const DELETION_DRILLS: Drills = {
  "Set another access token first": async (words) => {
    const person = await startKey();
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
    const person = await startKey({ ...withId, deletesBy: "id", malformed: 400 });
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
    const person = await startKey(withId);
    await person.run();
    person.service.answers.deleteApiKey = () => ({ status: 422 }); // To the key and to its ID.
    person.service.keys.clear();
    person.program.clear();
    await person.fail();
    if (person.printed.includes("apiKeyId")) {
      await person.follow("apiKeyId");
      expect((await person.run()).error).toBeNull();
    }
    await person.follow(words);
    return person;
  },

  "To keep the resource,": async (words) => {
    const follow = async (isDeclared: boolean): Promise<Person> => {
      const person = await startKey();
      await person.run();
      const deleteAndFail = async (usual: () => unknown) => ({ ...((await usual()) as object), status: 500 });
      replaceAnswers(person.service, "deleteApiKey", deleteAndFail, 1);
      if (!isDeclared) person.program.clear();
      await person.fail(isDeclared ? "destroy" : "up");
      if (person.printed.includes("declare it")) person.program.set("key1", at("a"));
      await person.follow(words);
      expect(person.stack, "the resource is kept").toHaveLength(1);
      return person;
    };
    await expectPeace(await follow(true));
    return follow(false);
  },

  "If it still works, delete it at the service": async (words) => {
    const person = await startKey();
    await person.run();
    const [key = ""] = person.service.keys;
    refuse(person.service, "deleteApiKey", 404); // By its key, it is not found.
    person.program.clear();
    await person.run();
    await person.follow(words);
    askToDelete(person, key);
    return person;
  },
};

/** A hook repeats the creation of a replacement until the engine goes on without a key. */
async function followReplacement(words: string, knowsUrn: boolean): Promise<Person> {
  const person = await startKey();
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

/** A service that refuses to delete the previous key, whose overlap is over. */
async function startPreviousRefused(): Promise<Person> {
  const person = await startKey();
  for (const trigger of ["a", "b"]) {
    person.program.set("key1", at(trigger));
    await person.run();
  }
  refuse(person.service, "deleteApiKey", 422, Infinity);
  person.now += 7 * DAY;
  await person.fail();
  return person;
}
