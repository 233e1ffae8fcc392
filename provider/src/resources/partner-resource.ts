import * as pulumi from "@pulumi/pulumi";

import type { Registration } from "../registration.js";
import { warnAboutStackSettings } from "./program-checks.js";
import { settled } from "./run.js";

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
