import type { Dispatcher } from "undici";

import { VERSION } from "../version.js";
import { CONNECT_TIMEOUT, type Connections } from "./connections.js";
import { decodeBody } from "./content-encoding.js";
import type { OperationKind } from "./operations.js";

/**
 * The maximum number of body bytes to keep, decoded. A longer list is an error. The start of a longer
 * response to a creation is kept, because it may contain the key. Base64 in the state, and again in the
 * header of an initialization failure, makes 14.2 MiB of it; the engine's gRPC library accepts 16 MiB
 * (grpc-go, default of MaxHeaderListSize).
 */
export const BODY_LIMIT = 8 * 1024 * 1024;

/** A single HTTP request. Times are in milliseconds. */
interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Secret: the path of a deletion contains the key. */
  readonly path: string;
  readonly kind: OperationKind;
  /** Whether to open a new connection instead of reusing a kept-alive one. */
  readonly fresh: boolean;
  /** From the start of sending to the last byte of the response. */
  readonly requestTimeout: number;
  /** The time that the operation has left. Once a creation is sent, only `requestTimeout` ends it. */
  readonly remaining: number;
  /** When it aborts, the request is abandoned unless it is a creation that was sent. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the status and the headers of the response have arrived. */
  readonly onHeaders?: (headers: HttpResponse["headers"]) => void;
}

/** The result of one attempt. */
export type Attempt = HttpResponse | NoResponse;

/** An attempt to which the server sent at least a status. */
export interface HttpResponse {
  readonly kind: "response";
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, decoded. Secret. */
  readonly body: Buffer;
  /** Why the body is incomplete; `null` if nothing shows that it is. */
  readonly cutOff: "limit" | NoResponse["reason"] | null;
  /**
   * Whether the framing proves that the whole body arrived. A close alone does not: undici ends the body in
   * the same way after a reset.
   */
  readonly complete: boolean;
  /** The encoding that the body still has, because it could not be decoded; `null` if it has none. */
  readonly undecoded: string | null;
}

interface NoResponse {
  readonly kind: "noResponse";
  /**
   * Whether undici started to send. Error codes do not tell: ECONNRESET can occur before and after sending.
   */
  readonly sent: boolean;
  readonly reason: "timeout" | "connection" | "interrupted";
  /** The error code of the system or of undici, such as `ECONNREFUSED`; the reason if there was no error. */
  readonly code: string;
}

/** Whether a status is 2xx. Any 2xx counts: a 200 instead of a 201 may carry the only copy of a key. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Reads a date in the only form that RFC 9110 (5.6.7) lets a server send; `null` if it has another form. */
export function readHttpDate(header: string | string[] | undefined): number | null {
  if (typeof header !== "string" || header.length !== 29) return null;
  const time = Date.parse(header);
  return new Date(time).toUTCString() === header ? time : null;
}

/**
 * Sends a request once. Never rejects, and always ends in time. It has its own timers because undici does not
 * reject an aborted request that is queued or connecting, and has no timeout for the whole body.
 */
export function sendOnce(connections: Connections, request: HttpRequest): Promise<Attempt> {
  return new Promise((resolve) => {
    const { origin, authorization } = connections;
    const headers = { ...connections.headers, ...HEADERS, authorization };
    const handler = new AttemptHandler(request, resolve);
    const agent = request.fresh ? connections.fresh : connections.pooled;
    const { method, path } = request;
    try {
      agent.dispatch({ origin, method, path, headers }, handler);
    } catch (error) {
      handler.onResponseError(null, error);
    }
  });
}

const HEADERS = {
  "user-agent": `pulumi-partners/${VERSION}`,
  accept: "application/json",
  // Without this header, RFC 9110 (12.5.3) lets a server compress its responses.
  "accept-encoding": "identity",
} as const;

type Controller = Dispatcher.DispatchController;

class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (attempt: Attempt) => void;
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #timer: NodeJS.Timeout;
  #controller: Controller | null = null;
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

  onRequestStart(controller: Controller): void {
    if (this.#ended) {
      controller.abort(new Error("abandoned"));
      return;
    }
    this.#controller = controller;
    clearTimeout(this.#timer);
    const remaining = this.#request.kind === "create" ? Infinity : this.#remaining();
    this.#timer = this.#startTimer(Math.min(this.#request.requestTimeout, remaining));
  }

  onResponseStart(_controller: Controller, status: number, headers: HttpResponse["headers"]): void {
    if (status < 200) return; // 1xx is informational; the response follows.
    this.#status = status;
    this.#headers = headers;
    this.#request.onHeaders?.(headers);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#ended) return;
    const room = BODY_LIMIT - this.#length;
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#length += Math.min(room, chunk.length);
    if (chunk.length > room) this.#end("limit");
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    this.#end("connection", error);
  }

  readonly #interrupt = (): void => {
    const isSentCreation = this.#request.kind === "create" && this.#controller !== null;
    if (!isSentCreation) this.#end("interrupted");
  };

  #remaining(): number {
    return Math.max(0, this.#request.remaining - (performance.now() - this.#startedAt));
  }

  #startTimer(milliseconds: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // In a busy process, this timer may fire although the response has arrived: one turn of the event loop
      // reads it.
      setImmediate(() => {
        if (this.#timer === timer) this.#end("timeout");
      });
    }, milliseconds);
    return timer;
  }

  #end(why: HttpResponse["cutOff"], error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#interrupt);
    const status = this.#status;
    if (status === null) {
      const reason = why === "timeout" || why === "interrupted" ? why : "connection";
      const code = error === undefined ? reason : codeOf(error);
      this.#resolve({ kind: "noResponse", sent: this.#controller !== null, reason, code });
    } else {
      const headers = this.#headers;
      const { body, end, undecoded } = decodeBody(Buffer.concat(this.#chunks), headers, BODY_LIMIT);
      const cutOff = why ?? CUT_OFF[end];
      const complete = cutOff === null && isFramed(status, headers);
      this.#resolve({ kind: "response", status, headers, body, cutOff, complete, undecoded });
    }
    if (why !== null) this.#controller?.abort(new Error("finished"));
  }
}

/** Why a body is incomplete that arrived, but could not be decoded to its end. */
const CUT_OFF = { whole: null, cutOff: "connection", limit: "limit" } as const;

/** Whether a body has an end other than the close of the connection (RFC 9112, 6.3). */
function isFramed(status: number, headers: HttpResponse["headers"]): boolean {
  if (status === 204 || status === 304) return true; // They have no body.
  const { "transfer-encoding": codings, "content-length": length } = headers;
  return codings === undefined ? length !== undefined : /(?:^|[\s,])chunked\s*$/i.test(String(codings));
}

/** Returns the code or the name of an error. Never its message: it may contain the URL, and the URL a key. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // undici's HTTPParserError has no code.
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : "UNKNOWN";
}
