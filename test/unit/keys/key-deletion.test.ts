import { describe, expect, it } from "vitest";

import type { Properties } from "../../../provider/src/adapter/properties.ts";
import { loseAnswers, refuse, replaceAnswers } from "../../support/sandbox.ts";
import { DAY, Stack, startService, URN, type Shape } from "./support.ts";

/** What responses show. */
const BODIES = {
  api_key: (key: string) => ({ api_key: key }),
  "id, api_key": (key: string, id: string) => ({ id, api_key: key }),
  "data/key": (key: string) => ({ data: { key } }),
  "data/id, data/key": (key: string, id: string) => ({ data: { id, key } }),
  "id, data/key": (key: string, id: string) => ({ id, data: { key } }),
};

/** Nothing: the key is imported, so that there is no response. */
type Body = keyof typeof BODIES | "nothing";
/** `revoked`: by a person. `lost`: the response to our first deletion. `busy`: the first one is a 503. */
type Fate = "alive" | "revoked" | "lost" | "busy";
/** `named`: an error that names the setting. `refused`: any other error. */
type End = "done" | "warned" | "named" | "refused";

/** Creates a key, lets something happen to it, and destroys the stack. */
async function destroyed(shape: Shape, body: Body, fate: Fate, apiKeyId: string | null) {
  const service = await startService({ ...shape, ...(body !== "nothing" && { body: BODIES[body] }) });
  const stack = new Stack(service);
  await stack.up();
  const [key = ""] = service.keys;
  if (body === "nothing") await stack.import(key);
  if (fate === "revoked") service.keys.clear();
  if (fate === "lost") loseAnswers(service, "deleteApiKey");
  if (fate === "busy") refuse(service, "deleteApiKey", 503);
  const { error, notices, requests } = await stack.destroy({ responses: { apiKeyId } });
  const failure = error?.includes("responses.apiKeyId") ? "named" : "refused";
  const success = notices.length > 0 ? "warned" : "done";
  const end: End = error === null ? success : failure;
  const sent = requests.map((request) => request.replace("DELETE /api-key/", "").replace(key, "key"));
  const isAlive = service.keys.has(key);
  return { end, error, isAlive, sent: sent.join(", ").replace("GET /webhooks", "list") };
}

it.each<[deletesBy: "key" | "id", body: Body, fate: Fate, apiKeyId: string | null, sent: string, end: End]>([
  ["key", "api_key", "alive", null, "key", "done"],
  ["key", "id, api_key", "alive", "/id", "k1, key", "done"], // What would otherwise forget a living key.
  ["key", "data/key", "alive", "/id", "key", "done"],
  ["key", "nothing", "alive", "/id", "key", "done"],
  ["id", "id, api_key", "alive", null, "key, k1", "done"],
  ["id", "data/id, data/key", "alive", null, "key, k1", "done"],
  ["id", "data/id, data/key", "busy", null, "key, key, k1", "done"],
  ["id", "id, data/key", "alive", null, "key, k1", "done"],
  ["id", "id, api_key", "alive", "/id", "k1", "done"],
  ["id", "nothing", "alive", null, "key, list", "warned"],

  ["key", "api_key", "revoked", null, "key, list", "warned"],
  ["key", "id, api_key", "revoked", null, "key, k1, list", "warned"],
  ["key", "nothing", "revoked", null, "key, list", "warned"],
  ["id", "id, api_key", "revoked", "/id", "k1, key, list", "warned"],

  ["key", "api_key", "lost", null, "key, key, list", "warned"],
  ["id", "id, api_key", "lost", null, "key, key, k1", "done"],
  ["id", "id, api_key", "lost", "/id", "k1, k1, key, list", "warned"],
])(
  "by %s, %s in the response, %s, apiKeyId %s: sends %s, and ends %s",
  async (deletesBy, body, fate, apiKeyId, sent, end) => {
    expect(await destroyed({ deletesBy }, body, fate, apiKeyId)).toMatchObject({ sent, end });
  },
);

