import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/adapter/properties.ts";
import { loseAnswers, refuse, replaceAnswers } from "../../support/sandbox.ts";
import { DAY, NOON, Stack, startService, URN, type Shape } from "./support.ts";

const CREATION = ["GET /webhooks", "POST /api-key"];
const UNREADABLE = (key: string, id: string) => ({ token: key, seed: `seed_0123456789_${id}` });
const POINTER = { responses: { apiKey: "/token" } };
const at = (trigger: string, overlapDays = 7) => ({ trigger, overlapDays });
const posts = (requests: readonly string[]) => requests.filter((each) => each.startsWith("POST")).length;
const methods = (requests: readonly string[]) => requests.map((request) => request.split(" ")[0]).join(" ");
const containing = (text: string) => expect.stringContaining(text) as string;
const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;

async function start(shape: Shape = {}) {
  const service = await startService(shape);
  return { service, stack: new Stack(service) };
}

describe("a key", () => {
  it("is created after one GET, stays as it is without a request, and is deleted", async () => {
    const { service, stack } = await start();
    expect(await stack.up(at("a"))).toEqual({ requests: CREATION, notices: [], error: null, changes: true });
    const [apiKey = ""] = service.keys;
    expect(stack.entry?.id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(stack.outputs).toEqual({
      apiKey,
      hint: apiKey.slice(-4),
      createdAt: new Date(NOON).toISOString(),
      response: { body: JSON.stringify({ api_key: apiKey }), encoding: "utf8", isCutOff: false },
      ...{ previousApiKey: null, previousExpiresAt: null },
      internal: { trigger: "a", rotatedAt: new Date(NOON).toISOString(), openCreation: null, previous: null },
      ...{ account: "default", server: service.url },
    });
    expect(await stack.up(at("a"))).toEqual({ requests: [], notices: [], error: null, changes: false });
    expect(await stack.start().read(stack.outputs)).toEqual({ outputs: stack.outputs });
    expect((await stack.destroy()).error).toBeNull();
    expect(service.keys.size).toBe(0);
  });

  it("fails in a preview that would create it if the address is wrong, and in no other one", async () => {
    const { service, stack } = await start();
    refuse(service, "listWebhooks", 404);
    expect(await stack.preview()).toMatchObject({ error: containing("404"), requests: ["GET /webhooks"] });
    await stack.up();
    service.answers.listWebhooks = () => ({ status: 404 });
    expect(await stack.preview(at(""))).toMatchObject({ error: null, changes: false });
    expect((await stack.preview(at("a"))).error).toContain("404");
  });

  it("has unknown outputs in a preview where only the update can tell them", async () => {
    const { stack } = await start();
    await stack.up(at("a"));
    const { apiKey } = stack.outputs;
    const keys = stack.start();
    const preview = (rotation: unknown) => keys.preview(stack.outputs, { rotation, account: "default" });
    expect(keys.preview(null, {})).toMatchObject({ apiKey: UNKNOWN, internal: UNKNOWN });
    expect(preview(at("a"))["apiKey"]).toBe(apiKey);
    expect(preview(at("b"))).toMatchObject({ apiKey: UNKNOWN, previousApiKey: apiKey });
    for (const rotation of [UNKNOWN, at(UNKNOWN), { afterDays: UNKNOWN, overlapDays: 1 }]) {
      expect(preview(rotation)).toMatchObject({ apiKey: UNKNOWN, previousApiKey: UNKNOWN });
      const { error, changes, requests } = await stack.preview(rotation as Properties);
      expect([error, changes, requests]).toEqual([null, true, []]);
    }
  });

  it("is imported and read by the name of a variable, and no program can ask whether it exists", async () => {
    const { service, stack } = await start();
    await stack.up();
    const [key = ""] = service.keys;
    await stack.import(key);
    expect(stack.outputs).toMatchObject({ apiKey: key, createdAt: null, response: null });
    expect(await stack.up()).toMatchObject({ changes: false, requests: [] });
    const lines = { LF: `${key}\n`, CRLF: `${key}\r\n`, LINES: `${key}\n\n` };
    const keys = stack.start({ EMPTY: "\n", TEXT: "two words", UP: "..", ...lines });
    for (const name of ["GONE", "EMPTY"])
      await expect(keys.adopt(`env:${name}`)).rejects.toThrow(`The environment variable ${name} is not set.`);
    for (const id of [key, "env:", "env:A-B"]) {
      const failure = await keys.adopt(id).catch(String);
      expect(failure).toMatch(/"env:" followed by the name of the environment variable/);
      expect(failure).not.toContain(key);
    }
    for (const name of ["TEXT", "UP", "LINES"]) {
      const failure = await keys.adopt(`env:${name}`).catch(String);
      expect(failure).toContain(`The value of ${name} is not a key`);
      expect(failure).not.toMatch(/two words|pk_live/);
    }
    for (const name of ["LF", "CRLF"])
      expect(await keys.adopt(`env:${name}`)).toMatchObject({ outputs: { apiKey: key } });
    await expect(keys.adopt("env:EMPTY", true)).rejects.toThrow("cannot tell whether a key exists");
  });
});

describe("a rotation", () => {
  it("keeps the old key until its overlap is over, and says so", async () => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    const [first = ""] = service.keys;
    const { requests, notices } = await stack.up(at("b"));
    expect(requests).toEqual(CREATION);
    expect(notices).toEqual([matching(/^information: .*new rotation\.trigger.* 2026-03-08 12:00 UTC\.$/)]);
    const previousExpiresAt = new Date(NOON + 7 * DAY).toISOString();
    expect(stack.outputs).toMatchObject({ previousApiKey: first, previousExpiresAt });
    expect(await stack.preview(at("b"))).toMatchObject({ changes: false, notices: [] });
    stack.now += 7 * DAY;
    const expired = await stack.up(at("b"));
    expect(expired.requests).toEqual([`DELETE /api-key/${first}`]);
    expect(expired.notices).toEqual([matching(/^information: .* overlap is over\.$/)]);
    expect(stack.outputs).toMatchObject({ previousApiKey: null, previousExpiresAt: null });
    expect(service.keys.size).toBe(1);
  });

  it("deletes the older key first, with a warning, and keeps what was reached if the creation fails", async () => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    await stack.up(at("b"));
    const [first, second] = service.keys;
    refuse(service, "createApiKey", 403, 2);
    const failed = await stack.up(at("c"), { repetitions: 1 });
    expect(methods(failed.requests)).toBe("GET DELETE POST POST");
    expect(failed.notices).toContainEqual(matching(/^warning: .* before its overlap ends\.$/));
    expect(stack.outputs).toMatchObject({ apiKey: second, previousApiKey: null });
    expect((await stack.up(at("c"))).error).toBeNull();
    expect(stack.outputs).toMatchObject({ previousApiKey: second });
    expect(service.keys).not.toContain(first);
  });

  it.each([{ status: 400 }, "reset"] as const)(
    "says that it has deleted the older key if its creation ends with %j",
    async (answer) => {
      const { service, stack } = await start();
      await stack.up(at("a"));
      await stack.up(at("b"));
      service.answers.createApiKey = () => answer;
      expect((await stack.up(at("c"))).error).toMatch(/\. The previous key was deleted\.$/);
      expect((await stack.up(at("d"))).error).not.toContain("previous key");
    },
  );

  it("by age replaces the resource if there is no overlap", async () => {
    const { service, stack } = await start();
    await stack.up({ afterDays: 30, overlapDays: 0 });
    stack.now += 30 * DAY;
    const { requests, notices } = await stack.up({ afterDays: 30, overlapDays: 0 });
    expect(methods(requests)).toBe("GET POST DELETE");
    expect(notices).toEqual([
      matching(
        /^information: .* replace .* \(created 2026-03-01\): it creates another key, and deletes this one\.$/,
      ),
    ]);
    expect([...service.keys]).toEqual([stack.outputs["apiKey"]]);
  });
});

