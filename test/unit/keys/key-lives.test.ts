import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/plugin/properties.ts";
import { PARTNER_API_KEY, SECRET_OUTPUTS } from "../../../provider/src/registration.ts";
import { DAY, lose, NOON, Stack, startService, type Shape } from "./support.ts";

const CREATION = ["GET /webhooks", "POST /api-key"];
const UNREADABLE = (key: string, id: string) => ({ token: key, seed: `seed_0123456789_${id}` });
const POINTER = { responses: { apiKey: "/token" } };
const at = (trigger: string, overlapDays = 7) => ({ trigger, overlapDays });
const posts = (requests: readonly string[]) => requests.filter((each) => each.startsWith("POST")).length;

async function start(shape: Shape = {}) {
  const service = await startService(shape);
  return { service, stack: new Stack(service) };
}

describe("a key", () => {
  it("is created after one GET, stays as it is without a request, and is deleted", async () => {
    const { service, stack } = await start();
    expect(await stack.up(at("a"))).toEqual({ requests: CREATION, notices: [], error: null, changes: true });
    const [apiKey = ""] = service.keys;
    const response = { body: JSON.stringify({ api_key: apiKey }), encoding: "utf8", isCutOff: false };
    expect(stack.id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(stack.outputs).toEqual({
      apiKey,
      hint: apiKey.slice(-4),
      createdAt: new Date(NOON).toISOString(),
      response,
      previousApiKey: null,
      previousExpiresAt: null,
      internal: { trigger: "a", unfinished: null, previous: null },
      account: "default",
      server: service.url,
    });
    const names = Object.keys(stack.outputs ?? {}).filter((name) => name !== "server");
    expect(names.sort()).toEqual([...PARTNER_API_KEY.outputs, "internal"].sort());
    expect(SECRET_OUTPUTS.every((name) => names.includes(name))).toBe(true);
    expect(await stack.up(at("a"))).toEqual({ requests: [], notices: [], error: null, changes: false });
    expect(await stack.start().read(stack.outputs ?? {})).toEqual({ outputs: stack.outputs });
    expect((await stack.destroy()).error).toBeNull();
    expect(service.keys.size).toBe(0);
  });

  it("fails in the preview if the address or the token is wrong, but not if the list is forbidden", async () => {
    const { service, stack } = await start();
    for (const status of [401, 404, 302, 503, 403]) {
      service.answers.listWebhooks = () => ({ status });
      const { error, requests } = await stack.preview();
      expect([error?.match(/returned (\d+)/)?.[1] ?? null, posts(requests)]).toEqual([
        status === 403 ? null : String(status),
        0,
      ]);
    }
    await stack.up();
    expect((await stack.preview({ trigger: "", overlapDays: 0 })).changes).toBe(false);
    service.answers.listWebhooks = () => ({ status: 404 });
    expect((await stack.preview()).error).toBeNull();
    expect((await stack.preview(at("a"))).error).toMatch(/404/);
  });

  it("leaves nothing if its creation is refused, and shows no word of the key", async () => {
    const { service, stack } = await start();
    service.answers.createApiKey = () => ({ status: 409, body: { message: "one key only" } });
    expect(await stack.up()).toMatchObject({
      error: expect.stringContaining("one key only") as string,
      requests: CREATION,
    });
    expect(stack.outputs).toBeNull();
  });

  it("has unknown outputs in a preview where only the update can tell them", async () => {
    const { stack } = await start();
    await stack.up(at("a"));
    const { outputs } = stack;
    const keys = stack.start();
    const preview = (rotation: unknown) => keys.preview(outputs, { rotation, account: "default" });
    expect(keys.preview(null, {})).toMatchObject({ apiKey: UNKNOWN, internal: UNKNOWN });
    expect(preview(at("a"))["apiKey"]).toBe(outputs?.["apiKey"]);
    expect(preview(at("b"))).toMatchObject({ apiKey: UNKNOWN, previousApiKey: outputs?.["apiKey"] });
    for (const rotation of [
      UNKNOWN,
      { ...at("a"), trigger: UNKNOWN },
      { afterDays: UNKNOWN, overlapDays: 1 },
    ]) {
      expect(preview(rotation)).toMatchObject({ apiKey: UNKNOWN, previousApiKey: UNKNOWN });
      expect(await stack.preview(rotation as Properties)).toEqual({
        requests: [],
        notices: [],
        error: null,
        changes: true,
      });
    }
  });

  it("is imported and read by the name of a variable, and no program can ask whether it exists", async () => {
    const { service, stack } = await start();
    await stack.up();
    const [key = ""] = service.keys;
    await stack.import(key);
    expect(stack.outputs).toMatchObject({ apiKey: key, createdAt: null, response: null });
    expect(await stack.up()).toMatchObject({ changes: false, requests: [] });
    const keys = stack.start({ env: { EMPTY: "", TEXT: "two words", UP: ".." } });
    for (const id of [key, "env:", "env:GONE", "env:EMPTY", "env:TEXT", "env:UP", "env:A-B"]) {
      const failure = await keys.adopt(id).catch(String);
      expect(failure).toMatch(/"env:" followed by the name of the environment variable/);
      expect(failure).not.toContain(key);
    }
    await expect(keys.adopt("env:EMPTY", true)).rejects.toThrow("cannot tell whether a key exists");
  });
});

describe("a rotation", () => {
  it("keeps the old key until its overlap is over, and says so", async () => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    const [first] = service.keys;
    expect(await stack.up(at("b"))).toMatchObject({
      requests: CREATION,
      notices: [
        expect.stringMatching(/^information: .*new rotation\.trigger.*valid until 2026-03-08 12:00 UTC\.$/),
      ],
    });
    expect(stack.outputs).toMatchObject({
      previousApiKey: first,
      previousExpiresAt: "2026-03-08T12:00:00.000Z",
    });
    expect(await stack.preview(at("b"))).toMatchObject({ changes: false, notices: [] });
    stack.now += 7 * DAY;
    expect(await stack.up(at("b"))).toMatchObject({
      requests: [`DELETE /api-key/${String(first)}`],
      notices: [expect.stringMatching(/^information: .* overlap is over\.$/)],
    });
    expect(stack.outputs).toMatchObject({ previousApiKey: null, previousExpiresAt: null });
    expect(service.keys.size).toBe(1);
  });

  it("deletes the older key first, with a warning, and keeps what was reached if the creation fails", async () => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    await stack.up(at("b"));
    const [first, second] = service.keys;
    const { createApiKey } = service.answers;
    service.answers.createApiKey = () => ({ status: 403 });
    const failed = await stack.up(at("c"), { repetitions: 1 });
    expect(failed.requests.map((request) => request.split(" ")[0])).toEqual([
      "GET",
      "DELETE",
      "POST",
      "POST",
    ]);
    expect(failed.notices).toContainEqual(expect.stringMatching(/^warning: .* before its overlap ends\.$/));
    expect(stack.outputs).toMatchObject({ apiKey: second, previousApiKey: null });
    service.answers.createApiKey = createApiKey;
    expect((await stack.up(at("c"))).error).toBeNull();
    expect(stack.outputs).toMatchObject({ previousApiKey: second });
    expect(service.keys).not.toContain(first);
  });

  it.each<[what: string, answer: "reset" | { readonly status: number }]>([
    ["refused", { status: 400 }],
    ["lost", "reset"],
  ])("says that it has deleted the older key if the creation is %s", async (_what, answer) => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    await stack.up(at("b"));
    service.answers.createApiKey = () => answer;
    expect((await stack.up(at("c"))).error).toMatch(/\. The previous key was deleted\.$/);
    expect((await stack.up(at("d"))).error).not.toContain("previous key");
  });

  it("by age replaces the resource if there is no overlap", async () => {
    const { service, stack } = await start();
    await stack.up({ afterDays: 30, overlapDays: 0 });
    stack.now += 30 * DAY;
    const { requests, notices } = await stack.up({ afterDays: 30, overlapDays: 0 });
    expect(requests.map((request) => request.split(" ")[0])).toEqual(["GET", "POST", "DELETE"]);
    expect(notices).toEqual([expect.stringMatching(/^information: .* replaces .*created 2026-03-01/)]);
    expect(service.keys).toEqual(new Set([stack.outputs?.["apiKey"]]));
  });

  it("rotates the key of an import at its first trigger or age", async () => {
    const { stack } = await start();
    await stack.up();
    await stack.import(String(stack.outputs?.["apiKey"]));
    expect(await stack.preview({ afterDays: 90, overlapDays: 7 })).toMatchObject({ changes: true });
    expect(await stack.preview(at("a"))).toMatchObject({ changes: true });
  });
});