it.each<[malformed: number, body: Body, fate: Fate, apiKeyId: string | null, sent: string, end: End]>([
  [400, "id, api_key", "alive", null, "key, k1", "done"],
  [422, "id, api_key", "alive", null, "key, k1", "done"],
  [500, "id, api_key", "alive", null, "key, k1", "done"],
  [400, "id, api_key", "revoked", null, "key, k1", "named"],
  [400, "id, api_key", "revoked", "/id", "k1, key, list", "warned"],
  [500, "id, api_key", "revoked", null, "key, k1", "named"],
  [400, "api_key", "alive", null, "key", "refused"],
  [422, "nothing", "alive", null, "key", "refused"],
  [500, "nothing", "alive", null, "key", "refused"],
  [403, "id, api_key", "alive", null, "key", "refused"],
])(
  "by id, with a %i for a key, %s in the response, %s, apiKeyId %s: sends %s, and ends %s",
  async (malformed, body, fate, apiKeyId, sent, end) => {
    expect(await destroyed({ deletesBy: "id", malformed }, body, fate, apiKeyId)).toMatchObject({
      sent,
      end,
    });
  },
);

it.each<unknown>([
  { raw: [], affected: 0 },
  { changes: 0, lastInsertRowid: 7 },
  [0],
  { acknowledged: true, deletedCount: 0 },
  { deleted: false },
  { data: { count: 0 } },
  { success: true, rowsRemoved: 0, total: 5 },
  { success: false, message: "no such key" },
  0,
])("a 2xx with %j deleted nothing, so the ID follows", async (nothing) => {
  const service = await startService({ deletesBy: "id", body: BODIES["id, api_key"] });
  const stack = new Stack(service);
  await stack.up();
  replaceAnswers(service, "deleteApiKey", () => ({ body: nothing }), 1);
  expect(await stack.destroy()).toMatchObject({ error: null, notices: [] });
  expect(service.keys.size).toBe(0);
});

it.each<unknown>([
  { deleted: true, remaining: 0 },
  { affected: 1 },
  { changes: 1, lastInsertRowid: 0 },
  [1],
  { deletedCount: 1, errorCount: 0 },
  {},
  { deleted_at: null },
  { keysLeft: 0, count: 1 },
])("a 2xx with %j deleted the key", async (body) => {
  const service = await startService({ body: BODIES["id, api_key"] });
  const stack = new Stack(service);
  await stack.up();
  replaceAnswers(service, "deleteApiKey", () => ({ body }), 1);
  expect((await stack.destroy()).requests).toHaveLength(1);
});

it("a key counts as gone, with a warning, if every 2xx says that nothing was deleted", async () => {
  const service = await startService({ body: BODIES["id, api_key"] });
  const stack = new Stack(service);
  await stack.up();
  service.answers.deleteApiKey = () => ({ body: { affected: 0 } });
  const { error, notices, requests } = await stack.destroy();
  expect([error, requests.length]).toEqual([null, 3]); // The key, its ID and the list.
  expect(notices).toEqual([expect.stringContaining("does not know") as string]);
});

it.each<[statuses: number[], sent: string, isChoosable: boolean]>([
  [[404, 403], "(the key: 404; its ID at /id: 403)", true],
  [[404, 409], "(the key: 404; its ID at /id: 409)", true],
  [[400, 400], "(the key: 400; its ID at /id: 400)", false],
  [[500, 404], "(the key: 500; its ID at /id: 404)", true],
  [[400, 401], "(the key: 400; its ID at /id: 401)", false],
])(
  "after the answers %j, the failure lists them, and blames no token",
  async (statuses, sent, isChoosable) => {
    const service = await startService({ body: BODIES["id, api_key"] });
    const stack = new Stack(service);
    await stack.up();
    const left = [...statuses];
    service.answers.deleteApiKey = () => ({
      status: left.shift() ?? 200,
      body: { message: "It is in use." },
    });
    const { error } = await stack.destroy();
    expect(error).toContain(
      `DELETE ${service.url}/api/v1/partners/api-key/{api_key} deleted nothing ${sent}.`,
    );
    expect(error).toContain('The server said: "It is in use."');
    expect(error).toContain(`pulumi state delete ${URN}`);
    expect(error).not.toMatch(/token|baseUrl/);
    // Once it is chosen, a value that was not found shows that the key is gone.
    expect(error?.includes("the key is gone: ")).toBe(isChoosable);
  },
);

it("an answer about us to a second identifier is told as such: it may pass", async () => {
  const service = await startService({ body: BODIES["id, api_key"] });
  const stack = new Stack(service);
  await stack.up();
  const left = [404, 503, 503, 503, 503, 503, 503];
  service.answers.deleteApiKey = () => ({ status: left.shift() ?? 200 });
  const { error } = await stack.destroy();
  expect(error).toMatch(/\(the key: 404; its ID at \/id: 503\)\. Run this again later\./);
  expect(error).not.toContain("state delete");
});

