import * as pulumi from "@pulumi/pulumi";

import { mustBeText } from "../setting-messages.js";
import {
  ACCOUNT,
  DEFAULT_ACCOUNT,
  EXPLICIT,
  NAMESPACE,
  SECRET_SETTINGS,
  SETTING_NAMES,
  SETTINGS,
  TEXT_SETTINGS,
} from "../setting-names.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { assertArguments } from "./partner-resource.js";

/** The arguments of {@link Provider}. A `Provider` does not read stack configuration or the environment. */
export interface ProviderArgs {
  /** The address of the Partner API without `/api/v1/partners`, such as `https://partners.example.com`. */
  baseUrl: pulumi.Input<string>;
  /** The old address of the same account, for one `pulumi up` after you change `baseUrl`. @default none */
  previousBaseUrl?: pulumi.Input<string | undefined>;
  /** The access token. Always secret. */
  accessToken: pulumi.Input<string>;
  /** Headers of each request, by name, for a gateway in front of the service. Always secret. @default none */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
  /**
   * Seconds for one attempt, 0.001 to 86400. All attempts of one operation, and the pauses between them, may
   * take four times as long.
   * @default 30
   */
  requestTimeout?: pulumi.Input<number | undefined>;
  /** Where to find keys, webhooks and states in the responses. @default recognized */
  responses?: pulumi.Input<ResponseMapping | undefined>;
  /**
   * The name of the account. Moving a resource to a provider with another name replaces the resource.
   * @default the name of the provider
   */
  account?: pulumi.Input<string | undefined>;
}

/**
 * An additional account. Resources use it with the option `provider`. The account in stack configuration
 * needs no `Provider`.
 *
 * @example
 * ```ts
 * const eu = new partners.Provider("eu", { baseUrl, accessToken: config.requireSecret("euToken") });
 * new partners.PartnerApiKey("checkout-eu", {}, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /** @throws {pulumi.RunError} if the name is "default" and `args` has no `account`. */
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    assertArguments(`Provider "${name}"`, args, SETTINGS);
    const given = SETTING_NAMES.filter((setting) => args[setting] !== undefined);
    const settings = given.map((setting) => {
      const value = whenKnown(args[setting], (known) => textOf(setting, known));
      const isSecret = SECRET_SETTINGS.some((secret) => secret === setting);
      return [NAMESPACE + setting, isSecret ? pulumi.secret(value) : value];
    });
    const account = whenKnown(args.account, (known) => textOf(ACCOUNT, known) || ownAccount(name));
    const inputs = {
      ...Object.fromEntries(settings),
      [NAMESPACE + EXPLICIT]: "true",
      [NAMESPACE + ACCOUNT]: account,
    } as object;
    // The dynamic host cannot tell the engine to replace a provider. Updated in place, it could not delete
    // the old account's keys.
    const replacementTrigger = [account, opts?.replacementTrigger ?? null];
    super("pulumi-nodejs", name, inputs, { ...opts, replacementTrigger });
  }
}

/** Converts a value at once if it is known, so that what is wrong with it fails the program where it is. */
function whenKnown(value: unknown, convert: (known: unknown) => string): pulumi.Input<string> {
  const isKnown = typeof value !== "object" || value === null;
  return isKnown ? convert(value) : pulumi.output(value).apply(convert);
}

/** Converts a setting to text, because provider configuration consists of strings. */
function textOf(setting: string, value: unknown): string {
  if (value == null) return ""; // An empty setting counts as not set.
  if (typeof value === "string") return value;
  if (TEXT_SETTINGS.includes(setting)) throw new pulumi.RunError(mustBeText(setting));
  return JSON.stringify(value);
}

/** Two accounts must not share a name: a resource that moves between them would not be replaced. */
function ownAccount(name: string): string {
  if (name !== DEFAULT_ACCOUNT) return name;
  throw new pulumi.RunError(
    `"${name}" is the name of the account in stack configuration. Rename the Provider, ` +
      `or set its account argument (to "${DEFAULT_ACCOUNT}" if it is the same account). Nothing was sent.`,
  );
}
