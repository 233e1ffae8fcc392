import { describe, expect, it, vi } from "vitest";

import type { PartnerApiServer } from "../../support/partner-api-server.ts";
import { loseAnswers, refuse, replaceAnswers } from "../../support/sandbox.ts";
import {
  FOUND,
  NAME,
  failureOf,
  hideStates,
  preview,
  refresh,
  serviceWith,
  showList,
  showOne,
  startRun,
  taken,
  up,
  type Run,
  type Stored,
} from "./support.ts";

const LIST = "GET /webhooks";
const activate = (id: number) => `PATCH /webhooks/${id}/active`;
const disable = (id: number) => `PATCH /webhooks/${id}/disable`;

describe("the requests", () => {
  it("of a fleet are one GET, and a PATCH for each difference; none if nothing changed", async () => {
    const service = await serviceWith();
    const args = { states: { 101: "active", 102: "disabled", 103: "active" } };
    await preview(startRun(service).fleet, null, args);
    expect(taken(service), "preview").toEqual([LIST]);
    const first = await up(startRun(service).fleet, null, args);
    expect(taken(service), "creation").toEqual([LIST, disable(102), activate(103)]);
    expect(first.outputs).toMatchObject({ ...args, otherStates: {}, initialStates: FOUND });

    expect(await up(startRun(service).fleet, first, args), "unchanged").toBe(first);
    expect(taken(service), "unchanged").toEqual([]);
    expect(await refresh(startRun(service).fleet, first), "refresh").toEqual(first);
    expect(taken(service), "refresh").toEqual([LIST]);

    const changed = { states: { ...args.states, 101: "disabled" } };
    await preview(startRun(service).fleet, first, changed);
    expect(taken(service), "preview of a change").toEqual([LIST]);
    const second = await up(startRun(service).fleet, first, changed);
    expect(taken(service), "change").toEqual([LIST, disable(101)]);
    expect(second.outputs).toMatchObject({ ...changed, initialStates: FOUND });
    await startRun(service).fleet.delete(second.outputs, NAME);
    expect(taken(service), "removal").toEqual([]);
  });

  it("with others are one GET more, because the same run may have created webhooks", async () => {
    const service = await serviceWith();
    const run = startRun(service);
    const { inputs } = await preview(run.fleet, null, { states: { 101: "active" }, others: "disabled" });
    service.webhooks.set(104, "active");
    const { outputs } = await run.fleet.create(inputs, "");
    expect(taken(service)).toEqual([LIST, LIST, disable(102), disable(104)]);
    expect(outputs).toMatchObject({ otherStates: { 102: "disabled", 103: "disabled", 104: "disabled" } });
  });

  it("of many single webhooks share one GET and one reading of it, even if it fails", async () => {
    const service = await serviceWith();
    const setAll = async (run: Run) => {
      const args = [101, 102, 103].map((webhookId) => ({ webhookId, state: "active" }));
      const calls = args.map((each) => up(run.webhook, null, each, `u${each.webhookId}`));
      const outcomes = await Promise.allSettled(calls);
      return outcomes.map((each) => (each.status === "rejected" ? String(each.reason) : ""));
    };
    await setAll(startRun(service));
    expect(taken(service)).toEqual([LIST, activate(103)]);
    service.answers.listWebhooks = () => ({ status: 403 });
    const refused = await setAll(startRun(service));
    expect(refused).toEqual(Array(3).fill(expect.stringContaining("403")));
    showList(service, () => [{ name: "orders" }]);
    const run = startRun(service);
    const response = await run.session.requestList();
    const { text } = response;
    const read = vi.fn(() => text);
    Object.defineProperty(response, "text", { get: read });
    expect(await setAll(run)).toEqual(Array(3).fill(expect.stringContaining("without a usable ID")));
    expect(read).toHaveBeenCalledTimes(1);
    expect(taken(service)).toEqual([LIST, LIST]);
  });

  it("read the list again, once, for a webhook that is missing from an earlier one", async () => {
    const service = await serviceWith();
    const run = startRun(service);
    await run.list();
    service.webhooks.set(104, "active");
    await up(run.webhook, null, { webhookId: 104, state: "disabled" });
    expect((await run.list()).at(-1)).toMatchObject({ webhookId: 104, state: "disabled" });
    expect(taken(service)).toEqual([LIST, LIST, disable(104)]);
    const { error } = await failureOf(up(run.webhook, null, { webhookId: 7, state: "disabled" }, "other"));
    expect(error.message).toContain("Webhook 7 does not exist in this account. Existing webhooks: 101, 102");
    expect(taken(service)).toEqual([LIST]);
  });

  it.each([true, false])("of 300 webhooks are sent 16 at a time: as a fleet? %s", async (asFleet) => {
    const ids = Array.from({ length: 300 }, (_, index) => index + 1);
    const states = Object.fromEntries(ids.map((id) => [id, "disabled"]));
    const service = await serviceWith(Object.fromEntries(ids.map((id) => [id, "active"])));
    const { promise: all, resolve } = Promise.withResolvers<undefined>();
    let arrived = 0;
    replaceAnswers(service, "setWebhookState", async (usual) => {
      if ((arrived += 1) === 16) resolve(undefined);
      await all; // Fewer in flight would wait for ever.
      return usual();
    });
    const run = startRun(service);
    const setOne = (webhookId: number) =>
      up(run.webhook, null, { webhookId, state: "disabled" }, `u${webhookId}`);
    await Promise.all(asFleet ? [up(run.fleet, null, { states })] : ids.map(setOne));
    expect(taken(service).toSorted()).toEqual([LIST, ...ids.map(disable)].toSorted());
  });

  it("go in parallel, and show their progress at most 100 times, for a single one never", async () => {
    const ids = Array.from({ length: 150 }, (_, index) => index + 1);
    const service = await serviceWith(Object.fromEntries(ids.map((id) => [id, "active"])));
    const run = startRun(service);
    await up(run.webhook, null, { webhookId: 1, state: "disabled" }, "other");
    expect(run.shown).toEqual([]);
    const states = Object.fromEntries(ids.slice(1).map((id) => [id, "disabled"]));
    await up(run.fleet, null, { states });
    expect([run.shown.length, run.shown.at(-1)]).toEqual([75, "Setting webhooks: 149 of 149"]);
    expect(new Set(service.webhooks.values())).toEqual(new Set(["disabled"]));
  });
});