it("a key counts as gone by the chosen value only once the others are tried", async () => {
  const service = await startService({ body: BODIES["id, api_key"] });
  const stack = new Stack(service);
  await stack.up();
  const responses = { apiKeyId: "/id" };
  let statuses = [404, 503, 503, 503, 503, 503, 503];
  service.answers.deleteApiKey = () => ({ status: statuses.shift() ?? 200 });
  expect((await stack.destroy({ responses })).error).toContain("(its ID at /id: 404; the key: 503)");
  statuses = [404, 403];
  expect(await stack.destroy({ responses })).toMatchObject({ error: null, notices });
});

describe("a 404 of a key that a router may not have found", () => {
  const body = { body: { id: "k1", api_key: "Cj02/abcdefghijklmnop+RgA=" } };

  it("does not show that the key is gone, and the message says how to go on", async () => {
    const service = await startService();
    const stack = new Stack(service);
    service.answers.createApiKey = () => ({ status: 201, ...body });
    await stack.up();
    const { error } = await stack.destroy();
    expect(error).toMatch(/\(the key: 404; its ID at \/id: 404\)\. A 404 does not show that the key is gone/);
    expect(error).toContain(`pulumi state delete ${URN}`);
  });

  it("shows it if a person has said that it deletes keys", async () => {
    const service = await startService();
    const stack = new Stack(service);
    service.answers.createApiKey = () => ({ status: 201, ...body });
    await stack.up();
    const { error, notices } = await stack.destroy({ responses: { apiKeyId: "/api_key" } });
    expect([error, notices]).toEqual([null, [expect.stringContaining("does not know") as string]]);
  });
});

it("two keys that fail for one reason are one sentence that names both", async () => {
  const service = await startService();
  const stack = new Stack(service);
  await stack.up({ trigger: "a", overlapDays: 7 });
  await stack.up({ trigger: "b", overlapDays: 7 });
  const [first = "", second = ""] = [...service.keys].map((key) => key.slice(-4));
  service.answers.deleteApiKey = () => ({ status: 403 });
  const { error } = await stack.destroy();
  expect(error?.match(/returned 403/g)).toHaveLength(1);
  expect(error).toContain(`Did not delete the key …${first} and the key …${second}. DELETE `);
});

/** Starts a service and a stack with a key. */
async function start(shape: Shape = {}) {
  const service = await startService(shape);
  const stack = new Stack(service);
  await stack.up({ trigger: "a", overlapDays: 7 });
  return { service, stack };
}

const notices = [expect.stringContaining("does not know") as string];

it("--replace of a key that someone deleted creates one, and ends with a warning", async () => {
  const { service, stack } = await start({ body: BODIES["id, api_key"] });
  service.keys.clear();
  expect(await stack.up(undefined, { replace: true })).toMatchObject({ error: null, notices });
  expect([[...service.keys], stack.leaving]).toEqual([[stack.outputs["apiKey"]], []]);
});

