import type { Dispatcher } from "undici";

import { REQUEST_HEADERS, type Connections } from "./connections.js";
import type { Method } from "./operations.js";

/** A create response is a few hundred bytes; past this the excess is cut and the rest kept, as it may hold the key. */
export const CREATE_BODY_LIMIT = 4 * 1024 * 1024;
/** 200,000 webhooks are about 17 MiB (our measurement); past this the list is refused. */
export const LIST_BODY_LIMIT = 64 * 1024 * 1024;
/** Of a body that nobody reads, so much is drained to keep the connection; past this it is closed. */
const DRAIN_LIMIT = 1024 * 1024;

/** One request, ready to be sent. */
export interface ExchangeRequest {
  readonly method: Method;
  /** The full path, percent-encoded. Secret: that of a deletion contains the key. */
  readonly path: string;
  /** Bytes of a success body to keep; 0 where only the status matters. */
  readonly keepBody: number;
  /** Milliseconds to get a connection and start sending. */
  readonly connectTimeout: number;
  /** Milliseconds from the start of sending to the last byte of the answer. */
  readonly requestTimeout: number;
  /** Milliseconds for everything. */
  readonly remaining: number;
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
  readonly broken: "cut" | "timeout" | "connection" | null;
}

/** The server sent no status. */
export interface Unanswered {
  readonly kind: "unanswered";
  /** Whether undici had begun to send: the only evidence there is, as error codes prove nothing (ECONNRESET can be either). */
  readonly sent: boolean;
  readonly reason: "timeout" | "connection";
  /** The code of the system's or undici's error, such as `ECONNREFUSED`. */
  readonly code: string;
}

/**
 * Sends one request once and says how it ended. Never rejects, and always ends in time: its timer runs beside undici
 * (which neither rejects a request that is queued or connecting when it is aborted, nor bounds a whole body), and a
 * request that is given up before it started is stopped when undici comes to start it.
 */
export function exchange(connections: Connections, request: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const { origin, authorization } = connections;
    const handler = new ExchangeHandler(request, resolve);
    const agent = request.method === "POST" ? connections.fresh : connections.pooled;
    try {
      agent.dispatch(
        {
          origin,
          path: request.path,
          method: request.method,
          headers: { ...REQUEST_HEADERS, authorization },
        },
        handler,
      );
    } catch (error) {
      handler.onResponseError(null, error);
    }
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: Answered["headers"] = {};
  #received = 0;
  #ended = false;

  constructor(request: ExchangeRequest, resolve: (exchange: Exchange) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#timer = this.#arm(request.connectTimeout);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) {
      controller.abort(new Error("given up before it was sent"));
      return;
    }
    this.#controller = controller;
    clearTimeout(this.#timer);
    this.#timer = this.#arm(this.#request.requestTimeout);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Answered["headers"],
  ): void {
    if (status < 200) return; // 1xx announces an answer; it is none.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const { keepBody } = this.#request;
    const keeps = keepBody > 0 && isSuccess(this.#status ?? 0);
    const room = (keeps ? keepBody : DRAIN_LIMIT) - this.#received;
    this.#received += chunk.length;
    if (keeps && room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length > room) this.#end("cut");
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    this.#end("connection", codeOf(error));
  }

  #arm(milliseconds: number): NodeJS.Timeout {
    const left = this.#request.remaining - (performance.now() - this.#startedAt);
    return setTimeout(
      () => {
        this.#end("timeout", "TIMEOUT");
      },
      Math.max(0, Math.min(milliseconds, left)),
    );
  }

  #end(broken: Answered["broken"], code = ""): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    const status = this.#status;
    if (status !== null) {
      this.#resolve({
        kind: "answered",
        status,
        headers: this.#headers,
        body: Buffer.concat(this.#chunks),
        broken,
      });
    } else {
      const reason = broken === "timeout" ? "timeout" : "connection";
      this.#resolve({ kind: "unanswered", sent: this.#controller !== null, reason, code });
    }
    if (broken !== null) this.#controller?.abort(new Error("no longer needed"));
  }
}

/** Whether a status is a success: any 2xx, as a 200 where 201 is documented may carry the only copy of a key. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The code of an error and nothing else of it: messages of undici and Node can repeat a URL, and the URL can hold a key. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "UNKNOWN";
}
