import * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../api/operations.js";
import { assertArguments, warnAboutStackSettings } from "./program-checks.js";
import { PARTNER_WEBHOOKS } from "../registration.js";
import { logicalName, perRun, providerOf } from "./run.js";

/** A webhook that exists at the service, as {@link getPartnerWebhooks} found it. */
export interface PartnerWebhook {
  /** The id, a positive whole number. */
  readonly webhookId: number;
  /** The state; `null` if the list does not show it in a way that is recognised. */
  readonly state: WebhookState | null;
  /** The record as the service sent it. It may hold secrets, such as a signing secret. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** The options of {@link getPartnerWebhooks}: which account to list. */
export interface GetPartnerWebhooksOptions {
  /**
   * The provider of the account.
   * @default the provider of `parent`; otherwise, the account of stack configuration
   */
  readonly provider?: pulumi.ProviderResource | undefined;
  /**
   * A component. Its children's provider is used.
   * @default none
   */
  readonly parent?: pulumi.Resource | undefined;
}

/**
 * Lists all webhooks of an account, as plain values that are known in a preview, so that a program can loop over them. The list is
 * read once, at the start of the run, by the same request that serves the resources of the account.
 *
 * Records are in plain text. Wrap anything that may hold a secret in `pulumi.secret`, or use {@link getPartnerWebhooksOutput}.
 *
 * @param options Which account to list; by default, the account of stack configuration.
 * @returns the webhooks in the order in which the service lists them; an empty array if there are none.
 * @throws {Error} if the list cannot be read or has further pages, and in a preview if the provider's settings are not known yet.
 * @example
 * ```ts
 * for (const { webhookId } of await partners.getPartnerWebhooks()) {
 *   new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
 * }
 * ```
 */
export async function getPartnerWebhooks(options: GetPartnerWebhooksOptions = {}): Promise<PartnerWebhook[]> {
  const webhooks = settled(read(options).webhooks);
  if (!(await webhooks.isKnown)) {
    throw new pulumi.RunError(
      "The webhooks cannot be listed in this preview, because the settings of the provider are not known yet. " +
        "Use getPartnerWebhooksOutput, or first create the resources that the settings come from (pulumi up --target).",
    );
  }
  return parse(await webhooks.promise());
}

/**
 * Does the same as {@link getPartnerWebhooks}, but returns a secret output: values derived from it stay secret until you call
 * `pulumi.unsecret`. It does not need `await`, and may be unknown in a preview.
 *
 * @param options Which account to list; by default, the account of stack configuration.
 * @example
 * ```ts
 * const webhooks = partners.getPartnerWebhooksOutput({ provider: eu });
 * export const ids = pulumi.unsecret(webhooks.apply((all) => all.map(({ webhookId }) => webhookId)));
 * ```
 */
export function getPartnerWebhooksOutput(
  options: GetPartnerWebhooksOptions = {},
): pulumi.Output<PartnerWebhook[]> {
  return pulumi.secret(read(options).webhooks.apply(parse));
}

/** The engine reads it, as if it were a resource that another stack manages. */
class PartnerWebhooks extends pulumi.CustomResource {
  /** JSON text. */
  declare readonly webhooks: pulumi.Output<string>;

  constructor(name: string, provider: pulumi.ProviderResource | undefined) {
    const { type, __provider } = PARTNER_WEBHOOKS;
    super(
      type,
      name,
      { webhooks: undefined, __provider },
      { id: "webhooks", additionalSecretOutputs: ["webhooks"], ...(provider && { provider }) },
    );
    warnAboutStackSettings();
  }
}

/** The names of resources are unique, so each provider is read once. */
const reads = perRun(() => new Map<pulumi.ProviderResource | undefined, PartnerWebhooks>());

function read(options: GetPartnerWebhooksOptions): PartnerWebhooks {
  assertArguments("getPartnerWebhooks", options, ["provider", "parent"]);
  const provider = providerOf(PARTNER_WEBHOOKS.type, options);
  const known = reads();
  const name = provider ? `webhooks-${logicalName(provider)}` : "webhooks";
  const resource = known.get(provider) ?? new PartnerWebhooks(name, provider);
  known.set(provider, resource);
  return resource;
}

function parse(webhooks: string): PartnerWebhook[] {
  return JSON.parse(webhooks) as PartnerWebhook[];
}

/** What an output holds of promises. The SDK does not declare it, but nothing else tells of a failure, or of what is unknown. */
function settled<T>(output: pulumi.Output<T>): { isKnown: Promise<boolean>; promise(): Promise<T> } {
  return output as unknown as { isKnown: Promise<boolean>; promise(): Promise<T> };
}
