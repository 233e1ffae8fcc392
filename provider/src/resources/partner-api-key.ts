import * as pulumi from "@pulumi/pulumi";

import { warnAboutPlainToken } from "./plain-token.js";
import { PARTNER_API_KEY } from "./registration.js";

/** The arguments of {@link PartnerApiKey}: there are none, as the Partner API takes none. */
export type PartnerApiKeyArgs = Record<string, never>;

/**
 * A key of the Partner API: declared, it exists; removed, it is deleted.
 *
 * The service shows a key once, so the key lives in the state, as a secret. A `refresh` cannot see whether it still exists.
 *
 * @example
 * ```ts
 * const key = new partners.PartnerApiKey("checkout");
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
  /** When the service answered that the key was made, ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /** The id that the service gave beside the key; `null` if it gave none. */
  declare readonly keyId: pulumi.Output<string | null>;
  /**
   * The response to the creation, kept only while the key could not be found in it, or because it holds a second secret;
   * else `null`. Always secret.
   */
  declare readonly response: pulumi.Output<string | null>;
  /** The name of the account that the key belongs to: that of the `Provider`, or "default". */
  declare readonly account: pulumi.Output<string>;

  /**
   * @param name The name in the stack.
   * @param _args Nothing yet.
   * @param opts Resource options; `provider` chooses the account.
   */
  constructor(name: string, _args: PartnerApiKeyArgs = {}, opts: pulumi.CustomResourceOptions = {}) {
    const outputs = {
      apiKey: undefined,
      fingerprint: undefined,
      hint: undefined,
      createdAt: undefined,
      keyId: undefined,
      response: undefined,
      account: undefined,
    };
    const { type, __provider } = PARTNER_API_KEY;
    // Added to the caller's own, so that nobody can drop these.
    const additionalSecretOutputs = [...(opts.additionalSecretOutputs ?? []), "apiKey", "response"];
    super(type, name, { ...outputs, __provider }, { ...opts, additionalSecretOutputs });
    warnAboutPlainToken();
  }
}
