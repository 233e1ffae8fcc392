import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxStack, UNCHANGED } from "./support.ts";

it("a key that is not found in the response is kept, and recovered once the mapping is set", async () => {
  const said: { rotation?: partners.RotationArgs } = {};
  const { sandbox, stack } = await sandboxStack(
    () => {
      const { apiKey } = new partners.PartnerApiKey("checkout", { ...said });
      return Promise.resolve({ apiKey });
    },
    { shape: "unreadable" },
  );
  const configure = (apiKey: string): Promise<void> =>
    stack.configure({ "partners:responses": { value: JSON.stringify({ apiKey }) } });
  const expectKept = async (operation: "up" | "destroy"): Promise<void> => {
    const { ok, stdout, stderr, eventLog } = await stack[operation]();
    expect(ok).toBe(false);
    const state = await stack.stateFile();
    for (const key of sandbox.apiKeys) expect(stdout + stderr + eventLog + state).not.toContain(key);
    expect(stdout).toContain("partners:responses.apiKey");
  };

  await expectKept("up");
  await stack.refresh(); // Clears the engine's own mark of a failed creation.
  await expectKept("up");
  await expectKept("destroy");
  expect(countRequests(sandbox)).toEqual({ POST: 1 });
  await configure("/result/token");
  expect(await stack.up()).toMatchObject({ ok: true });
  const [first = ""] = sandbox.apiKeys;
  expect(await stack.outputs()).toEqual({ apiKey: first });
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });

  // So is one that a rotation has made; the key from before stays in use.
  await configure("/nowhere");
  said.rotation = { trigger: "1", overlapDays: 7 };
  await expectKept("up");
  const [, second = ""] = sandbox.apiKeys;
  expect(second).not.toBe("");
  await configure("/result/token");
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ apiKey: second });
  expect(countRequests(sandbox)).toEqual({ POST: 1 });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});
