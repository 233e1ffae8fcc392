import * as pulumi from "@pulumi/pulumi";

import type { ResponseMapping } from "../responses/mapping.js";
import { ACCOUNT_KEY, DEFAULT_ACCOUNT, EXPLICIT_KEY } from "../setting-names.js";
import { assertArguments, rememberAccount, SETTINGS } from "./program-checks.js";

/** The arguments of {@link Provider}: all its settings, as the environment is not consulted for it. */
export interface ProviderArgs {
  /**
   * Where the Partner API is, such as `https://partners.example.com`: what comes before `/api/v1/partners`, without user,
   * password, query and fragment. Plain `http://` is allowed on this machine only.
   */
  readonly baseUrl: pulumi.Input<string>;
  /**
   * Where the Partner API was before, if the same account has a new `baseUrl`: the next `pulumi up` takes over the resources of
   * the old address. Then it can go.
   * @default none
   */
  readonly previousBaseUrl?: pulumi.Input<string>;
  /** The access token, 1 to 8192 visible ASCII characters; becomes a secret. */
  readonly accessToken: pulumi.Input<string>;
  /**
   * The name of the account, any text. Resources that move to a provider with another name are replaced.
   * @default the name of the provider in the stack; in stack configuration, `default`
   */
  readonly account?: pulumi.Input<string>;
  /**
   * Seconds for one attempt, above 0 and up to 3600.
   * @default 30
   */
  readonly requestTimeout?: pulumi.Input<number>;
  /**
   * Seconds for one operation with all its attempts, above 0 and up to 86400.
   * @default 120
   */
  readonly operationTimeout?: pulumi.Input<number>;
  /**
   * Requests in flight at a time, up to 1024.
   * @default 16
   */
  readonly maxConnections?: pulumi.Input<number>;
  /**
   * Requests per second at most, above 0 and up to 100000; 0.5 is one in two seconds.
   * @default no limit
   */
  readonly requestsPerSecond?: pulumi.Input<number>;
  /**
   * Where things are in the responses, if they are not recognised.
   * @default recognised
   */
  readonly responses?: pulumi.Input<ResponseMapping>;
}

/**
 * Another account; resources use it through the option `provider`. The account of stack configuration does not need one.
 *
 * @example
 * ```ts
 * const eu = new partners.Provider("eu", { baseUrl, accessToken: config.requireSecret("euToken") });
 * new partners.PartnerApiKey("checkout-eu", {}, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * @param name The name in the stack.
   * @param args The settings of the account. The preview of the resources that use it reports what is wrong with them.
   * @param opts Resource options.
   * @throws {pulumi.RunError} if `args` or its `responses` has unknown members, or if it is named "default" without an `account`.
   */
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    assertArguments(`Provider "${name}"`, args, SETTINGS);
    const account = accountOf(name, args);
    const { responses } = args;
    // An output is checked by the plugin, once it is known.
    if (responses !== undefined && !pulumi.Output.isInstance(responses) && !(responses instanceof Promise))
      assertArguments(`Provider "${name}" responses`, responses, Object.keys(RESPONSE_MEMBERS));
    super(
      "pulumi-nodejs",
      name,
      {
        [EXPLICIT_KEY]: "true",
        [ACCOUNT_KEY]: account,
        "partners:baseUrl": args.baseUrl,
        "partners:previousBaseUrl": args.previousBaseUrl,
        "partners:accessToken": pulumi.secret(args.accessToken),
        "partners:requestTimeout": text(args.requestTimeout),
        "partners:operationTimeout": text(args.operationTimeout),
        "partners:maxConnections": text(args.maxConnections),
        "partners:requestsPerSecond": text(args.requestsPerSecond),
        "partners:responses": text(responses),
      },
      opts,
    );
    rememberAccount(this, account);
  }
}

/** Two accounts of one name would be taken for one, and a resource that moves between them would not be replaced. */
function accountOf(name: string, { account }: ProviderArgs): pulumi.Input<string> {
  if (account !== undefined && account !== "") return account; // As everywhere, an empty setting counts as not set.
  if (name !== DEFAULT_ACCOUNT) return name;
  throw new pulumi.RunError(
    `Provider "${name}" would have the name of the account of stack configuration. Give it another name, or the argument account: ` +
      `"${DEFAULT_ACCOUNT}" if it is the same account, another name if it is not. Nothing was sent.`,
  );
}

/** The members of `responses`; a program may not load what reads them. */
const RESPONSE_MEMBERS: Readonly<Record<keyof ResponseMapping, true>> = {
  apiKey: true,
  apiKeyId: true,
  webhooks: true,
  webhookId: true,
  webhookState: true,
  active: true,
  disabled: true,
  complete: true,
};

/** Provider configuration consists of strings. */
function text(value: pulumi.Input<unknown>): pulumi.Output<string> | undefined {
  return value === undefined ? undefined : pulumi.jsonStringify(value);
}
