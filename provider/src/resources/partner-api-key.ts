import * as pulumi from "@pulumi/pulumi";

import { assertArguments, warnAboutStackSettings } from "./program-checks.js";
import { PARTNER_API_KEY, SECRET_OUTPUTS } from "../registration.js";

/**
 * When a new key replaces the present one, and for how long the old one stays valid. Wrong values fail the preview.
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
   * The age in days of UTC, a whole number from 1 to 36500, at which the next `pulumi up` rotates the key; requires
   * `overlapDays`.
   * @default never
   */
  readonly afterDays?: pulumi.Input<number>;
  /**
   * Days for which the old key stays valid, a whole number from 0 to 36500 and not above `afterDays`. With more than 0, the key
   * is rotated in place: the old one becomes `previousApiKey`, and the first `pulumi up` after that time deletes it before
   * dependents are updated. With 0 the resource is replaced, so the old key is deleted at the end of the update.
   *
   * Choose more than the longest time that a consumer of the key goes without a successful `pulumi up`.
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

/** A response as it arrived. Secret. */
export interface KeyResponse {
  /** The body as text, or in base64 where it is not UTF-8. */
  readonly body: string;
  /** How `body` is written: `utf8` or `base64`. */
  readonly encoding: "utf8" | "base64";
  /** Whether all of it arrived. */
  readonly complete: boolean;
}

/**
 * A key of the Partner API. Declare it and the key exists; remove it and the key is deleted.
 *
 * The service shows a key once, so the key lives in the state, as a secret. A refresh cannot see whether it still exists.
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
  /** The whole response to the creation, as the service shows it only once. Always secret. */
  declare readonly response: pulumi.Output<KeyResponse | null>;
  /** When the key replaced an earlier one of the same resource, ISO 8601; `null` for the first. */
  declare readonly rotatedAt: pulumi.Output<string | null>;
  /** The key that the last rotation replaced, while it is valid; else `null`. Always secret. */
  declare readonly previousApiKey: pulumi.Output<string | null>;
  /** When `previousApiKey` may be deleted: the first `pulumi up` from then on does it. ISO 8601; else `null`. */
  declare readonly previousExpiresAt: pulumi.Output<string | null>;
  /** The name of the account that the key belongs to: {@link ProviderArgs.account}, or `partners:account`. */
  declare readonly account: pulumi.Output<string>;

  /**
   * @param name The name in the stack.
   * @param args Whether and when the key is rotated; by default never.
   * @param opts Resource options; `provider` chooses the account.
   * @throws {pulumi.RunError} if `args` has unknown arguments.
   */
  constructor(name: string, args: PartnerApiKeyArgs = {}, opts: pulumi.CustomResourceOptions = {}) {
    assertArguments(`PartnerApiKey "${name}"`, args, ["rotation"]);
    const { rotation } = args;
    // An argument that is not given is not a property: the SDK takes its time for each.
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
    // Added to the caller's own, so that nobody can drop these.
    const additionalSecretOutputs = [...(opts.additionalSecretOutputs ?? []), ...SECRET_OUTPUTS];
    super(type, name, { ...inputs, ...outputs, __provider }, { ...opts, additionalSecretOutputs });
    warnAboutStackSettings();
  }
}
