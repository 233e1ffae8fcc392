import type { Attempt } from "./attempt.js";
import { permanentCause } from "./connection-errors.js";
import type { OperationKind } from "./operations.js";
import {
  canBeRefusedForNow,
  isBusy,
  isInternalError,
  isLocked,
  isSuccess,
  isTemporary,
  isThrottled,
} from "./statuses.js";

/** What follows an attempt. */
export type Next =
  /** The operation ends, with a success or a failure. */
  | "end"
  /**
   * Another attempt after a pause, within the attempts and the time of the operation. It is alone as well, if
   * the service was busy while others of this process were in flight.
   */
  | "again"
  /** Another attempt at once, while no other change or creation of this process is in flight. */
  | "alone"
  /** Another attempt when the rate limit allows it. All requests wait for that, so it is nobody's time. */
  | "together";

/** What has arrived, and what it depends on. */
export interface Arrival {
  readonly attempt: Attempt;
  /** Milliseconds; `null` without `Retry-After`. */
  readonly retryAfter: number | null;
  /** Whether another change or creation of this process was in flight meanwhile. */
  readonly overlapped: boolean;
  /** Whether the server says that what it refuses to do is so already. */
  readonly isAlreadySo: boolean;
}

type Row = Readonly<Record<OperationKind, Next>> & { readonly when: (arrival: Arrival) => boolean };

/**
 * What is repeated, as docs/configuration.md says it. The first row counts that an attempt fits; if it fits
 * none, the operation ends. A creation is repeated only if it certainly had no effect: a second key is worse
 * than an error.
 */
const TABLE: readonly Row[] = [
  { when: ({ attempt }) => isPermanent(attempt), read: "end", change: "end", create: "end" },
  { when: wasNotSent, read: "again", change: "again", create: "again" },
  { when: isLost, read: "again", change: "again", create: "end" },
  { when: isCutOff, read: "again", change: "end", create: "end" },
  { when: returned(isThrottled), read: "together", change: "together", create: "together" },
  { when: isRefusedForNow, read: "again", change: "again", create: "again" },
  { when: conflictsWithOurs, read: "end", change: "alone", create: "alone" },
  { when: returned(isLocked), read: "end", change: "again", create: "end" },
  { when: returned(isTemporary), read: "again", change: "again", create: "end" },
  // A change may have failed halfway.
  { when: returned(isInternalError), read: "again", change: "end", create: "end" },
];

/** Decides what follows an attempt. */
export function nextAfter(kind: OperationKind, arrival: Arrival): Next {
  return TABLE.find(({ when }) => when(arrival))?.[kind] ?? "end";
}

/** Whether another attempt would end the same way, until somebody corrects something. */
export function isPermanent(attempt: Attempt): boolean {
  if (attempt.kind === "noResponse") return permanentCause(attempt.code) !== null;
  return isSuccess(attempt.status) && (attempt.cutOff === "limit" || attempt.cutOff === "malformed");
}

function returned(isMeant: (status: number | null) => boolean): Row["when"] {
  return ({ attempt }) => attempt.kind === "response" && isMeant(attempt.status);
}

function wasNotSent({ attempt }: Arrival): boolean {
  return attempt.kind === "noResponse" && !attempt.sent;
}

function isLost({ attempt }: Arrival): boolean {
  return attempt.kind === "noResponse";
}

function isCutOff({ attempt }: Arrival): boolean {
  return attempt.kind === "response" && isSuccess(attempt.status) && attempt.cutOff !== null;
}

function isRefusedForNow({ attempt, retryAfter }: Arrival): boolean {
  return retryAfter !== null && attempt.kind === "response" && canBeRefusedForNow(attempt.status);
}

/** The service may do one thing at a time. */
function conflictsWithOurs({ attempt, overlapped, isAlreadySo }: Arrival): boolean {
  return attempt.kind === "response" && isBusy(attempt.status) && overlapped && !isAlreadySo;
}
