import type { PartnerError } from "../api/errors.js";
import type { Properties } from "./properties.js";

/**
 * Thrown to a host when an operation fails but the resource must be kept in the state: what a failed call
 * reached would otherwise be lost. Only `ResourceAdapter` throws it, and only the hosts read it.
 */
export class PartialFailure extends Error {
  readonly id: string;
  /** The outputs to keep in the state. Secret. */
  readonly properties: Properties;
  readonly reason: PartnerError;

  constructor(id: string, properties: Properties, reason: PartnerError) {
    super("partial failure");
    this.id = id;
    this.properties = properties;
    this.reason = reason;
  }
}
