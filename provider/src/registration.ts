import type { WebhookState } from "./api/operations.js";

/**
 * How a resource registers with the engine. All parts are written into users' states and programs, so they
 * change only with a major version; a unit test freezes them.
 */
export interface Registration<Handlers extends string = string> {
  /**
   * The type token. The engine sends types that begin with `pulumi-nodejs:dynamic` to the dynamic-provider
   * host of the SDK.
   */
  readonly type: string;
  /** The type token, or the function, of the native plugin. */
  readonly nativeToken: string;
  /**
   * CommonJS source that the host evaluates to get the handlers. `dynamic.Resource` serializes a closure
   * instead; with a fixed string, the state holds no code, path or secret, and old resources are deleted by
   * the installed version.
   */
  readonly __provider: string;
  /** The name of the handlers, and of the export of `pulumi-partners/plugin`. */
  readonly handlers: Handlers;
  /** The names of the arguments. */
  readonly inputs: readonly string[];
}

export const PARTNER_API_KEY = registration("PartnerApiKey", "partnerApiKey", ["rotation"]);
export const PARTNER_WEBHOOK_STATE = registration("PartnerWebhookState", "partnerWebhookState", [
  "webhookId",
  "state",
  "stateOnDestroy",
]);
export const PARTNER_WEBHOOK_STATES = registration("PartnerWebhookStates", "partnerWebhookStates", [
  "states",
  "others",
  "stateOnDestroy",
]);
export const PARTNER_WEBHOOKS = registration("PartnerWebhooks", "partnerWebhooks", [], "getPartnerWebhooks");

/** A function of the native plugin. */
export interface FunctionRegistration<Name extends string = string> {
  readonly nativeToken: string;
  /** The name of what performs it. */
  readonly handlers: Name;
  /** The names of the arguments. */
  readonly inputs: readonly string[];
}

/** In the form for dynamic resources, the program searches what {@link PARTNER_WEBHOOKS} reads. */
export const PARTNER_WEBHOOK: FunctionRegistration<"partnerWebhook"> = {
  nativeToken: "partners:index:getPartnerWebhook",
  handlers: "partnerWebhook",
  inputs: ["url", "name"],
};

/**
 * What happens to a webhook that is no longer managed: `"leave"` keeps its current state, `"restore"` sets
 * the state in which it was first found, and `"active"` or `"disabled"` sets that state.
 */
export type StateOnDestroy = "leave" | "restore" | WebhookState;

/**
 * What happens to webhooks that the program does not name: `"leave"` keeps their states, and `"active"` or
 * `"disabled"` sets that state.
 */
export type OtherWebhooks = "leave" | WebhookState;

/** The resources that a program declares. */
export const RESOURCES = [PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES] as const;

/** The functions that a program calls. */
export const FUNCTIONS: readonly FunctionRegistration<"partnerWebhooks" | "partnerWebhook">[] = [
  PARTNER_WEBHOOKS,
  PARTNER_WEBHOOK,
];

function registration<Handlers extends string>(
  name: string,
  handlers: Handlers,
  inputs: readonly string[],
  nativeName = name,
): Registration<Handlers> {
  return {
    type: `pulumi-nodejs:dynamic/partners:${name}`,
    nativeToken: `partners:index:${nativeName}`,
    __provider: `exports.handler=()=>require("pulumi-partners/plugin").${handlers}`,
    handlers,
    inputs,
  };
}

/** The secret outputs of `PartnerApiKey`. `internal` holds the responses to earlier creations. */
export const SECRET_OUTPUTS: readonly string[] = ["apiKey", "response", "previousApiKey", "internal"];
