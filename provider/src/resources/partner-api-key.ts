import * as pulumi from "@pulumi/pulumi";

import { PARTNER_API_KEY, type KeyResponse } from "../registration.js";
import { PartnerResource } from "./partner-resource.js";

/**
 * When a new key replaces the current one, and how long the old key stays valid.
 *
 * @example
 * ```ts
 * // Create a new key every 90 days, and keep the old one valid for another 7.
 * const rotation = { afterDays: 90, overlapDays: 7 };
 * ```
 */
export interface RotationArgs {
  /**
   * Any text. Setting one that differs from the last one rotates the key; removing it, or setting the same
   * one again, has no effect. Without `overlapDays`, the rotation is a replacement. @default none
   */
  trigger?: pulumi.Input<string | undefined>;
  /**
   * The age in UTC days, 1 to 36500, at which the next `pulumi up` rotates the key. Requires `overlapDays`,
   * so that no unattended run deletes a key in use. @default never
   */
  afterDays?: pulumi.Input<number | undefined>;
  /**
   * How many days the old key stays valid: 0 to 36500, and less than `afterDays`. Choose more days than any
   * consumer may go without a successful `pulumi up`. A change takes effect during an overlap, too. With 0,
   * or without this argument, a rotation replaces the resource, and the update ends by deleting the old key.
   * Required with `afterDays`.
   */
  overlapDays?: pulumi.Input<number | undefined>;
}

/** The arguments of {@link PartnerApiKey}. All are optional. */
export interface PartnerApiKeyArgs {
  /** When and how to rotate the key. @default never, except with `pulumi up --replace` */
  rotation?: pulumi.Input<RotationArgs | undefined>;
}

/**
 * An API key for the Partner API, which is created and deleted with the resource.
 *
 * The service shows a key only once, so the state keeps it, as a secret. A refresh does not detect that a key
 * was deleted elsewhere.
 *
 * @example
 * ```ts
 * const key = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 90, overlapDays: 7 } });
 * export const apiKey = key.apiKey;
 * ```
 */
export class PartnerApiKey extends PartnerResource {
  /** The API key. Always secret. */
  declare readonly apiKey: pulumi.Output<string>;
  /** The last four characters of the key; `null` for keys shorter than 20 characters. */
  declare readonly hint: pulumi.Output<string | null>;
  /** When the key was created, in ISO 8601; `null` for an imported key. */
  declare readonly createdAt: pulumi.Output<string | null>;
  /** The complete response to the creation, because the service sends it only once. Always secret. */
  declare readonly response: pulumi.Output<KeyResponse | null>;
  /** The key that the last rotation replaced, while it is valid; otherwise `null`. Always secret. */
  declare readonly previousApiKey: pulumi.Output<string | null>;
  /** When the overlap ends: the next `pulumi up` then deletes `previousApiKey`. Otherwise `null`. */
  declare readonly previousExpiresAt: pulumi.Output<string | null>;
  /** The name of the account: {@link ProviderArgs.account}, or `partners:account`. */
  declare readonly account: pulumi.Output<string>;

  /**
   * Gets a key that no stack manages from an environment variable. To get the key of another stack, use a
   * `pulumi.StackReference`.
   *
   * @param id Such as `env:CHECKOUT_KEY`. Never the key: IDs are not secret.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): PartnerApiKey {
    return new PartnerApiKey(name, {}, { ...opts, id });
  }

  /** @param opts `provider` selects the account. */
  constructor(name: string, args: PartnerApiKeyArgs = {}, opts?: pulumi.CustomResourceOptions) {
    super(PARTNER_API_KEY, name, args, opts);
    // Otherwise, an update that excludes the resource would pass null on to the consumers of its key.
    Object.assign(this, { apiKey: this.apiKey.apply((key) => assertKey(name, key)) });
  }
}

/** Fails without a key. Mocks may leave it undefined. @internal */
export function assertKey(name: string, key: string | null): string {
  if (key !== null) return key;
  throw new pulumi.RunError(
    `PartnerApiKey "${name}" has no key yet, because its creation failed. Do what its message says. ` +
      'To see the message again, run "pulumi up" without --exclude and --target.',
  );
}
