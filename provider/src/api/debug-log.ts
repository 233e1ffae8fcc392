import type { Exchange } from "./exchange.js";
import { API_ROOT, OPERATIONS, type Operation } from "./operations.js";

/**
 * One line for one attempt. Made of templates, numbers and a printable request id, so that there is nothing in it to redact.
 *
 * @example
 * ```text
 * partners deleteApiKey DELETE /api/v1/partners/api-key/{api_key} status=200 attempt=1 ms=34 request=5f3c
 * ```
 */
export function logLine(
  operation: Operation,
  attempt: number,
  exchange: Exchange,
  milliseconds: number,
  requestId: string | null,
): string {
  const { method, template } = OPERATIONS[operation];
  const result = exchange.kind === "answered" ? `status=${exchange.status}` : `error=${exchange.code}`;
  const request = requestId === null ? "" : ` request=${requestId}`;
  return `partners ${operation} ${method} ${API_ROOT}${template} ${result} attempt=${attempt} ms=${Math.round(milliseconds)}${request}`;
}
