import type { Operation } from "../api/operations.js";

/** Which requests a fault happens to. */
export interface FaultTarget {
  /**
   * The operation it happens to.
   * @default any
   */
  readonly operation?: Operation;
  /**
   * How many requests it happens to, a whole number; `Infinity` is allowed.
   * @default 1
   */
  readonly times?: number;
  /**
   * How many matching requests pass unharmed first.
   * @default 0
   */
  readonly skip?: number;
}

/** A fault that comes instead of the answer. */
export interface ReplacingFault extends FaultTarget {
  /**
   * Whether the operation takes effect first, so that only its answer is lost.
   * @default false
   */
  readonly effect?: boolean;
}

/** Another status than the one that was due. */
export interface StatusFault extends ReplacingFault {
  readonly kind: "status";
  /** The HTTP status, 200 to 599. */
  readonly status: number;
  /**
   * Headers to send with it.
   * @default {}
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The body, sent as it is, as `application/json` unless `headers` say otherwise.
   * @default a JSON object with an error text; nothing for 204 and 304
   */
  readonly body?: string;
}

/** A 429, whatever the rate of requests. */
export interface RateLimitFault extends ReplacingFault {
  readonly kind: "rateLimit";
  /**
   * Value of the `retry-after` header: seconds, an HTTP date, or nonsense.
   * @default no such header
   */
  readonly retryAfter?: number | string;
}

/** A 307 to another place, which a client that follows it would ask with the same method. */
export interface RedirectFault extends ReplacingFault {
  readonly kind: "redirect";
  /** Value of the `location` header. */
  readonly location: string;
}

/** A status of 200 with a page for humans, as from a proxy or a login wall. */
export interface HtmlFault extends ReplacingFault {
  readonly kind: "html";
}

/** The connection is reset (RST) before any byte of an answer. */
export interface ResetFault extends ReplacingFault {
  readonly kind: "reset";
}

/** The connection is closed in an orderly way (FIN) before any byte of an answer. */
export interface FinFault extends ReplacingFault {
  readonly kind: "fin";
}

/** No byte of an answer, for as long as the client waits. */
export interface HangBeforeHeadersFault extends ReplacingFault {
  readonly kind: "hang";
  readonly at: "headers";
}

/** The headers and the first half of the real body, then nothing. The operation has taken effect. */
export interface HangInBodyFault extends FaultTarget {
  readonly kind: "hang";
  readonly at: "body";
}

/** The headers and the first half of the real body, then a reset (RST). The operation has taken effect. */
export interface ResetMidBodyFault extends FaultTarget {
  readonly kind: "resetMidBody";
}

/** The real body, cut short by a close (FIN), under the `content-length` of the whole. The operation has taken effect. */
export interface TruncateFault extends FaultTarget {
  readonly kind: "truncate";
  /** How many bytes of the body are sent, 0 or more. */
  readonly bytes: number;
}

/** The real answer, its body at a crawl. The operation has taken effect. */
export interface SlowFault extends FaultTarget {
  readonly kind: "slow";
  /** The speed, in bytes per second, above 0. */
  readonly bytesPerSecond: number;
}

/**
 * Something that goes wrong on the wire.
 *
 * @example
 * ```ts
 * // The list is unavailable three times.
 * const fault: Fault = { kind: "status", operation: "listWebhooks", status: 503, times: 3 };
 * ```
 */
export type Fault =
  | StatusFault
  | RateLimitFault
  | RedirectFault
  | HtmlFault
  | ResetFault
  | FinFault
  | HangBeforeHeadersFault
  | HangInBodyFault
  | ResetMidBodyFault
  | TruncateFault
  | SlowFault;
