/**
 * Golden states: what some version wrote into users' state, and what today's code must still preview without changes,
 * refresh and destroy. `node test/support/golden.ts NAME` writes test/engine/golden/NAME.json with today's code.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "@pulumi/pulumi/automation/index.js";
import * as partners from "pulumi-partners";
import { startSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";

import { createTestStack } from "./stack.ts";

/** Where golden states are. */
export const GOLDEN_DIR = join(import.meta.dirname, "../engine/golden");

/** Stand in a golden state for the addresses of the two accounts. */
const DEFAULT_URL = "http://127.0.0.1:1/default";
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

/** The program that the golden state was written with: one of everything. @param up How many updates there were. */
export async function goldenProgram(eu: Sandbox, up: number): Promise<Record<string, unknown>> {
  // A hundred years: whenever this is looked at, nothing is due.
  const forever = { afterDays: 36_500, overlapDays: 36_500 };
  const trigger = String(Math.min(up, 2));
  const provider = new partners.Provider("eu", {
    baseUrl: eu.url,
    accessToken: pulumi.secret(eu.accessToken),
  });
  const key = new partners.PartnerApiKey("checkout");
  new partners.PartnerApiKey("checkout-eu", {}, { provider });
  new partners.PartnerApiKey("rotated", { rotation: { trigger, ...forever } });
  new partners.PartnerApiKey("replaced", { rotation: { trigger } });
  new partners.PartnerWebhookState("orders", {
    webhookId: 101,
    state: "active",
    stateOnDestroy: "restore",
  });
  new partners.PartnerWebhookState("refunds", { webhookId: 102, state: "disabled" });
  const args = { webhookId: 7, state: "disabled", stateOnDestroy: "active" } as const;
  new partners.PartnerWebhookState("orders-eu", args, { provider });
  const found = await partners.getPartnerWebhooks();
  const secretly = partners.getPartnerWebhooksOutput();
  return { apiKey: key.apiKey, found: found.length, secretly };
}

/** Makes a golden state fit for this run: each account is wherever its sandbox is. */
export function localized(golden: string, sandbox: Sandbox, eu: Sandbox): Deployment {
  return JSON.parse(golden.replaceAll(DEFAULT_URL, sandbox.url).replaceAll(EU_URL, eu.url)) as Deployment;
}

/** The keys that a golden state holds for either account, previous ones included. */
export function heldKeys(golden: string): Record<"default" | "eu", string[]> {
  const { resources } = (JSON.parse(golden) as Deployment).deployment as {
    resources: { outputs?: Partial<Record<string, { plaintext: string } | string>> }[];
  };
  const keys = { default: new Array<string>(), eu: new Array<string>() };
  for (const { outputs = {} } of resources) {
    for (const secret of [outputs["apiKey"], outputs["previousApiKey"]]) {
      const key: unknown = typeof secret === "object" ? JSON.parse(secret.plaintext) : null;
      if (typeof key === "string") keys[outputs["account"] === "eu" ? "eu" : "default"].push(key);
    }
  }
  return keys;
}

async function write(name: string): Promise<void> {
  await using sandbox = await startSandbox(ACCOUNTS.default);
  await using eu = await startSandbox(ACCOUNTS.eu);
  const env = { PARTNERS_BASE_URL: sandbox.url, PARTNERS_ACCESS_TOKEN: sandbox.accessToken };
  let up = 0;
  const stack = await createTestStack({ program: () => goldenProgram(eu, up), env });
  try {
    for (up = 1; up <= 2; up++) {
      const result = await stack.up();
      if (!result.ok) throw new Error(result.error);
    }
    // Where the program stood on this machine is nobody's business.
    const strip = (key: string, value: unknown): unknown =>
      key === "sourcePosition" || key === "stackTrace" ? undefined : value;
    const exported = JSON.stringify(await stack.exportStack(), strip, 2);
    const state = exported.replaceAll(sandbox.url, DEFAULT_URL).replaceAll(eu.url, EU_URL);
    await writeFile(join(GOLDEN_DIR, `${name}.json`), `${state}\n`);
  } finally {
    await stack.dispose();
  }
}

if (import.meta.main) await write(process.argv[2] ?? "unnamed");