describe("a deletion that fails", () => {
  it("is an error about the address if the list does not answer either", async () => {
    const { service, stack } = await start();
    service.keys.clear();
    service.answers.listWebhooks = () => ({ status: 404 });
    expect((await stack.destroy()).error).toMatch(/^GET http.*returned 404\. Nothing is at this address/);
    service.answers.listWebhooks = () => ({ status: 403 }); // The address is right.
    expect(await stack.destroy()).toMatchObject({ error: null, notices });
  });

  it("names the last resort only for a refusal that stays, or may", async () => {
    const { service, stack } = await start();
    const errors: (string | null)[] = [];
    for (const status of [400, 401, 403, 409, 500]) {
      service.answers.deleteApiKey = () => ({ status });
      errors.push((await stack.destroy()).error);
    }
    const hasLastResort = errors.map((error) => error?.includes(`pulumi state delete ${URN}`));
    expect(hasLastResort).toEqual([true, false, false, true, true]);
  });

  it("does not keep a removal from sending the others", async () => {
    const { service, stack } = await start();
    const [first = ""] = service.keys;
    await stack.up({ trigger: "b", overlapDays: 7 });
    refuse(service, "deleteApiKey", 403); // The first one.
    const { error, requests } = await stack.destroy();
    expect(requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(2);
    expect(error).toMatch(/returned 403/);
    expect([...service.keys]).toEqual([first]);
    expect(error, "the other one was deleted").toContain("To keep the resource");
    expect(await stack.destroy()).toMatchObject({ error: null, notices });
  });

  it("counts as done, with a warning, when a later call of the process finds no key", async () => {
    const { service, stack } = await start({ body: BODIES["id, api_key"] });
    const keys = stack.start();
    const remove = () => keys.delete(stack.outputs, { id: stack.entry?.id ?? "", urn: URN });
    const fail = async (perform: () => unknown) => {
      await perform();
      return { status: 500 };
    };
    replaceAnswers(service, "deleteApiKey", fail, 1);
    await expect(remove()).rejects.toThrow("(the key: 500; its ID at /id: 404)");
    await remove();
  });

  it("says how to keep the resource if the key may have been deleted", async () => {
    const { service, stack } = await start();
    service.answers.deleteApiKey = () => ({ status: 500 });
    expect((await stack.destroy()).error).toContain(
      `To keep the resource, declare it and run "pulumi up --replace ${URN}"`,
    );
  });
});

describe("a pointer that is wrong today", () => {
  it("costs no key that the stack knows, neither at a removal nor at the end of an overlap", async () => {
    const body = (key: string) => ({ api_key: key, partner: "checkout-main" });
    const responses = { apiKey: "/partner" };
    const { service, stack } = await start({ body });
    expect((await stack.destroy({ responses })).error).toBeNull();
    expect(service.keys.size).toBe(0);
    const other = await start({ body });
    await other.stack.up({ trigger: "b", overlapDays: 7 });
    other.stack.now += 7 * DAY;
    const ended = await other.stack.up({ trigger: "b", overlapDays: 7 }, { responses });
    expect([ended.error, other.service.keys.size]).toEqual([null, 1]);
  });
});

describe("the end of an overlap", () => {
  const rotated = async (shape: Shape, responses?: object) => {
    const { service, stack } = await start(shape);
    await stack.up({ trigger: "b", overlapDays: 7 }, { responses: { ...responses } });
    stack.now += 7 * DAY;
    const end = () => stack.up({ trigger: "b", overlapDays: 7 }, { responses: { ...responses } });
    return { service, stack, end, deletions: async () => deletionsOf((await end()).requests) };
  };
  const deletionsOf = (requests: readonly string[]) => requests.filter((each) => each.startsWith("DELETE"));

  it("does not send an ID that also stands beside the current key", async () => {
    const account = await rotated({ deletesBy: "id", body: (key) => ({ id: "k2", api_key: key }) });
    const [first, second] = account.service.keys;
    expect(await account.deletions()).toEqual([`DELETE /api-key/${first ?? ""}`]);
    expect(account.service.keys).toContain(second);
    const mapped = await rotated(
      { deletesBy: "id", body: (key) => ({ id: "k2", api_key: key }) },
      { apiKeyId: "/id" },
    );
    expect(await mapped.deletions()).toHaveLength(1);
  });

  const another = { trigger: "c", overlapDays: 7 };

  it("with a refusal names the trigger that gives the key up, and never state delete", async () => {
    const { service, stack, end } = await rotated({ body: BODIES["id, api_key"] });
    const [previous = "", current] = service.keys;
    service.answers.deleteApiKey = () => ({ status: 409 });
    const { error } = await end();
    expect(error).toMatch(
      /returned 409\..* To give up that key without deleting it, set a new rotation\.trigger\.$/,
    );
    expect(error).not.toContain("state delete");
    const { error: after, notices } = await stack.up(another);
    expect(after).toBeNull();
    const givenUp = `warning: Gave up the previous key …${previous.slice(-4)} of "key1": DELETE `;
    expect(notices).toContainEqual(expect.stringContaining(givenUp));
    expect(stack.outputs).toMatchObject({ previousApiKey: current });
    expect(await stack.up(another)).toMatchObject({ error: null, requests: [] });
  });

  it("does not give a key up for an answer that may pass, nor for a 500 before the overlap is over", async () => {
    const { service, stack } = await rotated({});
    stack.now -= 7 * DAY;
    for (const status of [403, 500]) {
      service.answers.deleteApiKey = () => ({ status });
      expect((await stack.up(another)).error).toContain(`returned ${status}`);
      expect(service.keys.size).toBe(2);
    }
    stack.now += 7 * DAY;
    expect((await stack.up(another)).error).toBeNull();
    expect(service.keys.size).toBe(3);
  });

  it("of a key that was revoked, at a service that answers 422 to it, ends with the proposed setting", async () => {
    const shape = { deletesBy: "id", malformed: 422, body: BODIES["id, api_key"] } as const;
    const { service, stack, end } = await rotated(shape);
    service.keys.clear();
    expect((await end()).error).toContain('run "pulumi config set --path partners:responses.apiKeyId /id"');
    const responses = { apiKeyId: "/id" };
    expect((await stack.up({ trigger: "b", overlapDays: 7 }, { responses })).error).toBeNull();
  });

  it("keeps a key that is the access token, as the preview says, also of a replacement", async () => {
    const { service, stack, end } = await rotated({});
    service.accessToken = String(stack.outputs["previousApiKey"]);
    const message =
      /^Cannot delete the previous key|^Cannot delete the key …\w{4} of "key1": the provider itself/;
    const { notices } = await stack.preview({ trigger: "b", overlapDays: 7 });
    expect(notices).toContainEqual(expect.stringMatching(/^warning: Cannot delete the key/));
    expect(await end()).toMatchObject({ requests: [], error: expect.stringMatching(message) as string });
    service.accessToken = String(stack.outputs["apiKey"]);
    const replacement = await stack.preview({ trigger: "c", overlapDays: 0 });
    expect(replacement.notices).toContainEqual(expect.stringMatching(/^warning: Cannot delete the key/));
    expect((await stack.destroy()).error).toMatch(message);
    expect(service.keys.size, "the current key still works, as the stack has it").toBe(2);
  });
});

it("a key that is the access token is kept although a setting finds another one in its response", async () => {
  const decoy = "pk_live_9Zx8Cv7Bn6Ml5Kj4Hg3F";
  const { service, stack } = await start({ body: (key) => ({ api_key: key, hash: decoy }) });
  service.accessToken = String(stack.outputs["apiKey"]);
  const { error, requests } = await stack.destroy({ responses: { apiKey: "/hash" } });
  expect([requests, error]).toEqual([[], expect.stringContaining("the provider itself uses it") as string]);
});

describe("a key that another resource has", () => {
  const other = { id: "env:OLD", urn: `${URN}-new` };

  /** Lets the other resource take over a key, as an import and the run after it do. */
  async function takeOver(stack: Stack, apiKey = "", rotation?: Properties, responses?: Properties) {
    const keys = stack.start({ OLD: apiKey }, true, responses);
    const adopted = (await keys.adopt(other.id))?.outputs ?? {};
    keys.diff(adopted, { account: "default", ...(rotation && { rotation }) }, other);
    const name = { id: stack.entry?.id ?? "", urn: URN };
    return { keys, adopted, name };
  }

  it("is not deleted with a resource that is removed, with a warning, and is deleted with the other", async () => {
    const { service, stack } = await start();
    const [apiKey = ""] = service.keys;
    const { keys, adopted, name } = await takeOver(stack, apiKey);
    await keys.delete(stack.outputs, name);
    expect(service.keys).toContain(apiKey);
    expect(stack.notices.at(-1)?.text).toMatch(/^Did not delete .*: "key1-new" has the same key\.$/);
    await keys.delete(adopted, other);
    expect(service.keys).not.toContain(apiKey);
  });

  it("is not deleted by a rotation, which does not say so if it fails", async () => {
    const { service, stack } = await start();
    await stack.up({ trigger: "b", overlapDays: 7 });
    const [previous] = service.keys;
    const { keys, name } = await takeOver(stack, previous);
    refuse(service, "createApiKey", 403);
    const inputs = { account: "default", rotation: { trigger: "c", overlapDays: 7 } };
    const rotation = keys.update(stack.outputs, inputs, name);
    const message = expect.not.stringContaining("was deleted") as string;
    await expect(rotation).rejects.toMatchObject({ reason: { status: 403, message } });
    expect(service.keys).toContain(previous);
  });

  it("is deleted by the second of two rotations that leave it at the same time", async () => {
    const { service, stack } = await start();
    await stack.up({ trigger: "b", overlapDays: 7 });
    const [previous = ""] = service.keys;
    const keys = stack.start();
    const inputs = { account: "default", rotation: { trigger: "c", overlapDays: 7 } };
    const names = ["one", "two"].map((name) => ({ id: `key-${name}`, urn: `${URN}-${name}` }));
    for (const name of names) keys.diff(stack.outputs, inputs, name);
    await Promise.all(names.map((name) => keys.update(stack.outputs, inputs, name)));
    expect(service.keys).not.toContain(previous);
    expect(stack.notices.filter(({ text }) => text.startsWith("Did not delete"))).toHaveLength(1);
  });

  it("is deleted once if the plan of the other rotation comes after the deletion, which is then not told", async () => {
    const { service, stack } = await start();
    await stack.up({ trigger: "b", overlapDays: 7 });
    const [previous = ""] = service.keys;
    const keys = stack.start();
    const before = service.requests.length;
    for (const name of ["one", "two"].map((each) => ({ id: `key-${each}`, urn: `${URN}-${each}` }))) {
      const inputs = { account: "default", rotation: { trigger: "c", overlapDays: 7 } };
      keys.diff(stack.outputs, inputs, name);
      await keys.update(stack.outputs, inputs, name);
    }
    const deletions = service.requests.slice(before).filter((request) => request.startsWith("DELETE"));
    expect(deletions).toEqual([`DELETE /api-key/${previous}`]);
    expect(stack.notices.filter(({ text }) => /does not know|Gave up/.test(text))).toEqual([]);
  });

  it("is deleted through its ID by an imported copy to which the resource that created it has left it", async () => {
    const service = await startService({ deletesBy: "id", body: (key, id) => ({ id, key }) });
    const stack = new Stack(service);
    await stack.up();
    const [apiKey = ""] = service.keys;
    const { keys, adopted, name } = await takeOver(stack, apiKey);
    keys.diff(stack.outputs, { account: "default" }, name);
    await keys.delete(stack.outputs, name);
    expect(service.keys).toContain(apiKey);
    await keys.delete(adopted, other);
    expect(service.keys).not.toContain(apiKey);
  });

  it("is not deleted if a setting finds another value in its response today", async () => {
    const body = (key: string, id: string) => ({ id, key, secret: `sk_9f8e7d6c5b4a3f2e_${id}` });
    const service = await startService({ deletesBy: "id", body });
    const stack = new Stack(service);
    await stack.up(undefined, { responses: { apiKey: "/key" } });
    const [apiKey = ""] = service.keys;
    const texts: (string | undefined)[] = [];
    for (const isImport of [false, true]) {
      const { keys, adopted, name } = await takeOver(stack, apiKey, undefined, { apiKey: "/secret" });
      keys.diff(stack.outputs, { account: "default" }, name);
      await (isImport ? keys.delete(adopted, other) : keys.delete(stack.outputs, name));
      texts.push(stack.notices.at(-1)?.text);
    }
    expect(service.keys).toContain(apiKey);
    expect(texts).toEqual([
      expect.stringMatching(/: "key1-new" has the same key\.$/),
      expect.stringMatching(/: "key1" has the same key\.$/),
    ]);
  });

  it("is not gone, so that a removal that deletes nothing does not say how to keep the resource", async () => {
    const { service, stack } = await start();
    await stack.up({ trigger: "b", overlapDays: 7 });
    const [previous] = service.keys;
    const { keys, name } = await takeOver(stack, previous);
    service.answers.deleteApiKey = () => ({ status: 403 });
    const removal = keys.delete(stack.outputs, name);
    await expect(removal).rejects.toThrow(/returned 403(?!.*To keep the resource)/);
    expect(service.keys.size).toBe(2);
  });

  it("is deleted if that other resource is being replaced, or was only read", async () => {
    const { service, stack } = await start();
    const [apiKey = ""] = service.keys;
    const { keys, name } = await takeOver(stack, apiKey, { trigger: "new" });
    await keys.delete(stack.outputs, name);
    expect(service.keys).not.toContain(apiKey);
  });

  it("is not deleted with another import of the same variable", async () => {
    const { service, stack } = await start();
    const [apiKey = ""] = service.keys;
    const { keys, adopted } = await takeOver(stack, apiKey);
    await keys.delete(adopted, { id: other.id, urn: URN });
    expect(service.keys).toContain(apiKey);
  });

  it("is that of the same resource under an alias, or of an import without its URN", async () => {
    const { service, stack } = await start();
    const [apiKey = ""] = service.keys;
    const id = stack.entry?.id ?? "";
    const keys = stack.start({ OLD: apiKey });
    keys.diff(stack.outputs, { account: "default" }, { id, urn: `${URN}-renamed` });
    await keys.delete(stack.outputs, { id, urn: URN });
    expect(service.keys).not.toContain(apiKey);
    service.keys.add(apiKey);
    const adopted = (await keys.adopt("env:OLD"))?.outputs ?? {};
    const importing = stack.start({ OLD: apiKey });
    importing.diff(adopted, { account: "default" }, { id: "env:OLD", urn: URN });
    await importing.delete(adopted, { id: "env:OLD", urn: "" });
    expect(service.keys).not.toContain(apiKey);
  });
});