it("a lost creation blocks the next one until a person acts, and blocks nothing else", async () => {
  const { service, stack } = await start();
  loseAnswers(service, "createApiKey");
  const { error } = await stack.up(at("a"));
  expect(error).toMatch(/connection failed.*A key may have been created for "key1" at 2026-03-01 12:00/);
  expect(error).toContain(`pulumi up --replace ${URN}`);
  const blocked = await stack.up(at("a"));
  expect(blocked).toMatchObject({ requests: [], error: matching(/^A key may have been created/) });
  const preview = await stack.preview(at("a"));
  expect(preview).toMatchObject({
    error: null,
    notices: [matching(/^warning: A key may have been created/)],
  });
  const outputs = stack.start().preview(stack.outputs, { rotation: at("a"), account: "default" });
  expect(outputs, "no consumer computes with null").toMatchObject({ apiKey: UNKNOWN });
  const next = await stack.up(at("b"));
  expect(next).toMatchObject({ error: null, requests: CREATION });
  expect(next.notices).toEqual([
    matching(/^warning: A key that no stack tracks .* value is unknown\. Ask .*\.$/),
  ]);
  expect(await stack.up(at("b"))).toMatchObject({ changes: false, notices: [] });
});

it("a creation that is lost for a reason that lasts names it in each run, and proposes no other one before", async () => {
  const { service, stack } = await start();
  const headers = { "x-long": "x".repeat(300 * 1024) };
  service.answers.createApiKey = () => ({ status: 201, body: { api_key: "pk_live_never_seen" }, headers });
  const { error, requests } = await stack.up();
  expect(error).toMatch(
    /^POST .*: the connection failed .*256 KiB.* A key may have been created .*\. Once that is corrected, set a new/,
  );
  expect(requests).toEqual(CREATION);
  const again = await stack.up();
  expect(again).toMatchObject({ error, requests: [] });
  await stack.destroy();
  expect(stack.entry).toBeUndefined();
});

