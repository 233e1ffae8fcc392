import { UnreadableResponseError } from "../../api/errors.js";
import type { Exchange } from "../../api/exchange.js";
import { API_ROOT, OPERATIONS } from "../../api/operations.js";
import type { PartnerClient, WebhookList } from "../../api/partner-client.js";
import {
  explainWebhookList,
  reportsFailure,
  type Explanation,
  type ResponseMapping,
} from "../../api/responses.js";
import { textOf } from "../../api/wire.js";
import { messageOf } from "../../plugin/boundary.js";
import type { Settings } from "../../plugin/settings.js";
import { failed, ok, skipped, warning, type Check } from "./report.js";
import { describePlaces, mappingRemedy } from "./shape.js";

/** One attempt, as the client's `observe` saw it. */
export interface Observation {
  readonly exchange: Exchange;
  readonly milliseconds: number;
  /** When it ended, in milliseconds since the epoch. */
  readonly endedAt: number;
}

/** What one request tells of the service. */
export interface ServiceReport {
  readonly checks: readonly Check[];
  /** Whether the access token was accepted. */
  readonly accepted: boolean;
  readonly shape: Explanation | null;
  readonly list: WebhookList | null;
}

/** Milliseconds: `Date` counts whole seconds, and an answer takes its time. Beyond this a clock is wrong. */
const CLOCK_TOLERANCE = 10_000;
const LIST = `GET ${API_ROOT}${OPERATIONS.listWebhooks.template}`;

/**
 * Lists the webhooks, and judges by that one request the service, its access token, the shape of the list, clock and latency.
 *
 * @param seen Where the client's `observe` puts what it sees.
 * @param inProject Whether settings can be made in the configuration of a stack.
 */
export async function examineService(
  client: PartnerClient,
  settings: Settings,
  seen: readonly Observation[],
  inProject: boolean,
): Promise<ServiceReport> {
  const outcome = await client.listWebhooks().catch((error: unknown) => ({ error }));
  const last = seen.at(-1);
  const answer = last?.exchange.kind === "answered" ? last.exchange : null;
  const body = answer === null ? "" : textOf(answer.body);
  const others = last === undefined ? [] : [checkClock(last), checkLatency(last, seen.length, settings)];
  if (!("error" in outcome)) {
    const shape = explainWebhookList(body, settings.responses);
    const checks = [
      accepted(answer?.status),
      checkShape(outcome, shape, settings.responses, inProject),
      ...others,
    ];
    return { checks, accepted: true, shape, list: outcome };
  }
  const { error } = outcome;
  const shape =
    error instanceof UnreadableResponseError && !reportsFailure(body)
      ? explainWebhookList(body, settings.responses)
      : null;
  const message = messageOf(error);
  if (shape === null) {
    return { checks: [failed("service", message), ...others], accepted: false, shape, list: null };
  }
  return {
    checks: [
      accepted(answer?.status),
      failed("shape", message, ...mappingRemedy(shape, settings.responses, inProject)),
      ...others,
    ],
    accepted: true,
    shape,
    list: null,
  };
}

function accepted(status = 200): Check {
  return ok("service", `${LIST} was answered with ${status}: the access token is accepted.`);
}

function checkShape(
  { webhooks, complete }: WebhookList,
  shape: Explanation | null,
  mapping: ResponseMapping,
  inProject: boolean,
): Check {
  if (!complete) {
    const detail =
      "The list shows signs of further pages. The Partner API has no paging, so webhooks that are not on the first page cannot be managed.";
    return warning("shape", detail);
  }
  const where = describePlaces(shape);
  if (webhooks.size === 0) {
    return ok("shape", `Recognised: ${where}. The list is empty, so nothing else can be told.`);
  }
  const unknown = [...webhooks.values()].filter(({ state }) => state === null);
  if (unknown.length === 0) return ok("shape", `Recognised: ${where}.`);
  const [first] = unknown;
  const detail = `The state of ${unknown.length} of ${webhooks.size} webhooks is unknown, so drift of these is not seen. Recognised: ${where}.`;
  const problem = first?.problem == null ? "" : ` ${first.problem}`;
  return warning("shape", detail + problem, ...mappingRemedy(shape, mapping, inProject));
}

function checkClock({ exchange, milliseconds, endedAt }: Observation): Check {
  const header = exchange.kind === "answered" ? exchange.headers["date"] : undefined;
  const date = typeof header === "string" && header.endsWith("GMT") ? Date.parse(header) : NaN;
  if (Number.isNaN(date)) return skipped("clock", "The service did not say what time it is.");
  const ahead = date + 500 - (endedAt - milliseconds / 2); // In the mean, a time in whole seconds is half of one old.
  if (Math.abs(ahead) <= CLOCK_TOLERANCE) return ok("clock", "The same time here and at the service.");
  const seconds = Math.round(Math.abs(ahead) / 1000);
  return warning(
    "clock",
    `The service is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} this machine. Rotations fall due, and certificates expire, by the clock of this machine.`,
    "Set this machine's clock by NTP.",
  );
}

function checkLatency({ exchange, milliseconds }: Observation, attempts: number, settings: Settings): Check {
  if (exchange.kind === "unanswered") return skipped("latency", "There was no answer.");
  const time = `${Math.round(milliseconds)} ms for one request, the connection included`;
  if (attempts > 1) return warning("latency", `${time}; it took ${attempts} attempts.`);
  if (milliseconds <= settings.requestTimeout / 2) return ok("latency", `${time}.`);
  return warning(
    "latency",
    `${time}: more than half of requestTimeout.`,
    `Raise partners:requestTimeout (${settings.requestTimeout / 1000} s).`,
  );
}
