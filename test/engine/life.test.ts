import * as partners from "pulumi-partners";
import { dirname } from "node:path";
import { expect, it } from "vitest";

import { CANARIES, findLeaks, readFolder } from "../support/canary.ts";
import { sandboxStack, statesOf, UNCHANGED } from "./support.ts";

const IDS = Array.from({ length: 12 }, (_, index) => index + 1);
/** The number of webhooks whose state differs, at the start and after each change. */
const DIFFERING = 5;

it("preview, up, no change, change, drift, repair and destroy send few requests and leak no secret", async () => {
  let wanted: partners.WebhookState = "active";
  const { sandbox, stack, run, results } = await sandboxStack(
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
      webhooks: Object.fromEntries(IDS.map((id) => [id, id <= DIFFERING ? "disabled" : "active"])),
      shape: {
        apiKey: ({ key }) => ({ apiKey: key, clientSecret: CANARIES.clientSecret }),
        webhooks: (list) => list.map((webhook) => ({ ...webhook, secret: CANARIES.webhookSecret })),
      },
    },
    { env: { PARTNERS_ACCESS_TOKEN: "", PARTNERS_DEBUG: "1" } },
  );
  await stack.configure({ accessToken: CANARIES.token, responses: '{"apiKey":"/apiKey"}' });
  const [found, all] = [statesOf(sandbox), IDS.length + 2];
  const created = { error: "", changes: { create: all } };
  expect(await run("preview", "--diff")).toEqual({ ...created, requests: { GET: 1 } });
  const requests = { GET: 1, POST: 1, PATCH: DIFFERING };
  expect(await run("up", "--show-config")).toEqual({ ...created, requests });
  const { apiKey } = await stack.outputs();
  expect(sandbox.apiKeys).toEqual([apiKey]);
  expect(sandbox.verify(String(apiKey))).toBe(true);

  const same = { error: "", changes: { same: all } };
  expect(await run("up", ...UNCHANGED.flags)).toEqual({ ...same, requests: {} });
  expect(await run("refresh", ...UNCHANGED.flags)).toEqual({ ...same, requests: { GET: 1 } });

  wanted = "disabled";
  const changed = { error: "", changes: { update: DIFFERING, same: all - DIFFERING } };
  expect(await run("up")).toEqual({ ...changed, requests: { GET: 1, PATCH: DIFFERING } });
  expect(sandbox.apiKeys).toEqual([apiKey]);

  for (const webhookId of IDS.slice(0, DIFFERING)) sandbox.setWebhookState(webhookId, "active");
  expect(await run("refresh")).toEqual({ ...changed, requests: { GET: 1 } });
  expect(results.at(-1)?.stdout).toContain("[diff: ~state]");
  expect(await run("up")).toEqual({ ...changed, requests: { GET: 1, PATCH: DIFFERING } });

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
  expect((await run("destroy")).error).toContain("[PARTNERS_STATUS]");
  expect(results.at(-1)?.stdout).not.toMatch(/\bat .*(node_modules|dist)\//);
  const files = await readFolder(dirname(stack.backendDir));
  expect((await run("destroy")).error).toBe("");
  expect([sandbox.apiKeys, statesOf(sandbox)]).toEqual([[], found]);

  // The SDK writes secrets into debug messages. `eventLog` has the events without them.
  const stored = Object.entries(files).filter(([file]) => !/^events-\d+\.json$/.test(file));
  expect(stored.map(([file]) => file)).toContainEqual(expect.stringMatching(/history/));
  const printed = results.flatMap(({ stdout, stderr, eventLog }, index) =>
    Object.entries({ stdout, stderr, eventLog }).map(([name, text]) => [`${name} ${index}`, text]),
  );
  expect(printed.join()).toContain("createApiKey POST"); // The debug log was on.
  const places = Object.fromEntries([...printed, ...stored]) as Record<string, string>;
  expect(findLeaks(places, secrets)).toEqual([]);
});
