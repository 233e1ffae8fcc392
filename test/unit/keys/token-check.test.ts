import { describe, expect, it } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import type { Fault } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { create, methods, NOON, SHORT_TIMEOUTS, startRun } from "../shared/support.ts";

const account = "default";
const today = new Date(NOON).toISOString().slice(0, 10);

async function check(olds: Properties, news: Properties, ...faults: Fault[]) {
  const service = await sandboxFor({ faults });
  const { partnerApiKey: keys, notices } = startRun(service, SHORT_TIMEOUTS);
  const { problems } = await keys.check(olds, news);
  return { sent: methods(service), problems, notices };
}

describe("the check of the access token", () => {
  const due = { rotation: { afterDays: 1, overlapDays: 0 } };

  it.each<[what: string, olds: Properties, news: Properties, sent: string[]]>([
    ["a new key", {}, {}, ["GET"]],
    ["a new trigger", { account }, { rotation: { trigger: "a", overlapDays: 0 } }, ["GET"]],
    ["a rotation by age", { account, ...due, keySince: "2026-01-01" }, due, ["GET"]],
    ["a key that is not due", { account, ...due, keySince: today }, due, []],
    ["invalid arguments", {}, { rotation: { afterDays: 0 } }, []],
  ])("for %s", async (_what, olds, news, sent) => {
    expect(await check(olds, news)).toMatchObject({ sent, notices: [] });
  });

  it("requests one page of the list, and a webhook the others", async () => {
    const service = await sandboxFor({ pageSize: 1 });
    const { partnerApiKey: keys, partnerWebhookState: webhooks } = startRun(service);
    const checkKey = async () => (await keys.check({}, {})).problems;
    expect(await checkKey()).toEqual([]);
    expect(methods(service)).toEqual(["GET"]);
    expect((await webhooks.check({}, { webhookId: 103, state: "active" })).problems).toEqual([]);
    expect(await checkKey()).toEqual([]);
    expect(methods(service)).toEqual(["GET", "GET", "GET"]);
  });

  const fault = (status: number): Fault => ({
    kind: "status",
    status,
    operation: "listWebhooks",
    times: Infinity,
  });
  it.each([
    [401, ["PARTNERS_STATUS"], []],
    // A token may create keys without listing webhooks.
    [403, [], []],
    [404, [], []],
    [503, [], ["notChecked"]],
    [429, [], ["notChecked"]],
  ])("after a %s", async (status, codes, kinds) => {
    const { problems, notices } = await check({}, {}, fault(status));
    expect(problems).toMatchObject(codes.map((code) => ({ code })));
    expect(notices.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe("a creation after a check that found an outage", () => {
  const list = { operation: "listWebhooks", times: Infinity } as const;
  const outage: Fault = { kind: "status", status: 502, ...list };
  const held = { failure: { operation: "listWebhooks", holdsCreation: true, effect: "none" } };

  it.each<[what: string, Fault, isHeld: boolean]>([
    ["502", outage, true],
    ["503", { ...outage, status: 503 }, true],
    ["504", { ...outage, status: 504 }, true],
    ["a broken connection", { kind: "reset", ...list }, true],
    ["500, which may concern only the list", { ...outage, status: 500 }, false],
    ["no response in time, which a long list may need", { kind: "hang", at: "headers", ...list }, false],
  ])("after %s", async (_what, fault, isHeld) => {
    const service = await sandboxFor({ faults: [fault] });
    const timeouts = fault.kind === "hang" ? SHORT_TIMEOUTS : {};
    const { partnerApiKey: keys } = startRun(service, timeouts);
    const result = create(keys);
    if (isHeld) expect(await failureOf(result)).toMatchObject(held);
    else await result;
    expect(service.apiKeys).toHaveLength(isHeld ? 0 : 1);
    expect(methods(service).includes("POST")).toBe(!isHeld);
  });

  it("is sent once the list can be read again, or refuses the token", async () => {
    for (const next of [[], [{ ...outage, status: 403 }]]) {
      const service = await sandboxFor({ faults: [outage] });
      const { partnerApiKey: keys } = startRun(service);
      await keys.check({}, { account });
      service.clearFaults();
      service.inject(...next);
      await keys.create({ account });
      expect(service.apiKeys).toHaveLength(1);
    }
  });

  it("is sent if the list is not read at all", async () => {
    const service = await sandboxFor({ faults: [outage] });
    await create(startRun(service, { readWebhooks: "false" }).partnerApiKey);
    expect(methods(service)).toEqual(["POST"]);
  });

  it("leaves the key in use that was to be rotated", async () => {
    const service = await sandboxFor();
    const { id, outputs } = await create(startRun(service).partnerApiKey);
    service.inject(outage);
    const { partnerApiKey: keys } = startRun(service);
    const news = { account, rotation: { trigger: "a", overlapDays: 7 } };
    await keys.check({ account }, news);
    expect(await failureOf(keys.update(id, outputs, news))).toMatchObject(held);
    expect(service.apiKeys).toEqual([outputs["apiKey"]]);
  });
});
