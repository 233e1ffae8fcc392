import * as pulumi from "@pulumi/pulumi";

import type { KeyResponse } from "../responses/creation-reader.js";
import { PARTNER_API_KEY, SECRET_OUTPUTS } from "../registration.js";
import { PartnerResource } from "./partner-resource.js";

/**
 * When a new key replaces the current one, and how long the old key stays valid. Invalid values fail the
 * preview.
 *
 * @example
 * ```ts
 * // Create a new key every 90 days, and keep the old one valid for another 7.
 * const rotation = { afterDays: 90, overlapDays: 7 };
 * ```
 */
export interface RotationArgs {
  /**
   * Any text. Changing it, or setting it for the first time, rotates the key. Removing it has no effect.
   * @default none
   */
  trigger?: pulumi.Input<string | undefined>;
  /**
   * The age in UTC days from which the next `pulumi up` rotates the key, a whole number from 1 to 36500.
   * @default never
   */
  afterDays?: pulumi.Input<number | undefined>;
  /**
   * How many days the old key stays valid after a rotation, a whole number from 0 to 36500, at most
   * `afterDays`. With 0, the resource is replaced, and the old key is deleted at the end of the update.
   *
   * The overlap must exceed the longest time that any consumer of the key goes without a successful `pulumi
   * up`. There is no default: too short an overlap costs consumers their access.
   */
  overlapDays: pulumi.Input<number>;
}

/** The arguments of {@link PartnerApiKey}. All are optional. */
export interface PartnerApiKeyArgs {
  /**
   * When and how to rotate the key.
   * @default never, except with `pulumi up --replace`
   */
  rotation?: pulumi.Input<RotationArgs | undefined>;
}

/**
 * An API key for the Partner API. Creating the resource creates the key, and deleting the resource deletes
 * the key.
 *
 * The service shows a key only once, so the provider keeps the key in the state, as a secret. The Partner API
 * cannot list keys, so a refresh does not detect that a key was deleted elsewhere.
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
  /**
   * Identifies the key without revealing it: `sha256:` and 16 hex digits; `null` for keys shorter than 32
   * characters.
   */
  declare readonly fingerprint: pulumi.Output<string | null>;
  /** The last four characters, as many services display them; `null` for keys shorter than 36 characters. */
  declare readonly hint: pulumi.Output<string | null>;
  /** When the service confirmed the creation, in ISO 8601; `null` for an imported key. */
  declare readonly createdAt: pulumi.Output<string | null>;
  /** The complete response to the creation, because the service sends it only once. Always secret. */
  declare readonly response: pulumi.Output<KeyResponse | null>;
  /**
   * When the key replaced an earlier one, in ISO 8601; `null` for the first key.
   */
  declare readonly rotatedAt: pulumi.Output<string | null>;
  /**
   * When the key is due for rotation because of its age, in ISO 8601; `null` without `afterDays`.
   */
  declare readonly rotationDueAt: pulumi.Output<string | null>;
  /** The key that the last rotation replaced, while it is valid; otherwise, `null`. Always secret. */
  declare readonly previousApiKey: pulumi.Output<string | null>;
  /**
   * The time from which the next `pulumi up` deletes `previousApiKey`, in ISO 8601; `null` if there is no
   * previous key.
   */
  declare readonly previousExpiresAt: pulumi.Output<string | null>;
  /**
   * When a creation was lost, in ISO 8601: a key may exist that no stack tracks, and no other key is created
   * until someone has looked for it. Usually `null`.
   */
  declare readonly lostCreationAt: pulumi.Output<string | null>;
  /** The name of the account that the key belongs to: {@link ProviderArgs.account}, or `partners:account`. */
  declare readonly account: pulumi.Output<string>;

  /**
   * Gets an existing key that this stack does not manage. The Partner API cannot read keys, so the key comes
   * from an environment variable. To get a key from the stack that manages it, use a `pulumi.StackReference`
   * instead.
   *
   * @param name The name of the resource in the stack.
   * @param id `env:` and the name of the variable, such as `env:CHECKOUT_KEY`. Do not pass the key itself:
   * IDs are not secret.
   * @param opts Resource options. `provider` selects the account.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): PartnerApiKey {
    return new PartnerApiKey(name, {}, { ...opts, id });
  }

  /**
   * @param name The name of the resource in the stack.
   * @param args When and how to rotate the key.
   * @param opts Resource options. `provider` selects the account.
   */
  constructor(name: string, args: PartnerApiKeyArgs = {}, opts: pulumi.CustomResourceOptions = {}) {
    // Added to the caller's list, so that the caller cannot remove them.
    const additionalSecretOutputs = [...(opts.additionalSecretOutputs ?? []), ...SECRET_OUTPUTS];
    super(PARTNER_API_KEY, name, args, OUTPUTS, { ...opts, additionalSecretOutputs });
    // Otherwise, an update that excludes the resource would pass null on to the consumers of its key.
    Object.assign(this, { apiKey: this.apiKey.apply((key) => assertKey(name, key)) });
  }
}

/** @throws {RunError} if there is no key. Mocks may leave it undefined. */
function assertKey(name: string, key: string | null): string {
  if (key !== null) return key;
  throw new pulumi.RunError(
    `PartnerApiKey "${name}" has no key yet, because its last update failed. Run "pulumi up" without ` +
      "options that leave this resource out, such as --exclude or --target.",
  );
}

const OUTPUTS = (
  "apiKey fingerprint hint createdAt response rotatedAt rotationDueAt previousApiKey previousExpiresAt " +
  "lostCreationAt account"
).split(" ");
