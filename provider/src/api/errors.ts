import { API_ROOT, OPERATIONS, type Operation } from "./operations.js";

/**
 * What an operation that failed did on the server: `"none"`: certainly nothing; `"possible"`: nobody can know;
 * `"certain"`: it took effect, and only its answer is missing or unreadable.
 */
export type Effect = "none" | "possible" | "certain";

/** What a {@link PartnerError} is made of. Nothing in here may be, or contain, a token, a key or a body. */
export interface ErrorFacts {
  /** The operation that failed; `null` where none was tried. */
  readonly operation: Operation | null;
  /** What the operation was about, as "webhook 7"; never a key. */
  readonly subject?: string | null;
  /** What happened, without a full stop. */
  readonly happened: string;
  /** What this did on the server. */
  readonly effect: Effect;
  /** What to do next, as one or more sentences. */
  readonly remedy: string;
  /** The status that the server answered with. */
  readonly status?: number | null;
  /** The request id that the server gave, made printable. */
  readonly requestId?: string | null;
}

/** The common part of all errors of this provider: the message says what happened, to what, with what effect, and what to do. */
export abstract class PartnerError extends Error {
  /** A stable name of the kind of error, which troubleshooting guides can refer to. */
  abstract readonly code: string;
  /** See {@link ErrorFacts.operation}. */
  readonly operation: Operation | null;
  /** See {@link ErrorFacts.effect}. */
  readonly effect: Effect;
  /** See {@link ErrorFacts.status}. */
  readonly status: number | null;
  /** See {@link ErrorFacts.requestId}. */
  readonly requestId: string | null;

  constructor(facts: ErrorFacts) {
    super(sentence(facts));
    this.name = new.target.name;
    this.operation = facts.operation;
    this.effect = facts.effect;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
  }
}

/** A setting is missing or wrong, or this Node is too old; nothing was sent. */
export class ConfigurationError extends PartnerError {
  override readonly code = "PARTNERS_CONFIGURATION";

  constructor(happened: string, remedy: string) {
    super({ operation: null, happened, effect: "none", remedy });
  }
}

/** No answer, because the connection failed or broke. */
export class ConnectionError extends PartnerError {
  override readonly code = "PARTNERS_CONNECTION";
}

/** No answer within `requestTimeout` or `operationTimeout`. */
export class TimeoutError extends PartnerError {
  override readonly code = "PARTNERS_TIMEOUT";
}

/** The process was told to stop (Ctrl-C, SIGTERM) before there was an answer. */
export class InterruptedError extends PartnerError {
  override readonly code = "PARTNERS_INTERRUPTED";
}

/** An answer whose status is not a success. */
export class ApiStatusError extends PartnerError {
  override readonly code = "PARTNERS_STATUS";
}

/** A success whose body could not be read, or contradicts what was asked. */
export class UnreadableResponseError extends PartnerError {
  override readonly code = "PARTNERS_UNREADABLE";
}

/** What the server did not do is asked for: a webhook that does not exist, a key that cannot be deleted yet. */
export class ResourceError extends PartnerError {
  override readonly code = "PARTNERS_RESOURCE";
}

function sentence({ operation, subject, happened, effect, remedy, requestId }: ErrorFacts): string {
  const about = subject ? `${subject}: ` : "";
  if (operation === null) return `${about}${happened}. ${remedy}`;
  const { method, template } = OPERATIONS[operation];
  const id = requestId ? ` (request id ${requestId})` : "";
  return `${about}${operation} (${method} ${API_ROOT}${template}): ${happened}${id}. ${effectSentence(operation, effect)} ${remedy}`;
}

/** Says in one sentence what the failed operation did on the server. */
export function effectSentence(operation: Operation, effect: Effect): string {
  if (effect === "none") return "Nothing was changed on the server.";
  const certain = effect === "certain";
  if (operation === "createApiKey") {
    return certain
      ? "A key EXISTS on the server now."
      : "A key may exist on the server that no stack knows of.";
  }
  if (operation === "deleteApiKey")
    return certain ? "The key is deleted." : "The key may already be deleted.";
  return certain ? "The webhook was changed." : "The webhook may have been changed.";
}
