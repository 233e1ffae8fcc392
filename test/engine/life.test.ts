import * as partners from "pulumi-partners";
import { dirname } from "node:path";
import { expect, it } from "vitest";

import { CANARIES, findLeaks, readFolder } from "../support/canary.ts";
import type { Result } from "../support/stack.ts";
import { countRequests, sandboxStack, statesOf, UNCHANGED } from "./support.ts";

const IDS = Array.from({ length: 12 }, (_, index) => index + 1);
/** The number of webhooks whose state differs, at the start and after each change. */
const DIFFERING = 5;

it("preview, up, no change, change, drift, repair and destroy send few requests and leak no secret", async () => {
  let wanted: partners.WebhookState = "active";
  const { sandbox, stack } = await sandboxStack(
    () => {
      const key = new partners.PartnerApiKey("checkout", {}, { additionalSecretOutputs: ["fingerprint"] });
      for (const webhookId of IDS) {
        const args = { webhookId, state: webhookId <= DIFFERING ? wanted : "active" } as const;
        new partners.PartnerWebhookState(`webhook-${webhookId}`, { ...args, stateOnDestroy: "restore" });
      }
      const header = key.apiKey.apply((apiKey) => `Bearer ${apiKey}`);
      return Promise.resolve({ apiKey: key.apiKey, header });
    },
    {
      accessToken: CANARIES.token,
      keyAlphabet: "hostile",
      webhooks: IDS.map((webhookId) => ({
        webhookId,
        state: webhookId <= DIFFERING ? "disabled" : "active",
      })),
      shape: {
        apiKey: ({ key }) => ({ apiKey: key, clientSecret: CANARIES.clientSecret }),
        webhooks: (list) => list.map((webhook) => ({ ...webhook, secret: CANARIES.webhookSecret })),
      },
    },
    { env: { PARTNERS_ACCESS_TOKEN: "", PARTNERS_DEBUG: "1" } },
  );
  await stack.configure({ accessToken: CANARIES.token });
  const [found, all] = [statesOf(sandbox), IDS.length + 2];
  const results: Record<string, Result> = {};
  const run = async (name: string, operation: "preview" | "up" | "refresh" | "destroy", options = {}) => {
    const result = await stack[operation](options);
    results[name] = result;
    return { ok: result.ok, changes: result.changes, requests: countRequests(sandbox) };
  };

  expect(await run("preview", "preview", { flags: ["--diff"] })).toEqual({
    ok: true,
    changes: { create: all },
    requests: { GET: 1 },
  });
  expect(await run("up", "up", { flags: ["--show-config"] })).toEqual({
    ok: true,
    changes: { create: all },
    requests: { GET: 1, POST: 1, PATCH: DIFFERING },
  });
  const { apiKey } = await stack.outputs();
  expect(sandbox.apiKeys).toEqual([apiKey]);
  expect(sandbox.verify(String(apiKey))).toBe(true);

  const same = { ok: true, changes: { same: all } };
  expect(await run("unchanged up", "up", UNCHANGED)).toEqual({ ...same, requests: {} });
  expect(await run("unchanged refresh", "refresh", UNCHANGED)).toEqual({ ...same, requests: { GET: 1 } });

  wanted = "disabled";
  const changes = { update: DIFFERING, same: all - DIFFERING };
  expect(await run("change", "up")).toEqual({ ok: true, changes, requests: { GET: 1, PATCH: DIFFERING } });
  expect(sandbox.apiKeys).toEqual([apiKey]);

  for (const webhookId of IDS.slice(0, DIFFERING)) sandbox.setWebhookState(webhookId, "active");
  expect(await run("drift", "refresh")).toEqual({ ok: true, changes, requests: { GET: 1 } });
  expect(results["drift"]?.stdout).toContain("[diff: ~state]");
  expect(await run("repair", "up")).toEqual({ ok: true, changes, requests: { GET: 1, PATCH: DIFFERING } });

  // The state holds encrypted secrets and no code.
  const secrets = { ...CANARIES, apiKey: String(apiKey) };
  const clear = JSON.stringify(await stack.exportStack());
  for (const secret of [apiKey, CANARIES.token, CANARIES.clientSecret]) expect(clear).toContain(secret);
  const state = await stack.stateFile();
  expect(new Set(state.match(/"__provider":\s*".*?[^\\]"/g))).toHaveLength(2);
  expect(state).toContain(String.raw`exports.handler=()=>require(\"pulumi-partners/plugin\").partnerApiKey`);

  // An error response that echoes every secret.
  const body = JSON.stringify({ error: "forbidden", ...secrets });
  sandbox.inject({
    kind: "status",
    operation: "deleteApiKey",
    status: 403,
    body,
    headers: { "x-request-id": CANARIES.token },
  });
  expect((await run("destroy that fails", "destroy")).ok).toBe(false);
  expect(results["destroy that fails"]?.stdout).toContain("[PARTNERS_STATUS]");
  expect(results["destroy that fails"]?.stdout).not.toMatch(/\bat .*(node_modules|dist)\//);
  const files = await readFolder(dirname(stack.backendDir));
  expect((await run("destroy", "destroy")).ok).toBe(true);
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], found]);

  // The SDK writes secrets into debug messages. `eventLog` has the events without them.
  const stored = Object.entries(files).filter(([file]) => !/^events-\d+\.json$/.test(file));
  expect(stored.map(([file]) => file)).toContainEqual(expect.stringMatching(/history/));
  const printed = Object.entries(results).flatMap(([name, { stdout, stderr, eventLog }]) => [
    [`${name}, stdout`, stdout],
    [`${name}, stderr`, stderr],
    [`${name}, event log`, eventLog],
  ]);
  expect(printed.join()).toContain("createApiKey POST"); // The debug log was on.
  const places = Object.fromEntries([...printed, ...stored]) as Record<string, string>;
  expect(findLeaks(places, secrets)).toEqual([]);
});
