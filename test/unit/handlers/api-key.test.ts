import { describe, expect, it } from "vitest";

import type { ResourceHandlers } from "../../../provider/src/handlers/contract.js";
import { fingerprint } from "../../../provider/src/handlers/key-state.js";
import { RawBody, SHAPES, type Fault, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, mapping, methods, NOON, partialFailureOf, startRun } from "./support.ts";

const DAY = 86_400_000;

/** The handlers of a run of its own. */
function keysOf(...args: Parameters<typeof startRun>): ResourceHandlers {
  return startRun(...args).partnerApiKey;
}

/** A service that answers the creation of a key with this. */
function answering(apiKey: Shape["apiKey"], deleteBy: "key" | "id" = "key"): Shape {
  return { ...SHAPES.flat, apiKey, deleteBy };
}

/** Two strings that may be the key: nobody can tell without a setting. */
const AMBIGUOUS = answering(({ key, id }) => ({
  token: key,
  id,
  clientSecret: `cs_9f8e7d6c5b4a3f2e1d_${id}`,
}));
/** The same, where the wrong one looks like the key. */
const MISLEADING = answering(({ key, id }) => ({ apiKey: `pk_old_9f8e7d6c5b4a3f2e_${id}`, next: { key } }));

const PLAIN = answering(({ key }) => new RawBody(key));
const CUT_OFF = { complete: false, reading: { reason: "none" } };

describe("a new key", () => {
  it("has an opaque id, and outputs that hold the key and the whole response", async () => {
    const service = await sandboxFor();
    const { partnerApiKey } = startRun(service);
    const { id, outputs } = await create(partnerApiKey, { rotation: { trigger: "a" } });
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
      previousApiKey: null,
      previousExpiresAt: null,
      server: service.url,
      internal: { trigger: "a", previousResponse: null, unread: null },
    });
    expect(await partnerApiKey.read(outputs)).toEqual({ outputs });
    const news = { account: "default", rotation: { trigger: "b" } };
    expect(partnerApiKey.diff(outputs, news)).toEqual({ changes: true, replaces: ["rotationDue"] });
    expect(methods(service)).toEqual(["POST"]);
  });

  it("that was certainly not created is no resource", async () => {
    const service = await sandboxFor({ faults: [{ kind: "status", status: 403 }] });
    expect(await failureOf(create(keysOf(service)))).toMatchObject({ status: 403, effect: "none" });
  });

  it("is refused in a preview whose settings are wrong, and asks nobody", async () => {
    const service = await sandboxFor();
    const { partnerApiKey } = startRun(service, { requestTimeout: "0.5", maxConnections: "none" });
    const { problems } = await partnerApiKey.check({}, { rotation: { afterDays: 1 }, SECRET: 1 });
    expect(problems).toEqual([
      "PartnerApiKey has an unknown argument. Valid arguments: rotation.",
      expect.stringContaining("overlapDays"),
      expect.objectContaining({ code: "PARTNERS_CONFIGURATION" }),
    ]);
    expect(service.requests).toEqual([]);
  });
});

