import { describe, expect, it } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import { SHAPES } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { create, mapping, methods, startRun } from "../shared/support.ts";

/** Starts a service whose list is what `render` returns. */
async function serviceWith(render: (records: readonly object[]) => unknown) {
  const shape = { ...SHAPES.flat, webhooks: (records: readonly object[]) => render(records) };
  return sandboxFor({ webhooks: { 101: "active", 102: "disabled" }, shape });
}

/** A list of the sandbox whose state words are others. */
const withWords = (words: Record<string, string>) => (records: readonly object[]) =>
  records.map((record) => {
    const { webhookId, state } = record as { webhookId: number; state: string };
    return { webhookId, state: words[`${webhookId}`] ?? words[state] ?? state };
  });

describe("an odd record of the list", () => {
  it("stays alone: the others are managed, and one warning names its position", async () => {
    const service = await serviceWith((records) => [...records, { webhookId: "legacy/1" }, { webhookId: 0 }]);
    const run = startRun(service);
    for (const webhookId of [101, 102]) await create(run.partnerWebhookState, { webhookId, state: "active" });
    expect(await run.listWebhooks()).toMatchObject([{ webhookId: 101 }, { webhookId: 102 }]);
    expect(run.notices).toEqual([
      {
        kind: "oddRecords",
        records: [
          { position: 3, reason: "not a number" },
          { position: 4, reason: "not a number" },
        ],
      },
    ]);
    expect(await failureOf(create(run.partnerWebhookState, { webhookId: 7, state: "active" }))).toMatchObject(
      {
        message: expect.stringContaining("noSuchWebhook") as string,
      },
    );
  });

  it("without an ID is not a missing webhook: a refresh drops nothing", async () => {
    let hasId = true;
    const service = await serviceWith((records) => (hasId ? records : [...records.slice(1), { name: "x" }]));
    const { outputs } = await create(startRun(service).partnerWebhookState, {
      webhookId: 101,
      state: "active",
    });
    hasId = false;
    const refresh = startRun(service).partnerWebhookState.read(outputs);
    const problem = { kind: "absenceUnproven", webhookId: 101, doubt: "odd" };
    expect(await failureOf(refresh)).toMatchObject({ problem });
  });
});

it("a webhook that is missing from one of several lists may be in another", async () => {
  const service = await serviceWith((records) => ({
    webhooks: records.slice(1),
    archive: records.slice(0, 1),
  }));
  const settings = mapping({ webhooks: "/webhooks" });
  const creation = create(startRun(service, settings).partnerWebhookState, { webhookId: 7, state: "active" });
  expect(await failureOf(creation)).toMatchObject({
    message: expect.stringContaining('"doubt":"part"') as string,
  });
});

describe("a webhook whose state the list no longer shows", () => {
  let words: Record<string, string> = {};
  const start = async () => {
    words = {};
    const service = await serviceWith((records) => withWords(words)(records));
    const { outputs } = await create(startRun(service).partnerWebhookState, {
      webhookId: 101,
      state: "active",
    });
    service.clearRequests();
    return { service, outputs };
  };

  it("is a difference if the list shows the state of others, and the change repairs it", async () => {
    const { service, outputs } = await start();
    words = { 101: "quarantined" };
    const { partnerWebhookState, notices } = startRun(service);
    const found = await partnerWebhookState.read(outputs);
    const read = found?.outputs ?? {};
    expect(read).toMatchObject({ state: null, initialState: "active" });
    expect(notices).toEqual([{ kind: "stateLost", webhookIds: [101], setting: "active" }]);
    const inputs: Properties = {
      webhookId: 101,
      state: "active",
      stateOnDestroy: "leave",
      account: "default",
    };
    expect(partnerWebhookState.diff(read, inputs).changes).toBe(true);
    expect(await partnerWebhookState.update("101", read, inputs)).toMatchObject({ state: "active" });
    expect(methods(service)).toEqual(["GET", "PATCH"]);
  });

  it("is an error if the list shows no state at all, until the settings name the words", async () => {
    const { service, outputs } = await start();
    words = { active: "LIVE", disabled: "PARKED" };
    const refresh = startRun(service).partnerWebhookState.read(outputs);
    expect(await failureOf(refresh)).toMatchObject({ problem: { kind: "stateUnknown", webhookIds: [101] } });
    const settings = mapping({ active: ["live"], disabled: ["parked"] });
    const { partnerWebhookState, notices } = startRun(service, settings);
    expect(await partnerWebhookState.read(outputs)).toMatchObject({ outputs });
    expect(notices).toEqual([]);
  });

  it("stays as it is recorded, with a warning, if the list never showed it", async () => {
    const { service, outputs } = await start();
    words = { 101: "quarantined" };
    const { partnerWebhookState, notices } = startRun(service);
    const olds = { ...outputs, initialState: null };
    expect(await partnerWebhookState.read(olds)).toMatchObject({ outputs: { state: "active" } });
    expect(notices).toEqual([{ kind: "stateUnknown", webhookIds: [101], setting: "active" }]);
  });
});

describe("a webhook that was deleted but is still listed", () => {
  const gone = { kind: "status", status: 404, operation: "disableWebhook" } as const;

  it("counts as released if the service does not find it", async () => {
    const service = await sandboxFor();
    const args = { webhookId: 101, state: "active", stateOnDestroy: "disabled" };
    const { outputs } = await create(startRun(service).partnerWebhookState, args);
    service.inject(gone);
    const { partnerWebhookState, notices } = startRun(service);
    await partnerWebhookState.delete(outputs);
    expect(notices).toEqual([{ kind: "releasedGone", webhookIds: [101] }]);
  });

  it("is an error if the program declares it", async () => {
    const service = await sandboxFor({ faults: [gone] });
    const creation = create(startRun(service).partnerWebhookState, { webhookId: 101, state: "disabled" });
    expect(await failureOf(creation)).toMatchObject({ status: 404 });
  });

  it("is absent if its record says so", async () => {
    let deletedAt: string | null = null;
    const service = await serviceWith(([first, ...others]) => [{ ...first, deletedAt }, ...others]);
    const { outputs } = await create(startRun(service).partnerWebhookState, {
      webhookId: 101,
      state: "active",
    });
    deletedAt = "2026-11-22T10:20:30Z";
    const { partnerWebhookState, notices } = startRun(service);
    expect(await partnerWebhookState.read(outputs)).toBeNull();
    expect(notices).toEqual([{ kind: "webhooksGone", webhookIds: [101] }]);
  });
});