describe("a lost creation", () => {
  it("blocks the next one until a person acts, and hinders nothing else", async () => {
    const { service, stack } = await start();
    lose(service, "createApiKey");
    const lost = await stack.up(at("a"));
    expect(lost.error).toMatch(
      /connection failed.*A key may have been created for "checkout" at 2026-03-01 12:00 UTC/,
    );
    expect(lost.error).toContain(`pulumi up --replace '${stack.urn}'`);
    const blocked = await stack.up(at("a"));
    expect(blocked).toMatchObject({
      requests: [],
      error: expect.stringMatching(/^A key may have been created/) as string,
    });
    expect(await stack.preview(at("a"))).toMatchObject({
      error: null,
      notices: [`warning: ${blocked.error ?? ""}`],
    });
    const { requests, notices, error } = await stack.up(at("b"));
    expect([requests, error]).toEqual([CREATION, null]);
    expect(notices).toEqual([
      expect.stringMatching(/^warning: A key that no stack tracks may .*\. Its value is unknown\.$/),
    ]);
    expect(await stack.up(at("b"))).toMatchObject({ changes: false, notices: [] });
  });

  it("is replaced without a trigger, and destroyed, with a warning", async () => {
    const { service, stack } = await start();
    for (const way of ["up", "destroy"] as const) {
      lose(service, "createApiKey");
      expect((await stack.up()).error).not.toBeNull();
      const { error, notices, requests } = await (way === "up"
        ? stack.up(undefined, { replace: true })
        : stack.destroy());
      expect([error, requests]).toEqual([null, way === "up" ? CREATION : []]);
      expect(notices).toEqual([expect.stringContaining("A key that no stack tracks")]);
      await stack.destroy();
    }
  });

  it("of a rotation leaves the current key in use, and the next trigger keeps the overlap", async () => {
    const { service, stack } = await start();
    await stack.up(at("a"));
    const [first] = service.keys;
    lose(service, "createApiKey", false);
    expect((await stack.up(at("b"))).error).toMatch(
      /current key stays in use\. Set a new rotation\.trigger\.$/,
    );
    expect(stack.outputs).toMatchObject({ apiKey: first, previousApiKey: null });
    expect(await stack.up(at("b"))).toMatchObject({ requests: ["GET /webhooks"], changes: true });
    await stack.up(at("c"));
    expect(stack.outputs).toMatchObject({ previousApiKey: first });
  });

  it("is not repeated by a hook, which does not erase the state either", async () => {
    const { service, stack } = await start();
    lose(service, "createApiKey");
    const { requests, error, notices } = await stack.up(undefined, { repetitions: 100 });
    expect([requests, error]).toEqual([CREATION, null]);
    expect(notices).toEqual([expect.stringContaining("four times")]);
    expect(stack.outputs).toMatchObject({ apiKey: null, internal: { unfinished: { response: null } } });
    expect(await stack.up()).toMatchObject({
      requests: [],
      error: expect.stringContaining("may have been created") as string,
    });
  });
});