describe("a response in which the key is not found", () => {
  it.each<[string, Shape, Fault[], object]>([
    ["as two strings may be it", AMBIGUOUS, [], { complete: true, reading: { reason: "several" } }],
    ["as it is cut off", SHAPES.flat, [{ kind: "resetMidBody" }], CUT_OFF],
    ["as half a key in plain text is none", PLAIN, [{ kind: "truncate", bytes: 24 }], CUT_OFF],
  ])("is kept, %s", async (_why, shape, faults, facts) => {
    const service = await sandboxFor({ shape, faults });
    const failure = await partialFailureOf(create(keysOf(service)));
    const problem = { kind: "keyNotFound", rotates: false, ...facts };
    expect(failure.reason).toMatchObject({ problem });
    expect(failure.properties).toMatchObject({ apiKey: null, fingerprint: null, server: service.url });
    const { body } = failure.properties["response"] as { body: string };
    expect(body).toContain(service.apiKeys[0]?.slice(0, 10));
    const again = startRun(service);
    expect(again.partnerApiKey.diff(failure.properties, { account: "default" }).changes).toBe(true);
    const deletion = again.partnerApiKey.delete(failure.properties);
    expect(await failureOf(deletion)).toMatchObject({ problem: { kind: "keyNotFound" } });
    expect(methods(service)).toEqual(["POST"]);
  });

  it("gives the key, without a request, once the mapping is set; then it can be deleted", async () => {
    const service = await sandboxFor({ shape: AMBIGUOUS });
    const { id, properties } = await partialFailureOf(create(keysOf(service)));
    const fixed = startRun(service, mapping({ apiKey: "/token" }));
    const news = await checked(fixed.partnerApiKey, {}, properties);
    const outputs = await fixed.partnerApiKey.update(id, properties, news);
    expect(outputs).toMatchObject({ apiKey: service.apiKeys[0], response: properties["response"] });
    expect(methods(service)).toEqual(["POST"]);
    await fixed.partnerApiKey.delete(properties);
    expect(service.apiKeys).toEqual([]);
  });

  it("gives the right key, without a request, when a wrong pointer is corrected, and the right previous one", async () => {
    const service = await sandboxFor({ shape: MISLEADING });
    const wrong = mapping({ apiKey: "/apiKey" });
    const { id, outputs } = await create(keysOf(service, wrong));
    const rotation = { trigger: "a", overlapDays: 7 };
    const news = { account: "default", rotation };
    const rotated = await keysOf(service, wrong).update(id, outputs, news);
    service.clearRequests();
    const fixed = startRun(service, mapping({ apiKey: "/next/key" }));
    expect(fixed.partnerApiKey.diff(rotated, news)).toEqual({ changes: true, replaces: [] });
    const corrected = await fixed.partnerApiKey.update(id, rotated, news);
    expect([corrected["previousApiKey"], corrected["apiKey"]]).toEqual(service.apiKeys);
    expect(corrected["fingerprint"]).toBe(fingerprint(service.apiKeys[1] ?? ""));
    expect(fixed.partnerApiKey.diff(corrected, news).changes).toBe(false);
    expect(service.requests).toEqual([]);
  });

  it("stays as it is, with a notice, if a pointer finds nothing", async () => {
    const service = await sandboxFor();
    const { id, outputs } = await create(keysOf(service));
    const { partnerApiKey, notices } = startRun(service, mapping({ apiKey: "/nothing" }));
    expect(partnerApiKey.diff(outputs, { account: "default" }).changes).toBe(false);
    expect(notices).toEqual([{ kind: "pointerFindsNothing", fingerprint: outputs["fingerprint"] }]);
    expect(await partnerApiKey.update(id, outputs, { account: "default" })).toEqual(outputs);
    await partnerApiKey.delete(outputs);
    expect(service.apiKeys).toEqual([]);
  });
});

describe("a deletion", () => {
  const gone: Fault = { kind: "status", status: 404, operation: "deleteApiKey", times: Infinity };

  it("names the key by its id from the kept response where a setting says so", async () => {
    const shape = answering(({ key, id }) => ({ apiKey: { id, key } }), "id");
    const service = await sandboxFor({ shape });
    const { outputs } = await create(keysOf(service));
    const byId = startRun(service, mapping({ apiKeyId: "/apiKey/id" }));
    await byId.partnerApiKey.delete(outputs);
    expect(service.apiKeys).toEqual([]);
    await byId.partnerApiKey.delete(outputs); // It is gone already.
    expect(byId.notices).toMatchObject([{ kind: "keyWasGone", byId: true }]);
  });

  it.each<[string, Fault, boolean]>([
    ["at the first attempt", gone, true],
    ["after a response that was lost", { kind: "reset", operation: "deleteApiKey", effect: true }, false],
  ])("answered 404 %s is done if the list can be read, and a notice says so", async (_when, fault, first) => {
    const service = await sandboxFor();
    const { outputs } = await create(keysOf(service));
    service.inject(fault);
    const { partnerApiKey, notices } = startRun(service);
    await partnerApiKey.delete(outputs);
    const { fingerprint: print } = outputs;
    expect(notices).toEqual([{ kind: "keyWasGone", fingerprint: print, first, byId: false }]);
    expect(methods(service).at(-1)).toBe("GET");
  });

  it("answered 410 is done, without a notice or another request", async () => {
    const service = await sandboxFor();
    const { outputs } = await create(keysOf(service));
    service.inject({ ...gone, status: 410 });
    const { partnerApiKey, notices } = startRun(service);
    await partnerApiKey.delete(outputs);
    expect([methods(service), notices]).toEqual([["POST", "DELETE"], []]);
  });

  it("answered 404 fails if the list cannot be read, for whatever reason", async () => {
    const service = await sandboxFor();
    const { outputs } = await create(keysOf(service));
    const operation = "listWebhooks";
    service.inject(gone, { kind: "status", status: 404, operation }, { kind: "html", operation });
    for (const code of ["PARTNERS_STATUS", "PARTNERS_UNREADABLE"]) {
      const error = await failureOf(keysOf(service).delete(outputs));
      expect(error).toMatchObject({ problem: { kind: "deletionUnclear", listError: { code } } });
    }
  });

  it.each([401, 403, 500])("answered %d fails, and the key stays in state", async (status) => {
    const service = await sandboxFor();
    const { outputs } = await create(keysOf(service));
    service.inject({ ...gone, status });
    expect(await failureOf(keysOf(service).delete(outputs))).toMatchObject({ status });
  });
});