it("without a stack, a failure names only what a person can do", async () => {
  const { service, stack } = await start();
  loseAnswers(service, "createApiKey");
  const reason = { message: matching(/lost with the response\. Ask the service to delete that key\.$/) };
  await expect(stack.start({}, false).create({}, URN)).rejects.toMatchObject({ reason });
  service.answers.createApiKey = () => ({ status: 409 });
  await expect(stack.start({}, false).create({}, URN)).rejects.toThrow(/returned 409(?!.*pulumi)/);
  service.answers.deleteApiKey = () => ({ status: 409 });
  const keys = stack.start({ KEY: "pk_live_4eC39HqLyjWDarjtT" }, false);
  const adopted = (await keys.adopt("env:KEY"))?.outputs ?? {};
  const removal = keys.delete(adopted, { id: "env:KEY", urn: URN });
  await expect(removal).rejects.toThrow(/returned 409(?!.*pulumi)/);
});

it("a lost creation is replaced without a trigger, and destroyed, with a warning", async () => {
  const { service, stack } = await start();
  const notices = [containing("A key that no stack tracks")];
  loseAnswers(service, "createApiKey");
  await stack.up();
  const replaced = await stack.up(undefined, { replace: true });
  expect(replaced).toMatchObject({ error: null, requests: CREATION, notices });
  await stack.destroy();
  loseAnswers(service, "createApiKey");
  await stack.up();
  expect(await stack.destroy()).toMatchObject({ error: null, requests: [], notices });
});

/** A hook that always says yes. */
const HOOK = { repetitions: 100 };

