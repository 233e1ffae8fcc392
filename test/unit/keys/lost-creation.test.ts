import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/shared/properties.js";
import type { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import { SHAPES, type Fault, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { mapping, methods, partialFailureOf, sharedJournals, startRun } from "../shared/support.ts";

const URN = "urn:pulumi:dev::test::partners:index:PartnerApiKey::checkout";
const lost: Fault = { kind: "reset", operation: "createApiKey", effect: true };
const news = { account: "default" };
const rotation = (trigger: string, overlapDays = 7) => ({ ...news, rotation: { trigger, overlapDays } });
const at = ({ properties }: PartialFailure) => String(properties["lostCreationAt"]);
const saysGone = (...names: string[]) => ({ env: { PARTNERS_GONE_KEYS: names.join() } });

describe("a creation whose response is lost", () => {
  async function lostKey() {
    const service = await sandboxFor({ faults: [lost] });
    const failure = await partialFailureOf(startRun(service).partnerApiKey.create(news, URN));
    return { service, failure, id: failure.id, outputs: failure.properties };
  }

  it("is remembered with its time, and blocks another one until a person has looked", async () => {
    const { service, failure, id, outputs } = await lostKey();
    expect(failure.reason).toMatchObject({ failure: { effect: "possible", failedAt: at(failure) } });
    expect(renderError(failure.reason)).toContain(`PARTNERS_GONE_KEYS=${at(failure)}`);
    const next = startRun(service);
    expect(next.partnerApiKey.diff(outputs, news)).toEqual({ changes: true, replaces: [] });
    expect(next.notices).toEqual([{ kind: "lostCreation", at: at(failure), needsKey: true }]);
    expect(next.partnerApiKey.preview(outputs, news)["apiKey"]).toBe(UNKNOWN);
    const problem = { kind: "lostCreation", at: at(failure), rotates: false, deletes: false };
    expect(await failureOf(next.partnerApiKey.update(id, outputs, news, URN))).toMatchObject({ problem });
    expect(await failureOf(next.partnerApiKey.delete(outputs, { id, urn: URN }))).toMatchObject({
      problem: { ...problem, deletes: true },
    });
    expect(methods(service)).toEqual(["POST"]);

    const { partnerApiKey: keys, notices } = startRun(service, {}, saysGone(at(failure)));
    expect(keys.diff(outputs, news).changes).toBe(true);
    const created = await keys.update(id, outputs, news, URN);
    expect(created).toMatchObject({ apiKey: service.apiKeys[1], lostCreationAt: null });
    const name = { fingerprint: null, createdAt: at(failure) };
    const declared = [{ kind: "keyWasGone", name, why: "declared" }];
    expect([methods(service), notices]).toEqual([["POST", "POST"], declared]);
  });

  it("is forgotten by a refresh if a person says that its key is gone", async () => {
    const { service, failure, id, outputs } = await lostKey();
    const refreshing = startRun(service, {}, saysGone(at(failure))).partnerApiKey;
    const { outputs: refreshed } = (await refreshing.read(outputs)) ?? { outputs: {} };
    expect(refreshed["lostCreationAt"]).toBe(null);
    const { partnerApiKey: keys } = startRun(service);
    expect(keys.diff(refreshed, news).changes).toBe(true);
    expect(await keys.update(id, refreshed, news, URN)).toMatchObject({ apiKey: service.apiKeys[1] });
  });

  it("no longer keeps the resource from being deleted if a person says that its key is gone", async () => {
    const { service, failure, id, outputs } = await lostKey();
    await startRun(service, {}, saysGone(at(failure))).partnerApiKey.delete(outputs, { id, urn: URN });
    expect(methods(service)).toEqual(["POST"]);
  });
});

it("two keys whose responses are the same are declared gone one by one", async () => {
  const service = await sandboxFor();
  service.inject({ kind: "status", status: 201, body: "sent by e-mail", effect: true, times: 2 });
  const wait = new Promise((resolve) => setTimeout(resolve, 2));
  const { partnerApiKey: keys } = startRun(service);
  const one = await partialFailureOf(keys.create(news, `${URN}1`));
  await wait; // Their times differ.
  const other = await partialFailureOf(keys.create(news, `${URN}2`));
  const [, name = ""] = /PARTNERS_GONE_KEYS=(\S+)/.exec(renderError(one.reason)) ?? [];
  const after = startRun(service, {}, saysGone(name)).partnerApiKey;
  expect((await after.update(one.id, one.properties, news, `${URN}1`))["apiKey"]).toBe(service.apiKeys[2]);
  const update = partialFailureOf(after.update(other.id, other.properties, news, `${URN}2`));
  expect((await update).reason).toMatchObject({ problem: { kind: "keyNotFound" } });
});

describe("a rotation whose response is lost", () => {
  async function lostRotation() {
    const service = await sandboxFor();
    const first = await startRun(service).partnerApiKey.create(news, URN);
    service.inject(lost);
    const { partnerApiKey: keys } = startRun(service);
    const failure = await partialFailureOf(keys.update(first.id, first.outputs, rotation("a"), URN));
    service.clearRequests();
    return { service, id: first.id, failure, outputs: failure.properties };
  }

  it("keeps the key in use, and is remembered until a person has looked", async () => {
    const { service, id, failure, outputs } = await lostRotation();
    expect(outputs).toMatchObject({ apiKey: service.apiKeys[0], previousApiKey: null });
    const next = startRun(service);
    const update = next.partnerApiKey.update(id, outputs, rotation("a"), URN);
    expect(await failureOf(update)).toMatchObject({ problem: { kind: "lostCreation", rotates: true } });
    expect(next.partnerApiKey.preview(outputs, rotation("a"))).toMatchObject({ apiKey: service.apiKeys[0] });
    expect(service.requests).toEqual([]);
    const keys = startRun(service, {}, saysGone(at(failure))).partnerApiKey;
    const rotated = await keys.update(id, outputs, rotation("a"), URN);
    expect(rotated).toMatchObject({ previousApiKey: service.apiKeys[0], lostCreationAt: null });
  });

  it("is named in each run, although nothing is due any more, until a person has looked", async () => {
    const { service, id, failure, outputs } = await lostRotation();
    const run = startRun(service);
    expect(run.partnerApiKey.diff(outputs, news).changes).toBe(false);
    expect(run.notices).toEqual([{ kind: "lostCreation", at: at(failure), needsKey: false }]);
    const { partnerApiKey: keys, notices } = startRun(service, {}, saysGone(at(failure)));
    expect(keys.diff(outputs, news).changes).toBe(true);
    expect(await keys.update(id, outputs, news, URN)).toMatchObject({ lostCreationAt: null });
    expect([notices, service.requests]).toMatchObject([[{ kind: "keyWasGone", why: "declared" }], []]);
  });

  it("says that the previous key was deleted first", async () => {
    const service = await sandboxFor();
    const { id, outputs } = await startRun(service).partnerApiKey.create(news, URN);
    const rotated = await startRun(service).partnerApiKey.update(id, outputs, rotation("a"), URN);
    service.inject(lost);
    const update = startRun(service).partnerApiKey.update(id, rotated, rotation("b"), URN);
    const failure = await partialFailureOf(update);
    const problem = { kind: "partlyDone", next: { code: "PARTNERS_CONNECTION" } };
    expect(failure.reason).toMatchObject({ problem });
    expect(failure.properties["previousApiKey"]).toBe(null);
    expect(failure.properties["lostCreationAt"]).toMatch(/Z$/);
  });
});

it("a rotation whose key was not found still takes place after a person says that this key is gone", async () => {
  const service = await sandboxFor();
  const first = await startRun(service).partnerApiKey.create(rotation("a"), URN);
  service.inject({ kind: "status", status: 204, effect: true });
  const update = startRun(service).partnerApiKey.update(first.id, first.outputs, rotation("b"), URN);
  const { reason, properties } = await partialFailureOf(update);
  const [, name = ""] = /PARTNERS_GONE_KEYS=(\S+)/.exec(renderError(reason)) ?? [];
  const { partnerApiKey: keys } = startRun(service, {}, saysGone(name));
  const rotated = await keys.update(first.id, properties, rotation("b"), URN);
  expect(rotated).toMatchObject({ apiKey: service.apiKeys[2], previousApiKey: service.apiKeys[0] });
  expect(startRun(service).partnerApiKey.diff(rotated, rotation("b")).changes).toBe(false);
});

it("a rotation whose key is found in the saved response by a later run takes place only once", async () => {
  const apiKey: Shape["apiKey"] = ({ key, id }) => ({ data: { entry: { pass: key, id } } });
  const service = await sandboxFor({ shape: { ...SHAPES.flat, apiKey } });
  const corrected = mapping({ apiKey: "/data/entry/pass" });
  const first = await startRun(service, corrected).partnerApiKey.create(rotation("a"), URN);
  const update = startRun(service).partnerApiKey.update(first.id, first.outputs, rotation("b"), URN);
  const { properties } = await partialFailureOf(update);
  const { partnerApiKey: keys } = startRun(service, corrected);
  const rotated = await keys.update(first.id, properties, rotation("b"), URN);
  expect(rotated).toMatchObject({ apiKey: service.apiKeys[1], previousApiKey: service.apiKeys[0] });
  expect(startRun(service, corrected).partnerApiKey.diff(rotated, rotation("b")).changes).toBe(false);
});

describe("a replacement that has no key yet", () => {
  const apiKey: Shape["apiKey"] = ({ key, id }) => ({
    token: key,
    id,
    clientSecret: `cs_9f8e7d6c5b4a_${id}`,
  });
  const AMBIGUOUS: Shape = { ...SHAPES.flat, apiKey };
  const token = mapping({ apiKey: "/token" });

  it.each<[string, Fault[], Readonly<Record<string, string>>]>([
    ["its key was not found", [], {}],
    ["its response was lost", [lost], token],
  ])("shows the old key, because %s, until it has its own", async (_what, faults, config) => {
    const service = await sandboxFor({ shape: AMBIGUOUS });
    const old = await startRun(service, token).partnerApiKey.create(news, URN);
    service.inject(...faults);
    const { partnerApiKey: keys } = startRun(service, config);
    const { replaces } = keys.diff(old.outputs, rotation("a", 0), { id: old.id, urn: URN });
    expect(replaces).toEqual(["rotationDue"]);
    const { id, properties } = await partialFailureOf(keys.create(rotation("a", 0), URN));
    const shown = ({ apiKey, fingerprint }: Properties) => ({ apiKey, fingerprint });
    expect(shown(properties)).toEqual(shown(old.outputs));

    // Only the old resource deletes the old key, and not as long as the new one shows it.
    const stuck = startRun(service, config).partnerApiKey;
    stuck.diff(properties, rotation("a", 0), { id, urn: URN });
    expect(await failureOf(stuck.delete(old.outputs, { id: old.id, urn: URN }))).toMatchObject({
      problem: { kind: "keyShown", urn: URN },
    });
    const lostAt = properties["lostCreationAt"];
    const fixed = startRun(service, token, saysGone(String(lostAt))).partnerApiKey;
    const next = await fixed.update(id, properties, rotation("a", 0), URN);
    expect(next).toMatchObject({ apiKey: service.apiKeys.at(-1), previousApiKey: null, rotatedAt: null });
    await fixed.delete(old.outputs, { id: old.id, urn: URN });
    expect(service.apiKeys).not.toContain(old.outputs["apiKey"]);
    expect(service.apiKeys).toContain(next["apiKey"]);
  });

  // The process of the new account says that it shows the key, before the one of the old account deletes it.
  it("does not keep the old key from being deleted once it has moved to another account", async () => {
    const accessToken = "token-of-the-other-account";
    const service = await sandboxFor({ shape: AMBIGUOUS, otherAccounts: [accessToken] });
    const old = await startRun(service, token).partnerApiKey.create(news, URN);
    service.inject(lost);
    const { partnerApiKey: keys } = startRun(service, token);
    keys.diff(old.outputs, rotation("a", 0), { id: old.id, urn: URN });
    const { id, properties } = await partialFailureOf(keys.create(rotation("a", 0), URN));

    const journalOf = sharedJournals();
    const said = saysGone(String(properties["lostCreationAt"]));
    const { partnerApiKey: own } = startRun(service, token, { ...said, ...journalOf() });
    const settings = { ...token, account: "other" };
    const other = startRun({ url: service.url, accessToken }, settings, journalOf()).partnerApiKey;
    const moved = { account: "other" };
    expect(other.diff(properties, moved, { id, urn: URN }).replaces).toEqual(["account"]);
    await other.create(moved, URN);
    await own.delete(properties, { id, urn: URN });
    await own.delete(old.outputs, { id: old.id, urn: URN });
    expect(service.apiKeys).not.toContain(old.outputs["apiKey"]);
  });

  it("does not show an old key that deleteBeforeReplace has deleted", async () => {
    const service = await sandboxFor({ shape: AMBIGUOUS });
    const old = await startRun(service, token).partnerApiKey.create(news, URN);
    const { partnerApiKey: keys } = startRun(service);
    keys.diff(old.outputs, rotation("a", 0), { id: old.id, urn: URN });
    await keys.delete(old.outputs, { id: old.id, urn: URN });
    const { properties } = await partialFailureOf(keys.create(rotation("a", 0), URN));
    expect(properties["apiKey"]).toBe(null);
  });

  it("says that deleteBeforeReplace has deleted the old key, whether the new one was refused or lost", async () => {
    const service = await sandboxFor();
    const old = await startRun(service).partnerApiKey.create(news, URN);
    const { partnerApiKey: keys } = startRun(service);
    keys.diff(old.outputs, rotation("a", 0), { id: old.id, urn: URN });
    await keys.delete(old.outputs, { id: old.id, urn: URN });
    service.inject({ kind: "status", status: 409, operation: "createApiKey" }, lost);
    const refused = await failureOf(keys.create(rotation("a", 0), URN));
    const { reason } = await partialFailureOf(keys.create(rotation("a", 0), URN));
    const problem = { kind: "partlyDone", deleted: "replaced" };
    expect([refused, reason]).toMatchObject([
      { problem: { ...problem, next: { status: 409 } } },
      { problem: { ...problem, next: { code: "PARTNERS_CONNECTION" } } },
    ]);
  });
});
