/**
 * A Partner API on your machine, to try things out and to test programs without an account.
 * @packageDocumentation
 */
import { runSandbox, type Sandbox, type SandboxOptions } from "./running-sandbox.js";

export type { Operation, WebhookState } from "../api/operations.js";
export type { LoggedRequest, Sandbox, SandboxOptions, WebhookSeed } from "./running-sandbox.js";

/**
 * Starts a Partner API on 127.0.0.1. It keeps one account in memory until you close it.
 *
 * @param options The contents of the account and the port. By default, the account has three webhooks and no API keys, and
 * the sandbox listens on any free port.
 * @returns The running sandbox.
 * @throws {Error} if the port cannot be used, or if two webhooks have the same ID.
 * @example
 * ```ts
 * await using sandbox = await startSandbox({ webhooks: [{ webhookId: 7, state: "active" }] });
 * process.env.PARTNERS_BASE_URL = sandbox.url;
 * process.env.PARTNERS_ACCESS_TOKEN = sandbox.accessToken;
 * ```
 */
export function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return runSandbox(options);
}
