import { describe, expect, it } from "vitest";

import { json } from "../../../provider/dist/sandbox/partner-account.js";
import type { OperationCall } from "../../../provider/dist/sandbox/sandbox.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import type { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import { SHAPES, type Fault, type SandboxOptions, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { mapping, methods, NOON, sharedJournals, startRun } from "../shared/support.ts";

const DAY = 86_400_000;

/** Creates a key whose response has this body. */
async function createdKey(body: Shape["apiKey"], options: SandboxOptions = {}) {
  const service = await sandboxFor({ shape: { ...SHAPES.flat, apiKey: body }, ...options });
  const { id, outputs } = await startRun(service, mapping({ apiKey: "/apiKey" })).partnerApiKey.create({
    account: "default",
  });
  const name = { fingerprint: outputs["fingerprint"], createdAt: outputs["createdAt"] };
  service.clearRequests();
  return { service, resource: { id, urn: "" }, outputs, name };
}

const PLAIN: Shape["apiKey"] = ({ key }) => ({ apiKey: key });
const WITH_ID: Shape["apiKey"] = ({ key, id }) => ({ apiKey: key, id });

describe("a 404 to the deletion of a key", () => {
  const gone: Fault = { kind: "status", status: 404, operation: "deleteApiKey", times: Infinity };
  const young = (outputs: Properties) => ({
    currentTime: () => Date.parse(String(outputs["createdAt"])) + 60_000,
  });

  const withSecret: Shape["apiKey"] = ({ key }) => ({ apiKey: "pub_4eC39HqLyjWDarjtT1zdp7dc", secret: key });

  it.each<[what: string, Shape["apiKey"], object]>([
    ["the response shows an ID", WITH_ID, { kind: "byId", pointers: ["/id"] }],
    ["responses.apiKey chose one of two values", withSecret, { kind: "otherValue", pointers: ["/secret"] }],
  ])("proves nothing if %s", async (_what, body, doubt) => {
    const { service, outputs, resource, name } = await createdKey(body);
    service.inject(gone);
    const error = await failureOf(startRun(service).partnerApiKey.delete(outputs, resource));
    expect(error).toMatchObject({ problem: { kind: "deletionUnclear", name, doubts: [doubt] } });
  });

  it("proves nothing if responses.apiKeyId finds the ID of something else", async () => {
    const body: Shape["apiKey"] = ({ key, id }) => ({ apiKey: key, id, userId: "user_42" });
    const { service, outputs, resource, name } = await createdKey(body, { keys: "byId" });
    const { partnerApiKey: keys } = startRun(service, mapping({ apiKeyId: "/userId" }));
    const error = await failureOf(keys.delete(outputs, resource));
    const doubts = [{ kind: "byId", pointers: ["/id"] }];
    expect(error).toMatchObject({ problem: { kind: "deletionUnclear", name, doubts } });
    await startRun(service, mapping({ apiKeyId: "/id" })).partnerApiKey.delete(outputs, resource);
    expect(service.apiKeys).toEqual([]);
  });

  it("proves nothing if the response shows another ID than the one that responses.apiKeyId finds", async () => {
    const body: Shape["apiKey"] = ({ key, id }) => ({ apiKey: key, id, keyId: "AK177" });
    const { service, outputs, resource } = await createdKey(body, { keys: "byId" });
    const { partnerApiKey: keys } = startRun(service, mapping({ apiKeyId: "/keyId" }));
    const doubts = [{ kind: "byId", pointers: ["/id"], isOther: true }];
    expect(await failureOf(keys.delete(outputs, resource))).toMatchObject({ problem: { doubts } });
    await startRun(service, mapping({ apiKeyId: "/id" })).partnerApiKey.delete(outputs, resource);
    expect(service.apiKeys).toEqual([]);
  });

  it("proves nothing for a new key, even if an earlier attempt may have deleted it", async () => {
    const { service, outputs, resource } = await createdKey(PLAIN);
    service.inject({ kind: "status", status: 503, operation: "deleteApiKey", effect: false }, gone);
    const keys = startRun(service, {}, young(outputs)).partnerApiKey;
    const doubts = [{ kind: "new" }];
    expect(await failureOf(keys.delete(outputs, resource))).toMatchObject({ problem: { doubts } });
  });

  it("proves nothing if the key was created with another access token", async () => {
    const { service, outputs, resource } = await createdKey(PLAIN);
    service.inject(gone);
    service.rotateAccessToken();
    const error = await failureOf(startRun(service).partnerApiKey.delete(outputs, resource));
    expect(error).toMatchObject({ problem: { kind: "deletionUnclear", doubts: [{ kind: "otherToken" }] } });
  });

  it("is repeated for a key that is a minute old, and then proves nothing", async () => {
    const { service, outputs, resource } = await createdKey(PLAIN);
    service.inject({ ...gone, times: 2 });
    const late = startRun(service, {}, young(outputs)).partnerApiKey;
    await late.delete(outputs, resource);
    expect([methods(service), service.apiKeys]).toEqual([["DELETE", "DELETE", "DELETE"], []]);
    service.clearFaults();
    const never = startRun(service, {}, young(outputs)).partnerApiKey;
    const error = await failureOf(never.delete(outputs, resource));
    expect(error).toMatchObject({ problem: { kind: "deletionUnclear", doubts: [{ kind: "new" }] } });
  });

  it("counts as a deletion once the service has deleted another key by its value", async () => {
    const { service, outputs, resource, name } = await createdKey(WITH_ID);
    const { partnerApiKey: keys, notices } = startRun(service, mapping({ apiKey: "/apiKey" }));
    const other = await keys.create({ account: "default" });
    await keys.delete(other.outputs, { id: other.id, urn: "" });
    service.inject(gone);
    await keys.delete(outputs, resource);
    expect(notices).toEqual([{ kind: "keyWasGone", name, why: "gone" }]);
  });

  it("counts as a deletion if a person says that this key is gone", async () => {
    const { service, outputs, resource, name } = await createdKey(WITH_ID);
    service.inject(gone);
    const goneKeys = (...names: unknown[]) => ({ env: { PARTNERS_GONE_KEYS: names.join(", ") } });
    // Another key may have been created in the same millisecond.
    const byTime = startRun(service, {}, goneKeys(name.createdAt)).partnerApiKey;
    expect(await failureOf(byTime.delete(outputs, resource))).toMatchObject({ code: "PARTNERS_RESOURCE" });
    const names = goneKeys("2026-01-01T00:00:00.000Z", name.fingerprint);
    const { partnerApiKey: keys, notices } = startRun(service, {}, names);
    await keys.delete(outputs, resource);
    expect(notices).toEqual([{ kind: "keyWasGone", name, why: "declared" }]);
  });
});

