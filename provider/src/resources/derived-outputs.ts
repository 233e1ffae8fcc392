import * as pulumi from "@pulumi/pulumi";

import { ACCOUNT_KEY, DEFAULT_ACCOUNT } from "../defaults.js";
import { providerOf, type ProviderOptions } from "./run.js";

/**
 * Gives a resource an output that the program knows by itself, made when it is asked for. For each one that is registered
 * the SDK makes four promises, each with a stack trace: 200 webhooks took 5 % longer to preview with the two that few
 * programs read (`npm run bench`).
 *
 * @param name The output. Where it is also an argument that is given, it stays what the engine says.
 */
export function deriveOutput<Value>(
  resource: pulumi.CustomResource,
  name: string,
  value: () => pulumi.Input<Value>,
): void {
  if (Object.hasOwn(resource, name)) return;
  let output: pulumi.Output<pulumi.Unwrap<Value>> | undefined;
  // By way of the URN, so that what depends on the output depends on the resource.
  const get = (): typeof output =>
    (output ??= resource.urn.apply(value) as pulumi.Output<pulumi.Unwrap<Value>>);
  Object.defineProperty(resource, name, { get, enumerable: true });
}

/** The name of the account that a resource will belong to, by the rules of the handlers. */
export function accountOf(type: string, options: ProviderOptions = {}): pulumi.Output<string> {
  const provider = providerOf(type, options) as
    { readonly [ACCOUNT_KEY]?: pulumi.Output<string> } | undefined;
  const name = provider?.[ACCOUNT_KEY] ?? pulumi.runtime.getConfig(ACCOUNT_KEY);
  return pulumi.output(name).apply((given) => given || DEFAULT_ACCOUNT); // Empty is as good as not set.
}