it.each<[what: string, knowsUrn: boolean, hook: object]>([
  ["the native plugin", true, {}],
  ["the dynamic host", false, {}],
  ["the native plugin, with a hook", true, HOOK],
  ["the dynamic host, with a hook", false, HOOK],
])("a replacement without a key never costs the key in use: %s", async (_what, knowsUrn, hook) => {
  const { service, stack } = await start();
  stack.knowsUrn = knowsUrn;
  await stack.up();
  const [first] = service.keys;
  replaceAnswers(service, "createApiKey", () => "reset", 1);
  const { error } = await stack.up(undefined, { ...hook, replace: true });
  const kept =
    /^Did not delete the key .*: (?:its replacement has no key|another key could not be created)\./;
  expect(error).toMatch(hook === HOOK ? kept : /may have been created/);
  expect(stack.leaving).toMatchObject([{ outputs: { apiKey: first } }]);
  const again = await stack.up(undefined, HOOK);
  expect(again).toMatchObject({ requests: [], error: matching(/^A key may have been created/) });
  expect(again.notices).toEqual([matching(/^warning: A key may have been created/)]);
  expect([...service.keys]).toEqual([first]);
  expect((await stack.up(at("a"), hook)).error).toBeNull();
  expect([...service.keys]).toEqual([stack.outputs["apiKey"]]);
  expect(stack.leaving).toEqual([]);
});

it("a refused replacement keeps the key in use if the engine goes on, but no other key", async () => {
  const { service, stack } = await start();
  await stack.up();
  const { inputs = {}, outputs = {}, id = "" } = stack.entry ?? {};
  const keys = stack.start();
  const other = await keys.create(inputs, "other");
  refuse(service, "createApiKey", 403);
  await expect(keys.create(inputs, URN)).rejects.toThrow("returned 403");
  await expect(keys.delete(outputs, { id, urn: URN })).rejects.toThrow(/^Did not delete the key/);
  await keys.delete(other.outputs, { id: other.id, urn: "other" });
  expect([...service.keys]).toEqual([outputs["apiKey"]]);
  expect((await stack.destroy()).error).toBeNull();
});

it("a replacement that gets its key when a hook repeats it deletes the key that it replaces", async () => {
  const { service, stack } = await start();
  await stack.up();
  refuse(service, "createApiKey", 403);
  const { error } = await stack.up(undefined, { repetitions: 1, replace: true });
  expect([error, [...service.keys], stack.leaving]).toEqual([null, [stack.outputs["apiKey"]], []]);
});

