import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { startSandbox } from "pulumi-partners/sandbox";
import { expect, it, onTestFinished } from "vitest";

import { sandboxStack } from "./support.ts";

it("two accounts in one stack are kept apart, also by a destroy without the program", async () => {
  const eu = await startSandbox({ webhooks: [{ webhookId: 7, state: "active" }] });
  onTestFinished(() => eu.close());
  const { sandbox: us, stack } = await sandboxStack(() => {
    const accessToken = pulumi.secret(eu.accessToken);
    const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken, requestTimeout: 5 });
    const euKey = new partners.PartnerApiKey("key-eu", {}, { provider });
    const usKey = new partners.PartnerApiKey("key-us");
    new partners.PartnerWebhookState(
      "hook-eu",
      { webhookId: 7, state: "disabled", stateOnDestroy: "active" },
      { provider },
    );
    new partners.PartnerWebhookState("hook-us", { webhookId: 101, state: "disabled" });
    return Promise.resolve({ eu: euKey.apiKey, us: usKey.apiKey, account: euKey.account });
  });
  expect(await stack.preview()).toMatchObject({ ok: true });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ eu: eu.apiKeys[0], us: us.apiKeys[0], account: "eu" });
  expect(eu.webhooks.get(7)).toBe("disabled");
  expect(us.webhooks.get(101)).toBe("disabled");
  for (const sandbox of [eu, us])
    expect(sandbox.requests.every(({ status }) => (status ?? 500) < 300)).toBe(true);
  const state = await stack.stateFile();
  for (const secret of [eu.accessToken, us.accessToken, ...eu.apiKeys, ...us.apiKeys])
    expect(state).not.toContain(secret);

  expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect([eu.apiKeys, us.apiKeys]).toEqual([[], []]);
  expect(eu.webhooks.get(7)).toBe("active");
  expect(us.webhooks.get(101)).toBe("disabled");
});

it("an explicit provider does not borrow from the environment", async () => {
  const { sandbox, stack } = await sandboxStack(() => {
    const provider = new partners.Provider("eu", {
      baseUrl: "http://127.0.0.1:1",
    } as unknown as partners.ProviderArgs);
    new partners.PartnerWebhookState("hook", { webhookId: 101, state: "active" }, { provider });
    return Promise.resolve();
  });
  const { ok, stdout } = await stack.preview();
  expect(ok).toBe(false);
  expect(stdout).toContain("Give the Provider its argument accessToken");
  expect(sandbox.requests).toEqual([]);
});

it("a plain access token in stack configuration is warned about, a secret one is not", async () => {
  const program = (): Promise<void> => {
    new partners.PartnerApiKey("checkout");
    return Promise.resolve();
  };
  const { sandbox, stack } = await sandboxStack(program, {}, { env: { PARTNERS_ACCESS_TOKEN: "" } });
  const key = "partners:accessToken";
  await stack.configure({ [key]: { value: sandbox.accessToken, secret: true } });
  expect((await stack.preview()).stdout).not.toContain("clear text");
  await stack.configure({ [key]: { value: sandbox.accessToken } });
  expect((await stack.preview()).stdout).toContain("partners:accessToken is stored in clear text");
});

it("an error about the account of a provider names the provider's arguments", async () => {
  const { sandbox, stack } = await sandboxStack(() => {
    const settings = { baseUrl: sandbox.url, accessToken: pulumi.secret("not-the-token") };
    const provider = new partners.Provider("eu", settings);
    new partners.PartnerWebhookState("hook", { webhookId: 101, state: "active" }, { provider });
    return Promise.resolve();
  });
  const { ok, stdout } = await stack.preview();
  expect(ok).toBe(false);
  expect(stdout).toContain("The access token was rejected: check the Provider's accessToken.");
});

it("resources move from stack configuration to a provider of the same account without being replaced", async () => {
  let explicit = false;
  const { sandbox, stack } = await sandboxStack(() => {
    const { url: baseUrl, accessToken } = sandbox;
    const provider = explicit && new partners.Provider("main", { baseUrl, accessToken, account: "default" });
    new partners.PartnerApiKey("checkout", {}, provider ? { provider } : {});
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  const keys = [...sandbox.apiKeys];
  explicit = true;
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual(keys);
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});
