import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Operation } from "../api/operations.js";

/** A request that the sandbox received. Paths and headers are as sent, so they contain keys and tokens. */
export interface LoggedRequest {
  /** The operation of the Partner API; `null` for any other request, also one to `/whoami`. */
  readonly operation: Operation | null;
  /** The HTTP method. */
  readonly method: string;
  /** The path as it was sent: with the base path, the query, and still percent-encoded. */
  readonly path: string;
  /** The status of the answer; `null` if no answer was begun, or not yet. */
  readonly status: number | null;
  /** Whether the request changed what the sandbox holds. */
  readonly effect: boolean;
  /** Which TCP connection it came over: 1 for the first that the sandbox accepted, and so on. */
  readonly connection: number;
  /** When its headers had arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Length of the request body, in bytes. */
  readonly bodyBytes: number;
  /** The `x-request-id` of the answer. */
  readonly requestId: string;
}

/** A log entry whose request is still being handled. */
export type LogEntry = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] };

/** Every request received, in order of arrival. */
export class RequestLog {
  #entries: LogEntry[] = [];

  /** Opens the entry of a request that has just arrived; the handler fills in the rest. */
  add(request: IncomingMessage, connection: number): LogEntry {
    const entry: LogEntry = {
      operation: null,
      method: request.method ?? "",
      path: request.url ?? "",
      status: null,
      effect: false,
      connection,
      receivedAt: Date.now(),
      headers: Object.fromEntries(
        Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values.join(", ")]),
      ),
      bodyBytes: 0,
      requestId: randomUUID(),
    };
    this.#entries.push(entry);
    return entry;
  }

  /** The entries as they are now; later requests and answers do not change what was returned. */
  snapshot(): readonly LoggedRequest[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }

  /** Forgets all entries. */
  clear(): void {
    this.#entries = [];
  }
}
