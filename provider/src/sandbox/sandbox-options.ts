import {
  isState,
  isVisibleAscii,
  isWebhookId,
  type Operation,
  type WebhookState,
} from "../api/operations.js";
import { KEY_KINDS, type KeyKind } from "./api-keys.js";
import { PAGE_STYLES, type PageStyle } from "./pages.js";

/** A webhook at the start. */
export interface WebhookSeed {
  /** A positive whole number. */
  readonly webhookId: number;
  /** The initial state. */
  readonly state: WebhookState;
}

/**
 * A request that the sandbox received. `path` and `headers` contain keys and tokens.
 */
export interface LoggedRequest {
  /** `null` for any other request. */
  readonly operation: Operation | null;
  /** The HTTP method. */
  readonly method: string;
  /** The path as sent, with the query. */
  readonly path: string;
  /** The HTTP status of the response; `null` until the sandbox responds. */
  readonly status: number | null;
  /** With lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Options of {@link startSandbox}. All are optional. */
export interface SandboxOptions {
  /**
   * The port on 127.0.0.1; 0 is any free port.
   * @default 0
   */
  readonly port?: number;
  /**
   * The access token that every request must have.
   * @default a random token
   */
  readonly accessToken?: string;
  /**
   * The webhooks at the start: their states by ID, as in `{ 101: "active" }`, or a list.
   * @default 101 and 102 active, 103 disabled
   */
  readonly webhooks?: Readonly<Record<string, WebhookState>> | readonly WebhookSeed[];
  /**
   * The API keys at the start.
   * @default []
   */
  readonly apiKeys?: readonly string[];
  /**
   * What the service does with API keys.
   * @default "new"
   */
  readonly keys?: KeyKind;
  /**
   * Access tokens of further accounts, each with its own keys and its own copy of `webhooks`.
   * @default []
   */
  readonly otherAccounts?: readonly string[];
  /**
   * The maximum number of webhooks on one page of the list.
   * @default no pages
   */
  readonly pageSize?: number;
  /**
   * How the list leads to its next page: `npx --no pulumi-partners sandbox --help` explains each style.
   * @default "link"
   */
  readonly pageStyle?: PageStyle;
  /**
   * Milliseconds between the effect of a request and its response.
   * @default 0
   */
  readonly delay?: number;
  /**
   * Called with each request after its end.
   * @default none
   */
  readonly onRequest?: (request: LoggedRequest) => void;
}

const DEFAULT_WEBHOOKS: readonly WebhookSeed[] = [
  { webhookId: 101, state: "active" },
  { webhookId: 102, state: "active" },
  { webhookId: 103, state: "disabled" },
];

/** For each option, what a value must be, and whether one is. */
const RULES: Readonly<Record<keyof SandboxOptions, [rule: string, isValid: (value: unknown) => boolean]>> = {
  port: [
    "a whole number from 0 to 65535",
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536,
  ],
  accessToken: ["letters, digits and punctuation, without spaces", (value) => isVisibleAscii(value)],
  webhooks: [
    'an object such as { 101: "active" }, or a list such as [{ webhookId: 101, state: "active" }]',
    (value) => (Array.isArray(value) ? value.every(isObject) : isObject(value)),
  ],
  apiKeys: [
    "an array of texts",
    (value) => Array.isArray(value) && value.every((key) => typeof key === "string"),
  ],
  keys: [`one of: ${KEY_KINDS.join(", ")}`, (value) => KEY_KINDS.some((kind) => kind === value)],
  otherAccounts: [
    "an array of access tokens",
    (value) => Array.isArray(value) && value.every((token) => isVisibleAscii(token)),
  ],
  pageSize: ["a whole number, at least 1", (value) => Number.isInteger(value) && Number(value) >= 1],
  pageStyle: [`one of: ${PAGE_STYLES.join(", ")}`, (value) => PAGE_STYLES.some((style) => style === value)],
  delay: [
    "a whole number of milliseconds from 0 to 600000",
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 600_000,
  ],
  onRequest: ["a function", (value) => typeof value === "function"],
};

/** Checks options, which a JavaScript program may get wrong. @throws {Error} with a sentence. */
export function assertOptions(options: unknown): void {
  const names = Object.keys(RULES);
  if (!isObject(options))
    throw new Error(`startSandbox needs its options as an object: ${names.join(", ")}.`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `startSandbox has no option ${JSON.stringify(unknown)}. Valid options: ${names.join(", ")}.`,
    );
  for (const [name, [rule, isValid]] of Object.entries(RULES)) {
    const value = options[name];
    if (value !== undefined && !isValid(value)) throw new Error(`${name} must be ${rule}.`);
  }
}

/** Returns webhooks as a list. */
export function seedsOf(webhooks: SandboxOptions["webhooks"] = DEFAULT_WEBHOOKS): readonly WebhookSeed[] {
  if (isList(webhooks)) return webhooks;
  return Object.entries(webhooks).map(([id, state]) => ({
    webhookId: isWebhookId(id) ? Number(id) : NaN,
    state,
  }));
}

/** Checks a webhook. @throws {Error} with a sentence. */
export function assertWebhook(webhookId: unknown, state: unknown): void {
  if (!Number.isSafeInteger(webhookId) || Number(webhookId) < 1)
    throw new Error("A webhook ID must be a positive whole number.");
  if (!isState(state))
    throw new Error(`The state of webhook ${String(webhookId)} must be "active" or "disabled".`);
}

/** `Array.isArray` does not tell a read-only list from an object. */
function isList(webhooks: NonNullable<SandboxOptions["webhooks"]>): webhooks is readonly WebhookSeed[] {
  return Array.isArray(webhooks);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