describe("an open creation", () => {
  it("is read with the right pointer and no request, and counts from its creation", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    const { error, requests } = await stack.up(at("a"), { repetitions: 2 });
    expect(error).toContain(
      'POINTER with "/token" or "/seed", whichever is right). If the response contains no key,',
    );
    expect(error).not.toContain("--replace");
    expect([posts(requests), stack.outputs["response"] !== null]).toEqual([1, true]);
    stack.now += DAY;
    expect(await stack.up(at("a"))).toMatchObject({ requests: [], error });
    expect(await stack.up(at("a"), POINTER)).toMatchObject({ requests: [], notices: [], error: null });
    const [apiKey] = service.keys;
    expect(stack.outputs).toMatchObject({ apiKey, createdAt: new Date(NOON).toISOString() });
  });

  it.each([7, 0])(
    "is read although the trigger is new, which then counts as used (overlap %i)",
    async (overlap) => {
      const { stack } = await start({ body: UNREADABLE });
      await stack.up(at("a"), POINTER);
      await stack.up(at("b"));
      const { requests, error } = await stack.up(at("c", overlap), POINTER);
      expect([posts(requests), error]).toEqual([0, null]);
      expect(await stack.preview(at("c"), POINTER)).toMatchObject({ changes: overlap === 0 });
      expect(stack.outputs).toMatchObject({ internal: { trigger: "c", openCreation: null } });
    },
  );

  it("fails a destroy, which deletes the other keys, until the pointer is right", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"), POINTER);
    await stack.up(at("b"));
    const { requests, error } = await stack.destroy();
    expect(requests).toHaveLength(1);
    expect(error).toMatch(
      /not deleted: it was not recognized in the response\. .*responses\.apiKey .*"\/token"/,
    );
    expect((await stack.destroy(POINTER)).error).toBeNull();
    expect(service.keys.size).toBe(0);
  });

  it("is given up, with a warning, if it is deleted before its replacement is created", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"), POINTER);
    await stack.up(at("b"));
    const [keys, name] = [stack.start(), { id: stack.entry?.id ?? "", urn: URN }];
    keys.diff(stack.outputs, { account: "default", rotation: at("c", 0) }, name);
    await keys.delete(stack.outputs, name);
    expect(stack.notices.at(-1)?.text).toMatch(/^A key that no stack tracks .* was discarded\./);
    expect(service.keys.size, "no setting has found it").toBe(1);
  });

  it("whose trigger is removed counts as that of its trigger once it is read", async () => {
    const { stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"));
    expect((await stack.up(undefined, POINTER)).error).toBeNull();
    expect(await stack.up(at("a"), POINTER)).toMatchObject({ error: null, changes: false });
  });

  it("has its overlap from the day on which it is read", async () => {
    const { stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"), POINTER);
    await stack.up(at("b"));
    stack.now += 10 * DAY;
    await stack.up(at("b"), POINTER);
    expect(stack.outputs).toMatchObject({
      createdAt: new Date(NOON).toISOString(),
      previousExpiresAt: new Date(NOON + 17 * DAY).toISOString(),
    });
  });

  it("is given up by a new trigger without overlap, with a warning", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"), POINTER);
    await stack.up(at("b"));
    service.answers.createApiKey = () => {
      service.keys.add("pk_live_4eC39HqLyjWDarjtTnew");
      return { status: 201, body: { api_key: "pk_live_4eC39HqLyjWDarjtTnew" } };
    };
    const { error, notices } = await stack.up(at("c", 0));
    expect(error).toBeNull();
    expect(notices).toContainEqual(matching(/^warning: A key that no stack tracks .* was discarded\./));
    expect(stack.leaving).toEqual([]);
  });

  it("of a response that was cut off has no key, and what arrived is kept", async () => {
    const { service, stack } = await start();
    const [body, headers] = ["pk_live_4eC39HqLyjWDarjtT1", { "content-length": "99", connection: "close" }];
    service.answers.createApiKey = () => ({ status: 201, body, headers });
    expect((await stack.up()).error).toMatch(
      /api-key: the response was cut off\. A key may have been created/,
    );
    expect(stack.outputs["response"]).toEqual({ body, encoding: "utf8", isCutOff: true });
  });
});

it("a response in JSON that reports a failure and shows no key creates nothing", async () => {
  const { service, stack } = await start();
  const body: unknown = { success: false, message: "Key limit reached" };
  replaceAnswers(service, "createApiKey", () => ({ status: 201, body }), 1);
  const { error } = await stack.up(at("a"));
  expect(error).toMatch(/its body reports a failure\. The server said: "Key limit reached"\.$/);
  expect(stack.entry).toBeUndefined();
  expect(await stack.up(at("a"))).toMatchObject({ error: null, requests: CREATION });
});

it.each<[what: string, body: unknown]>([
  ["an ID", { success: false, id: 7 }],
  ["what may be a key", { success: false, token: "pk_live_4eC39HqLyjWDarjtT" }],
  ["a web page", "<!doctype html><html></html>"],
])("a response that reports a failure with %s blocks the next creation", async (_what, body) => {
  const { service, stack } = await start();
  replaceAnswers(service, "createApiKey", () => ({ status: 201, body }));
  expect((await stack.up(at("a"))).error).toContain("A key may have been created");
  expect(await stack.up(at("a"))).toMatchObject({ requests: [], error: containing("A key may have been") });
});

it.each<[what: string, answer: object]>([
  ["a web page", { body: "<!doctype html><html></html>" }],
  ["one that was cut off", { body: "{", headers: { "content-length": "99", connection: "close" } }],
])("a response that no setting can read, %s, blocks only another creation", async (_what, answer) => {
  const { service, stack } = await start();
  await stack.up(at("a"));
  replaceAnswers(service, "createApiKey", () => ({ status: 201, ...answer }));
  expect((await stack.up(at("b"))).error).toMatch(/Ask the service .* The current key stays in use\.$/);
  expect((await stack.up(at("b"))).error).toContain("A key may have been created");
  expect(await stack.up()).toMatchObject({ error: null, requests: [] });
});

