import { gunzipSync } from "node:zlib";
import type { Dispatcher } from "undici";

import { VERSION } from "../version.js";
import { codeOf, isMalformed } from "./connection-errors.js";
import type { OperationKind } from "./operations.js";

/** A single HTTP request. */
interface HttpRequest {
  readonly origin: string;
  readonly method: Dispatcher.HttpMethod;
  /** Secret: the path of a deletion contains the key. */
  readonly path: string;
  /** Secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: OperationKind;
  /** Milliseconds from the start of the attempt to the last byte of the response. */
  readonly timeout: number;
  /** When it aborts, the request is abandoned, except a creation that was sent. */
  readonly signal?: AbortSignal | undefined;
}

export type Attempt = HttpResponse | NoResponse;

/** An attempt to which the server sent at least a status. */
export interface HttpResponse {
  readonly kind: "response";
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decoded. Secret. */
  readonly body: Buffer;
  /** The body as UTF-8. Secret. */
  readonly text: string;
  /** Why the body is not whole: a limit of ours, the connection, or its form; `null` if it seems so. */
  readonly cutOff: CutOff | null;
}

export type CutOff = "limit" | "timeout" | "connection" | "malformed";

/** An attempt without a status. */
export interface NoResponse {
  readonly kind: "noResponse";
  /** Whether undici started to send. Error codes do not tell: ECONNRESET occurs before and after sending. */
  readonly sent: boolean;
  readonly reason: "timeout" | "connection" | "interrupted";
  /** The code of the error, such as `ECONNREFUSED` or `PROXY_407`; the reason if there was none. */
  readonly code: string;
}

/** The limits in this file are in bytes. */
const MIB = 2 ** 20;
/**
 * The longest body, as received and as decoded. If no key is read from the response to a creation, the engine
 * gets it, and those of the other keys, in a header of gRPC (hosts/native.ts), in base64 and at most 16 MiB.
 */
export const BODY_LIMIT: Readonly<Record<OperationKind, number>> = {
  create: MIB,
  read: 8 * MIB,
  change: 8 * MIB,
};
/** The headers of a response. Some gateways send more than undici's default of 16 KiB. */
export const HEADER_LIMIT = MIB / 4;

/** Sends a request once. Never rejects, and always ends in time. */
export function sendOnce(agent: Dispatcher, request: HttpRequest): Promise<Attempt> {
  return new Promise((resolve) => {
    const handler = new AttemptHandler(request, resolve);
    const { origin, method, path } = request;
    try {
      agent.dispatch({ origin, method, path, headers: { ...request.headers, ...HEADERS } }, handler);
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

/** Has a timer of its own: undici never rejects an aborted request that is still connecting. */
class AttemptHandler implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #resolve: (attempt: Attempt) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #controller: Controller | null = null;
  #response: Pick<HttpResponse, "status" | "headers"> | null = null;
  #ended = false;

  constructor(request: HttpRequest, resolve: (attempt: Attempt) => void) {
    this.#request = request;
    this.#resolve = resolve;
    // In a busy process, the response may have arrived in time: one turn of the event loop reads it.
    this.#timer = setTimeout(() => {
      setImmediate(() => {
        this.#end("timeout");
      });
    }, request.timeout);
    request.signal?.addEventListener("abort", this.#interrupt);
    if (request.signal?.aborted) this.#interrupt();
  }

  onRequestStart(controller: Controller): void {
    if (this.#ended) controller.abort(new Error("abandoned"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Controller, status: number, headers: HttpResponse["headers"]): void {
    if (status >= 200) this.#response = { status, headers }; // 1xx is informational; the response follows.
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#ended) return;
    const room = BODY_LIMIT[this.#request.kind] - this.#length;
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#length += Math.min(room, chunk.length);
    if (chunk.length > room) this.#end("limit");
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Controller | null, error: unknown): void {
    this.#end("connection", codeOf(error));
  }

  readonly #interrupt = (): void => {
    const isSentCreation = this.#request.kind === "create" && this.#controller !== null;
    if (!isSentCreation) this.#end("interrupted");
  };

  #end(why: NoResponse["reason"] | "limit" | null, code = ""): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#interrupt);
    if (this.#response === null) {
      const reason = why === null || why === "limit" ? "connection" : why;
      this.#resolve({ kind: "noResponse", sent: this.#controller !== null, reason, code: code || reason });
    } else {
      const encoding = String(this.#response.headers["content-encoding"]);
      const body = decode(Buffer.concat(this.#chunks), encoding, BODY_LIMIT[this.#request.kind]);
      const byConnection = isMalformed(code) ? "malformed" : "connection";
      const cutOff = why === "connection" || why === "interrupted" ? byConnection : why;
      this.#resolve({ kind: "response", ...this.#response, body, text: body.toString(), cutOff });
    }
    if (why !== null) this.#controller?.abort(new Error("finished"));
  }
}

/** Decodes what a gateway compressed unasked. What cannot be decoded stays as it is: it may be a key. */
function decode(received: Buffer, encoding: string, maxOutputLength: number): Buffer {
  if (!/^gzip$/i.test(encoding)) return received;
  try {
    return gunzipSync(received, { maxOutputLength });
  } catch {
    return received;
  }
}
