/**
 * Golden states: today's code must preview the state of each earlier version without changes, refresh it and
 * destroy it. `GOLDEN=NAME npx vitest run --project engine test/engine/golden.test.ts` writes a new one with
 * today's code.
 */
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "@pulumi/pulumi/automation/index.js";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import type { SandboxOptions } from "../support/sandbox.ts";
import {
  countRequests,
  Native,
  sandboxFor,
  sandboxStack,
  statesOf,
  UNCHANGED,
  type Sandbox,
} from "./support.ts";

const FOLDER = join(import.meta.dirname, "golden");

/** Placeholders in a golden state for the addresses of the two accounts. */
const DEFAULT_URL = "http://127.0.0.1:1/default";
const EU_URL = "http://127.0.0.1:1/eu";
const ACCOUNT: SandboxOptions = { accessToken: "golden-token-default" };
const EU: SandboxOptions = { accessToken: "golden-token-eu", shape: "nested" };
/** The webhooks of the first account before the program runs, and after it. */
const FOUND = { 101: "disabled", 102: "active", 103: "disabled", 104: "active", 105: "disabled" } as const;
const CHANGED = { 101: "active", 102: "disabled", 103: "active", 104: "disabled", 105: "active" } as const;

function webhooks(states: Readonly<Record<string, partners.WebhookState>>): SandboxOptions {
  return {
    webhooks: Object.entries(states).map(([id, state]) => ({ webhookId: Number(id), state })),
  };
}

/** Declares one resource of each kind in both hosts. @param up The number of this update, from 1. */
async function program(eu: Sandbox, up: number): Promise<Record<string, unknown>> {
  // A hundred years, so that no rotation is ever due.
  const forever = { afterDays: 36_500, overlapDays: 36_500 };
  const trigger = String(Math.min(up, 2));
  const accessToken = pulumi.secret(eu.accessToken);
  const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken });
  const key = new partners.PartnerApiKey("checkout");
  new partners.PartnerApiKey("checkout-eu", {}, { provider });
  new partners.PartnerApiKey("rotated", { rotation: { trigger, ...forever } });
  new partners.PartnerApiKey("replaced", { rotation: { trigger, overlapDays: 0 } });
  const orders = { webhookId: 101, state: "active", stateOnDestroy: "restore" } as const;
  new partners.PartnerWebhookState("orders", orders);
  new partners.PartnerWebhookState("refunds", { webhookId: 102, state: "disabled" });
  const args = { webhookId: 7, state: "disabled", stateOnDestroy: "active" } as const;
  new partners.PartnerWebhookState("orders-eu", args, { provider });
  const stateOnDestroy = "restore";
  new partners.PartnerWebhookStates("fleet", { states: { 103: "active" }, stateOnDestroy });
  new Native("PartnerApiKey", "native-key", { rotation: { trigger, ...forever } });
  new Native("PartnerWebhookState", "native-orders", { webhookId: 104, state: "disabled", stateOnDestroy });
  new Native("PartnerWebhookStates", "native-fleet", { states: { 105: "active" }, stateOnDestroy });
  const { webhooks: found } = await partners.getPartnerWebhooks();
  const secretly = partners.getPartnerWebhooksOutput();
  return { apiKey: key.apiKey, found: found.length, secretly };
}

/** Returns the keys in a golden state by account, including previous keys. */
function heldKeys(golden: string): Record<"default" | "eu", string[]> {
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

it.each(readdirSync(FOLDER))(
  "the state %s previews without changes, refreshes and destroys",
  async (file) => {
    const golden = await readFile(join(FOLDER, file), "utf8");
    const keys = heldKeys(golden);
    const eu = await sandboxFor({ ...EU, apiKeys: keys.eu, ...webhooks({ 7: "disabled" }) });
    const { sandbox, stack } = await sandboxStack(() => program(eu, Infinity), {
      ...ACCOUNT,
      ...webhooks(CHANGED),
      apiKeys: keys.default,
    });
    // Point each account at its sandbox.
    const localized = golden.replaceAll(DEFAULT_URL, sandbox.url).replaceAll(EU_URL, eu.url);
    await stack.importStack(JSON.parse(localized) as Deployment);
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
    // An unchanged stack sends no request, except for the list if the program reads it.
    expect(countRequests(sandbox)).toEqual(golden.includes("PartnerWebhooks") ? { GET: 1 } : {});
    expect(await stack.refresh(UNCHANGED)).toMatchObject({ ok: true });
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect([sandbox.apiKeys, eu.apiKeys]).toEqual([[], []]);
    expect([statesOf(sandbox), statesOf(eu)]).toEqual([{ ...FOUND, 102: "disabled" }, { 7: "active" }]);
  },
);

const name = process.env["GOLDEN"];
it.runIf(name)(`writes ${name ?? "a state"}`, async () => {
  const eu = await sandboxFor({ ...EU, ...webhooks({ 7: "active" }) });
  let up = 0;
  const { sandbox, stack } = await sandboxStack(() => program(eu, up), {
    ...ACCOUNT,
    ...webhooks(FOUND),
  });
  for (up = 1; up <= 2; up++) expect(await stack.up()).toMatchObject({ ok: true });
  // Leave out the paths of this machine.
  const strip = (key: string, value: unknown): unknown =>
    key === "sourcePosition" || key === "stackTrace" ? undefined : value;
  const exported = JSON.stringify(await stack.exportStack(), strip, 2);
  const state = exported.replaceAll(sandbox.url, DEFAULT_URL).replaceAll(eu.url, EU_URL);
  await writeFile(join(FOLDER, `${name}.json`), `${state}\n`);
});