it("a response that is not UTF-8 is kept as base64, and its key is read", async () => {
  const { service, stack } = await start();
  const apiKey = "pk_live_4eC39HqLyjWDarjtT1";
  const body = Buffer.concat([
    Buffer.from(`{"api_key":"${apiKey}","owner":"`),
    Buffer.of(0xff),
    Buffer.from('"}'),
  ]);
  service.keys.add(apiKey);
  replaceAnswers(service, "createApiKey", () => ({ status: 201, body }));
  expect((await stack.up()).error).toBeNull();
  const response = { body: body.toString("base64"), encoding: "base64", isCutOff: false };
  expect(stack.outputs).toMatchObject({ apiKey, response });
  expect(await stack.destroy()).toMatchObject({ error: null, requests: [`DELETE /api-key/${apiKey}`] });
});

describe("a pointer that is corrected", () => {
  const body = (key: string, id: string) => ({ token: key, seed: `seed_0123456789_${id}` });
  const wrong = { responses: { apiKey: "/seed" } };

  it("corrects the key, its previous key, and their deletion, without a request", async () => {
    const { service, stack } = await start({ body });
    await stack.up(at("a"), wrong);
    expect((await stack.preview(at("a"), POINTER)).notices).toHaveLength(1);
    await stack.up(at("b"), wrong);
    const [first, second] = service.keys;
    expect(stack.outputs).toMatchObject({ apiKey: "seed_0123456789_k2" });
    const preview = await stack.preview(at("b"), POINTER);
    expect(preview).toMatchObject({
      changes: true,
      notices: [matching(/^warning: "pulumi up" changes the key/)],
    });
    const { requests, error } = await stack.up(at("b"), POINTER);
    expect([requests, error]).toEqual([[], null]);
    expect(stack.outputs).toMatchObject({ apiKey: second, previousApiKey: first });
    expect(await stack.up(at("b"))).toMatchObject({ changes: false }); // Without the setting, all stays.
    await stack.up(at("b"), wrong);
    await stack.destroy(POINTER);
    expect([...service.keys]).toEqual([]);
  });
});

it("a trigger that is removed counts as used, also after a rotation by age", async () => {
  const { stack } = await start();
  await stack.up(at("a"));
  stack.now += 30 * DAY;
  await stack.up({ afterDays: 30, overlapDays: 7 });
  stack.now += DAY;
  expect(await stack.up(at("a"))).toMatchObject({ error: null, changes: false });
});

describe("overlapDays in mid-overlap", () => {
  it.each<[what: string, overlapDays: number | undefined, days: number]>([
    ["raised", 14, 14],
    ["lowered", 3, 3],
    ["left out", undefined, 7],
  ])("%s takes effect at the next update", async (_what, overlapDays, days) => {
    const { stack } = await start();
    await stack.up(at("a"));
    await stack.up(at("b"));
    stack.now += DAY;
    const rotation = { trigger: "b", overlapDays };
    expect(await stack.up(rotation)).toMatchObject({ error: null, requests: [], changes: days !== 7 });
    expect(stack.outputs["previousExpiresAt"]).toBe(new Date(NOON + days * DAY).toISOString());
    stack.now = NOON + days * DAY;
    expect(methods((await stack.up(rotation)).requests)).toBe("DELETE");
  });

  it("0 ends the overlap, with a warning", async () => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    await stack.up(at("b"));
    const { notices, requests } = await stack.up(at("b", 0));
    expect([methods(requests), service.keys.size]).toEqual(["DELETE", 1]);
    expect(notices).toEqual([matching(/^warning: .* before its overlap ends\.$/)]);
  });
});

