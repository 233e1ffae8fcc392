import * as pulumi from "@pulumi/pulumi";

import type { ResponseMapping } from "../responses/mapping.js";
import { ACCOUNT_KEY, DEFAULT_ACCOUNT, EXPLICIT_KEY, SETTINGS } from "../setting-names.js";
import { assertArguments, rememberAccount } from "./program-checks.js";

/** The arguments of {@link Provider}. It uses only these: it reads neither stack configuration nor the environment. */
export interface ProviderArgs {
  /**
   * The address of the Partner API, without `/api/v1/partners`: for example, `https://partners.example.com`. No user, password,
   * query or fragment. Plain `http://` is allowed only for this machine.
   */
  readonly baseUrl: pulumi.Input<string>;
  /**
   * The old address of the same account, if `baseUrl` is new: the next `pulumi up` takes over the resources of the old address.
   * Then remove this argument.
   * @default none
   */
  readonly previousBaseUrl?: pulumi.Input<string>;
  /** The access token, 1 to 8192 visible ASCII characters. Always secret. */
  readonly accessToken: pulumi.Input<string>;
  /**
   * The name of the account, any text. Moving a resource to a provider with another account name replaces it.
   * @default the name of the provider in the stack; in stack configuration, `default`
   */
  readonly account?: pulumi.Input<string>;
  /**
   * Seconds for one attempt, above 0 and up to 3600.
   * @default 30
   */
  readonly requestTimeout?: pulumi.Input<number>;
  /**
   * Seconds for all attempts of one operation and the waits between them, above 0 and up to 86400.
   * @default 120
   */
  readonly operationTimeout?: pulumi.Input<number>;
  /**
   * Requests in flight at a time, above 0 and up to 1024.
   * @default 16
   */
  readonly maxConnections?: pulumi.Input<number>;
  /**
   * The most requests sent per second, above 0 and up to 100000; 0.5 is one request every two seconds.
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
 * Another account. Resources use it through the option `provider`. The account of stack configuration does not need a `Provider`.
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
   * @param args The settings of the account. Invalid settings are reported in the preview of the resources that use it.
   * @param opts Resource options.
   * @throws {pulumi.RunError} if `args` has unknown members, or if its name is "default" and it has no `account`.
   */
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    assertArguments(`Provider "${name}"`, args, SETTINGS);
    const account = accountOf(name, args);
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
        "partners:responses": text(args.responses),
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
    `"${name}" is the name of the account in stack configuration. Rename the Provider, or set its argument account ` +
      `(to "${DEFAULT_ACCOUNT}" if it is the same account). Nothing was sent.`,
  );
}

/** Provider configuration consists of strings. */
function text(value: pulumi.Input<unknown>): pulumi.Output<string> | undefined {
  return value === undefined ? undefined : pulumi.jsonStringify(value);
}
