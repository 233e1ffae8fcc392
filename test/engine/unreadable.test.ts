import * as partners from "pulumi-partners";
import { describe, expect, it } from "vitest";

import type { OperationOptions } from "../support/stack.ts";
import { countRequests, sandboxStack } from "./support.ts";

function program(): Promise<Record<string, unknown>> {
  const key = new partners.PartnerApiKey("checkout");
  return Promise.resolve({ apiKey: key.apiKey });
}

const REFRESHING: OperationOptions = { flags: ["--refresh"] };

describe("a key that cannot be found in the response to its creation", () => {
  it.each<[string, boolean, OperationOptions]>([
    ["the next up", false, {}],
    ["the next up after a refresh", true, {}],
    ["up --refresh", false, REFRESHING],
  ])("is recovered by %s, once the mapping is set, and not made again", async (_what, refreshes, options) => {
    const { sandbox, stack } = await sandboxStack(program, { shape: "unreadable" });
    const first = await stack.up();
    expect(first.ok).toBe(false);
    expect(first.stdout).toContain("A key EXISTS on the server now.");
    expect(first.stdout).toContain("partners:responses.apiKey");
    expect(sandbox.apiKeys).toHaveLength(1);
    const key = sandbox.apiKeys[0] ?? "";
    expect(first.stdout + first.stderr + first.eventLog).not.toContain(key);
    expect(await stack.stateFile()).not.toContain(key);

    if (refreshes) await stack.refresh();
    // Without the mapping it stays as it is, and says so again.
    expect((await stack.up()).stdout).toContain("A key EXISTS on the server now.");

    await stack.configure({ "partners:responses": { value: '{"apiKey":"/result/token"}' } });
    expect(await stack.up(options)).toMatchObject({ ok: true });
    expect(await stack.outputs()).toEqual({ apiKey: key });
    expect(countRequests(sandbox)["POST"]).toBe(1);
    expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("is not forgotten by destroy, which says what to do", async () => {
    const { sandbox, stack } = await sandboxStack(program, { shape: "unreadable" });
    await stack.up();
    const refused = await stack.destroy();
    expect(refused.ok).toBe(false);
    expect(refused.stdout).toContain('Then run "pulumi up", which finds the key, and then delete it.');
    expect(sandbox.apiKeys).toHaveLength(1);
    await stack.configure({ "partners:responses": { value: '{"apiKey":"/result/token"}' } });
    expect((await stack.destroy()).ok).toBe(false); // The engine destroys with the configuration of the last update.
    expect(await stack.up()).toMatchObject({ ok: true });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([]);
  });
});
