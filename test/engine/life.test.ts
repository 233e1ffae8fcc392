import { dirname } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { CANARIES, findLeaks, readFolder } from "../support/canary.ts";
import { LONG } from "../support/random.ts";
import {
  declareFleet,
  declareKey,
  declareWebhook,
  HOSTS,
  loseAnswers,
  refuse,
  replaceAnswers,
  stackFor,
  statesOf,
  UNCHANGED,
  WEBHOOKS,
  type Host,
} from "./support.ts";

/** What a program declares; each edit changes some of it. */
const FIRST = {
  rotation: { trigger: "1", overlapDays: 7 } as partners.RotationArgs,
  orders: "disabled" as partners.WebhookState | null,
  fleet: { 102: "disabled", 103: "active" } as Record<number, partners.WebhookState>,
};

it.each(HOSTS)(
  "a key, a webhook and a fleet live from preview to destroy, and leak no secret (%s)",
  async (host) => {
    let declared = FIRST;
    const { api, stack, run, results } = await stackFor(
      () => {
        const { rotation, orders, fleet } = declared;
        const key = declareKey(host, "checkout", { rotation });
        const stateOnDestroy = "restore";
        if (orders !== null)
          declareWebhook(host, "orders", { webhookId: 101, state: orders, stateOnDestroy });
        declareFleet(host, "fleet", { states: fleet, stateOnDestroy });
        const header = pulumi.interpolate`Bearer ${key.apiKey}`;
        return { apiKey: pulumi.secret(key.apiKey), header: pulumi.secret(header) };
      },
      { accessToken: CANARIES.token, env: { PARTNERS_ACCESS_TOKEN: "", PARTNERS_DEBUG: "1" } },
    );
    const headers = JSON.stringify({ "X-Gateway-Key": CANARIES.header });
    await stack.configure({ accessToken: CANARIES.token, headers, responses: '{"apiKey":"/apiKey"}' });
    const listed = ([id, state]: [number, string]) => ({ id, state, secret: CANARIES.webhookSecret });
    api.answers.listWebhooks = () => ({ body: Array.from(api.webhooks, listed) });
    // A key with every character that URLs and JSON spell differently, beside another secret.
    const issued: string[] = [];
    api.answers.createApiKey = () => {
      const apiKey = `${CANARIES.existingKey}${issued.push("")}`;
      api.keys.add(apiKey);
      return { status: 201, body: { apiKey, clientSecret: CANARIES.clientSecret } };
    };

    /** Applies an edit as `ProgramTest` does: after it, nothing changes by itself. */
    const apply = async (edit: Partial<typeof FIRST>, changes: object, requests: object): Promise<void> => {
      declared = { ...declared, ...edit };
      expect(await run("up")).toMatchObject({ error: "", changes, requests });
      // Random lives prove it of each edit.
      if (LONG) expect(await run("preview", UNCHANGED)).toMatchObject({ error: "", requests: {} });
    };

    const created = { create: 4 };
    expect(await run("preview", "--diff")).toMatchObject({
      error: "",
      changes: created,
      requests: { GET: 1 },
    });
    await apply({}, created, { GET: 1, POST: 1, PATCH: 3 });
    expect(await run("up", UNCHANGED)).toMatchObject({ error: "", requests: {} });
    expect(await run("refresh", UNCHANGED)).toMatchObject({ error: "", requests: { GET: 1 } });
    const [first] = api.keys;
    expect(await stack.outputs()).toMatchObject({ apiKey: first });

    // A rotation keeps the old key; a lost response and a refusal are repeated.
    refuse(api, "createApiKey", 429);
    await apply({ rotation: { trigger: "2", overlapDays: 7 } }, { update: 1, same: 3 }, { GET: 1, POST: 2 });
    const [old, second] = api.keys;
    expect([old, (await stack.outputs())["apiKey"]]).toEqual([first, second]);
    loseAnswers(api, "setWebhookState");
    const fleet = { ...FIRST.fleet, 102: "active" } as const;
    await apply({ orders: "active", fleet }, { update: 2, same: 2 }, { GET: 1, PATCH: 3 });
    expect(statesOf(api)).toEqual({ 101: "active", 102: "active", 103: "active" });

    // Drift is found by a refresh, and repaired by the next update.
    api.webhooks.set(101, "disabled").set(103, "disabled");
    const drifted = await run("refresh");
    expect(drifted).toMatchObject({ error: "", changes: { update: 2, same: 2 }, requests: { GET: 1 } });
    expect(drifted.printed).toMatch(/orders .*\[diff: ~state\]/);
    await apply({}, { update: 2, same: 2 }, { GET: 1, PATCH: 2 });

    // A webhook moves into the fleet without a request that changes it, and a destroy restores all.
    await apply(
      { orders: null, fleet: { ...fleet, 101: "active" } },
      { delete: 1, update: 1, same: 2 },
      { GET: 1 },
    );
    const secrets = { ...CANARIES, first: String(old), second: String(second) };
    const clear = JSON.stringify(await stack.exportStack());
    for (const secret of [second, CANARIES.clientSecret]) expect(clear).toContain(secret);
    const refusal = {
      status: 403,
      body: { error: `${String(second)} is not for ${CANARIES.token}` },
      headers: { "x-request-id": CANARIES.token },
    };
    replaceAnswers(api, "deleteApiKey", () => refusal, 2);
    const refused = await run("destroy");
    expect(refused).toMatchObject({
      error: expect.stringContaining("[PARTNERS_STATUS]") as string,
      requests: { GET: 1, DELETE: 2, PATCH: 1 },
    });
    expect(refused.printed).not.toMatch(/\bat .*(node_modules|dist)\//);
    const files = await readFolder(dirname(stack.backendDir));
    expect(await run("destroy")).toMatchObject({ error: "", requests: { DELETE: 2 } });
    expect([[...api.keys], statesOf(api)]).toEqual([[], WEBHOOKS]);

    // The SDK writes secrets into debug messages. `eventLog` has the events without them.
    const stored = Object.entries(files).filter(([file]) => !/^events-\d+\.json$/.test(file));
    expect(stored.map(([file]) => file)).toContainEqual(expect.stringMatching(/history/));
    const printed = results.map(({ stdout, stderr, eventLog }) => stdout + stderr + eventLog).join("\n");
    expect(printed).toContain("disableWebhook PATCH"); // The debug log was on.
    expect(findLeaks({ ...Object.fromEntries(stored), printed }, secrets)).toEqual([]);
  },
);

it("with an alias for each type, as generated SDKs have it, a stack moves to the native plugin without a request", async () => {
  let host: Host = "dynamic";
  const { api, stack, run } = await stackFor(() => {
    const moved = (type: string): pulumi.CustomResourceOptions =>
      host === "native" ? { aliases: [{ type: `pulumi-nodejs:dynamic/partners:${type}` }] } : {};
    const rotation = { trigger: "1", overlapDays: 7 };
    const key = declareKey(host, "checkout", { rotation }, moved("PartnerApiKey"));
    const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" } as const;
    declareWebhook(host, "orders", args, moved("PartnerWebhookState"));
    const states = { 102: "disabled" } as const;
    declareFleet(host, "fleet", { states, stateOnDestroy: "restore" }, moved("PartnerWebhookStates"));
    return { apiKey: pulumi.secret(key.apiKey) };
  });
  expect(await run("up")).toMatchObject({ error: "" });
  const outputs = await stack.outputs();
  host = "native";
  expect(await run("up", UNCHANGED)).toMatchObject({ error: "", changes: { same: 4 }, requests: {} });
  expect(await run("refresh", UNCHANGED)).toMatchObject({ error: "", requests: { GET: 1 } });
  expect([await stack.outputs(), (await stack.stateFile()).includes("pulumi-nodejs:dynamic")]).toEqual([
    outputs,
    false,
  ]);
  expect(await run("destroy")).toMatchObject({ error: "", requests: { GET: 1, PATCH: 2, DELETE: 1 } });
  expect([api.keys.size, statesOf(api)]).toEqual([0, WEBHOOKS]);
});
