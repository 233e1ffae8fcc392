import { describe, expect, it, vi } from "vitest";

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

  it("of many single webhooks share one GET, even if it fails", async () => {
    const service = await serviceWith();
    const both = () => {
      const { webhook } = startRun(service);
      const create = (webhookId: number) =>
        up(webhook, null, { webhookId, state: "active" }, `u${webhookId}`);
      return Promise.allSettled([101, 103].map(create));
    };
    await both();
    expect(taken(service)).toEqual([LIST, activate(103)]);
    service.answers.listWebhooks = () => ({ status: 403 });
    const reasons = (await both()).map((one) => (one.status === "rejected" ? String(one.reason) : ""));
    expect(reasons).toEqual([reasons[1], expect.stringContaining("403")]);
    expect(taken(service)).toEqual([LIST]);
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

  it("are one GET and one reading of a list that cannot be read, for all single webhooks", async () => {
    const service = await serviceWith();
    showList(service, () => [{ name: "orders" }]);
    const run = startRun(service);
    const { response } = await run.plugin.requestList();
    const text = vi.spyOn(response, "text", "get");
    for (const webhookId of [101, 102, 103]) {
      const call = preview(run.webhook, null, { webhookId, state: "active" }, `u${webhookId}`);
      expect((await failureOf(call)).error.message).toContain("records without a usable ID");
    }
    expect(text).toHaveBeenCalledTimes(1);
    expect(taken(service)).toEqual([LIST]);
  });

  it("go in parallel, and show their progress at most 100 times, for a single one never", async () => {
    const service = await serviceWith(
      Object.fromEntries(Array.from({ length: 150 }, (_, i) => [i + 1, "active"])),
    );
    const run = startRun(service);
    await up(run.webhook, null, { webhookId: 1, state: "disabled" }, "other");
    expect(run.shown).toEqual([]);
    const ids = Array.from({ length: 149 }, (_, index) => index + 2);
    const states = Object.fromEntries(ids.map((id) => [id, "disabled"]));
    await up(run.fleet, null, { states });
    expect([run.shown.length, run.shown.at(-1)]).toEqual([74, "148 of 149 webhooks set"]);
    expect(new Set(service.webhooks.values())).toEqual(new Set(["disabled"]));
  });
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
    expect(run.texts("warning")).toEqual([
      "The list does not show the state of webhooks 101, 102, 103, so drift is not detected.",
    ]);
    expect(run.texts("information")).toEqual([
      'This update sets webhooks 102, 103 to active because of "others".',
    ]);
    expect(await refresh(startRun(service).fleet, olds)).toEqual(olds);
    const more = await up(startRun(service).fleet, olds, { ...args, stateOnDestroy: "active" });
    taken(service);
    await startRun(service).fleet.delete(more.outputs, NAME);
    expect(taken(service)).toEqual([LIST, activate(101)]);
  });

  it.each([
    ["after a 409, a 400 or a 422", { status: 409 }],
    ["after a lost response and a 422", "reset"],
  ] as const)("that is refused is done if a fresh list shows the state: %s", async (_when, first) => {
    const service = await serviceWith();
    const run = startRun(service);
    const { inputs } = await preview(run.webhook, null, { webhookId: 101, state: "disabled" });
    const answers = [first, { status: 422 }];
    service.answers.setWebhookState = (id, state) => {
      service.webhooks.set(id, state);
      return answers.shift() ?? { status: 400 };
    };
    taken(service);
    expect((await run.webhook.create(inputs, "")).outputs).toMatchObject({ state: "disabled" });
    expect(taken(service).at(-1)).toBe(LIST);
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

  it("that conflicts while the list shows no state counts as made, with a warning", async () => {
    const service = await serviceWith();
    hideStates(service);
    const { inputs } = await preview(startRun(service).webhook, null, { webhookId: 101, state: "active" });
    const [refusing, conflicting] = [startRun(service), startRun(service)];
    service.answers.setWebhookState = () => ({ status: 422 });
    expect((await failureOf(refusing.webhook.create(inputs, ""))).error.status).toBe(422);
    expect(refusing.notices).toEqual([]);
    service.answers.setWebhookState = () => ({ status: 409 });
    const { outputs } = await conflicting.webhook.create(inputs, "");
    expect(outputs).toMatchObject({ state: "active", initialState: null });
    expect(conflicting.texts("warning")).toHaveLength(1);
  });

  it("that may have been made is recorded as null, and sent again even if the program is reverted", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).webhook, null, { webhookId: 101, state: "active" });
    const { setWebhookState } = service.answers;
    service.answers.setWebhookState = () => ({ status: 500 });
    const failed = await failureOf(
      up(startRun(service).webhook, olds, { webhookId: 101, state: "disabled" }),
    );
    expect([failed.error.effect, failed.kept?.["state"]]).toEqual(["possible", null]);
    const kept = { inputs: olds.inputs, outputs: failed.kept ?? {} };
    service.answers.setWebhookState = setWebhookState;
    service.webhooks.set(101, "disabled");
    expect((await up(startRun(service).webhook, kept, olds.inputs)).outputs["state"]).toBe("active");
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("that fails stops no other one; the state keeps what was reached, and the error names it", async () => {
    const service = await serviceWith();
    const { setWebhookState } = service.answers;
    service.answers.setWebhookState = (id, state) =>
      id === 102 ? { status: 403 } : setWebhookState(id, state);
    const states = { 101: "disabled", 102: "disabled", 103: "disabled" };
    const { error, kept } = await failureOf(up(startRun(service).fleet, null, { states }));
    expect(kept).toMatchObject({ states: { ...states, 102: "active" }, initialStates: FOUND });
    expect(error.message).toMatch(
      /^1 of 2 webhooks were not set: 102\. Run this again to retry\.\n- PATCH .*102.*403/,
    );
    const only = await failureOf(up(startRun(service).fleet, null, { states: { 102: "disabled" } }));
    expect([only.kept, only.error.message]).toEqual([null, expect.stringMatching(/^PATCH .*102.*403/)]);
  });

  it("that a retry hook repeats continues from what was reached", async () => {
    const service = await serviceWith();
    const { webhook } = startRun(service);
    const { inputs } = await preview(webhook, null, { webhookId: 101, state: "disabled" });
    const { setWebhookState } = service.answers;
    service.answers.setWebhookState = (id, state) => {
      void setWebhookState(id, state);
      return { status: 500 };
    };
    expect((await failureOf(webhook.create(inputs, "u"))).kept).toMatchObject({ initialState: "active" });
    service.answers.setWebhookState = setWebhookState;
    const { outputs } = await webhook.create(inputs, "u");
    expect(outputs).toMatchObject({ state: "disabled", initialState: "active" });
  });
});

