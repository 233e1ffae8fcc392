import { describe, expect, it } from "vitest";

import type { Properties, ResourceHandlers } from "../../../provider/src/handlers/contract.js";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, methods, startRun, type Run } from "./support.ts";

/** The kinds of resource that belong to a server, and what a program says of one. */
const KINDS: readonly [string, (run: Run) => ResourceHandlers, Properties][] = [
  ["key", (run) => run.partnerApiKey, {}],
  [
    "webhook",
    (run) => run.partnerWebhookState,
    { webhookId: 101, state: "disabled", stateOnDestroy: "active" },
  ],
];

describe.each(KINDS)("a %s", (_kind, handlersOf, args) => {
  /** A resource of one server, and another server that takes the same token. */
  async function created() {
    const service = await sandboxFor();
    const other = await sandboxFor({ accessToken: service.accessToken });
    const { id, inputs, outputs } = await create(handlersOf(startRun(service)), args);
    service.clearRequests();
    const said = () => [methods(service), methods(other)];
    return { service, other, id, inputs, outputs, said };
  }

  it("of another server is neither read, changed nor deleted; the diff warns, and sends nothing", async () => {
    const { service, other, id, inputs, outputs, said } = await created();
    const run = startRun(other);
    const handlers = handlersOf(run);
    const facts = { kind: "otherServer", owner: service.url, present: other.url };
    expect(handlers.diff(outputs, inputs)).toEqual({ changes: false, replaces: [] });
    expect(handlers.diff(outputs, inputs)).toEqual({ changes: false, replaces: [] });
    expect(run.notices).toEqual([facts]);
    const calls = [handlers.read(outputs), handlers.update(id, outputs, inputs), handlers.delete(outputs)];
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ problem: facts });
    expect(said()).toEqual([[], []]);
  });

  it("of another account is neither read, changed nor deleted", async () => {
    const { service, id, inputs, outputs, said } = await created();
    const handlers = handlersOf(startRun(service, { account: "eu" }));
    const calls = [handlers.read(outputs), handlers.update(id, outputs, inputs), handlers.delete(outputs)];
    for (const call of calls)
      expect(await failureOf(call)).toMatchObject({
        problem: { kind: "otherAccount", owner: "default", present: "eu" },
      });
    expect(said()).toEqual([[], []]);
  });

  it("of another server is not replaced, as the old one could not be deleted", async () => {
    const { other, inputs, outputs } = await created();
    const news = { ...inputs, webhookId: 102, rotation: { trigger: "a" } };
    expect(handlersOf(startRun(other)).diff(outputs, news)).toEqual({ changes: true, replaces: [] });
  });

  it("whose server has a new address is taken there without a request", async () => {
    const { service, other, id, inputs, outputs, said } = await created();
    const handlers = handlersOf(startRun(other, { previousBaseUrl: `${service.url}/` }));
    expect(handlers.diff(outputs, inputs)).toEqual({ changes: true, replaces: [] });
    const moved = await handlers.update(id, outputs, inputs);
    expect(moved).toEqual({ ...outputs, server: other.url });
    expect(handlers.diff(moved, inputs)).toEqual({ changes: false, replaces: [] });
    expect(said()).toEqual([[], []]);
  });

  it("of an unknown server is trusted, and remembers it from the next update or refresh on", async () => {
    const { service, id, inputs, outputs } = await created();
    const { server, ...olds } = outputs;
    const handlers = handlersOf(startRun(service));
    expect(handlers.diff(olds, inputs)).toEqual({ changes: false, replaces: [] });
    expect(await handlers.update(id, olds, inputs)).toEqual({ ...olds, server });
    expect(await handlers.read(olds)).toMatchObject({ outputs: { server } });
  });

  it("that moves to another account is replaced, whatever server that is at", async () => {
    const { other, inputs, outputs } = await created();
    const run = startRun(other, { account: "eu", explicit: "true" });
    const news = await checked(handlersOf(run), args, inputs);
    expect(handlersOf(run).diff(outputs, news)).toEqual({ changes: true, replaces: ["account"] });
    expect(run.notices).toEqual([]);
  });

  it("whose account name in stack configuration was changed is refused in the preview, as the old one could not be deleted", async () => {
    const { service, inputs, said } = await created();
    const handlers = handlersOf(startRun(service, { account: "eu" }));
    const facts = { kind: "otherAccount", owner: "default", present: "eu" };
    expect((await handlers.check(inputs, args)).problems).toMatchObject([{ problem: facts }]);
    expect((await handlers.check({}, args)).problems).toEqual([]);
    expect(said()).toEqual([["GET"].slice(inputs["webhookId"] === undefined ? 1 : 0), []]);
  });

  it.each(["HTTPS://EU.example.com:443/gate/", "https://eu.example.com/gate"])(
    "of %s is that of the same address written in another way",
    async (baseUrl) => {
      const { inputs, outputs } = await created();
      const run = startRun({ url: baseUrl, accessToken: "token" });
      const olds = { ...outputs, server: "https://eu.example.com/gate" };
      expect(handlersOf(run).diff(olds, inputs)).toEqual({ changes: false, replaces: [] });
      expect(run.notices).toEqual([]);
    },
  );
});
