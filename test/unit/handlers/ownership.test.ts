import { describe, expect, it } from "vitest";

import { SettingsError } from "../../../provider/src/api/errors.js";
import type { Properties, ResourceHandlers } from "../../../provider/src/handlers/contract.js";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, methods, startRun, type Run } from "./support.ts";

/** The resources that belong to a server, with arguments for each. */
const KINDS: readonly [string, (run: Run) => ResourceHandlers, Properties][] = [
  ["key", (run) => run.partnerApiKey, {}],
  [
    "webhook",
    (run) => run.partnerWebhookState,
    { webhookId: 101, state: "disabled", stateOnDestroy: "active" },
  ],
  ["fleet", (run) => run.partnerWebhookStates, { states: { 101: "disabled" }, stateOnDestroy: "active" }],
];

describe.each(KINDS)("a %s", (kind, handlersOf, args) => {
  /** Creates a resource of one server, and starts another server that accepts the same token. */
  async function created() {
    const service = await sandboxFor();
    const other = await sandboxFor({ accessToken: service.accessToken });
    const { id, inputs, outputs } = await create(handlersOf(startRun(service)), args);
    service.clearRequests();
    const requests = () => [methods(service), methods(other)];
    return { service, other, id, inputs, outputs, requests };
  }

  it("of another server is not read, changed or deleted; the diff warns once", async () => {
    const { service, other, id, inputs, outputs, requests } = await created();
    const run = startRun(other);
    const handlers = handlersOf(run);
    const problem = { kind: "otherServer", owner: service.url, present: other.url };
    expect(handlers.diff(outputs, inputs)).toEqual({ changes: false, replaces: [] });
    expect(handlers.diff(outputs, inputs)).toEqual({ changes: false, replaces: [] });
    expect(run.notices).toEqual([problem]);
    const calls = [handlers.read(outputs), handlers.update(id, outputs, inputs), handlers.delete(outputs)];
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ problem });
    expect(requests()).toEqual([[], []]);
  });

  it("of another account is not read, changed or deleted", async () => {
    const { service, id, inputs, outputs, requests } = await created();
    const handlers = handlersOf(startRun(service, { account: "eu" }));
    const problem = { kind: "otherAccount", owner: "default", present: "eu" };
    const calls = [handlers.read(outputs), handlers.update(id, outputs, inputs), handlers.delete(outputs)];
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ problem });
    expect(requests()).toEqual([[], []]);
  });

  it("of another server is not replaced, because the old one could not be deleted", async () => {
    const { other, inputs, outputs } = await created();
    const news = { ...inputs, webhookId: 102, stateOnDestroy: "leave", rotation: { trigger: "a" } };
    expect(handlersOf(startRun(other)).diff(outputs, news)).toEqual({ changes: true, replaces: [] });
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

  it("without a recorded server records it in the next update or refresh", async () => {
    const { service, id, inputs, outputs } = await created();
    const { server, ...olds } = outputs;
    const handlers = handlersOf(startRun(service));
    expect(handlers.diff(olds, inputs)).toEqual({ changes: false, replaces: [] });
    expect(await handlers.update(id, olds, inputs)).toEqual({ ...olds, server });
    expect(await handlers.read(olds)).toMatchObject({ outputs: { server } });
  });

  it("that moves to another account is replaced, even if that account has another server", async () => {
    const { other, inputs, outputs } = await created();
    const run = startRun(other, { account: "eu", explicit: "true" });
    const news = await checked(handlersOf(run), args, inputs);
    expect(handlersOf(run).diff(outputs, news)).toEqual({ changes: true, replaces: ["account"] });
    expect(run.notices).not.toContainEqual(expect.objectContaining({ kind: "otherServer" }));
  });

  it("fails the preview if stack configuration names another account: the old one could not be deleted", async () => {
    const { service, inputs, requests } = await created();
    const handlers = handlersOf(startRun(service, { account: "eu" }));
    const problem = { kind: "otherAccount", owner: "default", present: "eu" };
    expect((await handlers.check(inputs, args)).problems).toMatchObject([{ problem }]);
    expect((await handlers.check({}, args)).problems).toEqual([]);
    expect(requests()).toEqual([kind === "key" ? [] : ["GET"], []]);
  });

  it("fails the preview if the settings are invalid, even if nothing changes", async () => {
    const { service, inputs, requests } = await created();
    const handlers = handlersOf(startRun(service, { maxConnections: "0" }));
    for (const olds of [inputs, {}])
      expect(await failureOf(handlers.check(olds, args))).toBeInstanceOf(SettingsError);
    expect(requests()).toEqual([[], []]);
  });

  it("accepts another spelling of the same address", async () => {
    const { inputs, outputs } = await created();
    const run = startRun({ url: "HTTPS://EU.example.com:443/gate/", accessToken: "token" });
    const olds = { ...outputs, server: "https://eu.example.com/gate" };
    expect(handlersOf(run).diff(olds, inputs)).toEqual({ changes: false, replaces: [] });
    expect(run.notices).toEqual([]);
  });
});