describe("a webhook that is missing from an incomplete list", () => {
  it("is set, kept by a refresh, and released", async () => {
    const service = await serviceWith();
    showOne(service);
    const run = startRun(service);
    const olds = await up(run.webhook, null, { webhookId: 103, state: "active", stateOnDestroy: "disabled" });
    expect(taken(service)).toEqual([LIST, activate(103)]);
    expect(olds.outputs).toMatchObject({ state: "active", initialState: null });
    const warning =
      "Drift is not detected for webhooks that are missing from the list: /has_more indicates more webhooks. " +
      "If the list is complete, set partners:responses.complete to true.";
    expect(run.texts("warning")).toEqual([warning]);
    const refreshed = startRun(service);
    expect(await refresh(refreshed.webhook, olds)).toEqual(olds);
    expect(refreshed.texts("warning")).toEqual([warning]);
    taken(service);
    await startRun(service).webhook.delete(olds.outputs, NAME);
    expect(taken(service)).toEqual([LIST, disable(103)]);
  });

  it("may be gone if its PATCH returns 404, and then needs no release", async () => {
    const service = await serviceWith();
    showOne(service);
    const { error } = await failureOf(up(startRun(service).webhook, null, { webhookId: 7, state: "active" }));
    expect(error.message).toMatch(/^PATCH .*7.*404\. The webhook may be gone\./);
    const { outputs } = await up(startRun(service).webhook, null, {
      ...{ webhookId: 103, state: "active", stateOnDestroy: "restore" },
    });
    service.webhooks.delete(103);
    await startRun(service).webhook.delete({ ...outputs, initialState: "disabled" }, NAME);
  });

  it.each([
    [
      {},
      "/has_more indicates more webhooks. If the list is complete, set partners:responses.complete to true.",
    ],
    [{ complete: false }, "partners:responses.complete is false."],
  ])(
    "hinders others and the list, with responses %j, but neither a refresh nor a release",
    async (responses, why) => {
      const service = await serviceWith();
      const args = { states: {}, others: "disabled", stateOnDestroy: "restore" };
      const olds = await up(startRun(service).fleet, null, args);
      showList(service, () => ({ data: [{ id: 104, status: "active" }], has_more: true }));
      const run = startRun(service, responses);
      const { error } = await failureOf(run.list());
      expect(error.message).toBe(`getPartnerWebhooks needs the complete list, but ${why}`);
      for (const call of [preview(run.fleet, null, args), run.fleet.update(olds.outputs, olds.inputs, NAME)])
        expect((await failureOf(call)).error.message).toBe(
          `"others" needs the complete list, but ${why} Otherwise, name the webhooks in "states".`,
        );
      expect(await refresh(run.fleet, olds)).toEqual(olds);
      await startRun(service, responses).fleet.delete(olds.outputs, NAME);
      expect(Object.fromEntries(service.webhooks)).toEqual(FOUND);
      expect(await startRun(service, { complete: true }).list()).toHaveLength(1);
    },
  );
});

