import * as partners from "pulumi-partners";
import { startSandbox, type Sandbox } from "../support/sandbox.ts";
import { expect, it, onTestFinished } from "vitest";

import { expectShown } from "./docs.ts";
import { countRequests, sandboxStack } from "./support.ts";

type Place = "default" | "eu" | "us";

/** One key and one webhook, in one of three accounts: that of the environment and two providers. */
async function threeAccounts() {
  const webhooks = [{ webhookId: 101, state: "disabled" }] as const;
  const [eu, us] = [await startSandbox({ webhooks }), await startSandbox({ webhooks })];
  onTestFinished(() => Promise.all([eu.close(), us.close()]).then(() => undefined));
  const at = { place: "default" as Place, euToken: eu.accessToken };
  const { sandbox, stack } = await sandboxStack(
    () => {
      const accounts = {
        default: undefined,
        eu: new partners.Provider("eu", { baseUrl: eu.url, accessToken: at.euToken }),
        us: new partners.Provider("us", { baseUrl: us.url, accessToken: us.accessToken }),
      };
      const provider = accounts[at.place];
      const key = new partners.PartnerApiKey("checkout", {}, { ...(provider && { provider }) });
      const args = { webhookId: 101, state: "active", stateOnDestroy: "disabled" } as const;
      new partners.PartnerWebhookState("orders", args, { ...(provider && { provider }) });
      return Promise.resolve({ apiKey: key.apiKey, account: key.account });
    },
    { webhooks },
  );
  return { accounts: { default: sandbox, eu, us }, at, stack };
}

/** Where keys and active webhooks are. */
function holding(accounts: Record<Place, Sandbox>): Record<string, number> {
  const entries = Object.entries(accounts).map(([place, { apiKeys, webhooks }]) => [
    place,
    apiKeys.length + (webhooks.get(101) === "active" ? 1 : 0),
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}

it("a resource that moves to another account is created through the new and deleted through the old", async () => {
  const { accounts, at, stack } = await threeAccounts();
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(holding(accounts)).toEqual({ default: 2, eu: 0, us: 0 });

  for (const [from, to] of [
    ["default", "eu"],
    ["eu", "us"],
    ["us", "default"],
  ] as const) {
    at.place = to;
    const preview = await stack.preview();
    expect(preview).toMatchObject({ ok: true, changes: { replace: 2 } });
    await expectShown("accounts.md", "Moving a resource", preview.stdout);
    for (const sandbox of Object.values(accounts)) sandbox.clearRequests();
    expect(await stack.up()).toMatchObject({ ok: true, changes: { replace: 2 } });
    expect(holding(accounts)).toEqual({ default: 0, eu: 0, us: 0, [to]: 2 });
    expect(await stack.outputs()).toEqual({ apiKey: accounts[to].apiKeys[0], account: to });
    expect(countRequests(accounts[to])).toEqual({ GET: 1, POST: 1, PATCH: 1 });
    expect(countRequests(accounts[from])).toEqual({ GET: 1, DELETE: 1, PATCH: 1 });
    expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  }
});

it("a provider that is removed from the program still deletes what it made", async () => {
  const { accounts, at, stack } = await threeAccounts();
  at.place = "eu";
  expect(await stack.up()).toMatchObject({ ok: true });
  stack.setProgram(() => {
    new partners.PartnerApiKey("checkout");
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(holding(accounts)).toEqual({ default: 1, eu: 0, us: 0 });
});

it("a new access token touches no resource, and a destroy without the program uses it", async () => {
  const { accounts, at, stack } = await threeAccounts();
  at.place = "eu";
  expect(await stack.up()).toMatchObject({ ok: true });
  accounts.eu.clearRequests();
  at.euToken = accounts.eu.rotateAccessToken();
  const preview = await stack.preview();
  expect(preview).toMatchObject({ ok: true, changes: { update: 1, same: 4 } });
  await expectShown("accounts.md", "Rotating the access token", preview.stdout);
  expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1, same: 4 } });
  expect(accounts.eu.requests).toEqual([]);

  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(holding(accounts)).toEqual({ default: 0, eu: 0, us: 0 });
});

it("a new access token in stack configuration touches no resource", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      new partners.PartnerApiKey("checkout");
      new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
      return Promise.resolve();
    },
    {},
    { env: { PARTNERS_ACCESS_TOKEN: "" } },
  );
  const configure = (value: string): Promise<void> =>
    stack.configure({ "partners:accessToken": { value, secret: true } });
  await configure(sandbox.accessToken);
  expect(await stack.up()).toMatchObject({ ok: true });
  await configure(sandbox.rotateAccessToken());
  sandbox.clearRequests();
  expect(await stack.up()).toMatchObject({ ok: true, changes: { same: 3 } });
  expect(sandbox.requests).toEqual([]);
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});

it("a provider gets another name without a replacement if its account keeps the old one", async () => {
  const eu = await startSandbox();
  onTestFinished(() => eu.close());
  let renamed = false;
  const { stack } = await sandboxStack(() => {
    const settings = { baseUrl: eu.url, accessToken: eu.accessToken };
    const provider = renamed
      ? new partners.Provider("europe", { ...settings, account: "eu" }, { aliases: [{ name: "eu" }] })
      : new partners.Provider("eu", settings);
    new partners.PartnerApiKey("checkout", {}, { provider });
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  const [key] = eu.apiKeys;
  renamed = true;
  const up = await stack.up();
  expect(up).toMatchObject({ ok: true });
  expect(up.changes).not.toHaveProperty("replace");
  expect(eu.apiKeys).toEqual([key]);
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(eu.apiKeys).toEqual([]);
});
