import type { Fault } from "../../support/sandbox.ts";
import { isSuccess } from "./arbitraries.ts";
import { Violation } from "./evidence.ts";
import type { Service } from "./service.ts";

/**
 * Finds the key that a kept response is the answer for, and makes sure that every byte of it that was sent is kept.
 *
 * @param made The keys that were made and are not found in a state yet.
 * @throws {Violation}
 */
export function keyOfResponse(service: Service, response: string, made: ReadonlySet<string>): string {
  const kept = Buffer.from(response);
  for (const key of made) {
    const body = Buffer.from(service.bodyOf(key));
    const lengths = [
      body.length,
      ...creationFaults(service).flatMap((fault) => bytesSent(fault, body.length)),
    ];
    if (lengths.includes(kept.length) && kept.equals(body.subarray(0, kept.length))) return key;
  }
  throw new Violation("of an answer that came, not every byte is kept");
}

/** Whether a kept response is that of a fault, so that it tells of no key. */
export function isFaults(service: Service, response: string): boolean {
  return creationFaults(service).some((fault) => replaces(fault, response));
}

function creationFaults({ faults }: Service): Fault[] {
  return faults.filter(({ operation }) => operation === undefined || operation === "createApiKey");
}

/** Whether a fault puts such a body in place of the real one, under a status of success. */
function replaces(fault: Fault, response: string): boolean {
  if (fault.kind === "html") return response.startsWith("<!doctype html>");
  if (fault.kind !== "status" || !isSuccess(fault)) return false;
  return response === (fault.status === 204 ? "" : fault.body);
}

/** Of a body of this length, how many bytes a fault lets through. */
function bytesSent(fault: Fault, length: number): number[] {
  switch (fault.kind) {
    case "truncate":
      return [Math.min(fault.bytes, length)];
    case "resetMidBody":
      return [Math.floor(length / 2)];
    case "hang":
      return fault.at === "body" ? [Math.floor(length / 2)] : [];
    case "slow":
      return Array.from({ length }, (_, bytes) => bytes); // As far as the time allows.
    default:
      return [];
  }
}