/** A hook that always says yes. */
const HOOK = { repetitions: 100 };

describe("a replacement without a key", () => {
  it.each<[what: string, knowsUrn: boolean, hook: object]>([
    ["the native plugin", true, {}],
    ["the dynamic host", false, {}],
    ["the native plugin, with a hook", true, HOOK],
    ["the dynamic host, with a hook", false, HOOK],
  ])("never costs the key in use: %s", async (_what, knowsUrn, hook) => {
    const { service, stack } = await start();
    stack.knowsUrn = knowsUrn;
    await stack.up();
    const [first] = service.keys;
    lose(service, "createApiKey", false);
    const { error } = await stack.up(undefined, { ...hook, replace: true });
    expect(error).toMatch(
      hook === HOOK ? /^Did not delete the key .* has no key\./ : /may have been created/,
    );
    expect(stack.leaving).toMatchObject([{ outputs: { apiKey: first } }]);
    expect(await stack.up(undefined, HOOK)).toMatchObject({
      requests: [],
      notices: [expect.stringMatching(/^warning: A key may have been created/)],
      error: expect.stringMatching(/^A key may have been created/) as string,
    });
    expect([...service.keys]).toEqual([first]);
    expect((await stack.up(at("a"), hook)).error).toBeNull();
    expect([...service.keys]).toEqual([stack.outputs?.["apiKey"]]);
    expect(stack.leaving).toEqual([]);
  });

  it("keeps the key in use if the engine goes on after the error, and no key of another resource", async () => {
    const { service, stack } = await start();
    await stack.up();
    const { inputs, outputs, id, urn } = stack;
    const other = new Stack(service, "billing");
    await other.up();
    const keys = stack.start();
    service.answers.createApiKey = () => ({ status: 403 });
    await expect(keys.create(inputs ?? {}, urn)).rejects.toThrow("returned 403");
    await expect(keys.delete(outputs ?? {}, { id, urn })).rejects.toThrow(/^Did not delete the key/);
    await keys.delete(other.outputs ?? {}, { id: other.id, urn: other.urn });
    expect([...service.keys]).toEqual([outputs?.["apiKey"]]);
    expect((await stack.destroy()).error).toBeNull();
  });
});