describe("a service that refuses to delete a key that is gone", () => {
  const unknown = JSON.stringify({ success: false, error: "no such key" });
  it.each<[status: number, body?: string]>([[400], [403], [422], [500], [200, unknown]])(
    "with %s gets a remedy, and the person who follows it goes on",
    async (status, body) => {
      const { service, outputs, resource, name } = await createdKey(PLAIN);
      const refusal: Fault = { kind: "status", status, operation: "deleteApiKey", times: Infinity };
      service.inject(body === undefined ? refusal : { ...refusal, body });
      const error = await failureOf(startRun(service).partnerApiKey.delete(outputs, resource));
      const variable = `PARTNERS_GONE_KEYS=${String(name.fingerprint)}`;
      expect(renderError(error)).toContain(`If the key is gone, run "pulumi up" with ${variable}`);
      const env = { PARTNERS_GONE_KEYS: String(name.fingerprint) };
      const { partnerApiKey: keys, notices } = startRun(service, {}, { env });
      await keys.delete(outputs, resource);
      expect(notices).toEqual([{ kind: "keyWasGone", name, why: "declared" }]);
    },
  );

  it("with 401 gets no such remedy, because the key exists", async () => {
    const { service, outputs, resource, name } = await createdKey(PLAIN);
    service.rotateAccessToken();
    const env = { PARTNERS_GONE_KEYS: String(name.fingerprint) };
    const wrong = startRun({ url: service.url, accessToken: "wrong" }, {}, { env });
    const error = await failureOf(wrong.partnerApiKey.delete(outputs, resource));
    expect(renderError(error)).not.toContain("If the key is gone");
  });
});