it("a rotation that is due by age waits for the end of an overlap, and says until when", async () => {
  const { stack } = await start({ body: UNREADABLE });
  const rotation = { afterDays: 8, overlapDays: 7 };
  await stack.up(rotation, POINTER);
  stack.now += 8 * DAY;
  await stack.up(rotation); // This creation is read ten days later.
  stack.now += 10 * DAY;
  await stack.up(rotation, POINTER);
  const waiting = await stack.up(rotation, POINTER);
  expect(waiting).toMatchObject({ changes: false, requests: [] });
  expect(waiting.notices).toEqual([
    matching(/^information: The rotation .* is due, and waits for the end of the overlap at 2026-03-26/),
  ]);
  stack.now += 7 * DAY;
  expect(methods((await stack.up(rotation, POINTER)).requests)).toBe("DELETE GET POST");
});

it("a run whose clock was ahead is told in later ones, which change nothing, until the trigger is new", async () => {
  const { stack } = await start();
  const age = (trigger: string) => ({ afterDays: 30, overlapDays: 7, trigger });
  await stack.up(age("a"));
  stack.now += 400 * DAY;
  await stack.up(age("a"));
  stack.now -= 390 * DAY;
  const told = matching(
    /^warning: A clock was wrong: the key …1001 of "key1" took over at 2027-04-05 12:00 UTC/,
  );
  for (const rotation of [age("a"), { overlapDays: 7 }])
    expect(await stack.up(rotation)).toMatchObject({ notices: [told] });
  expect(stack.outputs).toMatchObject({ previousExpiresAt: "2027-04-12T12:00:00.000Z" });
  await stack.up(age("b"));
  expect(stack.outputs).toMatchObject({ previousExpiresAt: "2026-03-18T12:00:00.000Z" });
  expect((await stack.up(age("b"))).notices).toEqual([]);
});

it("a rotation without overlapDays is a replacement", async () => {
  const { service, stack } = await start();
  await stack.up({ trigger: "1" });
  const { requests } = await stack.up({ trigger: "2" });
  expect(methods(requests)).toBe("GET POST DELETE");
  expect([...service.keys]).toEqual([stack.outputs["apiKey"]]);
});

const same = { body: () => ({ key: "pk_live_4eC39HqLyjWDarjtT0" }) };

it("the same key again is refused for another resource, which then does not exist", async () => {
  const { stack } = await start(same);
  const keys = stack.start();
  await keys.create({}, URN);
  const message = matching(/^The service returned the key of "key1" again/);
  await expect(keys.create({}, "other")).rejects.toMatchObject({ code: "PARTNERS_RESOURCE", message });
});

it("the same key again is refused for a replacement and in place, and its response is not kept", async () => {
  const { service, stack } = await start(same);
  await stack.up(at("a"));
  expect((await stack.up(at("b", 0))).error).toMatch(/current key again.*deleteBeforeReplace/);
  for (const rotation of [at("b"), at("b")]) {
    const { error, requests } = await stack.up(rotation);
    expect(error).toMatch(/^The service returned the current key again, .*deleteBeforeReplace/);
    expect(posts(requests)).toBe(1);
    expect(stack.outputs).toMatchObject({ apiKey: same.body().key, previousApiKey: null });
  }
  const other = "pk_live_4eC39HqLyjWDarjtT9";
  service.answers.createApiKey = () => ({ status: 201, body: { key: other } });
  expect((await stack.up(at("b"))).error).toBeNull();
  expect(stack.outputs).toMatchObject({ apiKey: other, previousApiKey: same.body().key });
});

