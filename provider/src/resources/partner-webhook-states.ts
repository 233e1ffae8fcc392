import * as pulumi from "@pulumi/pulumi";

import type { WebhookState } from "../api/operations.js";
import { isObject } from "../json.js";
import { PARTNER_WEBHOOK_STATES, type OtherWebhooks, type StateOnDestroy } from "../registration.js";
import { PartnerResource } from "./partner-resource.js";

/**
 * The arguments of {@link PartnerWebhookStates}. The preview fails if a webhook does not exist.
 */
export interface PartnerWebhookStatesArgs {
  /** The desired states of webhooks, by ID: `{ 101: "active", 102: "disabled" }`. */
  states: pulumi.Input<Record<string, pulumi.Input<WebhookState>>>;
  /**
   * The state of all other webhooks of the account; `"leave"` keeps their states. If you set a state, no
   * other resource of the program may manage webhooks of the account.
   * @default "leave"
   */
  others?: pulumi.Input<OtherWebhooks | undefined>;
  /**
   * What happens when you remove IDs from `states`, or the resource: `"leave"` keeps the states of their
   * webhooks, `"restore"` sets those in which they were first found.
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
  /** The states of the webhooks in the input `states`, by ID, as last read or set. */
  declare readonly states: pulumi.Output<Readonly<Record<string, WebhookState>>>;
  /**
   * The states in which all managed webhooks were first found, also because of `others`, by ID; `null` if the
   * list did not show it.
   */
  declare readonly initialStates: pulumi.Output<Readonly<Record<string, WebhookState | null>>>;

  /**
   * @param name The name of the resource in the stack.
   * @param args The webhooks and their desired states.
   * @param opts Resource options. `provider` selects the account.
   */
  constructor(name: string, args: PartnerWebhookStatesArgs, opts?: pulumi.CustomResourceOptions) {
    const checked = isObject(args) ? { ...args, states: withoutPrototype(args.states) } : args;
    super(PARTNER_WEBHOOK_STATES, name, checked, ["states", "initialStates"], opts);
  }
}

type States = PartnerWebhookStatesArgs["states"];

/**
 * Rejects the webhook ID `__proto__`. The SDK assigns the members of an object one by one, so it would lose
 * that one. The provider rejects all other invalid IDs.
 *
 * @throws {pulumi.RunError} unless the states are a promise or an output, which then fails.
 * @internal
 */
export function withoutPrototype(states: States): States {
  const check = <Value>(value: Value): Value => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, "__proto__")) return value;
    throw new pulumi.RunError(
      'states has the key "__proto__", which is not a webhook ID. Write a whole number such as 101.',
    );
  };
  if (pulumi.Output.isInstance(states)) return states.apply(check);
  return states instanceof Promise ? states.then(check) : check(states);
}