describe("with responses.apiKeyId, a key", () => {
  const byId = mapping({ apiKey: "/apiKey", apiKeyId: "/id" });

  it("is deleted by a 64-bit ID, digit by digit", async () => {
    const { service, outputs, resource } = await createdKey(({ key }) =>
      Buffer.from(`{"apiKey":"${key}","id":9007199254740993}`),
    );
    await startRun(service, byId).partnerApiKey.delete(outputs, resource);
    expect(service.requests[0]?.path).toMatch(/\/api-key\/9007199254740993$/);
  });

  it("is not deleted by its value if its response shows no ID, until a person says that it is gone", async () => {
    const { service, outputs, resource, name } = await createdKey(PLAIN);
    const error = await failureOf(startRun(service, byId).partnerApiKey.delete(outputs, resource));
    expect(error).toMatchObject({ problem: { kind: "keyIdMissing", name } });
    const env = { PARTNERS_GONE_KEYS: String(name.fingerprint) };
    const { partnerApiKey: keys, notices } = startRun(service, byId, { env });
    await keys.delete(outputs, resource);
    expect(service.requests).toEqual([]);
    expect(notices).toEqual([{ kind: "keyWasGone", name, why: "declared" }]);
  });

  it("is deleted by its value, with a warning, if it was imported", async () => {
    const { service, outputs } = await createdKey(PLAIN);
    const env = { CHECKOUT_KEY: String(outputs["apiKey"]) };
    const { partnerApiKey: keys, notices } = startRun(service, byId, { env });
    const imported = await keys.adopt("env:CHECKOUT_KEY");
    await keys.delete(imported.outputs, { id: imported.id, urn: "urn" });
    expect(service.apiKeys).toEqual([]);
    expect(notices).toMatchObject([{ kind: "importedByValue" }]);
  });

  it("is not gone because a 404 says so of the value of an imported one", async () => {
    const { service, outputs } = await createdKey(WITH_ID, { keys: "byId" });
    const env = { CHECKOUT_KEY: String(outputs["apiKey"]) };
    const { partnerApiKey: keys } = startRun(service, mapping({ apiKeyId: "/id" }), { env });
    const imported = await keys.adopt("env:CHECKOUT_KEY");
    const resource = { id: imported.id, urn: "urn" };
    const error = await failureOf(keys.delete(imported.outputs, resource));
    expect(error).toMatchObject({ problem: { kind: "deletionUnclear", doubts: [{ kind: "idUnknown" }] } });
    expect(service.apiKeys).toEqual([outputs["apiKey"]]);
    const gone = { PARTNERS_GONE_KEYS: String(imported.outputs["fingerprint"]) };
    const next = startRun(service, mapping({ apiKeyId: "/id" }), { env: gone });
    await next.partnerApiKey.delete(imported.outputs, resource);
    expect(next.notices).toContainEqual(expect.objectContaining({ kind: "keyWasGone", why: "declared" }));
  });
});

describe("an imported key that is replaced", () => {
  const KEY = "pk_live_9b2d4f6a8c0e1b3d";
  const replaced = { account: "default", rotation: { trigger: "a" } };
  const urn = "urn:pulumi:dev::test::partners:index:PartnerApiKey::checkout";

  // The host of dynamic resources does not know the URN of a resource that is deleted.
  it.each(["", urn])(
    "is deleted before or after its replacement is created, with the URN %j",
    async (known) => {
      for (const isDeletedFirst of [true, false]) {
        const service = await sandboxFor({ apiKeys: [KEY] });
        const { partnerApiKey: keys, notices } = startRun(service, {}, { env: { OLD_KEY: KEY } });
        const { id, outputs } = await keys.adopt("env:OLD_KEY");
        expect(keys.diff(outputs, replaced, { id, urn }).replaces).toEqual(["rotationDue"]);
        if (isDeletedFirst) await keys.delete(outputs, { id, urn: known });
        const next = await keys.create(replaced, urn);
        if (!isDeletedFirst) await keys.delete(outputs, { id, urn: known });
        expect(service.apiKeys).toEqual([next.outputs["apiKey"]]);
        expect(notices.map(({ kind }) => kind)).toEqual(["rotation"]);
      }
    },
  );

  it("is deleted by the plugin while its stack moves back to dynamic resources", async () => {
    const service = await sandboxFor({ apiKeys: [KEY] });
    const journalOf = sharedJournals();
    const plugin = startRun(service, {}, { env: { OLD_KEY: KEY }, ...journalOf() });
    const { partnerApiKey: keys } = startRun(service, {}, journalOf());
    const { id, outputs } = await plugin.partnerApiKey.adopt("env:OLD_KEY");
    const moved = urn.replace("partners:index:", "pulumi-nodejs:dynamic/partners:");
    expect(keys.diff(outputs, replaced, { id, urn: moved }).replaces).toEqual(["rotationDue"]);
    const next = await keys.create(replaced, moved);
    await plugin.partnerApiKey.delete(outputs, { id, urn });
    expect([service.apiKeys, plugin.notices]).toEqual([[next.outputs["apiKey"]], []]);
  });

  it("is deleted when it moves to another account", async () => {
    const token = "token-of-the-other-account";
    const service = await sandboxFor({ apiKeys: [KEY], otherAccounts: [token] });
    const journalOf = sharedJournals();
    const env = { OLD_KEY: KEY };
    const old = startRun(service, {}, { env, ...journalOf() });
    const other = { url: service.url, accessToken: token };
    const next = startRun(other, { account: "other" }, journalOf());
    const { id, outputs } = await old.partnerApiKey.adopt("env:OLD_KEY");
    const news = { account: "other" };
    expect(next.partnerApiKey.diff(outputs, news, { id, urn }).replaces).toEqual(["account"]);
    await next.partnerApiKey.create(news, urn);
    await old.partnerApiKey.delete(outputs, { id, urn: "" });
    expect([service.apiKeys, old.notices]).toEqual([[], []]);
  });
});

