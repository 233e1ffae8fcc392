import { describe, expect, it, vi } from "vitest";

import { UNKNOWN, withoutSpecialValues } from "../../../provider/src/shared/properties.js";
import type { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { fingerprint } from "../../../provider/src/keys/key-name.js";
import { tokenMark } from "../../../provider/src/keys/stored-key.js";
import { responseText, type KeyResponse } from "../../../provider/src/responses/creation-reader.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import { SHAPES, type Fault, type SandboxOptions, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, mapping, methods, NOON, partialFailureOf, startRun } from "../shared/support.ts";

const DAY = 86_400_000;

/** Creates the handlers of a separate run. */
function keysOf(...args: Parameters<typeof startRun>): ResourceAdapter {
  return startRun(...args).partnerApiKey;
}

/** Creates a key, without the check of a preview. */
function create(keys: ResourceAdapter, args: object = {}) {
  return keys.create({ account: "default", ...args });
}

/** Starts a service, and creates a key there. */
async function createdKey(options: SandboxOptions = {}, config: Readonly<Record<string, string>> = {}) {
  const service = await sandboxFor(options);
  const { id, outputs } = await create(keysOf(service, config));
  service.clearRequests();
  return { service, id, outputs };
}

/** Starts a service that responds to the creation of a key with this body. */
function respondingWith(apiKey: Shape["apiKey"], deleteBy: "key" | "id" = "key"): Shape {
  return { ...SHAPES.flat, apiKey, deleteBy };
}

/** Two strings may be the key. Only a setting can tell. */
const AMBIGUOUS = respondingWith(({ key, id }) => ({
  token: key,
  id,
  clientSecret: `cs_9f8e7d6c5b4a3f2e1d_${id}`,
}));
/** The wrong string looks more like the key. */
const MISLEADING = respondingWith(({ key, id }) => ({
  apiKey: `pk_old_9f8e7d6c5b4a3f2e_${id}`,
  next: { key },
}));
const PLAIN_TEXT = respondingWith(({ key }) => Buffer.from(key));
const CUT_OFF = { complete: false, reading: { reason: "not JSON" } };

describe("a new key", () => {
  it("has an opaque ID, and outputs with the key and the whole response", async () => {
    const service = await sandboxFor();
    const { partnerApiKey } = startRun(service);
    const { id, outputs } = await create(partnerApiKey, { rotation: { trigger: "a", overlapDays: 0 } });
    const [key = ""] = service.apiKeys;
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(outputs).toEqual({
      account: "default",
      apiKey: key,
      createdAt: expect.stringMatching(/^20.*Z$/) as string,
      fingerprint: fingerprint(key),
      hint: key.slice(-4),
      response: { body: JSON.stringify({ apiKey: key }), encoding: "utf8", complete: true },
      rotatedAt: null,
      rotationDueAt: null,
      previousApiKey: null,
      previousExpiresAt: null,
      server: service.url,
      lostCreationAt: null,
      internal: {
        trigger: "a",
        current: { foundBy: null, token: tokenMark(service.accessToken) },
        isReplaced: false,
        overlapDays: null,
        previous: null,
        unread: null,
      },
    });
    expect(await partnerApiKey.read(outputs)).toEqual({ outputs });
    const news = { account: "default", rotation: { trigger: "b", overlapDays: 0 } };
    expect(partnerApiKey.diff(outputs, news)).toEqual({ changes: true, replaces: ["rotationDue"] });
    expect(methods(service)).toEqual(["POST"]);
  });

  // Nothing validates what is only read from the state.
  it("is unchanged and deleted although its inputs in the state lack overlapDays", async () => {
    const service = await sandboxFor();
    const old = { account: "default", rotation: { trigger: "a" } };
    const { outputs } = await keysOf(service).create(old);
    const keys = keysOf(service);
    const { inputs, problems } = await keys.check(old, { rotation: { trigger: "a", overlapDays: 0 } });
    expect([problems, keys.diff(outputs, inputs).changes]).toEqual([[], false]);
    await keysOf(service).delete((await keys.read(outputs))?.outputs ?? {});
    expect(service.apiKeys).toEqual([]);
  });

  it("is refused in the preview if arguments are invalid", async () => {
    const { problems } = await keysOf(await sandboxFor()).check({}, { rotation: "a", SECRET: 1 });
    expect(problems).toEqual([
      { kind: "unknownArgument", of: "PartnerApiKey", name: '"SECRET"', known: ["rotation"] },
      { kind: "invalidArgument", argument: "rotation" },
    ]);
  });
});

describe("a response in which the key is not found", () => {
  it("names the encoding that could not be decoded, also in the next run", async () => {
    const service = await sandboxFor();
    const body = Buffer.from([0xff, 0xfe, 0x00, 0x01]);
    service.inject({ kind: "status", status: 201, body, headers: { "content-encoding": "dcb" } });
    const { id, properties, reason } = await partialFailureOf(create(keysOf(service)));
    expect(reason).toMatchObject({ problem: { kind: "keyNotFound", undecoded: "dcb" } });
    const next = keysOf(service).update(id, properties, { account: "default" });
    expect((await partialFailureOf(next)).reason).toMatchObject({ problem: { undecoded: "dcb" } });
  });

  it("speaks of the pointer if the header of an encoding is wrong", async () => {
    const service = await sandboxFor();
    const headers = { "content-encoding": "gzip" };
    service.inject({ kind: "status", status: 201, body: `{"val":"9f8Zx81kQ2mN4bV7"}`, headers });
    const { reason } = await partialFailureOf(create(keysOf(service)));
    expect(reason).toMatchObject({ problem: { undecoded: null, reading: { candidates: ["/val"] } } });
  });

  it.each<[string, Shape, Fault[], object]>([
    ["has two candidates", AMBIGUOUS, [], { complete: true, reading: { reason: "several" } }],
    ["is JSON that was cut off", SHAPES.flat, [{ kind: "truncate", bytes: 24 }], CUT_OFF],
    ["is plain text that was cut off", PLAIN_TEXT, [{ kind: "truncate", bytes: 24 }], CUT_OFF],
  ])("is kept if it %s", async (_what, shape, faults, facts) => {
    const service = await sandboxFor({ shape, faults });
    const failure = await partialFailureOf(create(keysOf(service)));
    const problem = { kind: "keyNotFound", rotates: false, ...facts };
    expect(failure.reason).toMatchObject({ problem });
    expect(failure.properties).toMatchObject({ apiKey: null, fingerprint: null, server: service.url });
    const { body } = failure.properties["response"] as { body: string };
    expect(body).toContain(service.apiKeys[0]?.slice(0, 10));
    const next = keysOf(service);
    const news = { account: "default" };
    expect(next.diff(failure.properties, news).changes).toBe(true);
    const update = await partialFailureOf(next.update(failure.id, failure.properties, news));
    expect(update.properties).toEqual(failure.properties);
    const deletion = next.delete(failure.properties);
    expect(await failureOf(deletion)).toMatchObject({ problem: { kind: "keyNotFound" } });
    expect(methods(service)).toEqual(["POST"]);
  });

  const html = "<!doctype html><html><body>Sign in</body></html>";
  const withErrors = `{"credential":{"id":7,"val":"9f8Zx81kQ2mN4bV7"},"errors":["quota: 1 key left"]}`;
  const refusal = `{"success":false,"error":{"code":"quota_1234567"},"requestId":"1f0c7d8e9a2b"}`;
  it.each<[what: string, status: number, body: string, candidates: string[] | "none" | "lost"]>([
    ["a 201 with errors and something under another name", 201, withErrors, ["/credential/val"]],
    ["a 200 with errors and something under another name", 200, withErrors, ["/credential/val"]],
    ["a 201 that reports a failure", 201, refusal, "none"],
    ["a 200 that reports a failure", 200, refusal, "none"],
    [
      "a 200 with false success and nothing else",
      200,
      `{"success":false,"at":"2026-11-22T10:20:30Z"}`,
      "none",
    ],
    ["a 200 with the page of a login proxy", 200, html, "lost"],
    ["a 201 with a page", 201, html, []],
    ["a 201 without a body", 201, "", []],
    ["a 200 without a body", 200, "", []],
    ["a 204", 204, "", []],
    ["a 201 whose key is Pulumi's placeholder", 201, `{"apiKey":"${UNKNOWN}"}`, []],
    ["a 201 that is another placeholder", 201, "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", []],
  ])(
    "is kept if there may be a key in it, and costs one POST: %s",
    async (_what, status, body, candidates) => {
      const service = await sandboxFor();
      service.inject({ kind: "status", status, body, effect: true });
      const error = await failureOf(create(keysOf(service)));
      if (candidates === "none") {
        expect(error).toMatchObject({ code: "PARTNERS_UNREADABLE", failure: { effect: "none" } });
        return;
      }
      const { id, properties, reason } = error as PartialFailure;
      if (candidates === "lost") {
        expect(reason).toMatchObject({ code: "PARTNERS_UNREADABLE", failure: { effect: "possible" } });
        expect(properties["lostCreationAt"]).not.toBeNull();
        return;
      }
      expect(reason).toMatchObject({ problem: { kind: "keyNotFound", reading: { candidates } } });
      expect(renderError(reason).includes("but the response is empty")).toBe(body === "");
      const kept = properties["response"] as KeyResponse;
      expect(responseText(kept)).toBe(body);
      expect(withoutSpecialValues(kept)).toEqual(kept);
      const next = keysOf(service);
      await partialFailureOf(next.update(id, properties, { account: "default" }));
      expect(methods(service)).toEqual(["POST"]);
    },
  );

  it.each<[status: number, body: string]>([
    [202, `{"object":"operation","id":"op_qxgIKwUh","status":"pending"}`],
    [201, `{"id":"key_mGUyZNh0r2x","key":"sk_live_****abcd","url":"https://a.example/keys/key_mGUyZNh0r2x"}`],
  ])("never tells anyone to set the key to an ID: %i %s", async (status, body) => {
    const service = await sandboxFor();
    service.inject({ kind: "status", status, body, effect: true });
    const { id, properties, reason } = (await failureOf(create(keysOf(service)))) as PartialFailure;
    const next = keysOf(service).update(id, properties, { account: "default" });
    for (const error of [reason, (await partialFailureOf(next)).reason]) {
      const text = renderError(error);
      expect(text).toContain("The response may have no key. Look in it: run");
      expect(text).not.toMatch(/ to (?:one of )?\/(?:id|url|object|status)/);
      expect(text).toMatch(/If the response has no key, delete the key .* with PARTNERS_GONE_KEYS=/);
    }
  });

  it.each(['{"apiKey":"pk_live_4eC39HqLyjWD"}', '{"data":{"message":"Sent by mail"}}'])(
    "is parsed once, as is one in which it is: %s",
    async (body) => {
      const service = await sandboxFor();
      service.inject({ kind: "status", status: 201, body });
      using parse = vi.spyOn(JSON, "parse");
      await create(keysOf(service)).catch(() => undefined);
      expect(parse.mock.calls.filter(([text]) => text === body)).toHaveLength(1);
    },
  );

  it("is refused with the reason if it is nothing but the access token", async () => {
    const service = await sandboxFor();
    service.inject({ kind: "status", status: 201, body: service.accessToken });
    const { reason } = await partialFailureOf(create(keysOf(service)));
    expect(reason).toMatchObject({ problem: { reading: { misfit: { kind: "accessToken" } } } });
  });

  it("gives the key without a request once the mapping is set, and the key can be deleted", async () => {
    const service = await sandboxFor({ shape: AMBIGUOUS });
    const { id, properties } = await partialFailureOf(create(keysOf(service)));
    const fixed = keysOf(service, mapping({ apiKey: "/token" }));
    const news = await checked(fixed, {}, properties);
    const outputs = await fixed.update(id, properties, news);
    expect(outputs).toMatchObject({ apiKey: service.apiKeys[0], response: properties["response"] });
    expect(methods(service)).toEqual(["POST"]);
    await fixed.delete(properties, { id, urn: "" });
    expect(service.apiKeys).toEqual([]);
  });
});

it("a key is found in a response that was cut off after its JSON", async () => {
  const shape = respondingWith(({ key }) => Buffer.from(`{"apiKey":"${key}"}${" ".repeat(9)}`));
  const bytes = `{"apiKey":"pk_live_"}`.length + 32;
  const { service, outputs } = await createdKey({ shape, faults: [{ kind: "truncate", bytes }] });
  expect(outputs).toMatchObject({ apiKey: service.apiKeys[0], response: { complete: false } });
});

it("a corrected pointer corrects the current and the previous key without a request", async () => {
  const wrong = mapping({ apiKey: "/apiKey" });
  const { service, id, outputs } = await createdKey({ shape: MISLEADING }, wrong);
  const news = { account: "default", rotation: { trigger: "a", overlapDays: 7 } };
  const rotated = await keysOf(service, wrong).update(id, outputs, news);
  service.clearRequests();
  const fixed = keysOf(service, mapping({ apiKey: "/next/key" }));
  expect(fixed.diff(rotated, news)).toEqual({ changes: true, replaces: [] });
  const corrected = await fixed.update(id, rotated, news);
  expect([corrected["previousApiKey"], corrected["apiKey"]]).toEqual(service.apiKeys);
  expect(corrected["fingerprint"]).toBe(fingerprint(service.apiKeys[1] ?? ""));
  expect(fixed.diff(corrected, news).changes).toBe(false);
  expect(service.requests).toEqual([]);
});

describe("a deletion", () => {
  const gone: Fault = { kind: "status", status: 404, operation: "deleteApiKey", times: Infinity };

  it("uses the ID in the stored response if responses.apiKeyId is set", async () => {
    const shape = respondingWith(({ key, id }) => ({ apiKey: { id, key } }), "id");
    const { service, outputs } = await createdKey({ shape });
    const byId = mapping({ apiKeyId: "/apiKey/id" });
    await keysOf(service, byId).delete(outputs);
    expect(service.apiKeys).toEqual([]);
    const { partnerApiKey, notices } = startRun(service, byId);
    await partnerApiKey.delete(outputs); // The key is already gone.
    expect(notices).toMatchObject([{ kind: "keyWasGone", why: "gone" }]);
  });

  it("by ID fails without the ID and the key in the error", async () => {
    const apiKey = "onlyLettersInThisKey";
    const shape = respondingWith(({ id }) => ({ apiKey, id }), "id");
    const { service, outputs } = await createdKey({ shape });
    const [id = ""] = /(?<="id":")[^"]+/.exec(JSON.stringify(outputs["response"]).replaceAll("\\", "")) ?? [];
    const body = JSON.stringify({ message: `no ${id} for ${apiKey} (${btoa(apiKey)})` });
    service.inject({ kind: "status", status: 400, body, headers: { "x-request-id": apiKey } });
    const failure = await failureOf(keysOf(service, mapping({ apiKeyId: "/id" })).delete(outputs));
    const facts = { serverMessage: "no *** for *** (***)", requestId: null };
    expect(failure).toMatchObject({ failure: facts });
  });

  const reset: Fault = { kind: "reset", operation: "deleteApiKey", effect: true };
  it.each<[what: string, fault: Fault, why: string, requests: string[]]>([
    ["the first attempt returns a 404", gone, "gone", ["DELETE", "GET"]],
    ["a retry returns a 404", reset, "repeated", ["DELETE", "DELETE", "GET"]],
    ["it returns a 410", { ...gone, status: 410 }, "gone", ["DELETE"]],
  ])("succeeds with a warning if %s", async (_what, fault, why, requests) => {
    const { service, outputs } = await createdKey();
    service.inject(fault);
    const { partnerApiKey, notices } = startRun(service);
    await partnerApiKey.delete(outputs);
    const name = { fingerprint: outputs["fingerprint"], createdAt: outputs["createdAt"] };
    expect(notices).toEqual([{ kind: "keyWasGone", name, why }]);
    expect(methods(service)).toEqual(requests);
  });

  it("fails if it returns a 404 and the webhook list cannot be read", async () => {
    const { service, outputs } = await createdKey();
    const operation = "listWebhooks";
    service.inject(gone, { ...gone, times: 1, operation }, { ...gone, status: 200, body: "<p>", operation });
    for (const code of ["PARTNERS_STATUS", "PARTNERS_UNREADABLE"]) {
      const error = await failureOf(keysOf(service).delete(outputs));
      const doubts = [{ kind: "noList", listError: { code } }];
      expect(error, code).toMatchObject({ problem: { kind: "deletionUnclear", doubts } });
    }
  });
});

describe("a rotation with overlap", () => {
  const news = (trigger: string) => ({ account: "default", rotation: { trigger, overlapDays: 7 } });

  /** Creates a key, and rotates it once. */
  async function rotatedKey() {
    const { service, id, outputs: first } = await createdKey();
    const outputs = await keysOf(service).update(id, first, news("a"));
    const keys = service.apiKeys;
    service.clearRequests();
    return { service, id, first, outputs, keys };
  }

  it("keeps the previous key and its response during the overlap, and deletes the key after it", async () => {
    const { service, id, first, outputs, keys } = await rotatedKey();
    expect(outputs).toMatchObject({
      apiKey: keys[1],
      rotatedAt: new Date(NOON).toISOString(),
      previousApiKey: keys[0],
      previousExpiresAt: new Date(NOON + 7 * DAY).toISOString(),
      internal: { trigger: "a", previous: { response: first["response"] }, unread: null },
    });
    expect(await keysOf(service).update(id, outputs, news("a"))).toEqual(outputs);
    const later = keysOf(service, {}, { currentTime: () => NOON + 7 * DAY });
    expect(later.diff(outputs, news("a"))).toEqual({ changes: true, replaces: [] });
    const expired = await later.update(id, outputs, news("a"));
    expect(expired).toMatchObject({ apiKey: keys[1], previousApiKey: null, previousExpiresAt: null });
    // The list shows the time of the service.
    expect([methods(service), service.apiKeys]).toEqual([["GET", "DELETE"], [keys[1]]]);
  });

  it("deletes the previous key of an earlier rotation first, so that there are never three keys", async () => {
    const { service, id, outputs, keys } = await rotatedKey();
    const { partnerApiKey, notices } = startRun(service);
    expect(partnerApiKey.diff(outputs, news("b"))).toEqual({ changes: true, replaces: [] });
    expect(notices).toMatchObject([
      { kind: "rotation", why: { kind: "trigger" }, validUntil: new Date(NOON + 7 * DAY).toISOString() },
      { kind: "previousKeyEnds", fingerprint: fingerprint(keys[0] ?? ""), early: true, replaced: false },
    ]);
    const next = await partnerApiKey.update(id, outputs, news("b"));
    expect(methods(service)).toEqual(["DELETE", "POST"]);
    expect([next["previousApiKey"], next["apiKey"]]).toEqual([keys[1], service.apiKeys[1]]);
    await partnerApiKey.delete(next, { id, urn: "" });
    expect(service.apiKeys).toEqual([]);
  });

  it.each(["a", "b"])(
    "no longer calls the previous key valid if its early deletion may have happened, with trigger %s",
    async (trigger) => {
      const { service, id, outputs, keys } = await rotatedKey();
      const early = { account: "default", rotation: { trigger, overlapDays: trigger === "a" ? 0 : 7 } };
      service.inject({ kind: "status", status: 500, effect: true, operation: "deleteApiKey" });
      const failure = await partialFailureOf(keysOf(service).update(id, outputs, early));
      expect(failure.reason).toMatchObject({ status: 500 });
      expect(failure.properties).toMatchObject({
        apiKey: keys[1],
        previousApiKey: keys[0],
        previousExpiresAt: new Date(NOON).toISOString(),
      });
      const reverted = keysOf(service);
      expect(reverted.diff(failure.properties, news("a")).changes).toBe(true);
      const next = await reverted.update(id, failure.properties, news("a"));
      expect(next).toMatchObject({ apiKey: keys[1], previousApiKey: null, previousExpiresAt: null });
      expect(service.apiKeys).toEqual([keys[1]]);
    },
  );

  it("is due at a time among the outputs, which follows afterDays without a request", async () => {
    const { service, id, outputs } = await createdKey();
    const keys = keysOf(service);
    const due = new Date(Date.parse(String(outputs["createdAt"])) + 90 * DAY).toISOString().slice(0, 10);
    const byAge = { account: "default", rotation: { afterDays: 90, overlapDays: 7 } };
    expect(keys.diff(outputs, byAge), "set").toEqual({ changes: true, replaces: [] });
    const planned = { ...outputs, rotationDueAt: `${due}T00:00:00.000Z` };
    expect(keys.preview(outputs, byAge), "preview").toEqual(planned);
    expect(await keys.update(id, outputs, byAge), "update").toEqual(planned);
    expect(keys.diff(planned, byAge).changes, "unchanged").toBe(false);
    expect(keys.diff(planned, { account: "default" }).changes, "removed").toBe(true);
    expect(service.requests).toEqual([]);
  });

  it("by age remembers a trigger that was removed, so that setting it again does not rotate", async () => {
    const { service, id, outputs } = await rotatedKey();
    const byAge = { account: "default", rotation: { afterDays: 30, overlapDays: 7 } };
    const later = keysOf(service, {}, { currentTime: () => NOON + 30 * DAY });
    const next = await later.update(id, outputs, byAge);
    expect(methods(service), "by age").toEqual(["GET", "DELETE", "POST"]);
    const again = await later.update(id, next, news("a"));
    expect(again, "trigger set again").toEqual({ ...next, rotationDueAt: null });
    expect(methods(service), "trigger set again").toEqual(["GET", "DELETE", "POST"]);
  });

  it("drops the previous key from the state, and says so, if the creation after its deletion fails", async () => {
    const { service, id, outputs, keys } = await rotatedKey();
    service.inject({ kind: "status", status: 403, operation: "createApiKey" });
    const failure = await partialFailureOf(keysOf(service).update(id, outputs, news("b")));
    const problem = { kind: "partlyDone", next: { status: 403 } };
    expect(failure.reason).toMatchObject({ problem });
    const left = { apiKey: keys[1], previousApiKey: null, internal: { trigger: "a" } };
    expect(failure.properties).toMatchObject(left);
    expect(keysOf(service).diff(failure.properties, news("b")).changes).toBe(true);
  });

  it("keeps the key in use if the new one is not found in its response, and continues from that response", async () => {
    const token = mapping({ apiKey: "/token" });
    const { service, id, outputs } = await createdKey({ shape: AMBIGUOUS }, token);
    const failure = await partialFailureOf(keysOf(service).update(id, outputs, news("a")));
    expect(failure.reason).toMatchObject({ problem: { kind: "keyNotFound", rotates: true } });
    const [first, second] = service.apiKeys;
    const kept = { apiKey: first, previousApiKey: null };
    expect(failure.properties, "rotation").toMatchObject(kept);
    const deletion = await failureOf(keysOf(service).delete(failure.properties));
    expect(deletion, "deletion without the mapping").toMatchObject({ problem: { kind: "keyNotFound" } });
    service.clearRequests();
    const next = await keysOf(service, token).update(id, failure.properties, news("a"));
    expect(next, "update with the mapping").toMatchObject({ apiKey: second, previousApiKey: first });
    expect(service.requests, "update with the mapping").toEqual([]);
    await keysOf(service, token).delete(failure.properties);
    expect(service.apiKeys, "deletion with the mapping").toEqual([]);
  });
});

it("a deletion deletes no key if a new one is not found, not even a previous one", async () => {
  const token = mapping({ apiKey: "/token" });
  const { service, id, outputs } = await createdKey({ shape: AMBIGUOUS }, token);
  const news = (trigger: string) => ({ account: "default", rotation: { trigger, overlapDays: 7 } });
  const rotated = await keysOf(service, token).update(id, outputs, news("a"));
  const { properties } = await partialFailureOf(keysOf(service).update(id, rotated, news("b")));
  // A run that stopped in between has left the previous key in the state.
  const { previousApiKey, previousExpiresAt } = rotated;
  const unread = { ...properties, previousApiKey, previousExpiresAt };
  service.clearRequests();
  expect(await failureOf(keysOf(service).delete(unread))).toMatchObject({ problem: { kind: "keyNotFound" } });
  expect(service.requests).toEqual([]);
});

describe("a call that the engine repeats, because a retry hook asks for it", () => {
  const URN = "urn:pulumi:dev::test::partners:index:PartnerApiKey::checkout";
  const rotation = (trigger: string) => ({ account: "default", rotation: { trigger, overlapDays: 7 } });

  /** Calls a handler three times, as the engine does, and returns the errors. */
  async function threeTimes(call: () => Promise<unknown>): Promise<unknown[]> {
    return [await failureOf(call()), await failureOf(call()), await failureOf(call())];
  }

  const lost: Fault = { kind: "reset", operation: "createApiKey", effect: true };
  const refused: Fault = { kind: "status", status: 403, operation: "createApiKey" };
  it.each<[what: string, fault: Fault | null, posts: number]>([
    ["its response was lost", lost, 1],
    ["the server failed", { ...refused, status: 500 }, 1],
    ["the server timed out", { ...refused, status: 408 }, 1],
    ["the response was a web page", { ...refused, status: 200, body: "<!doctype html>" }, 1],
    ["its key was not found", null, 1],
    ["it was refused", { ...refused, times: 3 }, 3],
  ])("creates a key only once if %s", async (_what, fault, posts) => {
    const service = await sandboxFor({ shape: AMBIGUOUS, faults: fault ? [fault] : [] });
    const keys = keysOf(service);
    const errors = await threeTimes(() => keys.create({ account: "default" }, URN));
    expect(methods(service)).toEqual(Array<string>(posts).fill("POST"));
    if (posts === 1) expect(errors).toEqual([errors[0], errors[0], errors[0]]);
    const others = keys.create({ account: "default" }, `${URN}2`);
    await failureOf(others); // Another resource is not a repetition.
    expect(service.requests).toHaveLength(posts + 1);
  });

  it.each<[what: string, fault: Fault | null]>([
    ["its response was lost", lost],
    ["its key was not found", null],
  ])("rotates a key only once if %s, and deletes the previous key only once", async (_what, fault) => {
    const token = mapping({ apiKey: "/token" });
    const { service, id, outputs } = await createdKey({ shape: AMBIGUOUS }, token);
    const rotated = await keysOf(service, token).update(id, outputs, rotation("a"));
    service.clearRequests();
    if (fault) service.inject(fault);
    const run = startRun(service, fault ? token : {});
    const [first, ...more] = await threeTimes(() =>
      run.partnerApiKey.update(id, rotated, rotation("b"), URN),
    );
    expect(more).toEqual([first, first]);
    expect((first as PartialFailure).properties).toMatchObject({ previousApiKey: null });
    expect(methods(service)).toEqual(["DELETE", "POST"]);
    expect(run.notices).toEqual([]);
  });

  it("rotates a key after a refusal, and deletes the previous key only once", async () => {
    const { service, id, outputs } = await createdKey();
    const rotated = await keysOf(service).update(id, outputs, rotation("a"));
    service.clearRequests();
    service.inject({ ...refused, times: 2 });
    const { partnerApiKey, notices } = startRun(service);
    const update = () => partnerApiKey.update(id, rotated, rotation("b"), URN);
    for (const call of ["first refusal", "second refusal"]) {
      const { properties, reason } = await partialFailureOf(update());
      expect(properties, call).toMatchObject({ previousApiKey: null });
      // The last call must say what the first one has done.
      expect(reason, call).toMatchObject({ problem: { kind: "partlyDone", next: { status: 403 } } });
    }
    const { apiKey, previousApiKey } = await update();
    expect([previousApiKey, apiKey], "third call").toEqual(service.apiKeys);
    expect(methods(service)).toEqual(["DELETE", "POST", "POST", "POST"]);
    expect(notices).toEqual([]);
  });

  it("deletes a key after a deletion that may have had an effect", async () => {
    const { service, id, outputs } = await createdKey();
    service.clearRequests();
    service.inject({ kind: "status", status: 500, operation: "deleteApiKey", times: 20 });
    const { partnerApiKey: keys } = startRun(service);
    await failureOf(keys.delete(outputs, { id, urn: URN }));
    service.clearFaults();
    await keys.delete(outputs, { id, urn: URN });
    expect(service.apiKeys).toEqual([]);
  });

  it("deletes each of two keys only once", async () => {
    const { service, id, outputs } = await createdKey();
    const rotated = await keysOf(service).update(id, outputs, rotation("a"));
    service.clearRequests();
    service.inject({ ...refused, operation: "deleteApiKey", skip: 1 });
    const { partnerApiKey, notices } = startRun(service);
    await failureOf(partnerApiKey.delete(rotated));
    await partnerApiKey.delete(rotated);
    expect(methods(service)).toEqual(["DELETE", "DELETE", "DELETE"]);
    expect([service.apiKeys, notices]).toEqual([[], []]);
  });

  it("is not a replacement, which creates a key under the same URN after a successful creation", async () => {
    const service = await sandboxFor();
    const keys = keysOf(service);
    const { id, outputs: first } = await keys.create({ account: "default" }, URN);
    await keys.create({ account: "default" }, URN);
    await keys.delete(first, { id, urn: URN });
    await keys.create({ account: "default" }, URN);
    expect(service.apiKeys).toHaveLength(2);
  });

  it("is not one of another resource, even if no URN is known and the inputs are the same", async () => {
    const { service, id, outputs } = await createdKey();
    const other = await create(keysOf(service));
    const rotated = await keysOf(service).update(id, outputs, rotation("a"));
    const others = await keysOf(service).update(other.id, other.outputs, rotation("a"));
    const keys = keysOf(service);
    service.inject(refused);
    await partialFailureOf(keys.update(id, rotated, rotation("b"))); // Has deleted the previous key.
    const updated = await keys.update(other.id, others, rotation("b"));
    expect(updated["previousApiKey"]).toBe(others["apiKey"]);
  });

  it("creates no second key for a resource whose URN is not known", async () => {
    const service = await sandboxFor({ faults: [lost] });
    const keys = keysOf(service);
    await threeTimes(() => keys.create({ account: "default" }));
    expect(methods(service)).toEqual(["POST"]);
    await keys.create(rotation("a")); // Certainly another resource.
    expect(methods(service)).toEqual(["POST", "POST"]);
  });
});
