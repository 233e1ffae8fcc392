import { ConfigurationError } from "../api/errors.js";
import type { PartnerClient } from "../api/partner-client.js";
import { asArguments } from "./setting-advice.js";
import { accountName, isExplicit, type ConfigSource } from "./setting-lookup.js";
import { readSettings, type Settings } from "./settings.js";
import { stopSignal, stopWith } from "./lifetime.js";
import { WebhookRegistry } from "./webhook-list.js";

/** What the handlers of one process share: the host runs one process for each provider instance and engine operation. */
export interface Session {
  readonly settings: Settings;
  readonly client: PartnerClient;
  readonly webhooks: WebhookRegistry;
}

let source: ConfigSource = { get: () => undefined };
let opening: Promise<Session> | null = null;

/**
 * Stores where settings come from. Synchronous, and without anything that could throw: the host hands out a provider
 * whose `configure` is still under way, or has failed, as if it were ready. It is called once for each kind of resource,
 * always with the same settings, so a session that is open stays open.
 */
export function configureSession(config: ConfigSource): void {
  source = config;
}

/** The name of the account that this process works for. */
export function account(): string {
  return accountName(source);
}

/** Words advice so that it names the settings where this process has them from: stack configuration, or a `Provider`. */
export function inOwnTerms(advice: string): string {
  return isExplicit(source) ? asArguments(advice) : advice;
}

/** Checks the settings without opening anything. @throws {ConfigurationError} naming all that is missing or wrong. */
export function checkSettings(): Settings {
  assertNodeVersion(process.versions.node);
  return readSettings(source, process.env);
}

/** Opens the session at the first use. @throws {ConfigurationError} */
export function openSession(): Promise<Session> {
  opening ??= open();
  return opening;
}

async function open(): Promise<Session> {
  const settings = checkSettings();
  // Loaded late: undici fails to load on a Node that is too old, and a process that only diffs needs none of it.
  const { createClient } = await import("../api/client.js");
  const debug = process.env["PARTNERS_DEBUG"] === "1" && { log: logToStderr };
  const client = createClient({ ...settings, ...debug, signal: stopSignal });
  stopWith(client);
  return { settings, client, webhooks: new WebhookRegistry(client) };
}

/** The address that a session works with, as it can be kept in state and compared. */
export function serverOf({ settings }: Session): string {
  return settings.baseUrl.origin + settings.baseUrl.prefix;
}

function logToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What undici 8 asks for in its package.json. */
const OLDEST_NODE = [22, 19] as const;

/** @throws {ConfigurationError} if this Node cannot run undici. */
export function assertNodeVersion(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new ConfigurationError(
    `Node ${version} is too old for this provider, so nothing was sent`,
    `Install Node ${OLDEST_NODE.join(".")} or newer, and make sure that "node" on the PATH of the Pulumi CLI is that one.`,
  );
}
