/**
 * A Partner API on loopback, for demos and for testing programs without an account.
 * @packageDocumentation
 */
import { runSandbox, type Sandbox, type SandboxOptions } from "./running-sandbox.js";

export type { Operation, WebhookState } from "../api/operations.js";
export type { LoggedRequest, Sandbox, SandboxOptions, WebhookSeed } from "./running-sandbox.js";

/**
 * Starts a Partner API on loopback. It holds one account in memory until you close it.
 *
 * @param options What the account holds and where to listen. By default, there are three webhooks, no API key, and any
 * free port.
 * @returns the sandbox, listening on 127.0.0.1.
 * @throws {Error} if the port cannot be used, or if two webhooks have the same id.
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
