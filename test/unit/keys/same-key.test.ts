import { describe, expect, it } from "vitest";

import { json } from "../../../provider/dist/sandbox/partner-account.js";
import { fingerprint } from "../../../provider/src/keys/key-name.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import { SHAPES, type Sandbox, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { mapping, methods, partialFailureOf, sharedJournals, startRun } from "../shared/support.ts";

const urnOf = (name: string) => `urn:pulumi:dev::test::partners:index:PartnerApiKey::${name}`;
const rotation = (trigger: string, overlapDays = 7) => ({
  account: "default",
  rotation: { trigger, overlapDays },
});

async function created(keys: ResourceAdapter, name: string) {
  const urn = urnOf(name);
  const { id, outputs } = await keys.create({ account: "default" }, urn);
  return { resource: { id, urn }, outputs };
}

describe("a service that returns the same key to each creation", () => {
  async function oneKey() {
    const service = await sandboxFor({ keys: "same" });
    const first = await created(startRun(service).partnerApiKey, "checkout");
    service.clearRequests();
    return { service, first };
  }

  /** Expects that the key is still valid. */
  function expectAlive(service: Sandbox): void {
    expect(service.apiKeys).toHaveLength(1);
  }

  it.each([7, 0])("fails a rotation with %s days of overlap, which keeps the key", async (overlapDays) => {
    const { service, first } = await oneKey();
    const { id, urn } = first.resource;
    const keys = startRun(service).partnerApiKey;
    const news = rotation("a", overlapDays);
    const { replaces } = keys.diff(first.outputs, news, first.resource);
    const change = replaces.length > 0 ? keys.create(news, urn) : keys.update(id, first.outputs, news, urn);
    expect(await failureOf(change)).toMatchObject({ problem: { kind: "sameKey", urn } });
    expectAlive(service);
    await keys.delete(first.outputs, first.resource);
    expect(service.apiKeys).toEqual([]);
  });

  it("deletes it again after it came back in the same run", async () => {
    const service = await sandboxFor({
      refuse: ({ operation }) =>
        operation === "createApiKey" ? json(201, { apiKey: "pk_live_k7Qm2xR9vT4b" }) : json(200, {}),
    });
    const keys = startRun(service).partnerApiKey;
    for (const name of ["checkout", "billing"]) {
      const { outputs, resource } = await created(keys, name);
      await keys.delete(outputs, resource);
    }
    expect(methods(service)).toEqual(["POST", "DELETE", "POST", "DELETE"]);
  });

  it("fails the creation of a second resource", async () => {
    const service = await sandboxFor({ keys: "same" });
    const keys = startRun(service).partnerApiKey;
    const [one, other] = await Promise.allSettled([created(keys, "checkout"), created(keys, "billing")]);
    expect([one.status, other.status]).toEqual(["fulfilled", "rejected"]);
    expect((other as PromiseRejectedResult).reason).toMatchObject({
      problem: { kind: "sameKey", urn: urnOf("checkout"), rotates: false },
    });
    expectAlive(service);
  });

  it("keeps the key of a resource that has it as well, and says so", async () => {
    const { service, first } = await oneKey();
    const renamed = startRun(service);
    const second = await created(renamed.partnerApiKey, "billing");
    await renamed.partnerApiKey.delete(first.outputs, first.resource);
    const name = { fingerprint: first.outputs["fingerprint"], createdAt: first.outputs["createdAt"] };
    expect(renamed.notices).toEqual([{ kind: "keyKept", name, urn: urnOf("billing"), same: "key" }]);
    expectAlive(service);
    await renamed.partnerApiKey.delete(second.outputs, second.resource);
    expect(service.apiKeys).toEqual([]);
  });

  it("deletes the key of two resources once when both are destroyed", async () => {
    const { service, first } = await oneKey();
    const second = await created(startRun(service).partnerApiKey, "billing");
    service.clearRequests();
    const { partnerApiKey: keys, notices } = startRun(service);
    await Promise.all([first, second].map(({ outputs, resource }) => keys.delete(outputs, resource)));
    expect([methods(service), service.apiKeys, notices]).toEqual([["DELETE"], [], []]);
  });

  it("may return the key again after deleteBeforeReplace has deleted it", async () => {
    const { service, first } = await oneKey();
    const keys = startRun(service).partnerApiKey;
    keys.diff(first.outputs, rotation("a", 0), first.resource);
    await keys.delete(first.outputs, first.resource);
    const next = await created(keys, "checkout");
    expect(next.outputs["apiKey"]).toBe(service.apiKeys[0]);
    await keys.delete(next.outputs, next.resource);
    expect(service.apiKeys).toEqual([]);
  });

  it("is named as soon as a run sees that two resources have it", async () => {
    const { service, first } = await oneKey();
    const second = await created(startRun(service).partnerApiKey, "billing");
    const { partnerApiKey: keys, notices } = startRun(service);
    for (const { outputs, resource } of [first, second]) keys.diff(outputs, { account: "default" }, resource);
    expect(notices).toMatchObject([{ kind: "keyShared", urn: urnOf("checkout") }]);
  });

  it("keeps a response that may have the new key elsewhere than where responses.apiKey points", async () => {
    const constant = "acct_4f1c9e7a2b8d6053";
    const body: Shape["apiKey"] = ({ key }) => ({ account: { publicApi: constant }, newApiKey: key });
    const service = await sandboxFor({ shape: { ...SHAPES.flat, apiKey: body } });
    const wrong = mapping({ apiKey: "/account/publicApi" });
    const { resource, outputs } = await created(startRun(service, wrong).partnerApiKey, "checkout");
    const { id, urn } = resource;
    const rotating = startRun(service, wrong).partnerApiKey;
    const failure = await partialFailureOf(rotating.update(id, outputs, rotation("a"), urn));
    const kept = { pointers: ["/newApiKey"] };
    expect(failure.reason).toMatchObject({ problem: { kind: "sameKey", kept } });
    // No other key is created until the setting is corrected.
    await partialFailureOf(
      startRun(service, wrong).partnerApiKey.update(id, failure.properties, rotation("a"), urn),
    );
    expect(service.apiKeys).toHaveLength(2);
    const right = startRun(service, mapping({ apiKey: "/newApiKey" })).partnerApiKey;
    const next = await right.update(id, failure.properties, rotation("a"), urn);
    expect(next["apiKey"]).toBe(service.apiKeys[1]);
  });

  it("does not count as a creation while the key is being deleted", async () => {
    const { service, first } = await oneKey();
    const keys = startRun(service).partnerApiKey;
    const held = service.hold();
    const deletion = keys.delete(first.outputs, first.resource);
    await held.reached;
    service.inject({
      kind: "status",
      status: 201,
      body: JSON.stringify({ apiKey: first.outputs["apiKey"] }),
    });
    const creation = failureOf(created(keys, "billing"));
    expect(await creation).toMatchObject({ problem: { kind: "sameKey", urn: urnOf("checkout") } });
    await held.release();
    await deletion;
  });

  it("leaves nothing of a creation whose key is recognized later, if another resource has it", async () => {
    const { service, first } = await oneKey();
    const wrong = mapping({ apiKey: "/unknown" });
    const { id, properties } = await partialFailureOf(
      startRun(service, wrong).partnerApiKey.create({ account: "default" }, urnOf("billing")),
    );
    const keys = startRun(service).partnerApiKey;
    const news = { account: "default" };
    keys.diff(first.outputs, news, first.resource);
    const failure = await partialFailureOf(keys.update(id, properties, news, urnOf("billing")));
    expect(failure.reason).toMatchObject({ problem: { kind: "sameKey", urn: urnOf("checkout") } });
    await keys.delete(failure.properties, { id, urn: urnOf("billing") });
    expectAlive(service);
  });

  it("keeps a key that the program has through another provider of the account", async () => {
    const { service, first } = await oneKey();
    const journalOf = sharedJournals();
    const [v1, v2] = [startRun(service, {}, journalOf()), startRun(service, {}, journalOf())];
    const second = await created(v2.partnerApiKey, "billing");
    await v1.partnerApiKey.delete(first.outputs, first.resource);
    expect(v1.notices).toMatchObject([{ kind: "keyKept", urn: urnOf("billing") }]);
    expectAlive(service);
    await v2.partnerApiKey.delete(second.outputs, second.resource);
    expect(service.apiKeys).toEqual([]);
  });

  it.each<[what: string, apiKeys: string[]]>([
    ["the key", []],
    ["the key, which is too short for a fingerprint", ["k7Qm2xR9vT4b"]],
  ])("fails a creation if a provider with another token of the account has %s", async (_what, apiKeys) => {
    const service = await sandboxFor({ keys: "same", apiKeys });
    const first = await created(startRun(service, mapping({ apiKey: "/apiKey" })).partnerApiKey, "checkout");
    const journalOf = sharedJournals();
    const v1 = startRun({ url: service.url, accessToken: service.accessToken }, {}, journalOf());
    service.rotateAccessToken();
    const v2 = startRun(service, mapping({ apiKey: "/apiKey" }), journalOf());
    v1.partnerApiKey.diff(first.outputs, { account: "default" }, first.resource);
    const error = await failureOf(created(v2.partnerApiKey, "billing"));
    expect(error).toMatchObject({ problem: { kind: "sameKey", urn: first.resource.urn } });
  });

  it("warns if the processes of the run cannot tell each other who has which key", async () => {
    const { service, first } = await oneKey();
    const found = { folder: "/tmp/x", isPrivate: true };
    const keyJournal = { ...found, append: () => false, readOthers: () => null };
    const run = startRun(service, {}, { keyJournal });
    run.partnerApiKey.diff(first.outputs, rotation("a"), first.resource);
    expect(run.notices).toContainEqual({ kind: "notShared", ...found });
  });

  it("deletes the key of two providers once when both are destroyed", async () => {
    const { service, first } = await oneKey();
    const second = await created(startRun(service).partnerApiKey, "billing");
    const journalOf = sharedJournals();
    // Moments after the creation, a 404 alone proves nothing.
    const soon = () => ({ ...journalOf(), currentTime: () => Date.now() });
    const [v1, v2] = [startRun(service, {}, soon()), startRun(service, {}, soon())];
    await Promise.all([
      v1.partnerApiKey.delete(first.outputs, first.resource),
      v2.partnerApiKey.delete(second.outputs, second.resource),
    ]);
    expect(service.apiKeys).toEqual([]);
  });
});

