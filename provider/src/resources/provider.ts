import * as pulumi from "@pulumi/pulumi";

import type { ResponseMapping } from "../responses/mapping.js";
import {
  ACCOUNT_KEY,
  accountText,
  DEFAULT_ACCOUNT,
  EXPLICIT_KEY,
  NUMERIC_TOKEN,
  SETTING_NAMES,
  SETTINGS,
} from "../setting-names.js";
import { assertArguments } from "./partner-resource.js";

/** The arguments of {@link Provider}. A `Provider` does not read stack configuration or the environment. */
export interface ProviderArgs {
  /**
   * The address of the Partner API without `/api/v1/partners`, such as `https://partners.example.com`.
   */
  baseUrl: pulumi.Input<string>;
  /**
   * The old address of the same account, for one `pulumi up` after you change `baseUrl`.
   * @default none
   */
  previousBaseUrl?: pulumi.Input<string | undefined>;
  /**
   * Whether `baseUrl` may be an `http://` address of another machine. Anyone on that network can then read
   * the access token and the API keys.
   * @default false
   */
  allowTokenOverPlainHttp?: pulumi.Input<boolean | undefined>;
  /** The access token. Always secret. */
  accessToken: pulumi.Input<string>;
  /**
   * Headers of each request, by name, for a gateway in front of the service. Always secret.
   * @default none
   */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
  /**
   * The name of the account. Moving a resource to a provider with another name replaces the resource.
   * @default the name of the provider
   */
  account?: pulumi.Input<string | undefined>;
  /**
   * Seconds for one attempt, 0.001 to 86400.
   * @default 30
   */
  requestTimeout?: pulumi.Input<number | undefined>;
  /**
   * Seconds for all attempts of one operation and the waits between them, 0.001 to 86400.
   * @default 120
   */
  operationTimeout?: pulumi.Input<number | undefined>;
  /**
   * The maximum number of requests in flight, 1 to 1024.
   * @default 16
   */
  maxConnections?: pulumi.Input<number | undefined>;
  /**
   * The maximum number of requests per second, 0.001 to 1000.
   * @default no limit
   */
  requestsPerSecond?: pulumi.Input<number | undefined>;
  /**
   * Whether each run first reads the webhook resources. Only for the native plugin.
   * @default false
   */
  refreshBeforeUpdate?: pulumi.Input<boolean | undefined>;
  /**
   * Whether to read the webhook list. With `false`, changes are sent without knowing the current state, and
   * drift is not detected.
   * @default `true`
   */
  readWebhooks?: pulumi.Input<boolean | undefined>;
  /**
   * Where to find keys, webhooks and states in the responses.
   * @default recognized
   */
  responses?: pulumi.Input<ResponseMapping | undefined>;
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
  /**
   * @param name The name of the provider in the stack.
   * @param args The settings of the account. Invalid settings fail the preview of the resources that use the
   * provider.
   * @param opts Resource options.
   * @throws {pulumi.RunError} if the name is "default" and `args` has no `account`.
   */
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    assertArguments(`Provider "${name}"`, args, SETTINGS);
    const account = accountOf(name, args);
    const settings = SETTING_NAMES.map((setting) => [`partners:${setting}`, text(args[setting])]);
    const inputs = {
      ...(Object.fromEntries(settings) as Record<string, pulumi.Output<string> | undefined>),
      "partners:accessToken": pulumi.secret(assertTokenText(args.accessToken)).apply(assertTokenText),
      ...(args.headers !== undefined && { "partners:headers": pulumi.secret(text(args.headers)) }),
      [EXPLICIT_KEY]: "true",
      [ACCOUNT_KEY]: account,
    };
    // The dynamic host cannot tell the engine to replace a provider. Updated in place, it could not delete
    // the old account's keys.
    const replacementTrigger = [account, opts?.replacementTrigger ?? null];
    super("pulumi-nodejs", name, inputs, { ...opts, replacementTrigger });
  }
}

/**
 * Returns the account name. Two accounts must not share one: a resource that moves between them would not be
 * replaced.
 */
function accountOf(name: string, { account }: ProviderArgs): pulumi.Input<string> {
  const named = (given: unknown): string => {
    const chosen = textOf(given);
    if (chosen !== null) return chosen;
    if (name !== DEFAULT_ACCOUNT) return name;
    throw new pulumi.RunError(
      `"${name}" is the name of the account in stack configuration. Rename the Provider, ` +
        `or set its account argument (to "${DEFAULT_ACCOUNT}" if it is the same account). Nothing was sent.`,
    );
  };
  const isLater = pulumi.Output.isInstance(account) || account instanceof Promise;
  return isLater ? pulumi.output(account).apply(named) : named(account);
}

/** Returns the name of an account as text. @throws {pulumi.RunError} if it is no name. */
function textOf(account: unknown): string | null {
  try {
    return accountText(account);
  } catch (error) {
    throw new pulumi.RunError((error as TypeError).message);
  }
}

/** Refuses an access token that is a number. @throws {pulumi.RunError} */
function assertTokenText<Token>(token: Token): Token {
  if (typeof token === "number") throw new pulumi.RunError(NUMERIC_TOKEN);
  return token;
}

/** Converts a setting to text, because provider configuration consists of strings. */
function text(value: pulumi.Input<unknown>): pulumi.Output<string> | undefined {
  if (value === undefined) return undefined;
  return pulumi.output(value).apply((one) => {
    if (one == null) return ""; // An empty setting counts as not set.
    return typeof one === "string" ? one : JSON.stringify(one);
  });
}
