import * as pulumi from "@pulumi/pulumi";

import { PARTNER_WEBHOOK_STATE } from "./registration.js";
import { logicalName, perRun, providerOf, type ProviderOptions } from "./run.js";

/** Stands for the provider of stack configuration. */
const DEFAULT_PROVIDER = {};

/** Who declares each webhook, by provider. */
const declarations = perRun(() => new Map<object, Map<number, string>>());

/**
 * Takes note that a resource declares a webhook. Two that do would overwrite each other at every update; the handlers
 * cannot see it, as they are not told which resource they work for.
 *
 * @returns The id; if it is not known yet, one that fails, before the resource is registered, if it turns out to be declared.
 * @throws {pulumi.RunError} if another resource of this program declares the same webhook through the same provider.
 */
export function declareOnce(
  webhookId: pulumi.Input<number>,
  name: string,
  options: ProviderOptions = {},
): pulumi.Input<number> {
  const provider = providerOf(PARTNER_WEBHOOK_STATE.type, options);
  const declared = declaredThrough(provider);
  const account = provider ? `the provider "${logicalName(provider)}"` : "the default provider";
  const path = pathOf(name, options.parent);
  const declare = (id: number): number => {
    const other = declared.get(id);
    if (other !== undefined) throw declaredTwice(id, other, path, account);
    declared.set(id, path);
    return id;
  };
  return typeof webhookId === "number" ? declare(webhookId) : pulumi.output(webhookId).apply(declare);
}

function declaredThrough(provider: pulumi.ProviderResource | undefined): Map<number, string> {
  const all = declarations();
  const key = provider ?? DEFAULT_PROVIDER;
  const declared = all.get(key) ?? new Map<number, string>();
  all.set(key, declared);
  return declared;
}

/** Two components may each have a resource of the same name, so parents are named as well. */
function pathOf(name: string, parent?: pulumi.Resource): string {
  return parent ? `${logicalName(parent)}/${name}` : name;
}

function declaredTwice(webhookId: number, first: string, second: string, account: string): pulumi.RunError {
  return new pulumi.RunError(
    `Webhook ${webhookId} is declared twice, by PartnerWebhookState "${first}" and "${second}", both through ${account}. ` +
      "The second was not applied. Remove one of the two, or correct its webhookId or its provider.",
  );
}