describe("a service that gives two keys the same ID", () => {
  const byId = mapping({ apiKeyId: "/id" });

  async function rotated() {
    const service = await sandboxFor({ keys: "oneRecord" });
    const keys = startRun(service, byId).partnerApiKey;
    const { resource, outputs } = await created(keys, "checkout");
    const next = await keys.update(resource.id, outputs, rotation("a"), resource.urn);
    service.clearRequests();
    return { service, resource, next };
  }

  it("keeps the record of the current key when the previous one expires, and names that key", async () => {
    const { service, resource, next } = await rotated();
    const { partnerApiKey: keys, notices } = startRun(service, byId);
    const ended = await keys.update(resource.id, next, rotation("a", 0), resource.urn);
    expect(ended).toMatchObject({ apiKey: service.apiKeys[0], previousApiKey: null });
    expect(notices).toMatchObject([
      { kind: "keyKept", name: { fingerprint: fingerprint(String(next["previousApiKey"])) }, same: "id" },
    ]);
    expect(methods(service)).toEqual([]);
  });

  it("deletes the record once when the resource is destroyed", async () => {
    const { service, resource, next } = await rotated();
    const { partnerApiKey: keys, notices } = startRun(service, byId);
    await keys.delete(next, resource);
    const name = { fingerprint: fingerprint(String(next["previousApiKey"])) };
    const covered = [{ kind: "keyWasGone", name, why: "sameId" }];
    expect([methods(service), service.apiKeys, notices]).toMatchObject([["DELETE"], [], covered]);
  });

  it("keeps the record of a key in another resource", async () => {
    const service = await sandboxFor({ keys: "oneRecord" });
    const { partnerApiKey: keys, notices } = startRun(service, byId);
    const first = await created(keys, "checkout");
    const second = await created(keys, "billing");
    await keys.delete(first.outputs, first.resource);
    expect(notices).toMatchObject([{ kind: "keyKept", urn: urnOf("billing"), same: "id" }]);
    expect(service.apiKeys).toEqual([second.outputs["apiKey"]]);
  });

  it("says that a later key of the same record is not found, although an earlier one was deleted", async () => {
    const service = await sandboxFor({ keys: "oneRecord" });
    const { partnerApiKey: keys, notices } = startRun(service, byId);
    const first = await created(keys, "checkout");
    await keys.delete(first.outputs, first.resource);
    const next = await created(keys, "checkout");
    service.inject({ kind: "status", status: 404, operation: "deleteApiKey" });
    await keys.delete(next.outputs, next.resource);
    expect(notices).toMatchObject([{ kind: "keyWasGone", why: "gone" }]);
  });
});
