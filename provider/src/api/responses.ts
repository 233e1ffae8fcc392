import type { WebhookState } from "./operations.js";

export { readApiKey } from "./responses/api-key.js";
export { explainApiKey } from "./responses/explain-key.js";
export { explainWebhookList } from "./responses/explain-list.js";
export type { Explanation } from "./responses/explanation.js";
export { reportsFailure } from "./responses/failure-report.js";
export { parseResponseMapping, type ParsedMapping } from "./responses/mapping.js";
export { readWebhookList } from "./responses/webhook-list.js";

/**
 * Where things are in the responses of a particular service, and which words mean what. Each member that is
 * set is the only thing used for its purpose: a pointer that finds nothing makes the response unreadable. All others are
 * recognised from names.
 *
 * @example
 * ```ts
 * const responses = { apiKey: "/data/key", webhookState: "/attributes/mode", active: ["LIVE"], disabled: ["PAUSED"] };
 * ```
 */
export interface ResponseMapping {
  /**
   * JSON Pointer (RFC 6901) to the key in the response to its creation; `""` is the whole response.
   * @default recognised
   */
  readonly apiKey?: string;
  /**
   * JSON Pointer to the id of the key, in the same response. A key is then deleted by this id instead of by its value.
   * @default recognised, and not used for a deletion
   */
  readonly apiKeyId?: string;
  /**
   * JSON Pointer to the array of webhooks in their list; `""` is the whole response.
   * @default recognised
   */
  readonly webhooks?: string;
  /**
   * JSON Pointer to the id of a webhook, relative to its record.
   * @default recognised
   */
  readonly webhookId?: string;
  /**
   * JSON Pointer to the state of a webhook, relative to its record.
   * @default recognised
   */
  readonly webhookState?: string;
  /**
   * The values that mean `"active"`, one or more, compared as text without regard to case.
   * @default `active`, `enabled`, `on`, `activated`
   */
  readonly active?: readonly JsonScalar[];
  /**
   * The values that mean `"disabled"`, one or more; none of them also in `active`.
   * @default `disabled`, `inactive`, `off`, `deactivated`
   */
  readonly disabled?: readonly JsonScalar[];
}

/** A JSON value that is neither an object nor an array. */
export type JsonScalar = string | number | boolean | null;

/** What a look at the response of `createApiKey` gave. */
export type KeyReading =
  | {
      readonly readable: true;
      /** The key itself. Secret. */
      readonly apiKey: string;
      /** The id the response gives beside the key, as a string; `null` when it has none. */
      readonly keyId: string | null;
      /** Whether the response holds a second secret that would be lost if the response were thrown away. */
      readonly otherSecrets: boolean;
    }
  | {
      readonly readable: false;
      readonly problem: string;
      /** Whether a mapping could find a key in it. Not in what is neither JSON nor one word of plain text. */
      readonly mappable: boolean;
    };

/** One record of the list of webhooks. */
export interface WebhookReading {
  /** The id, a positive safe integer. */
  readonly webhookId: number;
  /** The state; `null` when the record does not say it in a way we know. */
  readonly state: WebhookState | null;
  /**
   * Why the state is refused: fields of the record disagree, or `webhookState` is set and finds nothing in it.
   * Names paths and the setting to use, never a value.
   */
  readonly problem: string | null;
  /** The record as the server sent it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** The webhooks of a list by id, in the order of the list. */
export type WebhooksById = Pick<
  ReadonlyMap<number, WebhookReading>,
  "get" | "has" | "keys" | "size" | "values"
>;

/** What a look at the response of `listWebhooks` gave. */
export type WebhookListReading =
  | {
      readonly readable: true;
      /** The webhooks by id. */
      readonly webhooks: WebhooksById;
      /** Whether this is all of them: no sign of a further page. */
      readonly complete: boolean;
    }
  | { readonly readable: false; readonly problem: string };