it.each([
  ["does not show the states", hideStates, "The list does not show the state of webhooks 101, 102, 103"],
  ["is incomplete", showOne, "Drift is not detected for webhooks that are missing from the list"],
])("if the list %s, many single webhooks cause one warning", async (_what, show, text) => {
  const service = await serviceWith();
  show(service);
  const run = startRun(service);
  for (const webhookId of [101, 102, 103])
    await up(run.webhook, null, { webhookId, state: "active" }, `u${webhookId}`);
  expect(run.texts("warning")).toEqual([expect.stringContaining(text)]);
});

describe("a change", () => {
  it("is not sent if the list shows the state already, whatever the stack recorded", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).webhook, null, { webhookId: 101, state: "active" });
    service.webhooks.set(101, "disabled");
    service.answers.setWebhookState = () => ({ status: 409 });
    taken(service);
    const news = await up(startRun(service).webhook, olds, { webhookId: 101, state: "disabled" });
    expect([taken(service), news.outputs["state"]]).toEqual([[LIST], "disabled"]);
  });

  it("is sent to a webhook without a shown state, unless the stack recorded the wanted one", async () => {
    const service = await serviceWith();
    hideStates(service);
    const args = { states: { 101: "disabled" }, others: "active", stateOnDestroy: "restore" };
    const run = startRun(service);
    const olds = await up(run.fleet, null, args);
    expect(taken(service).slice(2)).toEqual([activate(102), activate(103), disable(101)].toSorted());
    expect(olds.outputs).toMatchObject({ initialStates: { 101: null, 102: null, 103: null } });
    expect(run.texts("warning")).toEqual([expect.stringContaining("the state of webhooks 101, 102, 103,")]);
    expect(run.texts("information")).toEqual(['"others" sets webhooks 102, 103 to active.']);
    expect(await refresh(startRun(service).fleet, olds)).toEqual(olds);
    taken(service);
    await startRun(service).fleet.delete(olds.outputs, NAME);
    expect(taken(service), "nothing to restore").toEqual([]);
    const more = await up(startRun(service).fleet, olds, { ...args, stateOnDestroy: "active" });
    taken(service);
    await startRun(service).fleet.delete(more.outputs, NAME);
    expect(taken(service)).toEqual([LIST, activate(101)]);
  });

  it("that is refused, as after a lost response, is done if a fresh list shows the state", async () => {
    const service = await serviceWith();
    const run = startRun(service);
    const { inputs } = await preview(run.webhook, null, { webhookId: 101, state: "disabled" });
    replaceAnswers(service, "setWebhookState", async (perform) => {
      await perform();
      return { status: 422 };
    });
    loseAnswers(service, "setWebhookState");
    expect((await run.webhook.create(inputs, "")).outputs).toMatchObject({ state: "disabled" });
    expect(taken(service)).toEqual([LIST, disable(101), disable(101), LIST]);
    expect((await run.list())[0]).toMatchObject({ webhookId: 101, state: "disabled" });
  });

  it("that is refused otherwise fails, and so does one whose second list fails", async () => {
    const service = await serviceWith();
    service.answers.setWebhookState = () => ({ status: 409, body: { message: "locked" } });
    const args = { webhookId: 101, state: "disabled" };
    const { error, kept } = await failureOf(up(startRun(service).webhook, null, args));
    expect([error.status, error.message, kept]).toEqual([409, expect.stringContaining("locked"), null]);
    const run = startRun(service);
    const { inputs } = await preview(run.webhook, null, args);
    service.answers.listWebhooks = () => ({ status: 403 });
    expect((await failureOf(run.webhook.create(inputs, ""))).error.status).toBe(409);
  });

  it("that conflicts fails if the webhook is no longer listed", async () => {
    const service = await serviceWith();
    service.answers.setWebhookState = (id) => {
      service.webhooks.delete(id);
      return { status: 409, body: { message: "Already disabled" } };
    };
    const args = { webhookId: 101, state: "disabled" };
    const { error } = await failureOf(up(startRun(service).webhook, null, args));
    expect(error.message).toMatch(/returned 409\. .* The server said: "Already disabled"\.$/);
  });

  it("that conflicts while the list shows no state counts as made only if the server says so", async () => {
    const service = await serviceWith();
    hideStates(service);
    const { inputs } = await preview(startRun(service).webhook, null, { webhookId: 101, state: "active" });
    const [refusing, conflicting] = [startRun(service), startRun(service)];
    service.answers.setWebhookState = () => ({ status: 422 });
    expect((await failureOf(refusing.webhook.create(inputs, ""))).error.status).toBe(422);
    expect(refusing.notices).toEqual([]);
    service.answers.setWebhookState = () => ({ status: 409, body: { message: "endpoint is not verified" } });
    const { error } = await failureOf(refusing.webhook.create(inputs, ""));
    expect(error.message).toContain('The server said: "endpoint is not verified".');
    service.answers.setWebhookState = () => ({ status: 409, body: { message: "It is already active." } });
    const { outputs } = await conflicting.webhook.create(inputs, "");
    expect(outputs).toMatchObject({ state: "active", initialState: null });
    expect(conflicting.texts("warning")).toHaveLength(1);
  });

  describe("that is refused because it is so already, which neither the server nor the list says", () => {
    /** A service that sets the other state only, and never says why. */
    async function refusing() {
      const service = await serviceWith();
      hideStates(service);
      const { setWebhookState: usual } = service.answers;
      service.answers.setWebhookState = (id, state) =>
        service.webhooks.get(id) === state
          ? { status: 409, body: { message: "conflict" } }
          : usual(id, state);
      return service;
    }
    const remedyOf = ({ message }: Error): string[] =>
      /already \(the list does not show it\), declare it (\w+), run "pulumi up", and declare it (\w+) again\.$/
        .exec(message)
        ?.slice(1) ?? [];

    it.each(["a new resource", "a known one"])("is set by what the message says: %s", async (kind) => {
      const service = await refusing();
      service.webhooks.set(102, "disabled");
      const declaring = (state: string) => ({ states: { 101: state, 102: "active" } });
      let olds: Stored | null = null;
      if (kind === "a known one") {
        olds = await up(startRun(service).fleet, null, declaring("disabled"));
        service.webhooks.set(101, "active"); // Somebody else.
      }
      const failure = await failureOf(up(startRun(service).fleet, olds, declaring("active")));
      const [other = "", again = ""] = remedyOf(failure.error);
      expect([other, again]).toEqual(["disabled", "active"]);
      const failed = failure.kept && { inputs: olds?.inputs ?? {}, outputs: failure.kept };
      const first = await up(startRun(service).fleet, failed, declaring(other));
      taken(service);
      const second = await up(startRun(service).fleet, first, declaring(again));
      expect(taken(service)).toEqual([LIST, activate(101)]);
      expect(second.outputs).toMatchObject(declaring("active"));
      expect(await up(startRun(service).fleet, second, declaring(again)), "unchanged").toBe(second);
    });

    it("is the only change of a fleet whose failure says so", async () => {
      const service = await refusing();
      const { setWebhookState: usual } = service.answers;
      service.answers.setWebhookState = (id, state) => (id === 102 ? { status: 403 } : usual(id, state));
      const states = { 101: "active", 102: "active" };
      const { error } = await failureOf(up(startRun(service).fleet, null, { states }));
      expect(error.message).toMatch(
        /^2 of 2 .*\n- .*\/101\/.*declare it disabled.*\n- .*\/102\/.*403.*accessToken\.$/,
      );
    });

    it("is recorded as null of a known one, so that a reverted program is sent; of a new one, not at all", async () => {
      const service = await refusing();
      const args = (state: string) => ({ webhookId: 101, state });
      expect((await failureOf(up(startRun(service).webhook, null, args("active")))).kept).toBe(null);
      const olds = await up(startRun(service).webhook, null, args("disabled"));
      service.webhooks.set(101, "active");
      const { kept } = await failureOf(up(startRun(service).webhook, olds, args("active")));
      expect(kept).toMatchObject({ state: null });
      await up(startRun(service).webhook, { inputs: olds.inputs, outputs: kept ?? {} }, args("disabled"));
      expect(service.webhooks.get(101)).toBe("disabled");
    });

    it.each(["leaves a fleet", "is removed"])("is released by what the message says: it %s", async (how) => {
      const service = await refusing();
      const args = { states: { 101: "active" }, stateOnDestroy: "disabled" };
      service.webhooks.set(101, "disabled");
      const olds = await up(startRun(service).fleet, null, args);
      service.webhooks.set(101, "disabled"); // Somebody else.
      const remove = async (from: Stored, stateOnDestroy: string): Promise<void> => {
        const { fleet } = startRun(service);
        if (how === "is removed") await fleet.delete(from.outputs, NAME);
        else await up(fleet, from, { states: {}, stateOnDestroy });
      };
      const { error, kept } = await failureOf(remove(olds, "disabled"));
      expect(error.message).toMatch(
        /declare it as before, with "stateOnDestroy" set to "leave", .* it again\.$/,
      );
      const failed = { inputs: olds.inputs, outputs: kept ?? olds.outputs };
      const left = await up(startRun(service).fleet, failed, { ...args, stateOnDestroy: "leave" });
      taken(service);
      await remove(left, "leave");
      expect(taken(service).filter((request) => request !== LIST)).toEqual([]);
      expect(service.webhooks.get(101)).toBe("disabled");
    });
  });

  it("that may have been made is recorded as null, and sent again even if the program is reverted", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).webhook, null, { webhookId: 101, state: "active" });
    refuse(service, "setWebhookState", 500);
    const args = { webhookId: 101, state: "disabled" };
    const failed = await failureOf(up(startRun(service).webhook, olds, args));
    expect([failed.error.mayHaveChanged, failed.kept?.["state"]]).toEqual([true, null]);
    const kept = { inputs: olds.inputs, outputs: failed.kept ?? {} };
    service.webhooks.set(101, "disabled");
    expect((await up(startRun(service).webhook, kept, olds.inputs)).outputs["state"]).toBe("active");
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("that was made keeps the initial state, even if it looked refused and all others were", async () => {
    const service = await serviceWith();
    const { setWebhookState: usual } = service.answers;
    let status = 503;
    service.answers.setWebhookState = async (id, state) => {
      if (id === 102) return { status: 422 };
      await usual(id, state);
      const answer = { status };
      status = 409;
      return answer;
    };
    const args = { states: { 101: "disabled", 102: "disabled" } };
    const { error, kept } = await failureOf(up(startRun(service).fleet, null, args));
    expect(error.message).toMatch(/^1 of 2 webhooks were not set: 102\./);
    expect(kept).toMatchObject({
      states: { 101: "disabled", 102: "active" },
      initialStates: { 101: "active" },
    });
  });

  it("that fails stops no other one; the state keeps what was reached, and the error names it", async () => {
    const service = await serviceWith();
    const { setWebhookState: usual } = service.answers;
    service.answers.setWebhookState = (id, state) => (id === 102 ? { status: 403 } : usual(id, state));
    const states = { 101: "disabled", 102: "disabled", 103: "disabled" };
    const { error, kept } = await failureOf(up(startRun(service).fleet, null, { states }));
    expect(kept).toMatchObject({ states: { ...states, 102: "active" }, initialStates: FOUND });
    expect(error.message).toMatch(/^1 of 2 webhooks were not set: 102\.\n- PATCH .*102.*403/);
    const only = await failureOf(up(startRun(service).fleet, null, { states: { 102: "disabled" } }));
    expect([only.kept, only.error.message]).toEqual([null, expect.stringMatching(/^PATCH .*102.*403/)]);
  });
});

