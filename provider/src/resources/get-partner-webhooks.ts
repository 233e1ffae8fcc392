import * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../api/operations.js";
import { PARTNER_WEBHOOKS } from "../registration.js";
import type { SearchableWebhook } from "../webhook-search.js";
import { assertArguments, currentRun, PartnerResource, settled } from "./partner-resource.js";

/** An existing webhook, as returned by {@link getPartnerWebhooks}. */
export interface PartnerWebhook {
  /** The ID of the webhook. */
  readonly webhookId: number;
  /** The state of the webhook; `null` if it is not recognized. */
  readonly state: WebhookState | null;
  /**
   * The URL without user, password, query and fragment, and with `***` for a part that may be a secret;
   * `null` if the list does not show it.
   */
  readonly url: string | null;
  /** The name or description; `null` if the list does not show it. */
  readonly name: string | null;
  /** The record as the service sent it. It may contain secrets, such as a signing secret. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** The result of {@link getPartnerWebhooks}. */
export interface GetPartnerWebhooksResult {
  /** The webhooks in the order of the service. Secret in an output. */
  readonly webhooks: PartnerWebhook[];
}

/**
 * Lists all webhooks of an account as plain values. They are known in a preview, so a program can loop over
 * them. The list is read once per provider, at the first call.
 *
 * Records are plain text. Wrap anything that may contain a secret in `pulumi.secret`, or use {@link
 * getPartnerWebhooksOutput}.
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
  return withoutFull(await readList("getPartnerWebhooks", options));
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
  return pulumi.secret(readListOutput("getPartnerWebhooks", options).apply(withoutFull));
}

/** A webhook as the plugin writes it into the list; `full` is not for programs. */
export type ListedWebhook = PartnerWebhook & SearchableWebhook;

/** Reads the list for a function. @throws {Error} as {@link getPartnerWebhooks} does. */
export async function readList(
  name: string,
  options: Pick<pulumi.InvokeOptions, "provider" | "parent">,
): Promise<ListedWebhook[]> {
  const webhooks = settled(read(name, options).webhooks);
  if (!(await webhooks.isKnown)) {
    throw new pulumi.RunError(
      "The webhooks cannot be listed in this preview, because the provider's settings are not known yet. " +
        `Use ${name}Output, or first create the resources that the settings depend on (pulumi up --target).`,
    );
  }
  return parse(await webhooks.promise());
}

/** Reads the list as an output for a function. */
export function readListOutput(
  name: string,
  options: Pick<pulumi.InvokeOptions, "provider" | "parent">,
): pulumi.Output<ListedWebhook[]> {
  return read(name, options).webhooks.apply(parse);
}

/**
 * The resource that holds the list. It has an ID, so the engine only reads it, like a resource of another
 * stack.
 */
class PartnerWebhooks extends PartnerResource {
  /** The webhooks as JSON text. */
  declare readonly webhooks: pulumi.Output<string>;

  constructor(name: string, provider: pulumi.ProviderResource | undefined) {
    // As a child of its provider: components of two types may each have a provider of the same name.
    const opts = {
      id: "webhooks",
      additionalSecretOutputs: ["webhooks"],
      ...(provider && { provider, parent: provider }),
    };
    super(PARTNER_WEBHOOKS, name, {}, ["webhooks"], opts);
  }
}

/**
 * One resource for each provider, because the names of resources must be unique; by the run for the default
 * provider.
 */
const reads = new WeakMap<object, PartnerWebhooks>();

function read(caller: string, options: Pick<pulumi.InvokeOptions, "provider" | "parent">): PartnerWebhooks {
  assertArguments(caller, options, ["provider", "parent"]);
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

function parse(webhooks: string): ListedWebhook[] {
  const listed = JSON.parse(webhooks) as (Partial<ListedWebhook> & PartnerWebhook)[];
  // Mocks may leave out what a test does not need.
  return listed.map((webhook) => ({ ...webhook, url: webhook.url ?? null, name: webhook.name ?? null }));
}

function withoutFull(listed: readonly ListedWebhook[]): GetPartnerWebhooksResult {
  return { webhooks: listed.map(({ full: _, ...webhook }) => webhook) };
}
