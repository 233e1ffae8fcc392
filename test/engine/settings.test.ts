import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { CANARIES, findLeaks } from "../support/canary.ts";
import { countRequests, sandboxFor, sandboxStack } from "./support.ts";

function keyAndWebhooks(): Promise<void> {
  new partners.PartnerApiKey("checkout");
  for (const webhookId of [101, 102])
    new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
  return Promise.resolve();
}

it("a preview names settings that are missing, rejected, misspelt or in clear, and tolerates a server that is away", async () => {
  const none = { PARTNERS_BASE_URL: "", PARTNERS_ACCESS_TOKEN: "" };
  const { sandbox, stack } = await sandboxStack(keyAndWebhooks, {}, { env: none });
  const missing = await stack.preview();
  expect(missing.ok).toBe(false);
  for (const name of [
    "partners:baseUrl",
    "PARTNERS_BASE_URL",
    "partners:accessToken",
    "PARTNERS_ACCESS_TOKEN",
  ])
    expect(missing.stdout).toContain(name);

  await stack.configure({
    "partners:baseUrl": { value: sandbox.url },
    "partners:accessToken": { value: "wrong-token", secret: true },
  });
  const rejected = await stack.preview();
  expect(rejected.ok).toBe(false);
  expect(rejected.stdout).toMatch(/401(.|\n)*\[PARTNERS_STATUS\]/);
  expect(rejected.stdout).not.toContain("wrong-token");
  expect(rejected.stdout).not.toContain("plain text");
  expect(countRequests(sandbox)).toEqual({ GET: 1 }); // One for all webhooks.

  await stack.configure({
    "partners:baseUrl": { value: "http://127.0.0.1:1" },
    "partners:accessToken": { value: sandbox.accessToken },
    "partners:baseURL": { value: "http://127.0.0.1:1" },
    "partners:timeout": { value: "30" },
    "partners:responses.webhooks": { value: "/outgoing" },
  });
  const warned = await stack.preview();
  expect(warned).toMatchObject({ ok: true, changes: { create: 4 } });
  for (const text of ["plain text", '"partners:baseURL"', '"partners:timeout"', "--path"])
    expect(warned.stdout).toContain(text);
});

it("a new access token touches no resource; refresh and destroy use that of the last up, --run-program that of now", async () => {
  const { sandbox, stack } = await sandboxStack(keyAndWebhooks, {}, { env: { PARTNERS_ACCESS_TOKEN: "" } });
  const configure = (value: string): Promise<void> =>
    stack.configure({ "partners:accessToken": { value, secret: true } });
  await configure(sandbox.accessToken);
  expect(await stack.up()).toMatchObject({ ok: true });
  await configure(sandbox.rotateAccessToken());
  const refresh = await stack.refresh();
  expect(refresh.ok).toBe(false);
  expect(refresh.stdout).toMatch(/401(.|\n)*\[PARTNERS_STATUS\]/);
  sandbox.clearRequests();
  expect(await stack.up()).toMatchObject({ ok: true, changes: { same: 4 } });
  expect(sandbox.requests).toEqual([]);
  await configure(sandbox.rotateAccessToken());
  expect(await stack.destroy({ flags: ["--run-program"] })).toMatchObject({ ok: true });
  expect(sandbox.apiKeys).toEqual([]);
});

it("an explicit provider takes nothing from the environment, and the error names its argument", async () => {
  const args: Partial<partners.ProviderArgs> = { baseUrl: "http://127.0.0.1:1" };
  const { sandbox, stack } = await sandboxStack(() => {
    const provider = new partners.Provider("eu", args as partners.ProviderArgs);
    new partners.PartnerWebhookState("hook", { webhookId: 101, state: "active" }, { provider });
    return Promise.resolve();
  });
  const incomplete = await stack.preview();
  expect(incomplete.ok).toBe(false);
  expect(incomplete.stdout).toMatch(/Provider\b.*\baccessToken/);
  expect(sandbox.requests).toEqual([]);
});

it("a check that fails says what is wrong, and does not show the values of secret inputs", async () => {
  const { clientSecret, token } = CANARIES;
  const { stack } = await sandboxStack(() => {
    const wrong = {
      webhookId: pulumi.secret(clientSecret),
      state: pulumi.secret(token),
      stateOnDestroy: pulumi.secret({ [token]: clientSecret }),
    };
    new partners.PartnerWebhookState("orders", wrong as unknown as partners.PartnerWebhookStateArgs);
    return Promise.resolve();
  });
  const { error, stdout, stderr, eventLog } = await stack.preview({ flags: ["--diff"] });
  for (const input of ["webhookId", "state", "stateOnDestroy"]) expect(error).toContain(`${input} must be `);
  expect(findLeaks({ stdout, stderr, eventLog }, CANARIES)).toEqual([]);
});

it("a webhook that is declared twice is refused; the same id in another account is another webhook", async () => {
  const eu = await sandboxFor();
  const args = { webhookId: 101, state: "disabled" } as const;
  let twice = false;
  const { sandbox, stack } = await sandboxStack(() => {
    const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken: eu.accessToken });
    const region = new pulumi.ComponentResource("test:Region", "region", {}, { provider });
    new partners.PartnerWebhookState("orders", args);
    new partners.PartnerWebhookState("orders", args, { parent: region });
    if (twice) new partners.PartnerWebhookState("orders-again", { ...args, webhookId: pulumi.output(101) });
    return Promise.resolve();
  });
  expect(await stack.preview()).toMatchObject({ ok: true, changes: { create: 5 } });
  twice = true;
  const { ok, stdout } = await stack.preview();
  expect(ok).toBe(false);
  expect(stdout).toContain(
    'by PartnerWebhookState "orders" and PartnerWebhookState "orders-again", both in the account "default".',
  );
  expect(stdout).not.toContain("    at ");
  expect(sandbox.requests.every(({ method }) => method === "GET")).toBe(true);
});
