import { describe, expect, it } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import type { Fault } from "../../support/sandbox.ts";
import { sandboxFor } from "../api/support.ts";
import { methods, NOON, startRun } from "../shared/support.ts";

const account = "default";
const today = new Date(NOON).toISOString().slice(0, 10);

async function check(olds: Properties, news: Properties, ...faults: Fault[]) {
  const service = await sandboxFor({ faults });
  const { partnerApiKey: keys, notices } = startRun(service);
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
