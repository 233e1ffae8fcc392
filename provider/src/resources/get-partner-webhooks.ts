import * as pulumi from "@pulumi/pulumi";

import { PARTNER_WEBHOOKS, type PartnerWebhook } from "../registration.js";
import { assertArguments, currentRun, PartnerResource, promisesOf } from "./partner-resource.js";

/** The result of {@link getPartnerWebhooks}. */
export interface GetPartnerWebhooksResult {
  /** The webhooks in the order of the service. Secret in the output form of the function. */
  readonly webhooks: PartnerWebhook[];
}

/**
 * Lists all webhooks of an account. The list is read once per provider, at the first call.
 *
 * The webhooks are plain values, known in a preview, so a program can loop over them. Records are plain text.
 * Wrap anything that may contain a secret in `pulumi.secret`, or use {@link getPartnerWebhooksOutput}.
 *
 * @param options Selects the account by its `provider`, or by a `parent` that passes one to its children.
 * @throws {Error} if the list cannot be read, and in a preview if the provider's settings are not known yet.
 * @example
 * ```ts
 * const { webhooks } = await partners.getPartnerWebhooks();
 * for (const { webhookId } of webhooks) {
 *   new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
 * }
 * ```
 */
export async function getPartnerWebhooks(
  options: Pick<pulumi.InvokeOptions, "provider" | "parent"> = {},
): Promise<GetPartnerWebhooksResult> {
  const webhooks = promisesOf(read(options).webhooks);
  if (!(await webhooks.isKnown)) {
    throw new pulumi.RunError(
      "The webhooks cannot be listed in this preview, because the provider's settings are not known yet. " +
        "Use getPartnerWebhooksOutput, or first create the resources that the settings depend on " +
        "(pulumi up --target).",
    );
  }
  return parse(await webhooks.promise());
}

/**
 * Like {@link getPartnerWebhooks}, but returns a secret output, which needs no `await`, and may be unknown in
 * a preview. Values derived from it stay secret until you call `pulumi.unsecret`.
 *
 * @param options Selects the account, as for {@link getPartnerWebhooks}.
 * @example
 * ```ts
 * const { webhooks } = partners.getPartnerWebhooksOutput({ provider: eu });
 * export const ids = pulumi.unsecret(webhooks.apply((all) => all.map(({ webhookId }) => webhookId)));
 * ```
 */
export function getPartnerWebhooksOutput(
  options: Pick<pulumi.InvokeOptions, "provider" | "parent"> = {},
): pulumi.Output<GetPartnerWebhooksResult> {
  return pulumi.secret(read(options).webhooks.apply(parse));
}

/** The resource that holds the list. It has an ID, so the engine only reads it. */
class PartnerWebhooks extends PartnerResource {
  /** The webhooks as JSON text. */
  declare readonly webhooks: pulumi.Output<string>;

  constructor(name: string, provider: pulumi.ProviderResource | undefined) {
    // As a child of its provider: components of two types may each have a provider of the same name.
    super(PARTNER_WEBHOOKS, name, {}, { id: "webhooks", ...(provider && { provider, parent: provider }) });
  }
}

/** One resource for each provider, or run: the names of resources must be unique. */
const reads = new WeakMap<object, PartnerWebhooks>();

function read(options: Pick<pulumi.InvokeOptions, "provider" | "parent">): PartnerWebhooks {
  assertArguments("getPartnerWebhooks", options, ["provider", "parent"]);
  const parent = options.parent ?? pulumi.runtime.getStackResource();
  const provider = options.provider ?? parent?.getProvider(PARTNER_WEBHOOKS.type);
  const key = provider ?? currentRun();
  // The SDK stores the logical name of a resource, but does not declare it.
  const { __name = "unnamed" } = (provider ?? {}) as { __name?: string };
  const name = provider ? `webhooks-${__name}` : "webhooks";
  const resource = reads.get(key) ?? new PartnerWebhooks(name, provider);
  reads.set(key, resource);
  return resource;
}

function parse(webhooks: string): GetPartnerWebhooksResult {
  return { webhooks: JSON.parse(webhooks) as PartnerWebhook[] };
}
