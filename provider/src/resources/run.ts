import * as pulumi from "@pulumi/pulumi";

import type { Registration } from "../registration.js";

/**
 * Creates a variable with a separate value for each run of a program, because one process can have many runs with the Automation API
 * or with mocks. Each run has its own connection to the engine, which identifies it.
 *
 * @returns A function that returns the value of the current run.
 */
export function perRun<T>(initial: () => T): () => T {
  const values = new WeakMap<object, T>();
  return () => {
    const run = pulumi.runtime.getMonitor() ?? perRun; // Without an engine, no resource can be registered.
    const value = values.get(run) ?? initial();
    values.set(run, value);
    return value;
  };
}

/** The options that determine which provider a resource or a function uses. */
export interface ProviderOptions {
  readonly provider?: pulumi.ProviderResource | undefined;
  readonly parent?: pulumi.Resource | undefined;
}

/** Returns the provider that the SDK will choose for a resource type; `undefined` for the default provider. */
export function providerOf(type: string, options: ProviderOptions): pulumi.ProviderResource | undefined {
  return options.provider ?? (options.parent ?? pulumi.runtime.getStackResource())?.getProvider(type);
}

/**
 * Returns the inputs that are for the host: the source of the handlers, and the URN, which the SDK's host does not pass on. Warnings
 * then appear at their resource. Pulumi hides both inputs, because their names start with two underscores.
 */
export function hostInputs(
  { type, __provider }: Registration,
  name: string,
  parent: pulumi.Resource | undefined,
): { readonly __provider: string; readonly __urn: pulumi.Input<string> } {
  // A promise: as an output of the parent, the URN would make the resource depend on it.
  const urn = pulumi.createUrn(name, type, parent) as unknown as { promise(): Promise<string> };
  return { __provider, __urn: urn.promise() };
}

/** Returns the logical name of a resource, which the SDK stores but does not declare. */
export function logicalName(resource: pulumi.Resource): string {
  return (resource as { __name?: string }).__name ?? "unnamed";
}

/** Whether a value is a resource of a type, even from another copy of the package. The SDK stores the type but does not declare it. */
export function isOfType(value: unknown, type: string): boolean {
  return pulumi.Resource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type;
}
