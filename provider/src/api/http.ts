import type { Dispatcher } from "undici";

import { BodyBuffer } from "./body-buffer.js";
import { REQUEST_HEADERS, type Connections } from "./connections.js";
import { isSuccess, type Answered, type Exchange, type ExchangeRequest } from "./exchange.js";

/** Of a body that nobody reads, so much is drained to keep the connection; past this it is closed. */
const DRAIN_LIMIT = 1024 * 1024;

/**
 * Sends one request once and says how it ended. Never rejects, and always ends in time: its timer runs beside undici
 * (which neither rejects a request that is queued or connecting when it is aborted, nor bounds a whole body), and a
 * request that is given up before it started is stopped when undici comes to start it.
 */
export function exchange(connections: Connections, request: ExchangeRequest): Promise<Exchange> {
  return new Promise((resolve) => {
    const { origin, authorization } = connections;
    const handler = new ExchangeHandler(request, resolve);
    const agent = request.fresh ? connections.fresh : connections.pooled;
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
  #body: BodyBuffer | null = null;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: Answered["headers"] = {};
  #received = 0;
  #ended = false;

  constructor(request: ExchangeRequest, resolve: (exchange: Exchange) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#timer = this.#arm(Math.min(request.connectTimeout, this.#left()));
    request.signal?.addEventListener("abort", this.#stop);
    if (request.signal?.aborted) this.#stop();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) {
      controller.abort(new Error("given up before it was sent"));
      return;
    }
    this.#controller = controller;
    clearTimeout(this.#timer);
    // A creation that has been sent is waited for as long as one attempt may take, whatever the operation has left.
    const left = this.#request.method === "POST" ? Infinity : this.#left();
    this.#timer = this.#arm(Math.min(this.#request.requestTimeout, left));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Answered["headers"],
  ): void {
    if (status < 200) return; // 1xx announces an answer; it is none.
    this.#status = status;
    this.#headers = headers;
    const { keepBody } = this.#request;
    if (keepBody > 0 && isSuccess(status)) this.#body = new BodyBuffer(keepBody, announcedLength(headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return;
    this.#received += chunk.length;
    this.#body?.add(chunk);
    if (this.#received > (this.#body ? this.#request.keepBody : DRAIN_LIMIT)) this.#end("cut");
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: unknown): void {
    this.#end("connection", codeOf(error));
  }

  readonly #stop = (): void => {
    const creating = this.#request.method === "POST" && this.#controller !== null;
    if (!creating) this.#end("stopped", "STOPPED");
  };

  /** Milliseconds that the operation has left. */
  #left(): number {
    return Math.max(0, this.#request.remaining - (performance.now() - this.#startedAt));
  }

  #arm(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#end("timeout", "TIMEOUT");
    }, milliseconds);
  }

  #end(broken: Answered["broken"], code = ""): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this.#stop);
    const status = this.#status;
    if (status !== null) {
      this.#resolve({
        kind: "answered",
        status,
        headers: this.#headers,
        body: this.#body?.bytes ?? NO_BYTES,
        broken,
      });
    } else {
      const reason = broken === "timeout" || broken === "stopped" ? broken : "connection";
      this.#resolve({ kind: "unanswered", sent: this.#controller !== null, reason, code });
    }
    if (broken !== null) this.#controller?.abort(new Error("no longer needed"));
  }
}

const NO_BYTES = Buffer.alloc(0);

/** The `content-length` of an answer; `undefined` where it has none that is a length. */
function announcedLength(headers: Answered["headers"]): number | undefined {
  const length = headers["content-length"];
  return typeof length === "string" && /^[0-9]{1,15}$/.test(length) ? Number(length) : undefined;
}

/**
 * The code of an error, or the name of its kind, and nothing else of it: messages of undici and Node can repeat a URL,
 * and the URL can hold a key.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // undici means to give an HTTPParserError a code, and gives it none.
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^[A-Za-z0-9_]{1,64}$/.test(code) ? code : "UNKNOWN";
}
