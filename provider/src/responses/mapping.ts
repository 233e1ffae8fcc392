import type { JsonScalar } from "../json.js";

/**
 * The locations of values in your service's responses, and the words for the states of a webhook. A member
 * that you set is the only source for its value; everything else is recognized automatically.
 *
 * @example
 * ```ts
 * const responses = {
 *   apiKey: "/data/key",
 *   webhookState: "/attributes/mode",
 *   active: ["LIVE"],
 *   disabled: ["PAUSED"],
 * };
 * ```
 */
export interface ResponseMapping {
  /**
   * JSON Pointer (RFC 6901) to the key in the response to its creation; `""` is the whole response.
   *
   * @default recognized
   */
  apiKey?: string | undefined;
  /**
   * JSON Pointer to the ID of the key in the same response, by which the key is then deleted.
   *
   * @default not used
   */
  apiKeyId?: string | undefined;
  /** JSON Pointer to the array of webhooks; `""` is the whole response. @default recognized */
  webhooks?: string | undefined;
  /** JSON Pointer to the ID of a webhook, relative to its record. @default recognized */
  webhookId?: string | undefined;
  /** JSON Pointer to the state of a webhook, relative to its record. @default recognized */
  webhookState?: string | undefined;
  /**
   * Values that mean `"active"`, at least one. They are compared as text, ignoring case; `"*"` is any other
   * value.
   * @default `active`, `enabled`, `on` and the like
   */
  active?: readonly JsonScalar[] | undefined;
  /**
   * Values that mean `"disabled"`, at least one, and none of `active`.
   *
   * @default `disabled`, `inactive`, `off` and the like
   */
  disabled?: readonly JsonScalar[] | undefined;
  /**
   * Whether the webhook list is complete (`true`) or one page of several (`false`).
   *
   * @default determined from the response
   */
  complete?: boolean | undefined;
}

/**
 * Converts a value for comparison with the words for a state. `1` and `"1"` are the same, because the CLI may
 * store either.
 */
export function asWord(value: JsonScalar): string {
  return String(value).trim().toLowerCase();
}