it("a webhook that an incomplete list lacks is set, kept by a refresh, and released", async () => {
  const service = await serviceWith();
  showOne(service);
  const run = startRun(service);
  const olds = await up(run.webhook, null, { webhookId: 103, state: "active", stateOnDestroy: "disabled" });
  expect(taken(service)).toEqual([LIST, activate(103)]);
  expect(olds.outputs).toMatchObject({ state: "active", initialState: null });
  const warning = /^Drift is not detected for webhooks that are missing .*: \/has_more indicates more/;
  expect(run.texts("warning")).toEqual([expect.stringMatching(warning)]);
  const refreshed = startRun(service);
  expect(await refresh(refreshed.webhook, olds)).toEqual(olds);
  expect(refreshed.texts("warning")).toEqual([expect.stringMatching(warning)]);
  taken(service);
  await startRun(service).webhook.delete(olds.outputs, NAME);
  expect(taken(service)).toEqual([LIST, disable(103)]);
});

it("a webhook that an incomplete list lacks may be gone after a 404, and then needs no release", async () => {
  const service = await serviceWith();
  showOne(service);
  const { error } = await failureOf(up(startRun(service).webhook, null, { webhookId: 7, state: "active" }));
  expect(error.message).toMatch(/^PATCH .*7.*404\. The webhook may be gone\./);
  const args = { webhookId: 103, state: "active", stateOnDestroy: "restore" };
  const { outputs } = await up(startRun(service).webhook, null, args);
  service.webhooks.delete(103);
  await startRun(service).webhook.delete({ ...outputs, initialState: "disabled" }, NAME);
});