describe("a rotation with overlap", () => {
  const news = (trigger: string) => ({ account: "default", rotation: { trigger, overlapDays: 7 } });

  /** A key that has been rotated once. */
  async function rotatedKey() {
    const service = await sandboxFor();
    const { id, outputs: first } = await create(keysOf(service));
    const outputs = await keysOf(service).update(id, first, news("a"));
    const keys = service.apiKeys;
    service.clearRequests();
    return { service, id, first, outputs, keys };
  }

  it("keeps the previous key for that long, with its response, and deletes it then", async () => {
    const { service, id, first, outputs, keys } = await rotatedKey();
    expect(outputs).toMatchObject({
      apiKey: keys[1],
      rotatedAt: new Date(NOON).toISOString(),
      previousApiKey: keys[0],
      previousExpiresAt: new Date(NOON + 7 * DAY).toISOString(),
      internal: { trigger: "a", previousResponse: first["response"], unread: null },
    });
    expect(await keysOf(service).update(id, outputs, news("a"))).toEqual(outputs);
    const later = startRun(service, {}, { currentTime: () => NOON + 7 * DAY });
    expect(later.partnerApiKey.diff(outputs, news("a"))).toEqual({ changes: true, replaces: [] });
    const expired = await later.partnerApiKey.update(id, outputs, news("a"));
    expect(expired).toMatchObject({ apiKey: keys[1], previousApiKey: null, previousExpiresAt: null });
    expect([methods(service), service.apiKeys]).toEqual([["DELETE"], [keys[1]]]);
  });

  it("within another one deletes the older key first, so that there are never more than two", async () => {
    const { service, id, outputs, keys } = await rotatedKey();
    const { partnerApiKey, notices } = startRun(service);
    expect(partnerApiKey.diff(outputs, news("b"))).toEqual({ changes: true, replaces: [] });
    expect(notices).toMatchObject([
      { kind: "rotation", why: { kind: "trigger" }, validUntil: "2026-06-22T12:00Z" },
      { kind: "previousKeyEnds", fingerprint: fingerprint(keys[0] ?? "") },
    ]);
    const next = await partnerApiKey.update(id, outputs, news("b"));
    expect(methods(service)).toEqual(["DELETE", "POST"]);
    expect([next["previousApiKey"], next["apiKey"]]).toEqual([keys[1], service.apiKeys[1]]);
    await partnerApiKey.delete(next);
    expect(service.apiKeys).toEqual([]);
  });

  it("that fails after the older key is deleted forgets that one, and says so", async () => {
    const { service, id, outputs, keys } = await rotatedKey();
    service.inject({ kind: "status", status: 403, operation: "createApiKey" });
    const failure = await partialFailureOf(keysOf(service).update(id, outputs, news("b")));
    const problem = { kind: "partlyDone", next: { status: 403 } };
    expect(failure.reason).toMatchObject({ problem });
    const left = { apiKey: keys[1], previousApiKey: null, internal: { trigger: "a" } };
    expect(failure.properties).toMatchObject(left);
    expect(keysOf(service).diff(failure.properties, news("b")).changes).toBe(true);
  });

  it("whose response is not understood keeps the key in use and the response, and goes on from there", async () => {
    const service = await sandboxFor({ shape: AMBIGUOUS });
    const token = mapping({ apiKey: "/token" });
    const { id, outputs } = await create(keysOf(service, token));
    const failure = await partialFailureOf(keysOf(service).update(id, outputs, news("a")));
    expect(failure.reason).toMatchObject({ problem: { kind: "keyNotFound", rotates: true } });
    const [first, second] = service.apiKeys;
    expect(failure.properties).toMatchObject({ apiKey: first, previousApiKey: null });
    const deletion = keysOf(service).delete(failure.properties);
    expect(await failureOf(deletion)).toMatchObject({ problem: { kind: "keyNotFound" } });
    service.clearRequests();
    const next = await keysOf(service, token).update(id, failure.properties, news("a"));
    expect(next).toMatchObject({ apiKey: second, previousApiKey: first });
    expect(service.requests).toEqual([]);
    await keysOf(service, token).delete(failure.properties);
    expect(service.apiKeys).toEqual([]);
  });

  it("is refused by a service that allows one key, and changes nothing", async () => {
    const service = await sandboxFor({ oneKeyAtATime: true });
    const { id, outputs } = await create(keysOf(service));
    const rotation = keysOf(service).update(id, outputs, news("a"));
    expect(await failureOf(rotation)).toMatchObject({ status: 409 });
    expect(service.apiKeys).toHaveLength(1);
  });

  it("is followed by a deletion of both keys, which says so if only one of them is deleted", async () => {
    const { service, outputs, keys } = await rotatedKey();
    service.inject({ kind: "status", status: 403, skip: 1 });
    const problem = { kind: "partlyDone", next: { status: 403 } };
    expect(await failureOf(keysOf(service).delete(outputs))).toMatchObject({ problem });
    expect(service.apiKeys).toEqual([keys[1]]);
    await keysOf(service).delete(outputs);
    expect(service.apiKeys).toEqual([]);
  });
});
