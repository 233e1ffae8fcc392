import type { ServerResponse } from "node:http";

import { json, type Answer } from "../../provider/dist/sandbox/partner-account.js";
import type { Operation, OperationCall } from "../../provider/dist/sandbox/sandbox.js";

/** A fault on the wire, and the requests that it affects. */
export type Fault = {
  /** @default any operation */
  readonly operation?: Operation;
  /** The number of requests to affect, or `Infinity`. @default 1 */
  readonly times?: number;
  /** The number of matching requests to skip first. @default 0 */
  readonly skip?: number;
  /**
   * Whether the operation is performed although its response is lost. Always true if part of the response is
   * sent.
   *
   * @default false
   */
  readonly effect?: boolean;
} & (
  | {
      /** Any response. By default, its body is JSON with an `error`. */
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
    }
  /** A 429. */
  | { readonly kind: "rateLimit"; readonly retryAfter?: number | string }
  /** A TCP reset instead of a response. */
  | { readonly kind: "reset" }
  /** No response at all, or only the first half of the real body. */
  | { readonly kind: "hang"; readonly at: "headers" | "body" }
  /** The first bytes of the real body, then an orderly close. */
  | { readonly kind: "truncate"; readonly bytes: number }
  /** The real response, after `until` resolves. It is called when the operation has been performed. */
  | { readonly kind: "hold"; readonly until: (response: ServerResponse) => Promise<unknown> }
);

/** The faults that are still to happen. */
export class FaultQueue {
  #waiting: { readonly fault: Fault; skip: number; times: number }[] = [];

  add(faults: readonly Fault[]): void {
    this.#waiting.push(...faults.map((fault) => ({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Returns the first fault for this request. Later faults do not count the request. */
  next(operation: Operation): Fault | undefined {
    for (const entry of this.#waiting) {
      if (entry.times <= 0 || (entry.fault.operation ?? operation) !== operation) continue;
      if (entry.skip > 0) entry.skip -= 1;
      else {
        entry.times -= 1;
        return entry.fault;
      }
    }
    return undefined;
  }
}

/** Whether the operation is performed before the fault happens. */
export function takesEffect(fault: Fault): boolean {
  const sendsPart = fault.kind === "truncate" || fault.kind === "hold";
  return sendsPart || (fault.kind === "hang" && fault.at === "body") || fault.effect === true;
}

/** Applies a fault. Returns the response to send, or `undefined` if there is nothing more to send. */
export async function applyFault(
  call: OperationCall,
  answer: Answer,
  fault: Fault,
): Promise<Answer | undefined> {
  const { socket } = call.response.req;
  switch (fault.kind) {
    case "status": {
      const standard = json(fault.status, { error: "injected by the test" }, fault.headers);
      return { ...standard, body: fault.body ?? (fault.status === 204 ? "" : standard.body) };
    }
    case "rateLimit": {
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return json(429, { error: "too many requests" }, headers);
    }
    case "reset":
      socket.resetAndDestroy();
      return undefined;
    case "hang":
      if (fault.at === "body") await sendPart(call, answer, Math.floor(answer.body.length / 2));
      return undefined;
    case "truncate":
      await sendPart(call, answer, fault.bytes);
      socket.destroySoon();
      return undefined;
    case "hold":
      await fault.until(call.response);
      return answer;
  }
}

async function sendPart(call: OperationCall, answer: Answer, bytes: number): Promise<void> {
  const length = { "content-length": Buffer.byteLength(answer.body) };
  call.response.writeHead(answer.status, { ...length, ...answer.headers });
  await new Promise((resolve) => {
    call.response.write(Buffer.from(answer.body).subarray(0, bytes), resolve);
  });
}