it("the same value at a setting may be a wrong one: the response is kept, and no other key created", async () => {
  const body = (key: string) => ({ api_key: key, partner: "checkout-main" });
  const { service, stack } = await start({ body });
  const wrong = { responses: { apiKey: "/partner" } };
  await stack.up(at("a"), wrong);
  const { error } = await stack.up(at("b"), wrong);
  expect(error).toMatch(
    /current key again.* If partners:responses\.apiKey does not point to the key, correct it/,
  );
  const next = await stack.up(at("b"), wrong);
  expect([next.error, posts(next.requests)]).toEqual([error, 0]);
  expect((await stack.up(at("b"), { responses: { apiKey: "/api_key" } })).error).toBeNull();
  const [first, second] = service.keys;
  expect(stack.outputs).toMatchObject({ apiKey: second, previousApiKey: first });
});

it.each([true, false])(
  "the same key again is believed after its deletion, URN known: %s",
  async (knowsUrn) => {
    const { service, stack } = await start();
    service.answers.createApiKey = () => {
      service.keys.add(same.body().key);
      return { status: 201, body: same.body() };
    };
    stack.knowsUrn = knowsUrn;
    await stack.up(at("a"));
    const { requests, error, notices } = await stack.up(at("b", 0), { deleteBeforeReplace: true });
    expect([methods(requests), error]).toEqual(["GET DELETE POST", null]);
    expect(notices).toContainEqual(
      matching(/^warning: The service returned the key .* which this run has deleted/),
    );
    expect([...service.keys]).toEqual([stack.outputs["apiKey"]]);
    expect(await stack.destroy()).toMatchObject({ error: null, notices: [] });
    expect(service.keys.size).toBe(0);
  },
);

it("the same key again is not deleted with the resource that --replace replaces", async () => {
  const { stack } = await start(same);
  await stack.up();
  const { requests, notices, error } = await stack.up(undefined, { replace: true });
  expect([requests, error]).toEqual([CREATION, null]);
  expect(notices).toEqual([matching(/^warning: Did not delete .*: its replacement has the same key\.$/)]);
});

it("a key of the stack is not repeated, whatever it looks like, if the service names it", async () => {
  const service = await startService();
  const stack = new Stack(service);
  for (const apiKey of ["pk_9f8e7d6c5b4", "AbCdEfGhIjKlMnOpQrStUvWxYz"]) {
    await stack.import(apiKey);
    const message = `The account has the key ${apiKey}.`;
    service.answers.createApiKey = () => ({ status: 409, body: { message } });
    const { error } = await stack.up({ trigger: "b", overlapDays: 7 });
    expect(error).toMatch(/^POST .* the server returned 409(?!.*The account has)/);
    expect(error).not.toContain(apiKey);
  }
});

it("a previous key of the stack is not repeated either", async () => {
  const { service, stack } = await start();
  const keys = ["AbCdEfGhIjKlMnOpQrStUvWxYz", "ZyXwVuTsRqPoNmLkJiHgFeDcBa"];
  service.answers.createApiKey = () => ({ status: 201, body: { api_key: keys[service.keys.size] } });
  for (const [index, trigger] of ["a", "b"].entries()) {
    await stack.up(at(trigger));
    service.keys.add(keys[index] ?? "");
  }
  const [previous = ""] = keys;
  expect(stack.outputs).toMatchObject({ previousApiKey: previous });
  service.answers.deleteApiKey = () => ({});
  service.answers.createApiKey = () => ({ status: 409, body: { message: `The account has ${previous}.` } });
  expect((await stack.up(at("c"))).error).toMatch(/the server returned 409(?!.*The account has)/);
});

it("a key that this process has imported or created is not repeated either", async () => {
  const { service, stack } = await start();
  const [imported, created] = ["AbCdEfGhIjKlMnOpQrStUvWxYz", "ZyXwVuTsRqPoNmLkJiHgFeDcBa"];
  service.answers.createApiKey = () => ({ status: 201, body: { api_key: created } });
  const keys = stack.start({ OLD: imported });
  await keys.adopt("env:OLD");
  await keys.create({}, URN);
  for (const apiKey of [imported, created]) {
    service.answers.createApiKey = () => ({ status: 409, body: { message: `The account has ${apiKey}.` } });
    await expect(keys.create({}, "other")).rejects.toThrow(/the server returned 409(?!.*The account has)/);
  }
});
