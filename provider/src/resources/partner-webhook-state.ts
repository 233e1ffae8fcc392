import * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../api/operations.js";
import { PARTNER_WEBHOOK_STATE, type StateOnDestroy } from "../registration.js";
import { PartnerResource } from "./partner-resource.js";

/**
 * The arguments of {@link PartnerWebhookState}. The preview fails if the webhook does not exist.
 */
export interface PartnerWebhookStateArgs {
  /** The ID of an existing webhook. Changing it replaces the resource. */
  webhookId: pulumi.Input<number>;
  /** The desired state of the webhook. */
  state: pulumi.Input<WebhookState>;
  /**
   * What happens when the resource is removed, replaced or destroyed: `"leave"` keeps the state of the
   * webhook, `"restore"` sets the state in which it was first found.
   * @default "leave"
   */
  stateOnDestroy?: pulumi.Input<StateOnDestroy | undefined>;
}

/**
 * The state of an existing webhook. The provider does not create or delete webhooks.
 *
 * @example
 * ```ts
 * new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
 * ```
 */
export class PartnerWebhookState extends PartnerResource {
  /** The ID of the webhook. */
  declare readonly webhookId: pulumi.Output<number>;
  /** The state of the webhook, as last read or set. */
  declare readonly state: pulumi.Output<WebhookState>;
  /** The state in which the webhook was first found; `null` if the list did not show it. */
  declare readonly initialState: pulumi.Output<WebhookState | null>;
  /** The URL of the webhook without secrets, as last read; `null` if the list does not show it. */
  declare readonly url: pulumi.Output<string | null>;
  /** The name or description, as last read; `null` if the list does not show it. */
  declare readonly name: pulumi.Output<string | null>;

  /**
   * Gets the state of a webhook that this stack does not manage, and changes nothing.
   *
   * @param name The name of the resource in the stack.
   * @param id The ID of the webhook, such as `"101"`.
   * @param opts Resource options. `provider` selects the account.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): PartnerWebhookState {
    return new PartnerWebhookState(name, {} as PartnerWebhookStateArgs, { ...opts, id });
  }

  /**
   * @param name The name of the resource in the stack.
   * @param args The webhook and its desired state.
   * @param opts Resource options. `provider` selects the account.
   */
  constructor(name: string, args: PartnerWebhookStateArgs, opts?: pulumi.CustomResourceOptions) {
    super(PARTNER_WEBHOOK_STATE, name, args, ["webhookId", "state", "initialState", "url", "name"], opts);
  }
}
