import * as pulumi from "@pulumi/pulumi";

/**
 * Creates a variable that has a new value in every run of a program: with the Automation API or mocks, one process can have many
 * runs. No two runs share a connection to the engine.
 *
 * @returns A function that returns the value of the current run.
 */
export function perRun<T>(initial: () => T): () => T {
  const values = new WeakMap<object, T>();
  return () => {
    const run = pulumi.runtime.getMonitor() ?? perRun; // Without an engine, nothing can be registered anyway.
    const value = values.get(run) ?? initial();
    values.set(run, value);
    return value;
  };
}

/** What decides which provider a resource or a read uses. */
export interface ProviderOptions {
  readonly provider?: pulumi.ProviderResource | undefined;
  readonly parent?: pulumi.Resource | undefined;
}

/** The provider that a resource of a type will have, by the rules of the SDK; `undefined` for the default one. */
export function providerOf(type: string, options: ProviderOptions): pulumi.ProviderResource | undefined {
  return options.provider ?? (options.parent ?? pulumi.runtime.getStackResource())?.getProvider(type);
}

/** The name that a resource was given. The SDK keeps it, but does not declare it. */
export function logicalName(resource: pulumi.Resource): string {
  return (resource as { __name?: string }).__name ?? "unnamed";
}

/** Whether a value is a resource of a type, whichever copy of a package created it. The SDK keeps the type, but does not declare it. */
export function isOfType(value: unknown, type: string): boolean {
  return pulumi.Resource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === type;
}
