/** The remedies of webhook-messages.txt. */
import { expect } from "vitest";

import { sandboxFor, type PartnerApiServer } from "../../support/sandbox.ts";
import { hideStates, showList } from "../webhooks/support.ts";
import { expectPeace, Person, type Drills } from "./person.ts";

const ORDERS = { webhookId: 101, state: "active", stateOnDestroy: "leave" };
/** More than one resource can name, so it needs the whole list. */
const ALL = { states: {}, others: "active", stateOnDestroy: "leave" };

async function start(resources: ConstructorParameters<typeof Person>[1] = { webhook1: ORDERS }) {
  return new Person(await sandboxFor(), resources);
}

/** A list whose records have a state that is an object, or only a name. */
const objects = (isNumbered: boolean) => (records: readonly { id: number; status: string }[]) =>
  records.map(({ id, status }) => {
    const isActive = status === "active";
    const name = isActive ? "Live" : "Off";
    return { id, status: { ...(isNumbered && { id: isActive ? 1 : 7 }), name } };
  });

/** A list in which a flag and a time disagree: only the time, another one each time, says the state. */
function showTimes(service: PartnerApiServer): void {
  let day = 10;
  showList(service, (records) => {
    day += 1;
    return records.map(({ id, status }) => {
      return { id, active: true, disabledAt: status === "active" ? null : `2026-03-${day}T12:00:00Z` };
    });
  });
}

/** A list that looks as if it went on. */
function seemIncomplete(service: PartnerApiServer): void {
  showList(service, (data) => ({ data, has_more: true }));
}

/** A change behind the back of the stack shows, and is repaired. */
async function expectDrift(person: Person, webhookId = 101): Promise<void> {
  person.service.webhooks.set(webhookId, "disabled");
  expect((await person.run("refresh")).error).toBeNull();
  expect(person.printed).toBe("");
  expect((await person.run()).requests).toContain(`PATCH /webhooks/${webhookId}/active`);
}

/** Sets the pointer that a sentence proposes, and the words in the way that it names. */
async function followState(person: Person, words: string, pointer?: string): Promise<void> {
  const sentence = await person.follow(words, pointer);
  const [, ...keys] = /starting at (\S+) and (\S+)\.$/.exec(sentence) ?? [];
  expect(keys).toHaveLength(2);
  for (const [index, value] of ["Live", "Off"].entries())
    await person.type(`pulumi config set --path ${keys[index] ?? ""} ${value}`);
}

/** A service that refuses to set a state that a webhook has already, and shows no states. */
function refuseRepetition(service: PartnerApiServer): void {
  hideStates(service);
  const { setWebhookState } = service.answers;
  service.answers.setWebhookState = (id, state) =>
    service.webhooks.get(id) === state ? { status: 409 } : setWebhookState(id, state);
}

