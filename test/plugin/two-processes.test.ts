import { describe, expect, it } from "vitest";

import { PARTNER_WEBHOOK_STATES } from "../../provider/src/registration.js";
import { configFor, HOOK, loggingEngine, pluginFor, sandboxFor } from "./partners.ts";
import { HOSTS } from "./plugin-process.ts";

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
  /** Starts the processes of two providers, the old one and the new one, and a service with webhooks 101 and 102 disabled. */
  async function startTwo() {
    const sandbox = await sandboxFor({
      webhooks: [101, 102].map((webhookId) => ({ webhookId, state: "disabled" })),
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
});