describe("a key behind a gateway that tells tenants apart by a header", () => {
  const tenant = (name: string) => ({
    ...mapping({ apiKeyId: "/id" }),
    headers: JSON.stringify({ "X-Tenant": name }),
    account: name,
  });
  const SAME_ID: SandboxOptions = {
    shape: { ...SHAPES.flat, apiKey: ({ key }) => ({ apiKey: key, id: "first" }) },
  };

  it("is deleted although a key of another tenant has the same ID", async () => {
    const accept = ({ operation }: OperationCall) => (operation === "deleteApiKey" ? json(200, {}) : null);
    const service = await sandboxFor({ ...SAME_ID, refuse: accept });
    const journalOf = sharedJournals();
    const us = startRun(service, tenant("us"), journalOf());
    const eu = startRun(service, tenant("eu"), journalOf());
    await eu.partnerApiKey.create({ account: "eu" });
    const { id, outputs } = await us.partnerApiKey.create({ account: "us" });
    await us.partnerApiKey.delete(outputs, { id, urn: "" });
    expect([methods(service), us.notices]).toEqual([["POST", "POST", "DELETE"], []]);
  });

  it("is not taken for gone if the service does not find it under another tenant", async () => {
    const service = await sandboxFor();
    const us = { headers: '{"X-Tenant":"us"}' };
    const { id, outputs } = await startRun(service, us).partnerApiKey.create({ account: "default" });
    service.inject({ kind: "status", status: 404, operation: "deleteApiKey", times: Infinity });
    for (const [headers, doubts] of [
      ['{"X-Tenant":"eu"}', [{ kind: "otherToken" }]],
      ["", [{ kind: "otherToken" }]],
    ] as const) {
      const { partnerApiKey: keys } = startRun(service, { headers });
      const problem = { kind: "deletionUnclear", doubts };
      expect(await failureOf(keys.delete(outputs, { id, urn: "" }))).toMatchObject({ problem });
    }
    const same = startRun(service, { headers: '{"x-tenant":"us"}' });
    await same.partnerApiKey.delete(outputs, { id, urn: "" });
    expect(same.notices).toMatchObject([{ kind: "keyWasGone" }]);
  });

  it("is never the value of that header, which the response may repeat", async () => {
    const header = "hdr_0123456789abcdef";
    const shape: Shape = { ...SHAPES.flat, apiKey: () => ({ apiKey: header }) };
    const service = await sandboxFor({ shape });
    const { partnerApiKey: keys } = startRun(service, { headers: JSON.stringify({ "X-Key": header }) });
    const failure = await failureOf(keys.create({ account: "default" }));
    const misfit = { pointer: "/apiKey", kind: "header" };
    expect(failure).toMatchObject({ reason: { problem: { kind: "keyNotFound", reading: { misfit } } } });
    expect(renderError((failure as PartialFailure).reason)).not.toContain(header);
  });
});

describe("a key that a wrong pointer found", () => {
  const news = { account: "default" };
  const BOTH: Shape["apiKey"] = ({ key, id }) => ({ apiKey: key, keyId: `key_id_${id}` });

  it("is found again once the pointer is removed, and the other way round", async () => {
    const service = await sandboxFor({ shape: { ...SHAPES.flat, apiKey: BOTH } });
    const wrong = mapping({ apiKey: "/keyId" });
    const { id, outputs } = await startRun(service, wrong).partnerApiKey.create(news);
    expect(outputs["apiKey"]).toMatch(/^key_id_/);
    const { partnerApiKey: keys, notices } = startRun(service);
    expect(keys.diff(outputs, news).changes).toBe(true);
    expect(notices).toMatchObject([{ kind: "reread" }]);
    const right = await keys.update(id, outputs, news);
    expect(right["apiKey"]).toBe(service.apiKeys[0]);
    expect(keys.diff(right, news).changes, "unchanged").toBe(false);
    const again = await startRun(service, wrong).partnerApiKey.update(id, right, news);
    expect(again["apiKey"]).toBe(outputs["apiKey"]);
    await keys.delete(again, { id, urn: "" });
    expect(service.apiKeys, "deleted by what is right now").toEqual([]);
  });

  it("is not replaced by what a pointer for another shape finds, unless that looks like a key", async () => {
    const service = await sandboxFor({
      shape: { ...SHAPES.flat, apiKey: ({ key }) => ({ apiKey: key, value: "checkout" }) },
    });
    const { outputs } = await startRun(service).partnerApiKey.create(news);
    const { partnerApiKey: keys, notices } = startRun(service, mapping({ apiKey: "/value" }));
    expect(keys.diff(outputs, news).changes).toBe(false);
    expect(notices).toMatchObject([{ kind: "pointerFindsNothing" }]);
  });
});

