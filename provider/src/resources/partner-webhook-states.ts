import type * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../partner-api/operations.js";
import { PARTNER_WEBHOOK_STATES, type OtherWebhooks, type StateOnDestroy } from "../registration.js";
import { PartnerResource } from "./partner-resource.js";

/** The arguments of {@link PartnerWebhookStates}. The preview fails if a webhook does not exist. */
export interface PartnerWebhookStatesArgs {
  /** The desired states of webhooks. Each name is the ID of a webhook as text, such as `"101"`. */
  states: pulumi.Input<Record<string, pulumi.Input<WebhookState>>>;
  /**
   * The state of all other webhooks of the account; `"leave"` keeps their states. If you set a state, no
   * other resource of the program may manage webhooks of the account.
   * @default "leave"
   */
  others?: pulumi.Input<OtherWebhooks | undefined>;
  /**
   * What happens when you remove IDs from `states`, or the resource: `"leave"` keeps the states of their
   * webhooks, `"restore"` sets those in which they became managed.
   * @default "leave"
   */
  stateOnDestroy?: pulumi.Input<StateOnDestroy | undefined>;
}

/**
 * The states of many existing webhooks, as one resource. It is faster than one {@link PartnerWebhookState}
 * per webhook.
 *
 * @example
 * ```ts
 * new partners.PartnerWebhookStates("fleet", {
 *   states: { 101: "active" },
 *   others: "disabled",
 *   stateOnDestroy: "restore",
 * });
 * ```
 */
export class PartnerWebhookStates extends PartnerResource {
  /**
   * The states of the webhooks in the input `states`, by ID, as last read or set; `null` if a change may
   * have been made.
   */
  declare readonly states: pulumi.Output<Readonly<Record<string, WebhookState | null>>>;
  /** The state of all other webhooks of the account, or `"leave"`. */
  declare readonly others: pulumi.Output<OtherWebhooks>;
  /** What happens to webhooks that are no longer managed. */
  declare readonly stateOnDestroy: pulumi.Output<StateOnDestroy>;
  /** The states of the webhooks that `others` covers, by ID, as `states`. */
  declare readonly otherStates: pulumi.Output<Readonly<Record<string, WebhookState | null>>>;
  /**
   * By ID, the state in which this resource first found each webhook, including those that `others` covers;
   * `null` if the list did not show it.
   */
  declare readonly initialStates: pulumi.Output<Readonly<Record<string, WebhookState | null>>>;

  /** @param opts `provider` selects the account. */
  constructor(name: string, args: PartnerWebhookStatesArgs, opts?: pulumi.CustomResourceOptions) {
    super(PARTNER_WEBHOOK_STATES, name, args, opts);
  }
}
