import type { IncomingMessage, ServerResponse } from "node:http";
import { json, type Answer } from "./answer.js";
import type { Fault, HtmlFault, RateLimitFault, RedirectFault, StatusFault } from "./faults.js";
import type { LogEntry } from "./log.js";

/** A request that is being handled. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Its entry in the log. */
  readonly entry: LogEntry;
}

/** Statuses whose responses have neither a body nor a length (RFC 9110, 8.6). */
const BODILESS = new Set([204, 304]);

/** Time for what was written to be read: a reset may overtake bytes that the client has not taken yet. */
const RESET_DELAY_MS = 20;

/** Shortest pause between two pieces of a slow body: timers are not exact below this. */
const SLOW_STEP_MS = 20;

/** Sends an answer, or what a fault makes of it. */
export async function deliver(exchange: Exchange, answer: Answer, fault: Fault | undefined): Promise<void> {
  const { socket } = exchange.request;
  if (socket.destroyed) return;
  switch (fault?.kind) {
    case undefined:
      send(exchange, answer);
      return;
    case "status":
    case "rateLimit":
    case "redirect":
    case "html":
      send(exchange, substitute(fault));
      return;
    case "reset":
      socket.resetAndDestroy();
      return;
    case "fin":
      socket.destroySoon();
      return;
    case "hang":
      if (fault.at === "body") await sendPart(exchange, answer, half(answer));
      return;
    case "resetMidBody":
      await sendPart(exchange, answer, half(answer));
      if (await pause(exchange, RESET_DELAY_MS)) socket.resetAndDestroy();
      return;
    case "truncate":
      await sendPart(exchange, answer, fault.bytes);
      socket.destroySoon();
      return;
    case "slow":
      await sendSlowly(exchange, answer, fault.bytesPerSecond);
  }
}

/** Waits; whether the client is still there afterwards. Ends at once when the connection does. */
export function pause({ request, response }: Exchange, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      response.off("close", end);
      resolve(!request.socket.destroyed);
    };
    const timer = setTimeout(end, milliseconds);
    response.once("close", end);
  });
}

function substitute(fault: StatusFault | RateLimitFault | RedirectFault | HtmlFault): Answer {
  switch (fault.kind) {
    case "status": {
      const standard = json(fault.status, { error: "injected by the sandbox" }, fault.headers);
      const body = fault.body ?? (BODILESS.has(fault.status) ? "" : standard.body);
      return { ...standard, body };
    }
    case "rateLimit": {
      const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      return json(429, { error: "too many requests" }, headers);
    }
    case "redirect":
      return json(307, { error: "moved" }, { location: fault.location });
    case "html":
      return {
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8" },
        body: "<!doctype html><html><body><h1>Welcome</h1></body></html>",
      };
  }
}

/** Sends an answer whole. */
export function send(exchange: Exchange, answer: Answer): void {
  sendHead(exchange, answer);
  exchange.response.end(answer.body);
}

function sendHead({ response, entry }: Exchange, answer: Answer): void {
  if (!BODILESS.has(answer.status)) response.setHeader("content-length", Buffer.byteLength(answer.body));
  response.writeHead(answer.status, answer.headers);
  entry.status = answer.status;
}

async function sendPart(exchange: Exchange, answer: Answer, bytes: number): Promise<void> {
  sendHead(exchange, answer);
  await new Promise((resolve) => {
    exchange.response.write(Buffer.from(answer.body).subarray(0, bytes), resolve);
  });
}

async function sendSlowly(exchange: Exchange, answer: Answer, bytesPerSecond: number): Promise<void> {
  const body = Buffer.from(answer.body);
  const stepMs = Math.max(SLOW_STEP_MS, 1000 / bytesPerSecond);
  const stepBytes = Math.round((bytesPerSecond * stepMs) / 1000);
  sendHead(exchange, answer);
  exchange.response.flushHeaders();
  for (let sent = 0; sent < body.length; sent += stepBytes) {
    if (!(await pause(exchange, stepMs))) return;
    exchange.response.write(body.subarray(sent, sent + stepBytes));
  }
  exchange.response.end();
}

function half(answer: Answer): number {
  return Math.floor(Buffer.byteLength(answer.body) / 2);
}