describe("an unread creation", () => {
  it("is read with the right pointer and no request, and counts from its creation", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    const unread = await stack.up(at("a"), { repetitions: 2 });
    expect(unread.error).toContain('Set partners:responses.apiKey to "/token" or "/seed", or');
    expect(unread.error).not.toContain("--replace");
    expect([posts(unread.requests), stack.outputs?.["response"] !== null]).toEqual([1, true]);
    stack.now += DAY;
    expect(await stack.up(at("a"))).toMatchObject({ requests: [], error: unread.error });
    expect(await stack.up(at("a"), POINTER)).toEqual({
      requests: [],
      notices: [],
      error: null,
      changes: true,
    });
    expect(stack.outputs).toMatchObject({
      apiKey: [...service.keys][0],
      createdAt: new Date(NOON).toISOString(),
    });
  });

  it.each([7, 0])(
    "is read although the trigger is new, which then counts as used (overlap %i)",
    async (overlap) => {
      const { stack } = await start({ body: UNREADABLE });
      await stack.up(at("a"), POINTER);
      await stack.up(at("b", 7));
      const { requests, error } = await stack.up(at("c", overlap), POINTER);
      expect([posts(requests), error]).toEqual([0, null]);
      expect(await stack.preview(at("c"), POINTER)).toMatchObject({ changes: overlap === 0 });
      expect(stack.outputs).toMatchObject({ internal: { trigger: "c", unfinished: null } });
    },
  );

  it("is superseded by a new trigger, with a warning", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"));
    const { requests, notices } = await stack.up(at("b"));
    expect(posts(requests)).toBe(1);
    expect(notices).toContainEqual(expect.stringContaining("Its response was discarded."));
    expect(service.keys.size).toBe(2);
  });

  it("keeps a destroy from ending, after the other keys are deleted, until the pointer is right", async () => {
    const { service, stack } = await start({ body: UNREADABLE });
    await stack.up(at("a"), POINTER);
    await stack.up(at("b"));
    const { requests, error } = await stack.destroy();
    expect(requests).toHaveLength(1);
    expect(error).toMatch(/not deleted: it was not recognized in the response\. .*"\/token" or "\/seed"/);
    expect((await stack.destroy(POINTER)).error).toBeNull();
    expect(service.keys.size).toBe(0);
  });

  it.each([
    ["a page", "<!doctype html><html></html>", "contains no key"],
    ["an empty body", "", "contains no key"],
    ["a failure", { success: false, message: "quota reached" }, "contains no key"],
  ])("without anything that may be the key is like a lost one: %s", async (_what, body, why) => {
    const { service, stack } = await start();
    service.answers.createApiKey = () => ({ status: 201, body });
    expect((await stack.up()).error).toMatch(new RegExp(why));
    expect((await stack.up()).error).toContain("--replace");
    expect(await stack.destroy()).toMatchObject({
      error: null,
      notices: [expect.stringContaining("no stack tracks")],
    });
  });

  it("whose key is under a name that may be data is kept, and no pointer with a * is proposed", async () => {
    const { stack } = await start({ body: (key) => ({ "4f3a2b1c9d8e7f60": { key } }) });
    const { error } = await stack.up();
    expect(error).toContain(
      "Set partners:responses.apiKey to its JSON Pointer, or set a new rotation.trigger.",
    );
    expect((await stack.destroy()).error).toContain("to its JSON Pointer and run this again");
    const pointer = { responses: { apiKey: "/4f3a2b1c9d8e7f60/key" } };
    expect((await stack.up(undefined, pointer)).error).toBeNull();
  });

  it("keeps bytes that are no text, and what was cut off", async () => {
    const { service, stack } = await start();
    const headers = { "content-length": "99", connection: "close" };
    service.answers.createApiKey = () => ({ status: 201, body: '{"key":"pk_live_4eC39HqLyjW', headers });
    expect((await stack.up()).error).toContain("the response was cut off");
    expect(stack.outputs?.["response"]).toEqual({
      body: '{"key":"pk_live_4eC39HqLyjW',
      encoding: "utf8",
      isCutOff: true,
    });
  });
});

