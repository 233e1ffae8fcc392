import type { Operation } from "../api/operations.js";
import type { Fault } from "./faults.js";

/** The faults that are still to come. */
export class FaultQueue {
  #waiting: { readonly fault: Fault; skip: number; times: number }[] = [];

  /** Adds faults behind those that wait already. */
  add(faults: readonly Fault[]): void {
    this.#waiting.push(...faults.map((fault) => ({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 })));
  }

  /** Forgets all faults. */
  clear(): void {
    this.#waiting = [];
  }

  /** The fault that happens to this request: the first that is due. Those behind it do not count the request. */
  next(operation: Operation): Fault | undefined {
    for (const entry of this.#waiting) {
      const matches = entry.fault.operation === undefined || entry.fault.operation === operation;
      if (!matches || entry.times <= 0) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.times -= 1;
      return entry.fault;
    }
    return undefined;
  }
}

/** Whether the operation is performed before the fault happens. */
export function takesEffect(fault: Fault): boolean {
  switch (fault.kind) {
    case "resetMidBody":
    case "truncate":
    case "slow":
      return true; // What is sent is a part of the real answer, so there has to be one.
    case "hang":
      return fault.at === "body" || fault.effect === true;
    default:
      return fault.effect === true;
  }
}
