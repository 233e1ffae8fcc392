import * as pulumi from "@pulumi/pulumi";

import { assertArguments } from "./arguments.js";
import { warnAboutStackSettings } from "./stack-settings.js";
import { PARTNER_API_KEY } from "./registration.js";
import { SECRET_OUTPUTS } from "./secret-outputs.js";

/**
 * When a key gives way to a new one, and for how long the old one stays valid. Wrong values fail the preview.
 *
 * @example
 * ```ts
 * // A new key every 90 days; the old one works for another 7.
 * const rotation = { afterDays: 90, overlapDays: 7 };
 * ```
 */
export interface RotationArgs {
  /**
   * Any text; a change of it, also to the first one, rotates the key. To remove it changes nothing.
   * @default none
   */
  readonly trigger?: pulumi.Input<string>;
  /**
   * The age in days of UTC, a whole number from 1 to 36500, at which the next `pulumi up` rotates the key; needs
   * `overlapDays` beside it.
   * @default never
   */
  readonly afterDays?: pulumi.Input<number>;
  /**
   * Days for which the old key stays valid, a whole number from 0 to 36500 and not above `afterDays`. More than 0: the new key is made in place, the old one becomes `previousApiKey`,
   * and the first `pulumi up` after that time deletes it, before dependents are updated. 0: the resource is replaced, so the
   * old key is deleted at the end of the update.
   *
   * It must exceed the longest time that a consumer of the key goes without a successful `pulumi up`.
   * @default 0
   */
  readonly overlapDays?: pulumi.Input<number>;
}

/** The arguments of {@link PartnerApiKey}; all optional. */
export interface PartnerApiKeyArgs {
  /**
   * When and how the key is rotated.
   * @default only by Pulumi's own means, such as `pulumi up --replace`
   */
  readonly rotation?: pulumi.Input<RotationArgs>;
  /**
   * A key that exists already, to be managed from now on: none is made, and nothing is sent. The whole key, 1 to 4096 visible
   * ASCII characters; made a secret here. To remove the argument later changes nothing; another key takes the place of this
   * one, as in a rotation. A `pulumi destroy` deletes it as any other.
   * @default a key is made
   */
  readonly existingApiKey?: pulumi.Input<string>;
}

/**
 * A key of the Partner API: declared, it exists; removed, it is deleted.
 *
 * The service shows a key once, so the key lives in the state, as a secret. A `refresh` cannot see whether it still exists.
 *
 * @example
 * ```ts
 * const key = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 90, overlapDays: 7 } });
 * export const apiKey = key.apiKey;
 * ```
 */
export class PartnerApiKey extends pulumi.CustomResource {
  /** The key. Always secret. */
  declare readonly apiKey: pulumi.Output<string>;
  /** Tells keys apart without revealing them: `sha256:` and 16 hex digits; `null` for keys of under 16 characters. */
  declare readonly fingerprint: pulumi.Output<string | null>;
  /** The last four characters, as services show them; `null` for keys of under 20 characters. */
  declare readonly hint: pulumi.Output<string | null>;
  /** When the service answered that the key was made, or when an existing one was adopted, ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The id that the service gave beside the key; `null` if it gave none. */
  declare readonly keyId: pulumi.Output<string | null>;
  /**
   * The response to the creation, kept only while the key could not be found in it, or because it holds a second secret;
   * else `null`. Always secret.
   */
  declare readonly response: pulumi.Output<string | null>;
  /** When the key took the place of another one of the same resource, ISO 8601; `null` for the first. */
  declare readonly rotatedAt: pulumi.Output<string | null>;
  /** The key from before the last rotation, while it is valid; else `null`. Always secret. */
  declare readonly previousApiKey: pulumi.Output<string | null>;
  /** When `previousApiKey` may be deleted: the first `pulumi up` from then on does it. ISO 8601; else `null`. */
  declare readonly previousExpiresAt: pulumi.Output<string | null>;
  /** The name of the account that the key belongs to: {@link ProviderArgs.account}, or `partners:account`. */
  declare readonly account: pulumi.Output<string>;

  /**
   * @param name The name in the stack.
   * @param args Whether the key is rotated, and whether it exists already; by default neither.
   * @param opts Resource options; `provider` chooses the account.
   * @throws {pulumi.RunError} if `args` has members that are no arguments.
   */
  constructor(name: string, args: PartnerApiKeyArgs = {}, opts: pulumi.CustomResourceOptions = {}) {
    assertArguments(`PartnerApiKey "${name}"`, args, ["rotation", "existingApiKey"]);
    const { rotation, existingApiKey } = args;
    // What is not given is no property: the SDK takes its time for each.
    const inputs = {
      ...(rotation !== undefined && { rotation }),
      ...(existingApiKey !== undefined && { existingApiKey: pulumi.secret(existingApiKey) }),
    };
    const outputs = {
      apiKey: undefined,
      fingerprint: undefined,
      hint: undefined,
      createdAt: undefined,
      keyId: undefined,
      response: undefined,
      rotatedAt: undefined,
      previousApiKey: undefined,
      previousExpiresAt: undefined,
      account: undefined,
    };
    const { type, __provider } = PARTNER_API_KEY;
    // Added to the caller's own, so that nobody can drop these.
    const additionalSecretOutputs = [...(opts.additionalSecretOutputs ?? []), ...SECRET_OUTPUTS];
    super(type, name, { ...inputs, ...outputs, __provider }, { ...opts, additionalSecretOutputs });
    warnAboutStackSettings();
  }
}