export const WEBHOOK_DRILLS: Drills = {
  "partners:responses.webhooks": async (words) => {
    const one = await start();
    showList(one.service, (records) => ({ one: { two: { three: records } } }));
    await one.fail();
    await one.follow(words);
    await expectPeace(one);
    const several = await start();
    showList(several.service, (records) => ({ incoming: records, outgoing: [{ id: 2, active: false }] }));
    await several.fail();
    await several.follow(words, "/incoming");
    await several.run();
    expect(several.printed).toBe("");
    return several;
  },

  "partners:responses.webhookId": async (words) => {
    const one = await start();
    showList(one.service, (records) => records.map((item) => ({ item })));
    await one.fail();
    await one.follow(words);
    await expectPeace(one);
    const several = await start();
    showList(several.service, (records) =>
      records.map(({ id, status }) => ({ ref: id, no: id - 100, status })),
    );
    await several.fail();
    await several.follow(words, "/ref");
    return several;
  },

  "partners:responses.webhookState": async (words) => {
    const person = await start({ webhook1: { ...ORDERS, webhookId: 103 } });
    showTimes(person.service);
    await person.run();
    expect(person.printed).toContain("drift is not detected");
    await person.follow(words, "/disabledAt");
    await expectDrift(person, 103);
    await expectDrift(person, 103); // At another time.
    return person;
  },

  "list its values in the same way": async (words) => {
    const one = await start();
    showList(one.service, objects(false));
    await one.run();
    await followState(one, words);
    await expectDrift(one);
    await expectPeace(one);
    const several = await start();
    showList(several.service, objects(true));
    await several.run();
    await followState(several, words, "/status/name");
    await expectDrift(several);
    return several;
  },

  "Look at the response, and ask the service": async (words) => {
    const person = await start();
    const { listWebhooks } = person.service.answers;
    showList(person.service, () => ({ data: null, error: "no" }));
    await person.fail();
    await person.follow(words);
    person.service.answers.listWebhooks = listWebhooks;
    return person;
  },

  "If the list is complete, run": async (words) => {
    const fleet = await start({ fleet1: ALL });
    seemIncomplete(fleet.service);
    await fleet.fail();
    await fleet.follow(words);
    await expectDrift(fleet);
    await expectPeace(fleet);
    const later = await start({ fleet1: ALL });
    await later.run();
    seemIncomplete(later.service);
    await later.run("refresh"); // Now it is only a warning.
    await later.follow(words);
    await expectDrift(later);
    const list = await start();
    seemIncomplete(list.service);
    expect(await list.list()).toBe(false);
    await list.follow(words);
    expect(await list.list()).toBe(true);
    return later;
  },

  "If you do not need these, run": async (words) => {
    const person = await start({ fleet1: ALL });
    showList(person.service, (records) => [...records, { name: "a draft without an ID" }]);
    await person.fail();
    await person.follow(words);
    await expectDrift(person);
    return person;
  },

  'To set only some webhooks, name them in "states"': async (words) => {
    const person = await start({ fleet1: ALL });
    person.settings["responses"] = JSON.stringify({ complete: false });
    await person.fail();
    await person.follow(words);
    person.program.set("fleet1", { states: { 103: "active" }, stateOnDestroy: "leave" });
    return person;
  },

  "Correct or remove the ID": async (words) => {
    const fleet = (states: object) => ({ states, stateOnDestroy: "leave" });
    const person = await start({ fleet1: fleet({ 101: "active", 999: "active" }) });
    await person.fail();
    await person.follow(words);
    person.program.set("fleet1", fleet({ 101: "active" }));
    await expectPeace(person);
    person.program.set("fleet1", fleet({ 101: "active", 104: "active" }));
    await person.fail();
    person.service.webhooks.set(104, "disabled"); // The third way: somebody creates it.
    return person;
  },

  "Remove one, or correct its ID or provider": async (words) => {
    const person = await start({ webhook1: ORDERS, webhook2: ORDERS });
    await person.fail();
    await person.follow(words);
    person.program.set("webhook2", { ...ORDERS, webhookId: 103 });
    return person;
  },

  'Set it to "leave", or remove one': async (words) => {
    const named = await start({ webhook1: ORDERS, fleet1: ALL });
    await named.fail();
    await named.follow(words);
    named.program.set("fleet1", { ...ALL, others: "leave", states: { 103: "active" } });
    await expectPeace(named);
    const removed = await start({ webhook1: ORDERS, fleet1: ALL });
    await removed.fail();
    await removed.follow(words);
    removed.program.delete("webhook1");
    return removed;
  },

  "and declare it active again": async (words) => {
    const person = await start();
    refuseRepetition(person.service);
    await person.fail();
    person.program.set("webhook1", { ...ORDERS, state: "disabled" });
    await person.follow(words);
    person.program.set("webhook1", ORDERS);
    return person;
  },

  'declare it as before, with "stateOnDestroy" set to "leave"': async (words) => {
    const person = await start({ webhook1: { ...ORDERS, stateOnDestroy: "disabled" } });
    await person.run();
    refuseRepetition(person.service);
    person.service.webhooks.set(101, "disabled");
    person.program.clear();
    await person.fail();
    person.program.set("webhook1", ORDERS);
    await person.follow(words);
    person.program.clear();
    expect((await person.run()).error).toBeNull();
    expect(person.service.webhooks.get(101)).toBe("disabled");
    return person;
  },

  "You can also declare the webhook without an import": async (words) => {
    const person = await start({ webhook1: { ...ORDERS, webhookId: 104 } });
    person.service.webhooks.set(104, "active");
    showList(person.service, (records) => ({ data: records.slice(0, 3), has_more: true }));
    person.options = { imports: { name: "webhook1", id: "104" } };
    await person.fail();
    await person.follow(words);
    person.options = {};
    return person;
  },

  "Declare the webhook without an import.": async (words) => {
    const person = await start();
    hideStates(person.service);
    person.options = { imports: { name: "webhook1", id: "101" } };
    await person.fail();
    await person.follow(words);
    person.options = {};
    return person;
  },

  "To import this resource, use the ID of a webhook": async (words) => {
    const person = await start();
    person.options = { imports: { name: "webhook1", id: "orders" } };
    await person.fail();
    await person.follow(words);
    person.options = { imports: { name: "webhook1", id: "101" } };
    return person;
  },

  "Declare it to manage its webhooks": async (words) => {
    const person = await start({ fleet1: ALL });
    person.options = { imports: { name: "fleet1", id: "fleet" } };
    await person.fail();
    await person.follow(words);
    person.options = {};
    return person;
  },

  "remove them from the program": async (words) => {
    const person = await start();
    await person.run();
    person.service.webhooks.clear();
    showList(person.service, () => null);
    await person.run("refresh");
    await person.follow(words);
    person.program.clear();
    return person;
  },
};
