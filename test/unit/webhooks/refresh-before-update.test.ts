import { describe, expect, it } from "vitest";

import { SettingsError } from "../../../provider/src/api/errors.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import type { ResourceAdapter } from "../../../provider/src/shared/resource-adapter.js";
import { sandboxFor } from "../api/support.ts";
import { checked, create, methods, partialFailureOf, startRun, type Run } from "../shared/support.ts";

const ON = { refreshBeforeUpdate: "true" };
const NATIVE = { canRefreshFirst: true };

/** The resources that the setting applies to, with arguments and the ID for an import. */
const KINDS: readonly [string, (run: Run) => ResourceAdapter, Properties, string][] = [
  ["webhook", (run) => run.partnerWebhookState, { webhookId: 101, state: "disabled" }, "101"],
  ["fleet", (run) => run.partnerWebhookStates, { states: { 101: "disabled", 102: "disabled" } }, "default"],
];

describe.each(KINDS)("the setting refreshBeforeUpdate of a %s", (_kind, handlersOf, args, importId) => {
  it("is a difference when it is set and when it is removed, and a read keeps what the last up recorded", async () => {
    const service = await sandboxFor();
    const off = handlersOf(startRun(service, { refreshBeforeUpdate: "false" }, NATIVE));
    const on = handlersOf(startRun(service, ON, NATIVE));
    const created = await create(off, args);
    expect(created.outputs).not.toHaveProperty("refreshBeforeUpdate");

    const inputs = await checked(on, args, created.inputs);
    const turnedOn = on.diff(created.outputs, inputs);
    expect(turnedOn, "turned on").toEqual({ changes: true, replaces: [] });
    const recorded = { refreshBeforeUpdate: true };
    expect(on.preview(created.outputs, inputs), "turned on").toMatchObject(recorded);
    const outputs = await on.update(created.id, created.outputs, inputs);
    expect(outputs, "turned on").toMatchObject(recorded);
    expect(on.diff(outputs, inputs).changes, "unchanged").toBe(false);
    const read = await off.read(outputs);
    expect(read, "a read by a run without it").toMatchObject({ outputs: recorded, inputs: recorded });

    expect(off.diff(outputs, created.inputs).changes, "removed").toBe(true);
    service.clearRequests();
    // Another run has no list yet.
    const next = handlersOf(startRun(service, { refreshBeforeUpdate: "false" }, NATIVE));
    const withoutIt = await next.update(created.id, outputs, created.inputs);
    expect(withoutIt, "removed").toEqual(created.outputs);
    expect(methods(service), "removed").toEqual([]);
    expect(await on.read(withoutIt), "a read by a run with it").toEqual(await off.read(withoutIt));
  });

  it("repairs a drift when it is set, and does not lose a change when it is removed", async () => {
    const service = await sandboxFor();
    const created = await create(handlersOf(startRun(service, {}, NATIVE)), args);
    service.setWebhookState(101, "active");
    const on = handlersOf(startRun(service, ON, NATIVE));
    const outputs = await on.update(created.id, created.outputs, await checked(on, args, created.inputs));
    expect(service.webhooks.get(101), "set").toBe("disabled");
    const off = handlersOf(startRun(service, { refreshBeforeUpdate: "false" }, NATIVE));
    const other = "states" in args ? { states: { 101: "active" } } : { ...args, state: "active" };
    await off.update(created.id, outputs, await checked(off, other, created.inputs));
    expect(service.webhooks.get(101), "removed").toBe("active");
  });

  it("is recorded by an import, and by a creation that fails partway", async () => {
    const service = await sandboxFor();
    const on = handlersOf(startRun(service, ON, NATIVE));
    const recorded = { refreshBeforeUpdate: true };
    expect(await on.adopt(importId)).toMatchObject({ inputs: recorded, outputs: recorded });
    service.inject({ kind: "reset", operation: "disableWebhook", effect: true, times: 20 });
    const { properties } = await partialFailureOf(create(on, args));
    expect(properties).toMatchObject(recorded);
  });

  it("is refused by a host that cannot pass it on", async () => {
    const dynamic = handlersOf(startRun(await sandboxFor(), ON));
    const { problems } = await dynamic.check({}, args);
    expect(problems).toEqual([expect.any(SettingsError)]);
    expect(problems).toMatchObject([{ problems: [{ setting: "refreshBeforeUpdate" }] }]);
  });
});

it("the setting refreshBeforeUpdate does not apply to a key", async () => {
  const { partnerApiKey } = startRun(await sandboxFor(), ON, NATIVE);
  expect((await create(partnerApiKey)).outputs).not.toHaveProperty("refreshBeforeUpdate");
});