describe("the same key again", () => {
  const SAME = "pk_live_4eC39HqLyjWDarjtT0";

  it("is refused for another resource, which then does not exist", async () => {
    const { service, stack } = await start({ body: () => ({ key: SAME }) });
    const keys = stack.start();
    await stack.up(undefined, {}, keys);
    const other = new Stack(service, "billing");
    const { error } = await other.up(undefined, {}, keys);
    expect(error).toMatch(/^The service returned the key of "checkout" again/);
    expect(other.outputs).toBeNull();
  });

  it("is refused for a replacement, and in place, where the next run sends nothing", async () => {
    const { stack } = await start({ body: () => ({ key: SAME }) });
    await stack.up(at("a"));
    expect(await stack.up(at("b", 0))).toMatchObject({
      error: expect.stringContaining('key of "checkout" again') as string,
    });
    const inPlace = await stack.up(at("b"));
    expect(inPlace.error).toMatch(/^The service returned the current key again, .*deleteBeforeReplace/);
    expect(stack.outputs).toMatchObject({ apiKey: SAME, previousApiKey: null });
    const next = await stack.up(at("b"));
    expect([posts(next.requests), next.error]).toEqual([0, inPlace.error]);
    expect(next.notices).toEqual([`warning: ${inPlace.error ?? ""}`]);
    expect(posts((await stack.up(at("c"))).requests)).toBe(1);
  });

  it("is not deleted with the resource that --replace replaces", async () => {
    const { stack } = await start({ body: () => ({ key: SAME }) });
    await stack.up();
    const { requests, notices, error } = await stack.up(undefined, { replace: true });
    expect([requests, error]).toEqual([CREATION, null]);
    expect(notices).toEqual([expect.stringMatching(/^warning: .*so it was not deleted\.$/)]);
  });
});

it("--replace of a key that someone deleted warns, or names the setting that settles it", async () => {
  const body = (key: string, id: string) => ({ id, key });
  const { service, stack } = await start({ body });
  await stack.up();
  service.revoke();
  const { error } = await stack.up(undefined, { replace: true });
  expect(error).toMatch(/apiKeyId to "\/id" if .* this ID, or to "\/key" if it deletes by the key itself/);
  const settled = await stack.up(undefined, { responses: { apiKeyId: "/key" } });
  expect(settled).toMatchObject({ error: null, notices: [expect.stringContaining("did not find the key")] });
  expect(stack.leaving).toEqual([]);
  expect((await stack.destroy()).error).toBeNull();
});
