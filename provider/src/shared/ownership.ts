import type { Properties } from "./properties.js";
import type { PluginProcess } from "./plugin-process.js";
import { ResourceError, type Notice } from "./problems.js";

/**
 * A resource is touched only with the settings of its account and its server. With other settings, a key
 * would not be found and would be dropped from the state, and an unrelated webhook with the same ID would be
 * changed. The outputs `account` and `server` record both.
 */

/** Returns an error if the outputs or inputs of a resource are of another account than the configured one. */
export function otherAccount(plugin: PluginProcess, { account: owner }: Properties): ResourceError | null {
  const { account: present } = plugin;
  const isOther = typeof owner === "string" && owner !== present;
  return isOther ? new ResourceError({ kind: "otherAccount", owner, present }) : null;
}

/** Returns what to say if the outputs of a resource record another server than the configured one. */
export function otherServer(
  plugin: PluginProcess,
  { server: owner }: Properties,
): Extract<Notice, { kind: "moved" | "otherServer" }> | null {
  const { servers } = plugin.readSettings();
  const [present] = servers;
  if (typeof owner !== "string" || owner === present) return null;
  return { kind: servers.includes(owner) ? "moved" : "otherServer", owner, present };
}

/** @throws {ResourceError} unless a resource is of the configured account and server. */
export function assertOwned(plugin: PluginProcess, outputs: Properties): void {
  const account = otherAccount(plugin, outputs);
  if (account) throw account;
  const server = otherServer(plugin, outputs);
  if (server?.kind === "otherServer") throw new ResourceError(server);
}
