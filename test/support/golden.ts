/**
 * Golden states: what some version wrote into users' state, and what today's code must still preview without changes,
 * refresh and destroy. `node test/support/golden.ts NAME` writes test/engine/golden/NAME.json with the code of today.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "@pulumi/pulumi/automation/index.js";
import * as partners from "pulumi-partners";
import { startSandbox, type Sandbox, type SandboxOptions } from "pulumi-partners/sandbox";

import { createTestStack } from "./stack.ts";

/** Where golden states lie. */
export const GOLDEN_DIR = join(import.meta.dirname, "../engine/golden");

/** Stands in a golden state for the address of the second account. */
const EU_URL = "http://127.0.0.1:1/eu";

/** The two accounts as they are when a golden state begins. */
export const ACCOUNTS: Record<"default" | "eu", SandboxOptions> = {
  default: {
    accessToken: "golden-token-default",
    webhooks: [
      { webhookId: 101, state: "disabled" },
      { webhookId: 102, state: "active" },
    ],
  },
  eu: { accessToken: "golden-token-eu", webhooks: [{ webhookId: 7, state: "active" }], shape: "nested" },
};

/** One of everything that has a state. */
export function goldenProgram(eu: Sandbox): () => Promise<Record<string, unknown>> {
  return () => {
    const accessToken = pulumi.secret(eu.accessToken);
    const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken });
    const key = new partners.PartnerApiKey("checkout");
    const euKey = new partners.PartnerApiKey("checkout-eu", {}, { provider });
    new partners.PartnerWebhookState("orders", {
      webhookId: 101,
      state: "active",
      stateOnDestroy: "restore",
    });
    new partners.PartnerWebhookState("refunds", { webhookId: 102, state: "disabled" });
    const args = { webhookId: 7, state: "disabled", stateOnDestroy: "active" } as const;
    new partners.PartnerWebhookState("orders-eu", args, { provider });
    return Promise.resolve({ apiKey: key.apiKey, euKeyId: euKey.keyId });
  };
}

/** Makes a golden state fit for this run: the second account is wherever its sandbox is. */
export function localized(golden: string, eu: Sandbox): Deployment {
  return JSON.parse(golden.replaceAll(EU_URL, eu.url)) as Deployment;
}

/** The keys that a state holds for either account. */
export function heldKeys({ deployment }: Deployment): Record<"default" | "eu", string> {
  const { resources } = deployment as {
    resources: { urn: string; outputs?: { apiKey?: { plaintext: string } } }[];
  };
  const key = (name: string): string => {
    const found = resources.find(({ urn }) => urn.endsWith(`PartnerApiKey::${name}`));
    return JSON.parse(found?.outputs?.apiKey?.plaintext ?? '""') as string;
  };
  return { default: key("checkout"), eu: key("checkout-eu") };
}

async function write(name: string): Promise<void> {
  await using sandbox = await startSandbox(ACCOUNTS.default);
  await using eu = await startSandbox(ACCOUNTS.eu);
  const env = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  const stack = await createTestStack({ program: goldenProgram(eu), env });
  try {
    const result = await stack.up();
    if (!result.ok) throw new Error(result.error);
    // Where the program stood on this machine is nobody's business.
    const strip = (key: string, value: unknown): unknown =>
      key === "sourcePosition" || key === "stackTrace" ? undefined : value;
    const state = JSON.stringify(await stack.exportStack(), strip, 2).replaceAll(eu.url, EU_URL);
    await writeFile(join(GOLDEN_DIR, `${name}.json`), `${state}\n`);
  } finally {
    await stack.dispose();
  }
}

if (import.meta.main) await write(process.argv[2] ?? "unnamed");