describe("a clock that is hours off", () => {
  const rotation = { trigger: "a", overlapDays: 7 };
  const news = { account: "default", rotation };

  async function rotated() {
    const service = await sandboxFor();
    const first = await startRun(service).partnerApiKey.create({ account: "default" });
    const outputs = await startRun(service).partnerApiKey.update(first.id, first.outputs, news);
    service.clearRequests();
    return { service, id: first.id, outputs };
  }

  /** A machine whose clock is ahead of the service's by some days. */
  const ahead = (days: number) => ({
    currentTime: () => NOON + days * DAY,
    clock: {
      now: () => Date.now() + days * DAY,
      random: () => 0,
      sleep: () => Promise.resolve(),
    },
  });

  it("does not end an overlap early, and is named", async () => {
    const { service, id, outputs } = await rotated();
    const { partnerApiKey: keys, notices } = startRun(service, {}, ahead(8));
    expect(await keys.update(id, outputs, news)).toEqual(outputs);
    expect(methods(service)).toEqual(["GET"]);
    expect(notices).toContainEqual({ kind: "clockOff", hours: 192 });
  });

  it("is not the time that passes between two looks at it", async () => {
    let now = NOON;
    const { partnerApiKey: keys, notices } = startRun(await sandboxFor(), {}, { currentTime: () => now++ });
    await keys.create(news);
    expect(notices).toEqual([]);
  });

  it("does not make a new key so old that a 404 proves its deletion", async () => {
    const { clock } = ahead(3);
    const machine = { clock, currentTime: clock.now };
    const service = await sandboxFor();
    const { id, outputs } = await startRun(service, {}, machine).partnerApiKey.create(news);
    service.inject({ kind: "status", status: 404, operation: "deleteApiKey", times: Infinity });
    const keys = startRun(service, {}, machine).partnerApiKey;
    const error = await failureOf(keys.delete(outputs, { id, urn: "" }));
    expect(error).toMatchObject({ problem: { kind: "deletionUnclear", doubts: [{ kind: "new" }] } });
  });

  // One of the two clocks is wrong, and nobody knows which.
  it.each([3, -3])("does not shorten an overlap that starts while it is %s days ahead", async (days) => {
    const { service, id, outputs } = await rotated();
    const again = { ...news, rotation: { trigger: "b", overlapDays: 7 } };
    const next = await startRun(service, {}, ahead(days)).partnerApiKey.update(id, outputs, again);
    expect(Date.parse(String(next["rotatedAt"]))).toBe(NOON + days * DAY);
    const end = Date.parse(String(next["previousExpiresAt"]));
    expect(end).toBeGreaterThanOrEqual(NOON + (Math.max(days, 0) + 7) * DAY - 60_000);
  });

  it.each(["2926-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.000Z"])(
    "leaves the date %s in a state, which counts as an unknown age",
    async (rotatedAt) => {
      const { service, id, outputs } = await rotated();
      const byAge = { account: "default", rotation: { afterDays: 30, overlapDays: 7 } };
      const broken = { ...outputs, rotatedAt, createdAt: rotatedAt, previousApiKey: null };
      const { partnerApiKey: keys, notices } = startRun(service);
      expect(keys.diff(broken, byAge)).toEqual({ changes: true, replaces: [] });
      expect(notices).toMatchObject([{ kind: "rotation", why: { kind: "unknownAge" } }]);
      const next = await keys.update(id, broken, byAge);
      expect(next["apiKey"]).toBe(service.apiKeys.at(-1));
    },
  );

  it("does not cost the previous key its overlap because of a date in the future", async () => {
    const { service, outputs } = await rotated();
    const byAge = { account: "default", rotation: { afterDays: 30, overlapDays: 7 } };
    const broken = { ...outputs, rotatedAt: new Date(NOON + 3 * DAY).toISOString() };
    const { notices, partnerApiKey: keys } = startRun(service);
    keys.diff(broken, byAge);
    expect(notices).toEqual([]);
  });
});