it("a state that the list shows only after our change is not the initial one", async () => {
  const service = await serviceWith();
  hideStates(service);
  const olds = await up(startRun(service).webhook, null, { webhookId: 101, state: "disabled" });
  showList(service, (records) => records);
  const seen = await refresh(startRun(service).webhook, olds);
  expect(seen?.outputs).toMatchObject({ state: "disabled", initialState: null });
});

it("with an incomplete list, others and getPartnerWebhooks fail, but a refresh and a release work", async () => {
  const service = await serviceWith();
  const args = { states: {}, others: "disabled", stateOnDestroy: "restore" };
  const olds = await up(startRun(service).fleet, null, args);
  const link = '</webhooks?page=2>; rel="next"';
  showList(service, (all) => all, { link });
  const firstPage = startRun(service);
  expect(await refresh(firstPage.fleet, olds)).toEqual(olds);
  expect(firstPage.texts("warning")).toEqual([expect.stringContaining("that are missing from the list")]);
  showList(service, () => [{ id: 104, status: "active" }], { link });
  const run = startRun(service);
  const why = "the Link header indicates more webhooks.";
  expect((await failureOf(run.list())).error.message).toContain(`Not all webhooks can be listed: ${why}`);
  for (const call of [preview(run.fleet, null, args), run.fleet.update(olds.outputs, olds.inputs, NAME)])
    expect((await failureOf(call)).error.message).toContain(`"others" needs the complete list, but ${why}`);
  expect(await refresh(run.fleet, olds)).toEqual(olds);
  await startRun(service).fleet.delete(olds.outputs, NAME);
  expect(Object.fromEntries(service.webhooks)).toEqual(FOUND);
  expect(await startRun(service, { complete: true }).list()).toHaveLength(1);
});

