import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { startSandbox } from "pulumi-partners/sandbox";
import { expect, it, onTestFinished } from "vitest";

import { expectShown } from "./docs.ts";
import { sandboxStack } from "./support.ts";

const args = { webhookId: 101, state: "disabled" } as const;

it.each([
  ["a number", () => 101],
  ["an output", () => pulumi.output(101)],
  ["a promise", () => Promise.resolve(101)],
])("a webhook that is declared twice, by %s, fails the preview and both names are told", async (_, again) => {
  const { sandbox, stack } = await sandboxStack(() => {
    new partners.PartnerWebhookState("orders", args);
    new partners.PartnerWebhookState("orders-again", { ...args, webhookId: again(), state: "active" });
    return Promise.resolve();
  });
  for (const operation of ["preview", "up"] as const) {
    const { ok, stdout } = await stack[operation]();
    expect(ok).toBe(false);
    await expectShown("webhooks.md", "A webhook that is declared twice", stdout);
    expect(stdout).not.toContain("    at ");
  }
  expect(sandbox.requests.filter(({ method }) => method === "PATCH").length).toBeLessThanOrEqual(1);
});

it("the same id is another webhook in another account, however the account is chosen", async () => {
  const eu = await startSandbox();
  onTestFinished(() => eu.close());
  let third = false;
  const { stack } = await sandboxStack(() => {
    const accessToken = pulumi.secret(eu.accessToken);
    const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken });
    const region = new pulumi.ComponentResource("test:Region", "region", {}, { provider });
    new partners.PartnerWebhookState("orders", args);
    new partners.PartnerWebhookState("orders", args, { parent: region });
    if (third) new partners.PartnerWebhookState("orders-eu", args, { provider });
    return Promise.resolve();
  });
  expect(await stack.preview()).toMatchObject({ ok: true });
  // A second run in this process begins with nothing declared.
  expect(await stack.up()).toMatchObject({ ok: true });
  third = true;
  expect((await stack.preview()).stdout).toContain(
    'by PartnerWebhookState "region/orders" and "orders-eu", both through the provider "eu"',
  );
});