describe("a webhook that is gone", () => {
  it("is dropped by a refresh, is an error in the next preview and update, and needs no release", async () => {
    const service = await serviceWith();
    const args = { states: { 101: "disabled", 102: "disabled" }, stateOnDestroy: "restore" };
    const olds = await up(startRun(service).fleet, null, args);
    service.webhooks.delete(102);
    service.webhooks.set(101, "active");
    const seen = await refresh(startRun(service).fleet, olds);
    expect(seen?.outputs).toMatchObject({
      states: { 101: "active" },
      initialStates: { 101: "active", 102: "active" },
    });
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
    "keeps its initial state in %j: an empty list by mistake does not erase what restore needs",
    async (which) => {
      const service = await serviceWith();
      const olds = await up(startRun(service).fleet, null, { ...which, stateOnDestroy: "restore" });
      const { listWebhooks } = service.answers;
      service.answers.listWebhooks = () => ({ body: [] });
      const seen = await refresh(startRun(service).fleet, olds);
      expect(seen?.outputs).toMatchObject({ states: {}, otherStates: {}, initialStates: { 101: "active" } });
      const { outputs = {} } = seen ?? {};
      const isCovered = which.others !== undefined;
      const next = isCovered ? await startRun(service).fleet.update(outputs, olds.inputs, NAME) : outputs;
      service.answers.listWebhooks = listWebhooks;
      await startRun(service).fleet.delete(next, NAME);
      expect(Object.fromEntries(service.webhooks)).toEqual(FOUND);
    },
  );

  it("ends a single resource at a refresh", async () => {
    const service = await serviceWith({});
    expect(await startRun(service).webhook.read({ ...WEBHOOK, account: "default" })).toBe(null);
  });
});

const WEBHOOK = { webhookId: 101, state: "active", stateOnDestroy: "leave", initialState: "active" };

describe("an import", () => {
  it("records the state as the one to restore", async () => {
    const service = await serviceWith();
    const found = await startRun(service).webhook.adopt("101");
    expect(found?.outputs).toMatchObject(WEBHOOK);
    expect(found?.inputs).toMatchObject({ webhookId: 101, state: "active", stateOnDestroy: "leave" });
    expect(await startRun(service).webhook.adopt("7", true)).toBe(null);
  });

  it("fails unless the list shows the state, or that the webhook does not exist", async () => {
    const service = await serviceWith();
    const errorOf = async (id: string) =>
      (await failureOf(startRun(service).webhook.adopt(id))).error.message;
    expect(await errorOf("orders")).toContain("use the ID of a webhook, such as 101.");
    expect((await failureOf(startRun(service).fleet.adopt("default"))).error.message).toContain(
      "cannot be imported",
    );
    showOne(service);
    expect(await errorOf("103")).toContain("The import needs the complete list, but /has_more indicates");
    showList(service, (records) => records.map(({ id }) => ({ id, mode: "LIVE" })));
    expect(await errorOf("101")).toBe(
      "Cannot import: the list does not show the webhook's state. Set partners:responses.webhookState " +
        'to /mode ("LIVE"), and partners:responses.active and partners:responses.disabled to its values.',
    );
  });
});

it("a list with a date, a count, a size and a link next to it is complete, also if it is empty", async () => {
  const service = await serviceWith();
  showList(service, (webhooks) => ({
    ...{ webhooks, last_updated: "2026-11-25", size: 3, page: 1, webhook_count: webhooks.length },
    links: { documentation: "https://partners.example.com/docs?next=1" },
  }));
  await up(startRun(service).fleet, null, { states: {}, others: "active" });
  expect(service.webhooks.get(103)).toBe("active");
  service.webhooks.clear();
  expect(await startRun(service).list()).toEqual([]);
  await up(startRun(service).fleet, null, { states: {}, others: "active" });
});

it("no list leads to a request with a query", async () => {
  const service = await serviceWith();
  showList(service, (data) => ({ data, has_more: true, next: "/api/v1/partners/webhooks?page=2" }), {
    link: '</api/v1/partners/webhooks?page=2>; rel="next"',
  });
  await up(startRun(service).webhook, null, { webhookId: 101, state: "disabled" });
  await failureOf(startRun(service).list());
  expect(taken(service)).toEqual([LIST, disable(101), LIST]);
});

it("a record reaches the program without what the engine would interpret", async () => {
  const service = await serviceWith();
  const body = `[{"id":7,"active":true,"big":12345678901234567890,"4dabf18193072939515e22adb298388d":"x"}]`;
  service.answers.listWebhooks = () => ({ body });
  const record = { id: 7, active: true, big: "12345678901234567890" };
  expect(await startRun(service).list()).toEqual([{ webhookId: 7, state: "active", record }]);
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
