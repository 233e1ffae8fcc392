import type { ServerResponse } from "node:http";

import type { Operation } from "../../provider/dist/sandbox/sandbox.js";
import { json, type Answer } from "../../provider/dist/sandbox/partner-account.js";
import type { OperationCall } from "../../provider/dist/sandbox/running-sandbox.js";

/** Something that goes wrong on the wire, and the requests that it happens to. */
export type Fault = {
  /** @default any operation */
  readonly operation?: Operation;
  /** How many requests it happens to; `Infinity` is allowed. @default 1 */
  readonly times?: number;
  /** How many matching requests pass first. @default 0 */
  readonly skip?: number;
  /** Whether the operation is performed although its answer is lost. Always so where the answer is sent in part. @default false */
  readonly effect?: boolean;
} & (
  | StatusFault
  /** A 429. */
  | { readonly kind: "rateLimit"; readonly retryAfter?: number | string }
  /** A 200 with a page, as from a login wall. */
  | { readonly kind: "html" }
  /** A TCP reset, or an orderly close, in place of an answer. */
  | { readonly kind: "reset" | "fin" }
  /** No answer at all, or no more than the first half of the real body. */
  | { readonly kind: "hang"; readonly at: "headers" | "body" }
  /** The first half of the real body, then a TCP reset. */
  | { readonly kind: "resetMidBody" }
  /** So many bytes of the real body, then an orderly close. */
  | { readonly kind: "truncate"; readonly bytes: number }
  /** The real answer, slowly. */
  | { readonly kind: "slow"; readonly bytesPerSecond: number }
  /** The real answer, when this has resolved. It is called once the operation has been performed. */
  | { readonly kind: "hold"; readonly until: (response: ServerResponse) => Promise<unknown> }
);

/** Any response. A Buffer is sent as it is, so that a body can be compressed, or no text. */
interface StatusFault {
  readonly kind: "status";
  readonly status: number;
  /** In addition to a `content-type` of JSON, which they may replace. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default JSON with an `error`; nothing for 204 and 304 */
  readonly body?: string | Buffer;
}

/** Time for the client to read what was written: a reset may overtake it. */
const RESET_DELAY_MS = 20;

/** The faults that are still to come. */
export class FaultQueue {
  #waiting: { readonly fault: Fault; skip: number; times: number }[] = [];

  add(faults: readonly Fault[]): void {
    this.#waiting.push(...faults.map((fault) => ({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The first fault that is due for this request. Those behind it do not count the request. */
  next(operation: Operation): Fault | undefined {
    for (const entry of this.#waiting) {
      const { fault } = entry;
      if (entry.times <= 0 || (fault.operation ?? operation) !== operation) continue;
      if (entry.skip > 0) entry.skip -= 1;
      else {
        entry.times -= 1;
        return fault;
      }
    }
    return undefined;
  }
}

/** Whether the operation is performed before the fault happens. */
export function takesEffect(fault: Fault): boolean {
  const sendsPart = ["resetMidBody", "truncate", "slow", "hold"].includes(fault.kind);
  return sendsPart || (fault.kind === "hang" && fault.at === "body") || fault.effect === true;
}

/** Makes a fault happen. Returns what to send instead of the real answer, or nothing if no more is to be sent. */
export async function applyFault(
  call: OperationCall,
  answer: Answer,
  fault: Fault,
): Promise<Answer | undefined> {
  const { socket } = call.response.req;
  const half = Math.floor(Buffer.byteLength(answer.body) / 2);
  switch (fault.kind) {
    case "status": {
      const empty = fault.status === 204 || fault.status === 304;
      const standard = json(fault.status, { error: "injected by the test" }, fault.headers);
      return { ...standard, body: fault.body ?? (empty ? "" : standard.body) };
    }
    case "rateLimit": {
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return json(429, { error: "too many requests" }, headers);
    }
    case "html": {
      const body = "<!doctype html><html><body><h1>Welcome</h1></body></html>";
      return { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body };
    }
    case "reset":
      socket.resetAndDestroy();
      break;
    case "fin":
      socket.destroySoon();
      break;
    case "hang":
      if (fault.at === "body") await sendPart(call, answer, half);
      break;
    case "resetMidBody":
      await sendPart(call, answer, half);
      if (await pause(call.response, RESET_DELAY_MS)) socket.resetAndDestroy();
      break;
    case "truncate":
      await sendPart(call, answer, fault.bytes);
      socket.destroySoon();
      break;
    case "slow":
      await sendSlowly(call, answer, fault.bytesPerSecond);
      break;
    case "hold":
      await fault.until(call.response);
      return answer;
  }
  return undefined;
}

/** Waits; whether the client is still there. Ends at once when it leaves. */
export function pause(response: ServerResponse, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      response.off("close", end);
      resolve(!response.req.socket.destroyed);
    };
    const timer = setTimeout(end, milliseconds);
    response.once("close", end);
  });
}

async function sendPart(call: OperationCall, answer: Answer, bytes: number): Promise<void> {
  call.sendHead(answer);
  await new Promise((resolve) => {
    call.response.write(Buffer.from(answer.body).subarray(0, bytes), resolve);
  });
}

async function sendSlowly(call: OperationCall, answer: Answer, bytesPerSecond: number): Promise<void> {
  const body = Buffer.from(answer.body);
  const stepMs = Math.max(20, 1000 / bytesPerSecond); // Timers are not exact below 20 ms.
  const stepBytes = Math.round((bytesPerSecond * stepMs) / 1000);
  call.sendHead(answer);
  call.response.flushHeaders();
  for (let sent = 0; sent < body.length; sent += stepBytes) {
    if (!(await pause(call.response, stepMs))) return;
    call.response.write(body.subarray(sent, sent + stepBytes));
  }
  call.response.end();
}
