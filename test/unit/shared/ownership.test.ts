import { describe, expect, it } from "vitest";

import { SettingsError } from "../../../provider/src/api/errors.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, methods, startRun, type Run } from "./support.ts";

/** The resources that belong to a server, with arguments for each. */
const KINDS: readonly [string, (run: Run) => ResourceAdapter, Properties][] = [
  ["key", (run) => run.partnerApiKey, {}],
  [
    "webhook",
    (run) => run.partnerWebhookState,
    { webhookId: 101, state: "disabled", stateOnDestroy: "active" },
  ],
  ["fleet", (run) => run.partnerWebhookStates, { states: { 101: "disabled" }, stateOnDestroy: "active" }],
];

describe.each(KINDS)("a %s", (_kind, handlersOf, args) => {
  /** Creates a resource of one server, and starts another server that accepts the same token. */
  async function created() {
    const service = await sandboxFor();
    const other = await sandboxFor({ accessToken: service.accessToken });
    const { id, inputs, outputs } = await create(handlersOf(startRun(service)), args);
    service.clearRequests();
    const requests = () => [methods(service), methods(other)];
    return { service, other, id, inputs, outputs, requests };
  }

  it.each(["server", "account"])("of another %s is not read, changed or deleted", async (what) => {
    const { service, other, id, inputs, outputs, requests } = await created();
    const run = what === "server" ? startRun(other) : startRun(service, { account: "eu" });
    const problem =
      what === "server"
        ? { kind: "otherServer", owner: service.url, present: other.url }
        : { kind: "otherAccount", owner: "default", present: "eu" };
    const handlers = handlersOf(run);
    const calls = [handlers.read(outputs), handlers.update(id, outputs, inputs), handlers.delete(outputs)];
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ problem });
    expect(() => handlers.preview(outputs, inputs)).toThrow(expect.objectContaining({ problem }));
    expect(requests()).toEqual([[], []]);
  });

  it("of another server gets one warning, and is not replaced: the old one could not be deleted", async () => {
    const { service, other, inputs, outputs } = await created();
    const run = startRun(other);
    const news = { ...inputs, webhookId: 102, stateOnDestroy: "leave", rotation: { trigger: "a" } };
    expect(handlersOf(run).diff(outputs, inputs)).toEqual({ changes: false, replaces: [] });
    expect(handlersOf(run).diff(outputs, news)).toEqual({ changes: true, replaces: [] });
    const warnings = run.notices.filter(({ kind }) => kind === "otherServer");
    expect(warnings).toEqual([{ kind: "otherServer", owner: service.url, present: other.url }]);
  });

  it("whose server has a new address records it without a request", async () => {
    const { service, other, id, inputs, outputs, requests } = await created();
    const handlers = handlersOf(startRun(other, { previousBaseUrl: `${service.url}/` }));
    expect(handlers.diff(outputs, inputs)).toEqual({ changes: true, replaces: [] });
    const moved = await handlers.update(id, outputs, inputs);
    expect(moved).toEqual({ ...outputs, server: other.url });
    expect(handlers.diff(moved, inputs)).toEqual({ changes: false, replaces: [] });
    expect(requests()).toEqual([[], []]);
  });

  it("whose server has a new address is still changed", async () => {
    const { service, other, id, outputs, inputs } = await created();
    const handlers = handlersOf(startRun(other, { previousBaseUrl: `${service.url}/` }));
    const rotation = { trigger: "a", overlapDays: 7 };
    const news = { ...inputs, state: "active", states: { 101: "active" }, rotation };
    expect(await handlers.update(id, outputs, news)).not.toMatchObject(outputs);
    expect(methods(other).filter((method) => method !== "GET")).toHaveLength(1);
  });

  it("that moves to another account is replaced, even if that account has another server", async () => {
    const { other, inputs, outputs } = await created();
    const run = startRun(other, { account: "eu", explicit: "true" });
    const news = await checked(handlersOf(run), args, inputs);
    expect(handlersOf(run).diff(outputs, news)).toEqual({ changes: true, replaces: ["account"] });
    expect(run.notices).not.toContainEqual(expect.objectContaining({ kind: "otherServer" }));
  });

  it("fails the preview if stack configuration names another account: the old one could not be deleted", async () => {
    const { service, inputs } = await created();
    const handlers = handlersOf(startRun(service, { account: "eu" }));
    const problem = { kind: "otherAccount", owner: "default", present: "eu" };
    expect((await handlers.check(inputs, args)).problems).toMatchObject([{ problem }]);
    expect((await handlers.check({}, args)).problems).toEqual([]);
  });

  it("fails the preview if the settings are invalid, even if nothing changes", async () => {
    const { service, inputs, requests } = await created();
    const handlers = handlersOf(startRun(service, { maxConnections: "0" }));
    expect(await failureOf(handlers.check(inputs, args))).toBeInstanceOf(SettingsError);
    expect(requests()).toEqual([[], []]);
  });
});
