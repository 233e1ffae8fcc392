import type * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../partner-api/operations.js";
import { PARTNER_WEBHOOK_STATE, type StateOnDestroy } from "../registration.js";
import { PartnerResource } from "./partner-resource.js";

/** The arguments of {@link PartnerWebhookState}. The preview fails if the webhook does not exist. */
export interface PartnerWebhookStateArgs {
  /** The ID of an existing webhook. Changing it replaces the resource. */
  webhookId: pulumi.Input<number>;
  /** The desired state of the webhook. */
  state: pulumi.Input<WebhookState>;
  /**
   * What happens when the resource is removed, replaced or destroyed: `"leave"` keeps the state of the
   * webhook, `"restore"` sets the state in which it became managed.
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
  /** The state of the webhook, as last read or set; `null` if it is not known whether a change was made. */
  declare readonly state: pulumi.Output<WebhookState | null>;
  /** What happens to the webhook when the resource is removed. */
  declare readonly stateOnDestroy: pulumi.Output<StateOnDestroy>;
  /** The state in which this resource first found the webhook; `null` if the list did not show it. */
  declare readonly initialState: pulumi.Output<WebhookState | null>;

  /** Gets the state of a webhook that this stack does not manage. @param id Its ID, such as `"101"`. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): PartnerWebhookState {
    return new PartnerWebhookState(name, {} as PartnerWebhookStateArgs, { ...opts, id });
  }

  /** @param opts `provider` selects the account. */
  constructor(name: string, args: PartnerWebhookStateArgs, opts?: pulumi.CustomResourceOptions) {
    super(PARTNER_WEBHOOK_STATE, name, args, opts);
  }
}
