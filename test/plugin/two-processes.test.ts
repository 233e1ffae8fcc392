import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it } from "vitest";

import { configFor, HOOK, loggingEngine, pluginFor, sandboxFor } from "./support.ts";
import { HOSTS } from "../support/spawned-plugin.ts";

/** A webhook that was active before the stack disabled it. */
const OLD = { ...HOOK, stateOnDestroy: "restore", initialState: "active" };

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

  it("a deletion through one leaves a webhook that the program declares through the other, but not in another run", async () => {
    const { sandbox, engine, old, next, options } = await startTwo();
    await next.check(HOOK);
    await next.create(HOOK);
    await old.delete("101", OLD);
    expect(sandbox.webhooks.get(101)).toBe("disabled");
    expect(engine.messages.map(({ message }) => message)).toEqual([
      expect.stringMatching(/webhook 101 stays as it is.*another provider/),
    ]);
    await old.delete("102", { ...OLD, webhookId: 102 });
    expect(sandbox.webhooks.get(102)).toBe("active");
    const { address: engineAddress } = await loggingEngine();
    const ofAnotherRun = await pluginFor({ ...options, engineAddress });
    await ofAnotherRun.delete("101", OLD);
    expect(sandbox.webhooks.get(101)).toBe("active");
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

  it("a webhook stays protected after its process is canceled, because the engine cancels one process after another", async () => {
    const { sandbox, old, next } = await startTwo();
    await next.check(HOOK);
    await next.call("cancel", new Empty());
    await old.delete("101", OLD);
    expect(sandbox.webhooks.get(101)).toBe("disabled");
  });
});
