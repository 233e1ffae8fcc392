import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxStack } from "./support.ts";

it("a key that is not found in the response is kept, and recovered once the mapping is set", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      const { apiKey } = new partners.PartnerApiKey("checkout");
      return Promise.resolve({ apiKey });
    },
    { shape: "unreadable" },
  );
  const expectKept = async (): Promise<void> => {
    const { ok, stdout, stderr, eventLog } = await stack.up();
    expect(ok).toBe(false);
    const state = await stack.stateFile();
    for (const key of sandbox.apiKeys) expect(stdout + stderr + eventLog + state).not.toContain(key);
    expect(stdout).toContain("partners:responses.apiKey");
  };

  await expectKept();
  await stack.refresh(); // Clears the engine's own mark of a failed creation.
  await expectKept();
  await stack.configure({ "partners:responses": { value: JSON.stringify({ apiKey: "/result/token" }) } });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ apiKey: sandbox.apiKeys[0] });
  expect(countRequests(sandbox)).toEqual({ POST: 1 });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});