it.each<[sign: string, where: string, show: (all: object[]) => unknown]>([
  ["a count of pages", "/meta/totalPages", (all) => ({ data: all.slice(0, 2), meta: { totalPages: 2 } })],
  ["a record without an ID", "some records have no usable ID", (all) => [...all.slice(0, 2), { id: null }]],
])("with %s, no webhook that is missing from the list counts as gone", async (_sign, where, show) => {
  const service = await serviceWith();
  const one = { webhookId: 103, state: "active", stateOnDestroy: "restore" };
  const olds = await up(startRun(service).webhook, null, one);
  const fleet = await up(startRun(service).fleet, null, { states: {}, others: "active" });
  showList(service, show);
  const run = startRun(service);
  expect(await refresh(run.webhook, olds)).toEqual(olds);
  expect(await refresh(run.fleet, fleet)).toEqual(fleet);
  expect(run.texts("warning")).toEqual([expect.stringContaining(where)]);
  const update = run.fleet.update(fleet.outputs, { ...fleet.inputs, others: "disabled" }, NAME);
  for (const call of [run.list(), run.webhook.adopt("103"), update])
    expect((await failureOf(call)).error.message).toContain(where);
  await startRun(service).webhook.delete(olds.outputs, NAME);
  expect(service.webhooks.get(103)).toBe("disabled");
});

