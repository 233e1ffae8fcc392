import type { IncomingMessage } from "node:http";
import type { Account } from "./account.js";
import { json, type Answer } from "./answer.js";
import { deliver, pause, send, type Exchange } from "./delivery.js";
import { takesEffect, type FaultQueue } from "./fault-queue.js";
import { perform, type Outcome, type PartnerApi } from "./partner-api.js";
import type { RateLimiter } from "./rate-limiter.js";
import { findRoute, type Route } from "./routes.js";

/** What a request meets on its way. */
export interface HandlerParts extends PartnerApi {
  /** The path that everything is served below, without a slash at its end. */
  readonly basePath: string;
  /** The faults that are still to come. */
  readonly faults: FaultQueue;
  /** The limit on requests, if there is one. */
  readonly limiter: RateLimiter | undefined;
  /** Milliseconds between effect and answer. */
  readonly latency: number;
}

type OperationRoute = Extract<Route, { kind: "operation" }>;

/** Handles one request: finds what it asks for, does it, and answers; or lets a fault happen. */
export async function handle(parts: HandlerParts, exchange: Exchange): Promise<void> {
  const { request, entry } = exchange;
  const route = findRoute(parts.basePath, entry.method, entry.path);
  if (route.kind !== "operation") {
    send(exchange, answerOthers(route, request, parts.account));
    return;
  }

  entry.operation = route.operation;
  // The limit stands before the faults, as a gateway does: what it turns away uses up no fault.
  const refusal = parts.limiter?.refusal();
  const fault = refusal === undefined ? parts.faults.next(route.operation) : undefined;
  const performed = refusal === undefined && (fault === undefined || takesEffect(fault));
  const outcome = performed ? performAuthorized(parts, request, route) : undefined;
  entry.effect = outcome?.effect ?? false;
  if (parts.latency > 0 && !(await pause(exchange, parts.latency))) return;
  await deliver(exchange, refusal ?? outcome?.answer ?? NOT_PERFORMED, fault);
}

/** Stands for the real answer where a fault replaces it and the operation was not performed: never sent. */
const NOT_PERFORMED = json(500, {});

function performAuthorized(parts: HandlerParts, request: IncomingMessage, route: OperationRoute): Outcome {
  if (bearer(request) !== parts.account.accessToken) return { answer: UNAUTHORIZED, effect: false };
  return perform(parts, route.operation, route.parameter);
}

const UNAUTHORIZED = json(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" });

function answerOthers(
  route: Exclude<Route, OperationRoute>,
  request: IncomingMessage,
  account: Account,
): Answer {
  switch (route.kind) {
    case "whoami": {
      const issued = account.findKey(bearer(request) ?? "");
      return issued ? json(200, { keyId: issued.id, createdAt: issued.createdAt }) : UNAUTHORIZED;
    }
    case "wrongMethod":
      return json(405, { error: "method not allowed" }, { allow: route.allow });
    case "malformed":
      return json(400, { error: "malformed path" });
    case "unknown":
      return json(404, { error: "no such path" });
  }
}

function bearer(request: IncomingMessage): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
}
