import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it } from "vitest";

import { PARTNER_WEBHOOK_STATES } from "../../provider/src/registration.js";
import { configFor, HOOK, loggingEngine, pluginFor, sandboxFor } from "./support.ts";
import { HOSTS } from "../support/spawned-plugin.ts";

/** A webhook that was active before the stack disabled it. */
const OLD = { ...HOOK, stateOnDestroy: "restore", initialState: "active" };
const FLEET = {
  __provider: PARTNER_WEBHOOK_STATES.__provider,
  states: { 101: "disabled", 102: "disabled" },
  others: "leave",
  stateOnDestroy: "restore",
  account: "default",
};

describe.each(HOSTS)("two providers in one run of the engine, %s", (host) => {
  /**
   * Starts the processes of two providers, the old one and the new one, and a service with webhooks 101 and
   * 102 disabled.
   */
  async function startTwo() {
    const sandbox = await sandboxFor({
      webhooks: { 101: "disabled", 102: "disabled" },
    });
    const engine = await loggingEngine();
    const options = { host, config: configFor(sandbox), engineAddress: engine.address };
    const [old, next] = await Promise.all([pluginFor(options), pluginFor(options)]);
    return { sandbox, engine, old, next, options };
  }

  it("a deletion through one leaves a webhook that the program declares through the other, and says so", async () => {
    const { sandbox, engine, old, next } = await startTwo();
    await next.check(HOOK);
    await next.create(HOOK);
    await old.delete("101", OLD);
    expect(sandbox.webhooks.get(101)).toBe("disabled");
    expect(engine.messages.map(({ message }) => message)).toEqual([
      expect.stringMatching(/webhook 101 stays as it is.*another provider/),
    ]);
    await old.delete("102", { ...OLD, webhookId: 102 });
    expect(sandbox.webhooks.get(102)).toBe("active");
  });

  it("a webhook that the program declares through both is refused, and the message names both resources", async () => {
    const { old, next } = await startTwo();
    const urns = ["one", "two"].map(
      (name) => `urn:pulumi:dev::test::partners:index:PartnerWebhookState::${name}`,
    );
    const check = (plugin: typeof old, index: 0 | 1) =>
      plugin.check(host === "dynamic" ? { ...HOOK, __urn: urns[index] } : HOOK, {}, ["one", "two"][index]);
    expect((await check(old, 0)).failures).toEqual([]);
    expect((await check(next, 0)).failures).toEqual([]); // The resource moves from one provider to the other.
    expect((await check(old, 1)).failures[0]?.reason).toMatch(
      /101 is declared twice, by .*"one" and .*"two"/,
    );
  });

  it("a fleet with others protects the webhooks that it covers", async () => {
    const { sandbox, old, next } = await startTwo();
    const covering = { ...FLEET, states: {}, others: "disabled" };
    await next.check(covering);
    await next.create(covering);
    await old.delete("default", {
      ...FLEET,
      otherStates: {},
      initialStates: { 101: "active", 102: "active" },
    });
    expect([...sandbox.webhooks.values()]).toEqual(["disabled", "disabled"]);
  });

  it("a webhook that one releases before the other declares it is refused in this run", async () => {
    const { sandbox, old, next } = await startTwo();
    const fleet = { ...FLEET, otherStates: {}, initialStates: { 101: "active", 102: "active" } };
    await old.update("default", fleet, { ...FLEET, states: { 102: "disabled" } });
    expect([...sandbox.webhooks.values()]).toEqual(["active", "disabled"]);
    expect((await next.check(HOOK)).failures[0]?.reason).toMatch(/101.*Run "pulumi up" again/);
  });

  it("a webhook stays protected after its process is canceled, because the engine cancels one process after another", async () => {
    const { sandbox, old, next } = await startTwo();
    await next.check(HOOK);
    await next.call("cancel", new Empty());
    await old.delete("101", OLD);
    expect(sandbox.webhooks.get(101)).toBe("disabled");
  });

  it("a process of another run does not protect a webhook", async () => {
    const { sandbox, next, options } = await startTwo();
    await next.check(HOOK);
    const { address: engineAddress } = await loggingEngine();
    const other = await pluginFor({ ...options, engineAddress });
    await other.delete("101", OLD);
    expect(sandbox.webhooks.get(101)).toBe("active");
  });
});