describe("a list that is null", () => {
  const showNull = (service: PartnerApiServer): void => {
    showList(service, () => null);
  };

  it("is empty: nothing is listed or covered, and what the program names does not exist", async () => {
    const service = await serviceWith();
    showNull(service);
    const run = startRun(service);
    expect(await run.list()).toEqual([]);
    expect((await up(run.fleet, null, { states: {}, others: "active" })).outputs["otherStates"]).toEqual({});
    const { error } = await failureOf(up(run.webhook, null, { webhookId: 101, state: "active" }));
    expect(error.message).toContain("Webhook 101 does not exist in this account. Existing webhooks: none.");
    expect(run.texts("warning")).toEqual([]);
  });

  it("drops nothing that the stack records, with one warning, unlike one that is empty", async () => {
    const service = await serviceWith();
    const one = await up(startRun(service).webhook, null, { webhookId: 101, state: "active" }, "one");
    const named = { states: { 102: "active" }, others: "disabled" };
    const fleet = await up(startRun(service).fleet, null, named);
    showNull(service);
    const run = startRun(service);
    expect(await refresh(run.webhook, one)).toEqual(one);
    expect(await refresh(run.fleet, fleet)).toEqual(fleet);
    const updated = startRun(service);
    await updated.fleet.update(fleet.outputs, { ...fleet.inputs, states: {} }, NAME);
    const warning = expect.stringContaining("returned null instead of a webhook list") as string;
    for (const { texts } of [run, updated]) expect(texts("warning")).toEqual([warning]);
    showList(service, () => []);
    expect(await refresh(startRun(service).webhook, one)).toBe(null);
  });

  it("that says that it goes on is warned of only once", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).webhook, null, { webhookId: 101, state: "active" });
    showList(service, () => ({ webhooks: null, has_more: true }));
    const run = startRun(service);
    expect(await refresh(run.webhook, olds)).toEqual(olds);
    expect(run.texts("warning")).toEqual([expect.stringContaining("/has_more indicates more webhooks")]);
  });

  it("does not bring back what an empty one has dropped", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).fleet, null, { states: {}, others: "disabled" });
    showList(service, () => []);
    const empty = await refresh(startRun(service).fleet, olds);
    showNull(service);
    const run = startRun(service);
    expect(empty && (await refresh(run.fleet, empty))).toEqual(empty);
    expect(run.texts("warning")).toEqual([]);
  });

  it("does not keep a webhook from its release", async () => {
    const service = await serviceWith();
    const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    const { outputs } = await up(startRun(service).webhook, null, args);
    showNull(service);
    await startRun(service).webhook.delete(outputs, NAME);
    expect(service.webhooks.get(101)).toBe("active");
    service.webhooks.delete(101);
    await startRun(service).webhook.delete(outputs, NAME);
  });
});

