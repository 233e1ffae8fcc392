import * as pulumi from "@pulumi/pulumi";

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
export type ProviderOptions = Pick<pulumi.InvokeOptions, "provider" | "parent">;

/** Returns the provider that the SDK will choose for a resource type; `undefined` for the default provider. */
export function providerOf(type: string, options: ProviderOptions): pulumi.ProviderResource | undefined {
  return options.provider ?? (options.parent ?? pulumi.runtime.getStackResource())?.getProvider(type);
}

/** Returns the logical name of a resource, which the SDK stores but does not declare. */
export function logicalName(resource: pulumi.Resource): string {
  return (resource as { __name?: string }).__name ?? "unnamed";
}

/** Returns the promises inside an output. The SDK does not declare them, but only they reveal a failure or an unknown value. */
export function settled<T>(output: pulumi.Output<T>): { isKnown: Promise<boolean>; promise(): Promise<T> } {
  return output as unknown as { isKnown: Promise<boolean>; promise(): Promise<T> };
}
