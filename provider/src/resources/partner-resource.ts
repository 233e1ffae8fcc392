import * as pulumi from "@pulumi/pulumi";

import { type Registration } from "../registration.js";
import { isUnknownKey, plainSecretText, SECRET_SETTINGS, unknownSettingText } from "../setting-names.js";

/**
 * A resource of the SDK's dynamic-provider host. It passes two inputs to that host, which Pulumi hides
 * because of their underscores: the source of the handlers, and its URN, which the host does not pass on. The
 * handlers' warnings are shown at that URN.
 */
export abstract class PartnerResource extends pulumi.CustomResource {
  /** @param args The arguments of the program; none if `opts` has the ID of an existing resource. */
  protected constructor(
    { type, __provider, inputs }: Registration,
    name: string,
    args: object,
    outputs: readonly string[],
    opts: pulumi.CustomResourceOptions = {},
  ) {
    assertArguments(`${type.replace(/^.*:/, "")} "${name}"`, args, inputs);
    const unset = outputs.map((output) => [output, undefined]);
    // Each property costs time in the SDK, so an argument that is not given is left out.
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const properties = Object.fromEntries([...unset, ...given]) as object;
    // The SDK's function costs as much as all else here. A promise: an output would make the resource depend
    // on its parent.
    const urn = opts.parent
      ? settled(pulumi.createUrn(name, type, opts.parent)).promise()
      : `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
    super(type, name, { ...properties, __provider, __urn: urn }, opts);
    warnAboutStackSettings();
  }
}

/**
 * Rejects unknown arguments. TypeScript reports them, but a JavaScript program could pass options instead of
 * arguments, as in `new PartnerApiKey("checkout", { provider })`, and create the key in the default account.
 */
export function assertArguments(resource: string, args: unknown, known: readonly string[]): void {
  if (typeof args !== "object" || args === null)
    throw new pulumi.RunError(`${resource} needs its arguments as an object: ${known.join(", ")}.`);
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(", ");
  throw new pulumi.RunError(`${resource} has no argument ${names}. Valid arguments: ${known.join(", ")}.`);
}

/**
 * Returns the promises inside an output. The SDK does not declare them, but only they reveal a failure or an
 * unknown value.
 */
export function settled<T>(output: pulumi.Output<T>): { isKnown: Promise<boolean>; promise(): Promise<T> } {
  return output as unknown as { isKnown: Promise<boolean>; promise(): Promise<T> };
}

/**
 * Identifies the run by its connection to the engine. With the Automation API or with mocks, one process can
 * have many runs.
 */
export function currentRun(): object {
  return pulumi.runtime.getMonitor() ?? currentRun; // Without an engine, no resource can be registered.
}

const checkedRuns = new WeakSet();

/** Warns, once per run, about stack configuration that has no effect, and about secrets in plain text. */
function warnAboutStackSettings(): void {
  const run = currentRun();
  if (checkedRuns.has(run)) return;
  checkedRuns.add(run);
  // The SDK exports `isConfigSecret` but does not declare it; without it, there is no warning.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  for (const name of SECRET_SETTINGS) {
    const key = `partners:${name}`;
    if (pulumi.runtime.getConfig(key) !== undefined && isConfigSecret?.(key) === false)
      void pulumi.log.warn(plainSecretText(name));
  }
  if (pulumi.getProject() === "partners") return; // In such a project, unknown names are its own settings.
  for (const key of Object.keys(pulumi.runtime.allConfig()).filter(isUnknownKey))
    void pulumi.log.warn(unknownSettingText(key));
}
