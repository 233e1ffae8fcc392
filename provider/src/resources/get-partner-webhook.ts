import * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../api/operations.js";
import { PARTNER_WEBHOOK } from "../registration.js";
import { findWebhook, isFound, searchFailureText } from "../webhook-search.js";
import { readList, readListOutput, type ListedWebhook } from "./get-partner-webhooks.js";
import { assertArguments } from "./partner-resource.js";

/** The arguments of {@link getPartnerWebhook}. Set exactly one. */
export interface GetPartnerWebhookArgs {
  /**
   * The complete URL of the webhook, with its query. A slash at the end of the path counts; the user, the
   * password and the fragment do not.
   */
  url?: string | undefined;
  /** The exact name or description of the webhook. */
  name?: string | undefined;
}

/** The arguments of {@link getPartnerWebhookOutput}. Set exactly one. */
export interface GetPartnerWebhookOutputArgs {
  /** As of {@link getPartnerWebhook}. */
  url?: pulumi.Input<string | undefined>;
  /** As of {@link getPartnerWebhook}. */
  name?: pulumi.Input<string | undefined>;
}

/** The result of {@link getPartnerWebhook}. */
export interface GetPartnerWebhookResult {
  /** The ID of the webhook. */
  readonly webhookId: number;
  /** The state of the webhook; `null` if it is not recognized. */
  readonly state: WebhookState | null;
  /** The URL of the webhook without secrets; `null` if the list does not show it. */
  readonly url: string | null;
  /** The name or description; `null` if the list does not show it. */
  readonly name: string | null;
}

/**
 * Finds a webhook by its URL or its name, because IDs differ between accounts. Reads the same list as
 * {@link getPartnerWebhooks}.
 *
 * @param args The URL or the name.
 * @param options Selects the account by its `provider` or `parent`.
 * @throws {Error} unless exactly one webhook matches, and whenever {@link getPartnerWebhooks} does.
 * @example
 * ```ts
 * const { webhookId } = await partners.getPartnerWebhook({ url: "https://hooks.example.com/orders" });
 * new partners.PartnerWebhookState("orders", { webhookId, state: "active" });
 * ```
 */
export async function getPartnerWebhook(
  args: GetPartnerWebhookArgs,
  options: Pick<pulumi.InvokeOptions, "provider" | "parent"> = {},
): Promise<GetPartnerWebhookResult> {
  assertArguments("getPartnerWebhook", args, PARTNER_WEBHOOK.inputs);
  return search(await readList("getPartnerWebhook", options), args);
}

/**
 * Like {@link getPartnerWebhook}, but takes inputs and returns an output, which needs no `await`, and may be
 * unknown in a preview. The result is not secret.
 *
 * @param args The URL or the name.
 * @param options Selects the account, as for {@link getPartnerWebhooks}.
 * @example
 * ```ts
 * const { webhookId } = partners.getPartnerWebhookOutput({ name: "orders" });
 * new partners.PartnerWebhookState("orders", { webhookId, state: "active" });
 * ```
 */
export function getPartnerWebhookOutput(
  args: GetPartnerWebhookOutputArgs,
  options: Pick<pulumi.InvokeOptions, "provider" | "parent"> = {},
): pulumi.Output<GetPartnerWebhookResult> {
  assertArguments("getPartnerWebhook", args, PARTNER_WEBHOOK.inputs);
  const listed = readListOutput("getPartnerWebhook", options);
  return pulumi.unsecret(pulumi.all([listed, args]).apply(([webhooks, query]) => search(webhooks, query)));
}

function search(webhooks: readonly ListedWebhook[], args: GetPartnerWebhookArgs): GetPartnerWebhookResult {
  const found = findWebhook(webhooks, args);
  if (!isFound(found))
    throw new pulumi.RunError(searchFailureText(found, (member) => `partners:responses.${member}`));
  const { webhookId, state, url, name } = found;
  return { webhookId, state, url, name };
}
