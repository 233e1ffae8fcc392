import type { PluginProcess } from "../plugin/plugin-process.js";
import type { ResourceName } from "../plugin/properties.js";
import { readApiKey, type KeyReading } from "./key-reader.js";
import { bodyOf, type Key, type UnfinishedCreation } from "./key-state.js";

/** What this process knows of keys. The engine runs one process for each of its operations on an account. */
export interface KnownKeys {
  /** The resources in whose state a key is, or was, by the key: a service may return the same one again. */
  readonly holders: Map<string, ResourceName>;
  /** The resources for which this process has created a key, by the key. */
  readonly created: Map<string, ResourceName>;
  /** The keys whose deletion may have arrived, so that a 404 is its effect. */
  readonly deletions: Set<string>;
  /** The URNs of resources without a key, whose creation has failed in this process. */
  readonly keyless: Set<string>;
}

/** The resource whose keys change. */
export interface KeyOwner {
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