it("a gone webhook is dropped by a refresh, an error in the next preview and update, and not released", async () => {
  const service = await serviceWith();
  const args = { states: { 101: "disabled", 102: "disabled" }, stateOnDestroy: "restore" };
  const olds = await up(startRun(service).fleet, null, args);
  service.webhooks.delete(102);
  service.webhooks.set(101, "active");
  const seen = await refresh(startRun(service).fleet, olds);
  expect(await startRun(service).webhook.read({ webhookId: 102, state: "active" })).toBe(null);
  const initialStates = { 101: "active", 102: "active" };
  expect(seen?.outputs).toMatchObject({ states: { 101: "active" }, initialStates });
  expect(seen?.inputs).toMatchObject({ states: { 101: "active" } });
  if (seen === null) return;
  const gone = /Webhook 102 does not exist in this account\. Existing webhooks: 101, 103\./;
  expect((await failureOf(preview(startRun(service).fleet, seen, args))).error.message).toMatch(gone);
  const update = startRun(service).fleet.update(seen.outputs, { ...seen.inputs, ...args }, NAME);
  const { error, kept } = await failureOf(update);
  expect(error.message).toMatch(gone);
  expect(kept).toMatchObject({ states: { 101: "disabled", 102: null }, initialStates: { 102: "active" } });
  await startRun(service).fleet.delete(kept ?? {}, NAME);
  expect(service.webhooks.get(101)).toBe("active");
});

it.each([{ states: { 101: "disabled" } }, { states: {}, others: "disabled" }])(
  "an empty list by mistake does not erase the initial states of %j, which restore needs",
  async (which) => {
    const service = await serviceWith();
    const olds = await up(startRun(service).fleet, null, { ...which, stateOnDestroy: "restore" });
    const isCovered = which.others !== undefined;
    replaceAnswers(service, "listWebhooks", () => ({ body: [] }), isCovered ? 2 : 1);
    const seen = await refresh(startRun(service).fleet, olds);
    expect(seen?.outputs).toMatchObject({ states: {}, otherStates: {}, initialStates: { 101: "active" } });
    const { outputs = {} } = seen ?? {};
    const next = isCovered ? await startRun(service).fleet.update(outputs, olds.inputs, NAME) : outputs;
    await startRun(service).fleet.delete(next, NAME);
    expect(Object.fromEntries(service.webhooks)).toEqual(FOUND);
  },
);

it("an import records the state as the one to restore", async () => {
  const service = await serviceWith();
  const found = await startRun(service).webhook.adopt("101");
  const inputs = { webhookId: 101, state: "active", stateOnDestroy: "leave" };
  expect(found).toMatchObject({ inputs, outputs: { ...inputs, initialState: "active" } });
  expect(await startRun(service).webhook.adopt("7", true)).toBe(null);
});

it("an import fails unless the list shows the state, or that the webhook does not exist", async () => {
  const service = await serviceWith();
  const errorOf = async (id: string) => (await failureOf(startRun(service).webhook.adopt(id))).error.message;
  expect(await errorOf("orders")).toContain("use the ID of a webhook, such as 101.");
  expect(await errorOf("9007199254740993")).toContain("use the ID of a webhook, at most 9007199254740991:");
  const fleet = await failureOf(startRun(service).fleet.adopt("default"));
  expect(fleet.error.message).toContain("cannot be imported");
  expect(await errorOf("7")).toContain(
    "Webhook 7 does not exist in this account. Existing webhooks: 101, 102",
  );
  showOne(service);
  expect(await errorOf("103")).toContain("The import needs the complete list, but /has_more indicates");
  showList(service, (records) => records.map(({ id }) => ({ id, mode: "LIVE" })));
  expect(await errorOf("101")).toMatch(/^Cannot import: .* partners:responses\.webhookState \/mode"/);
});

it("a state that something else wrote crashes no handler", async () => {
  const service = await serviceWith();
  await startRun(service).webhook.read({});
  expect(taken(service)).toEqual([]);
  const broken = { states: 7, otherStates: [null], initialStates: { x: 1, 101: "OFF", 102: {} }, others: {} };
  for (const olds of [{}, broken, { ...broken, stateOnDestroy: "restore", webhookId: "7", state: 1 }])
    for (const kind of ["fleet", "webhook"] as const) {
      const handlers = startRun(service)[kind];
      const args = kind === "fleet" ? { states: { 101: "active" } } : { webhookId: 101, state: "active" };
      const { inputs } = await preview(handlers, null, args);
      expect(handlers.diff(olds, inputs, NAME).changes).toBe(true);
      expect(handlers.preview(olds, inputs)).toMatchObject(args);
      await handlers.read(olds);
      expect(await handlers.update(olds, inputs, NAME)).toMatchObject(args);
      await handlers.delete(olds, NAME);
    }
  expect(Object.fromEntries(service.webhooks)).toEqual(FOUND);
});
