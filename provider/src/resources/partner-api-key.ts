import * as pulumi from "@pulumi/pulumi";

import { assertArguments, warnAboutStackSettings } from "./program-checks.js";
import { PARTNER_API_KEY, SECRET_OUTPUTS } from "../registration.js";
import { isOfType } from "./run.js";

/**
 * When a new key replaces the current one, and for how long the old one stays valid. Invalid values fail the preview.
 *
 * @example
 * ```ts
 * // A new key every 90 days; the old one works for another 7.
 * const rotation = { afterDays: 90, overlapDays: 7 };
 * ```
 */
export interface RotationArgs {
  /**
   * Any text. Changing it, or setting it for the first time, rotates the key; removing it changes nothing.
   * @default none
   */
  readonly trigger?: pulumi.Input<string>;
  /**
   * The age in UTC days, a whole number from 1 to 36500, at which the next `pulumi up` rotates the key. Requires `overlapDays`.
   * @default never
   */
  readonly afterDays?: pulumi.Input<number>;
  /**
   * How many days the old key stays valid, a whole number from 0 to 36500, at most `afterDays`. With more than 0, the key is
   * rotated in place: the old one becomes `previousApiKey`, and the first `pulumi up` after that time deletes it before dependents
   * are updated. With 0, the resource is replaced, so the old key is deleted at the end of the update.
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
   * @default never, except with `pulumi up --replace`
   */
  readonly rotation?: pulumi.Input<RotationArgs>;
}

/** A response, as it was received. Secret. */
export interface KeyResponse {
  /** The body as text, or in base64 if it is not UTF-8. */
  readonly body: string;
  /** How `body` is encoded: `utf8` or `base64`. */
  readonly encoding: "utf8" | "base64";
  /** Whether the whole body was received. */
  readonly complete: boolean;
}

/**
 * A key of the Partner API. Declare it and the key exists; remove it and the key is deleted.
 *
 * The service shows a key only once, so the key is kept in the state, as a secret. A refresh cannot tell whether it still exists.
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
  /** Tells keys apart without revealing them: `sha256:` and 16 hex digits; `null` for keys shorter than 16 characters. */
  declare readonly fingerprint: pulumi.Output<string | null>;
  /** The last four characters, as services show them; `null` for keys shorter than 20 characters. */
  declare readonly hint: pulumi.Output<string | null>;
  /** When the service confirmed the creation, ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The whole response to the creation, because the service shows it only once. Always secret. */
  declare readonly response: pulumi.Output<KeyResponse | null>;
  /** When the key replaced an earlier one of the same resource, ISO 8601; `null` for the first key. */
  declare readonly rotatedAt: pulumi.Output<string | null>;
  /** The key that the last rotation replaced, while it is valid; otherwise `null`. Always secret. */
  declare readonly previousApiKey: pulumi.Output<string | null>;
  /** When `previousApiKey` expires: the first `pulumi up` from then on deletes it. ISO 8601; `null` if there is no previous key. */
  declare readonly previousExpiresAt: pulumi.Output<string | null>;
  /** The name of the account that the key belongs to: {@link ProviderArgs.account}, or `partners:account`. */
  declare readonly account: pulumi.Output<string>;

  /**
   * Gets a key that this stack does not manage, to use it in a program. The Partner API cannot read a key, so it comes from an
   * environment variable. To get it from the stack that manages it, use a `pulumi.StackReference`.
   *
   * @param name The name in the stack.
   * @param id `env:` and the name of the variable, such as `env:CHECKOUT_KEY`. Do not pass the key itself: IDs are not secret.
   * @param opts Resource options; `provider` chooses the account.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): PartnerApiKey {
    return new PartnerApiKey(name, {}, { ...opts, id });
  }

  /** Whether a value is a `PartnerApiKey`, even from another copy of this package. */
  static override isInstance(value: unknown): value is PartnerApiKey {
    return isOfType(value, PARTNER_API_KEY.type);
  }

  /**
   * @param name The name in the stack.
   * @param args Whether and when the key is rotated; by default, never.
   * @param opts Resource options; `provider` chooses the account.
   * @throws {pulumi.RunError} if `args` has unknown arguments.
   */
  constructor(name: string, args: PartnerApiKeyArgs = {}, opts: pulumi.CustomResourceOptions = {}) {
    assertArguments(`PartnerApiKey "${name}"`, args, ["rotation"]);
    const { rotation } = args;
    // Leave out an argument that is not given: each property costs time in the SDK.
    const inputs = rotation === undefined ? {} : { rotation };
    const outputs = {
      apiKey: undefined,
      fingerprint: undefined,
      hint: undefined,
      createdAt: undefined,
      response: undefined,
      rotatedAt: undefined,
      previousApiKey: undefined,
      previousExpiresAt: undefined,
      account: undefined,
    };
    const { type, __provider } = PARTNER_API_KEY;
    // Added to the caller's own, so that these cannot be dropped.
    const additionalSecretOutputs = [...(opts.additionalSecretOutputs ?? []), ...SECRET_OUTPUTS];
    super(type, name, { ...inputs, ...outputs, __provider }, { ...opts, additionalSecretOutputs });
    warnAboutStackSettings();
  }
}
