import * as pulumi from "@pulumi/pulumi";

import type { ResponseMapping } from "../api/responses.js";

/** The arguments of {@link Provider}: all its settings, as the environment is not consulted for it. */
export interface ProviderArgs {
  /** Where the Partner API is, such as `https://partners.example.com`; plain `http://` to this machine only. */
  readonly baseUrl: pulumi.Input<string>;
  /** The access token; made a secret here. */
  readonly accessToken: pulumi.Input<string>;
  /**
   * What the account is called. Resources that move to a provider with another name are replaced.
   * @default the name of the provider in the stack
   */
  readonly account?: pulumi.Input<string>;
  /** Seconds for one attempt. @default 30 */
  readonly requestTimeout?: pulumi.Input<number>;
  /** Seconds for one operation with all its attempts. @default 120 */
  readonly operationTimeout?: pulumi.Input<number>;
  /** Requests under way at a time. @default 16 */
  readonly maxConnections?: pulumi.Input<number>;
  /** Requests a second at the most. @default no limit */
  readonly requestsPerSecond?: pulumi.Input<number>;
  /** Where things are in the responses, if they are not recognised. @default recognised from names */
  readonly responses?: pulumi.Input<ResponseMapping>;
}

/**
 * One more account: resources use it by the option `provider`. The account of stack configuration needs none.
 *
 * @example
 * ```ts
 * const eu = new partners.Provider("eu", { baseUrl, accessToken: config.requireSecret("euToken") });
 * new partners.PartnerApiKey("checkout-eu", {}, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    super(
      "pulumi-nodejs",
      name,
      {
        "partners:explicit": "true",
        "partners:account": args.account ?? name,
        "partners:baseUrl": args.baseUrl,
        "partners:accessToken": pulumi.secret(args.accessToken),
        "partners:requestTimeout": text(args.requestTimeout),
        "partners:operationTimeout": text(args.operationTimeout),
        "partners:maxConnections": text(args.maxConnections),
        "partners:requestsPerSecond": text(args.requestsPerSecond),
        "partners:responses": text(args.responses),
      },
      opts,
    );
  }
}

/** Provider configuration consists of strings. */
function text(value: pulumi.Input<unknown>): pulumi.Output<string> | undefined {
  return value === undefined ? undefined : pulumi.jsonStringify(value);
}
