import type { Method } from "./operations.js";

/** A create response is a few hundred bytes; past this the excess is cut and the rest kept, as it may hold the key. */
export const CREATE_BODY_LIMIT = 4 * 1024 * 1024;
/** 200,000 webhooks are about 17 MiB (our measurement); past this the list is refused. */
export const LIST_BODY_LIMIT = 64 * 1024 * 1024;
/**
 * Values in a list that is parsed: each takes up to 0.7 KiB of memory (our measurement), so 64 MiB of `{},` would end the
 * process. 200,000 webhooks of 9 members are 2 million.
 */
export const LIST_VALUES_LIMIT = 4_000_000;
/** One request, ready to be sent. */
export interface ExchangeRequest {
  readonly method: Method;
  /** The full path, percent-encoded. Secret: that of a deletion contains the key. */
  readonly path: string;
  /** Whether a connection is opened for it; otherwise one that is open may be used. */
  readonly fresh: boolean;
  /** Bytes of a success body to keep; 0 where only the status matters. */
  readonly keepBody: number;
  /** Milliseconds to get a connection and start sending. */
  readonly connectTimeout: number;
  /** Milliseconds from the start of sending to the last byte of the answer. */
  readonly requestTimeout: number;
  /** Milliseconds for everything, except the answer to a creation that has been sent. */
  readonly remaining: number;
  /**
   * When it is aborted the request is given up, unless it is a creation that has been sent: only waiting for the answer
   * keeps its key from being lost.
   */
  readonly signal?: AbortSignal | undefined;
}

/** How one attempt ended. */
export type Exchange = Answered | Unanswered;

/** The server sent a status. */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Why the body is not whole; `null` if it is. */
  readonly broken: "cut" | Unanswered["reason"] | null;
}

/** The server sent no status. */
export interface Unanswered {
  readonly kind: "unanswered";
  /** Whether undici had begun to send: the only evidence there is, as error codes prove nothing (ECONNRESET can be either). */
  readonly sent: boolean;
  readonly reason: "timeout" | "connection" | "stopped";
  /** The code of the system's or undici's error, such as `ECONNREFUSED`. */
  readonly code: string;
}

/** Whether a status is a success: any 2xx, as a 200 where 201 is documented may carry the only copy of a key. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
