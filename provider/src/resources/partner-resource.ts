import * as pulumi from "@pulumi/pulumi";

import type { Registration } from "../registration.js";
import { warnAboutStackSettings } from "./program-checks.js";

/**
 * A resource of the SDK's dynamic-provider host. It passes two inputs to that host, which Pulumi hides because of their underscores:
 * the source of the handlers, and its URN, which the host does not pass on. The handlers' warnings are shown at that URN.
 */
export abstract class PartnerResource extends pulumi.CustomResource {
  protected constructor(
    { type, __provider }: Registration,
    name: string,
    properties: Readonly<Record<string, unknown>>,
    opts: pulumi.CustomResourceOptions = {},
  ) {
    // A promise: an output would make the resource depend on its parent.
    const urn = settled(pulumi.createUrn(name, type, opts.parent)).promise();
    super(type, name, { ...properties, __provider, __urn: urn }, opts);
    warnAboutStackSettings();
  }
}

/** Returns the promises inside an output. The SDK does not declare them, but only they reveal a failure or an unknown value. */
export function settled<T>(output: pulumi.Output<T>): { isKnown: Promise<boolean>; promise(): Promise<T> } {
  return output as unknown as { isKnown: Promise<boolean>; promise(): Promise<T> };
}
