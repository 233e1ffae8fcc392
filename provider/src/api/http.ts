import { brotliDecompressSync, constants, unzipSync } from "node:zlib";
import type { Dispatcher } from "undici";

import { VERSION } from "../version.js";
import { CONNECT_TIMEOUT, type Connections } from "./connections.js";
import type { Method } from "./operations.js";

/** Bytes of the response to a creation; the excess is cut and the rest kept, as it may hold the key. */
export const CREATION_LIMIT = 4 * 1024 * 1024;
/** Bytes of a list. A longer one is refused: JSON.parse would take ten times as much memory. */
export const LIST_LIMIT = 64 * 1024 * 1024;
/** Bytes of any other body: enough for what a server says of a failure. */
export const WORDS_LIMIT = 1024 * 1024;

/** One request, ready to be sent once. Times are in milliseconds. */
export interface HttpRequest {
  readonly method: Method;
  /** The full path, percent-encoded. Secret: that of a deletion contains the key. */
  readonly path: string;
  /** Whether a connection is opened for it; otherwise one that is open may be used. */
  readonly fresh: boolean;
  /** Bytes of the body to keep. */
  readonly bodyLimit: number;
  /** From the start of sending to the last byte of the response. */
  readonly requestTimeout: number;
  /** What the operation has left, for everything but the response to a creation that has been sent. */
  readonly remaining: number;
  /** Whether it creates something, so that once it is sent only `requestTimeout` ends the wait for its response. */
  readonly creates: boolean;
  /** When it is aborted the request is given up, unless it is a creation that has been sent. */
  readonly signal?: AbortSignal | undefined;
}

/** How one attempt ended. */
export type Attempt = HttpResponse | NoResponse;

/** The server sent a status. */
export interface HttpResponse {
  readonly kind: "response";
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, decompressed. Secret. */
  readonly body: Buffer;
  /** Why the body is not complete; `null` if it is. */
  readonly cutOff: "limit" | NoResponse["reason"] | null;
}

/** The server sent no status. */
export interface NoResponse {
  readonly kind: "noResponse";
  /** Whether undici had begun to send: the only evidence there is, as error codes prove nothing (ECONNRESET can be either). */
  readonly sent: boolean;
  readonly reason: "timeout" | "connection" | "interrupted";
  /** The code of the system's or undici's error, such as `ECONNREFUSED`. */
  readonly code: string;
}

/** Whether a status is a success: any 2xx, as a 200 where 201 is documented may carry the only copy of a key. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Sends one request once. Never rejects, and always ends in time: its timer runs next to undici, which neither rejects a
 * request that is queued or connecting when it is aborted, nor bounds a whole body. A request that is given up before it
 * started is stopped when undici comes to start it.
 */
export function sendOnce(connections: Connections, request: HttpRequest): Promise<Attempt> {
  return new Promise((resolve) => {
    const { origin, authorization } = connections;
    const handler = new AttemptHandler(request, resolve);
    const agent = request.fresh ? connections.fresh : connections.pooled;
    const headers = { ...REQUEST_HEADERS, authorization };
    try {
      agent.dispatch({ origin, path: request.path, method: request.method, headers }, handler);
    } catch (error) {
      handler.onResponseError(null, error);
    }
  });
}

const REQUEST_HEADERS = {
  "user-agent": `pulumi-partners/${VERSION}`,
  accept: "application/json",
  // RFC 9110 (12.5.3) lets a server compress for a client that does not say what it takes.
  "accept-encoding": "identity",
} as const;

class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (attempt: Attempt) => void;
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: HttpResponse["headers"] = {};
  #ended = false;

  constructor(request: HttpRequest, resolve: (attempt: Attempt) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#timer = this.#startTimer(Math.min(CONNECT_TIMEOUT, this.#remaining()));
    request.signal?.addEventListener("abort", this.#interrupt);
    if (request.signal?.aborted) this.#interrupt();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) {
      controller.abort(new Error("given up before it was sent"));
      return;
    }
    this.#controller = controller;
    clearTimeout(this.#timer);
    const remaining = this.#request.creates ? Infinity : this.#remaining();
    this.#timer = this.#startTimer(Math.min(this.#request.requestTimeout, remaining));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpResponse["headers"],
  ): void {
    if (status < 200) return; // 1xx announces a response and is not one.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    const room = this.#request.bodyLimit - this.#length;
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#length += Math.min(room, chunk.length);
    if (chunk.length > room) this.#end("limit");
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    this.#end("connection", codeOf(error));
  }

  readonly #interrupt = (): void => {
    const mustWait = this.#request.creates && this.#controller !== null;
    if (!mustWait) this.#end("interrupted");
  };

  #remaining(): number {
    return Math.max(0, this.#request.remaining - (performance.now() - this.#startedAt));
  }

  #startTimer(milliseconds: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // A busy process may run this timer before it reads a response that has arrived: one turn of the event loop reads it.
      setImmediate(() => {
        if (this.#timer === timer) this.#end("timeout");
      });
    }, milliseconds);
    return timer;
  }

  #end(cutOff: HttpResponse["cutOff"], code = ""): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#interrupt);
    const status = this.#status;
    if (status === null) {
      const reason = cutOff === "timeout" || cutOff === "interrupted" ? cutOff : "connection";
      this.#resolve({ kind: "noResponse", sent: this.#controller !== null, reason, code });
    } else {
      const body = Buffer.concat(this.#chunks);
      const read = decompress(body, this.#headers["content-encoding"], this.#request.bodyLimit);
      this.#resolve({
        kind: "response",
        status,
        headers: this.#headers,
        body: read ?? body,
        cutOff: read === null && cutOff === null ? "limit" : cutOff,
      });
    }
    if (cutOff !== null) this.#controller?.abort(new Error("no longer needed"));
  }
}

/**
 * Undoes a `content-encoding` that came although nobody asked for it. What is cut off is read as far as it goes.
 *
 * @returns `null` if it is longer than `limit` bytes.
 */
function decompress(body: Buffer, encoding: string | string[] | undefined, limit: number): Buffer | null {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
  const coding = String(encoding).toLowerCase(); // RFC 9110 (8.4.1) has these names in any case.
  try {
    if (coding === "br")
      return brotliDecompressSync(body, { maxOutputLength: limit, finishFlush: BROTLI_OPERATION_FLUSH });
    if (coding === "gzip" || coding === "x-gzip" || coding === "deflate")
      return unzipSync(body, { maxOutputLength: limit, finishFlush: Z_SYNC_FLUSH });
    return body;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE" ? null : body;
  }
}

/**
 * The code of an error, or the name of its kind, and nothing else of it: messages of undici and Node can repeat a URL, and the
 * URL can hold a key.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // How undici (lib/dispatcher/client-h1.js) ends a request to which the server sends `100 Continue`.
  if (error.message === "bad response") return "UNEXPECTED_100_CONTINUE";
  // undici means to give an HTTPParserError a code, and gives it none.
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : "UNKNOWN";
}
