import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { sandboxStack } from "./support.ts";

it("neither key nor token is in clear in state, output or event log, whatever options the caller gives", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      const opts = { additionalSecretOutputs: ["fingerprint"] };
      const key = new partners.PartnerApiKey("checkout", {}, opts);
      return Promise.resolve({ apiKey: key.apiKey, all: key.apiKey.apply((apiKey) => `Bearer ${apiKey}`) });
    },
    // A response with a second secret, which is kept.
    {
      shape: {
        apiKey: ({ key }) => ({ apiKey: key, clientSecret: "cs_canary_0123456789abcdef" }),
        webhooks: (list) => list,
      },
    },
  );
  const token = sandbox.accessToken;
  await stack.configure({ "partners:accessToken": { value: token, secret: true } });

  const results = [await stack.preview(), await stack.up(), await stack.refresh(), await stack.up()];
  const key = sandbox.apiKeys[0] ?? "no key";
  const state = await stack.stateFile();
  const held = (await stack.exportStack()).deployment as {
    resources: { outputs?: Record<string, unknown> }[];
  };
  expect(JSON.stringify(held)).toContain(key);
  expect(JSON.stringify(held)).toContain("cs_canary");
  results.push(await stack.destroy());

  for (const { ok, stdout, stderr, eventLog } of results) {
    expect(ok).toBe(true);
    for (const secret of [key, token, "cs_canary"]) {
      expect(stdout + stderr + eventLog).not.toContain(secret);
      expect(state).not.toContain(secret);
    }
  }
});
