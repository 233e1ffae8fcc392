import type { PluginProcess } from "../plugin/plugin-process.js";
import type { ResourceName } from "../plugin/properties.js";
import { readApiKey, type KeyReading } from "./key-reader.js";
import { bodyOf, type Key, type UnfinishedCreation } from "./key-state.js";

/** What this process knows of keys. The engine runs one process for each of its operations on an account. */
export interface KnownKeys {
  /** Keys in the states that this process has seen, with their resources: a service may return one again. */
  readonly seenIn: Map<string, ResourceName>;
  /** Keys that this process has created, with their resources. */
  readonly createdFor: Map<string, ResourceName>;
  /** Keys whose deletion may have taken effect, so a 404 is expected. */
  readonly deletions: Set<string>;
  /** The URNs of resources without a key, whose creation has failed in this process. */
  readonly urnsWithoutKey: Set<string>;
}

/** A resource whose keys change, and what it needs for that. */
export interface KeyContext {
  readonly plugin: PluginProcess;
  readonly known: KnownKeys;
  readonly name: ResourceName;
}

/** Reads the response to a creation, with the mapping of today. One that was lost or cut off has no key. */
export function readCreatedKey(
  plugin: PluginProcess,
  { at, response }: UnfinishedCreation,
): { readonly key: Key | null; readonly candidates: KeyReading["candidates"] } {
  if (response === null || response.isCutOff) return { key: null, candidates: null };
  const { responses, accessToken } = plugin.readSettings();
  const { apiKey, candidates } = readApiKey(bodyOf(response), responses, accessToken);
  return { key: apiKey === null ? null : { apiKey, createdAt: at, response }, candidates };
}
