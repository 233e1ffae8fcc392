import type { WebhookState } from "./partner-api/operations.js";

/** How a resource registers. All parts are in users' states and programs; a unit test freezes them. */
export interface Registration {
  /** The type token of the dynamic form. Its start makes the engine use the SDK's host. */
  readonly type: string;
  /** The type token, or the function, of the native plugin. */
  readonly nativeToken: string;
  /**
   * CommonJS source that the dynamic host evaluates to get the handlers. A fixed string keeps code, paths and
   * secrets out of the state, and lets the installed version delete old resources.
   */
  readonly __provider: string;
  /** The export of `pulumi-partners/plugin` with the handlers. */
  readonly exportName: string;
  readonly inputs: readonly string[];
  /** Those that a program sees. */
  readonly outputs: readonly string[];
}

export const PARTNER_API_KEY = {
  type: "pulumi-nodejs:dynamic/partners:PartnerApiKey",
  nativeToken: "partners:index:PartnerApiKey",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerApiKey',
  exportName: "partnerApiKey",
  inputs: ["rotation"],
  outputs: ["apiKey", "hint", "createdAt", "response", "previousApiKey", "previousExpiresAt", "account"],
} as const satisfies Registration;

export const PARTNER_WEBHOOK_STATE = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhookState",
  nativeToken: "partners:index:PartnerWebhookState",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookState',
  exportName: "partnerWebhookState",
  inputs: ["webhookId", "state", "stateOnDestroy"],
  outputs: ["webhookId", "state", "stateOnDestroy", "initialState"],
} as const satisfies Registration;

export const PARTNER_WEBHOOK_STATES = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhookStates",
  nativeToken: "partners:index:PartnerWebhookStates",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhookStates',
  exportName: "partnerWebhookStates",
  inputs: ["states", "others", "stateOnDestroy"],
  outputs: ["states", "others", "stateOnDestroy", "otherStates", "initialStates"],
} as const satisfies Registration;

/** A read in the dynamic form, and a function of the native plugin. */
export const PARTNER_WEBHOOKS = {
  type: "pulumi-nodejs:dynamic/partners:PartnerWebhooks",
  nativeToken: "partners:index:getPartnerWebhooks",
  __provider: 'exports.handler=()=>require("pulumi-partners/plugin").partnerWebhooks',
  exportName: "partnerWebhooks",
  inputs: [],
  outputs: ["webhooks"],
} as const satisfies Registration;

/** The resources that a program declares. */
export const RESOURCES = [PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES] as const;

/**
 * The secret outputs of all resources. Only the handlers read `internal`. Records in `webhooks` may contain
 * secrets, such as a signing secret.
 */
export const SECRET_OUTPUTS: readonly string[] = [
  "apiKey",
  "response",
  "previousApiKey",
  "internal",
  "webhooks",
];

/** The response to the creation of a key, kept because the service shows the key only once. Secret. */
export interface KeyResponse {
  /** The body. */
  readonly body: string;
  /** How `body` holds it: as text, or as base64 if it is not UTF-8. */
  readonly encoding: "utf8" | "base64";
  /** Whether the response was cut off, so that a key in it may be incomplete. */
  readonly isCutOff: boolean;
}

/** An existing webhook, as returned by {@link getPartnerWebhooks}. */
export interface PartnerWebhook {
  /** The ID of the webhook. */
  readonly webhookId: number;
  /** The state of the webhook; `null` if it is not recognized. */
  readonly state: WebhookState | null;
  /** The record as the service sent it. It may contain secrets, such as a signing secret. */
  readonly record: Readonly<Record<string, unknown>>;
}

/**
 * What happens to a webhook that is no longer managed: `"leave"` keeps its current state, `"restore"` sets
 * the state in which it became managed, and `"active"` or `"disabled"` sets that state.
 */
export type StateOnDestroy = "leave" | "restore" | WebhookState;

/**
 * What happens to webhooks that the program does not name: `"leave"` keeps their states, and `"active"` or
 * `"disabled"` sets that state.
 */
export type OtherWebhooks = "leave" | WebhookState;
