import { expect, it, onTestFinished } from "vitest";

import { systemClock } from "../../../provider/src/partner-api/rate-limiter.js";
import { AccountSession } from "../../../provider/src/account/account-session.js";
import { startPartnerApi } from "../../support/partner-api-server.ts";

const [LIST, CREATE] = ["GET /webhooks", "POST /api-key"];

/** Starts a process for a service. The test moves its clock. */
async function start(status = 200) {
  const api = await startPartnerApi();
  const { answers, requests } = api;
  answers.listWebhooks = () => ({ status, body: [] });
  const clock = { ahead: 0 };
  const now = () => systemClock.now() + clock.ahead;
  const session = new AccountSession({ env: {}, notify: () => undefined, clock: { ...systemClock, now } });
  const settings = { "partners:baseUrl": api.url, "partners:accessToken": api.accessToken };
  session.configure(new Map(Object.entries(settings)));
  onTestFinished(async () => {
    await (await session.open()).close();
    await api.close();
  });
  return { session, requests, clock, answers };
}

it("all callers share one response to the list, unless it must be newer", async () => {
  const { session, requests } = await start();
  const startedAt = session.now();
  const [first, second] = await Promise.all([session.requestList(), session.requestList()]);
  expect(second).toBe(first);
  expect(await session.requestList(startedAt)).toBe(first);
  const newer = await session.requestList(session.now());
  expect(newer).not.toBe(first);
  expect(await session.requestList()).toBe(newer);
  expect(requests).toEqual([LIST, LIST]);
});

it("a failure reaches those that wait for it, and is not kept", async () => {
  const { session, requests, answers } = await start(403);
  const outcomes = await Promise.allSettled([session.requestList(), session.requestList()]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected"]);
  answers.listWebhooks = () => ({ body: [] });
  expect((await session.requestList()).text).toBe("[]");
  expect(requests).toEqual([LIST, LIST]);
});

it("a failure that arrives late does not drop a newer list", async () => {
  const { session, requests, answers } = await start();
  const [reached, released] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  answers.listWebhooks = async () => {
    reached.resolve(undefined);
    await released.promise;
    return { status: 403 };
  };
  const failing = Promise.allSettled([session.requestList()]);
  await reached.promise;
  answers.listWebhooks = () => ({ body: [] });
  const newer = await session.requestList(session.now());
  released.resolve(undefined);
  expect(await failing).toMatchObject([{ status: "rejected" }]);
  expect(await session.requestList()).toBe(newer);
  expect(requests).toEqual([LIST, LIST]);
});

it.each([200, 403, 401, 404, 302])(
  "before a creation, a %i shows whether the API is there",
  async (status) => {
    const isThere = status === 200 || status === 403;
    const { session, requests } = await start(status);
    const asking = Promise.allSettled([session.assertReachable(), session.assertReachable()]);
    const outcomes = (await asking).map((outcome) => outcome.status === "fulfilled");
    expect(outcomes).toEqual([isThere, isThere]);
    expect(requests).toEqual([LIST]);
    await session.assertReachable().catch(() => undefined);
    expect(requests, "asked again only after a failure").toHaveLength(isThere ? 1 : 2);
  },
);

it.each([200, 403])(
  "30 s after a %i, the API is asked again before a creation, whatever it has answered",
  async (status) => {
    const { session, requests, clock } = await start(status);
    await session.assertReachable();
    clock.ahead += 29_000;
    await session.assertReachable();
    await (await session.open()).createApiKey(() => false);
    expect(requests).toEqual([LIST, CREATE]);
    clock.ahead += 2_000;
    await session.assertReachable();
    expect(requests).toEqual([LIST, CREATE, LIST]);
  },
);

it("settings that come later replace the first ones, and what is secret in them is known", () => {
  const session = new AccountSession({ env: {}, notify: () => undefined });
  const settings = {
    "partners:baseUrl": "https://partners.example.com",
    "partners:accessToken": "t0ken-of-the-test",
  };
  session.configure(new Map(Object.entries(settings)));
  expect(session.readSettings().headers).toEqual({});
  const headers = { "x-gateway": "Basic dXNlcjpwYXNz" };
  session.configure(new Map(Object.entries({ ...settings, "partners:headers": JSON.stringify(headers) })));
  expect(session.readSettings().headers).toEqual(headers);
  expect(session.secrets.mask("t0ken-of-the-test dXNlcjpwYXNz")).toBe("*** ***");
});

it("an invalid proxy is no answer of the Partner API", async () => {
  const env = { HTTPS_PROXY: "http://[" };
  const session = new AccountSession({ env, notify: () => undefined });
  const settings = { "partners:baseUrl": "https://partners.example.com", "partners:accessToken": "token" };
  session.configure(new Map(Object.entries(settings)));
  await expect(session.assertReachable()).rejects.toMatchObject({ code: "PARTNERS_CONFIGURATION" });
});
