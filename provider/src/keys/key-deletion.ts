import { PartnerError, RequestError, type RequestFailure } from "../api/errors.js";
import { responseText } from "../responses/creation-reader.js";
import { idsBesideKey, readApiKeyId } from "../responses/key-ids.js";
import { lookalikesBeside } from "../responses/key-reader.js";
import { ResourceError, type DeletionDoubt } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { KeyResource } from "./key-holders.js";
import type { KeyState } from "./key-state.js";
import { goneName, type KeyName } from "./key-name.js";
import {
  deletionTarget,
  nameOfCreated,
  nameOfKey,
  namesOf,
  rereadKey,
  targetNames,
  tokenMark,
  type DeletionTarget,
  type StoredKey,
} from "./stored-key.js";

/** Milliseconds after a creation during which a replica of the service may not know the key yet. */
const REPLICA_LAG = 120_000;

/**
 * Deletes a key of a resource, unless another resource of this run has the same key, or a key with the same
 * ID: then a warning says so.
 *
 * @throws {PartnerError} unless the key is certainly gone, or a person says so.
 */
export async function deleteKey(plugin: PluginProcess, resource: KeyResource, key: StoredKey): Promise<void> {
  const settings = plugin.readSettings();
  const stored = rereadKey(key, settings) ?? key;
  const target = deletionTarget(stored, settings);
  const name = nameOfKey(stored);
  if (target === null) {
    if (!isDeclaredGone(plugin, name)) throw new ResourceError({ kind: "keyIdMissing", name });
    plugin.warn({ kind: "keyWasGone", name, why: "declared" });
    return;
  }
  if (plugin.deletedKeys.deletionOf(target.parameter) !== "certain") {
    const holder = plugin.keyHolders.otherHolder(resource, targetNames(target));
    if (holder?.isShown) throw new ResourceError({ kind: "keyShown", name, urn: holder.urn });
    if (holder) {
      plugin.warn({ kind: "keyKept", name, urn: holder.urn, same: holder.same });
      return;
    }
  }
  if (target.by === "imported") plugin.warn({ kind: "importedByValue", name });
  await plugin.deletedKeys.deleteOnce(target.parameter, async () => {
    await sendDeletion(plugin, stored, target);
    plugin.keyHolders.recordDeletion(targetNames(target));
  });
  if (plugin.keyHolders.wasDeleted([target.apiKey])) return;
  // Another key with the same ID was deleted.
  plugin.warn({ kind: "keyWasGone", name, why: "sameId" });
  plugin.keyHolders.recordDeletion(targetNames(target));
}

/** Whether this process has deleted a key. */
export function isDeleted(plugin: PluginProcess, key: StoredKey): boolean {
  const parameter = namesOf(key, plugin.readSettings()).at(-1) ?? "";
  return plugin.deletedKeys.deletionOf(parameter) === "certain";
}

/** Whether a person says that a key is gone: see `PluginProcess.goneKeys`. */
function isDeclaredGone({ goneKeys }: PluginProcess, key: KeyName): boolean {
  const name = goneName(key);
  return name !== null && goneKeys.has(name);
}

/**
 * Returns a state without the lost creation and the unread key that a person says are gone: see
 * `PluginProcess.goneKeys`.
 */
export function withoutGoneKeys(plugin: PluginProcess, state: KeyState): KeyState {
  const { lostCreationAt, unread } = state;
  const isLostGone = isDeclaredGone(plugin, { fingerprint: null, createdAt: lostCreationAt });
  const isUnreadGone = unread !== null && isDeclaredGone(plugin, nameOfCreated(unread));
  if (!isLostGone && !isUnreadGone) return state;
  const name =
    isLostGone || unread === null ? { fingerprint: null, createdAt: lostCreationAt } : nameOfCreated(unread);
  plugin.warn({ kind: "keyWasGone", name, why: "declared" });
  return {
    ...state,
    lostCreationAt: isLostGone ? null : lostCreationAt,
    unread: isUnreadGone ? null : unread,
  };
}

/**
 * Sends a deletion, and judges the response. 410 proves that the key is gone. 404 proves it only if nothing
 * suggests another cause: see {@link doubtsAbout}.
 */
async function sendDeletion(plugin: PluginProcess, key: StoredKey, target: DeletionTarget): Promise<void> {
  const { deletedKeys } = plugin;
  const { client } = await plugin.open();
  const { apiKey, parameter } = target;
  const name = nameOfKey(key);
  // A wrong clock must not make a new key old.
  const isNew = (): boolean =>
    [plugin.currentTime(), plugin.agreedTime()].some(
      (now) => now - Date.parse(key.createdAt ?? "") < REPLICA_LAG,
    );
  try {
    await client.deleteApiKey(parameter, apiKey, isNew());
    deletedKeys.accepted.add(target.by);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { status, failure } = error;
    if (failure.effect === "possible") deletedKeys.recordPossibleDeletion(parameter);
    const repeated = deletedKeys.deletionOf(parameter) !== "none";
    if (isRefusal(failure) && isDeclaredGone(plugin, name)) {
      plugin.warn({ kind: "keyWasGone", name, why: "declared" });
      return;
    }
    // What an earlier attempt may have done is said once: with the error of the last one.
    const effect = repeated ? "possible" : failure.effect;
    if (status !== 404 && status !== 410)
      throw new RequestError({ ...failure, effect, goneName: isRefusal(failure) ? goneName(name) : null });
    if (plugin.keyHolders.wasDeleted(targetNames(target))) return;
    if (status === 404) {
      await assertReadable(plugin, name);
      // Only now, the service's time is certainly known.
      const doubts = doubtsAbout(plugin, key, target, isNew());
      if (doubts.length > 0) throw new ResourceError({ kind: "deletionUnclear", name, doubts });
    }
    plugin.warn({ kind: "keyWasGone", name, why: repeated ? "repeated" : "gone" });
  }
}

/** Whether the service refused a deletion for a reason that may be that the key is already gone. */
function isRefusal({ cause }: RequestFailure): boolean {
  if (cause.kind === "status") return cause.status !== 401;
  return cause.kind === "reportedFailure";
}

/** Returns why the service may not have found a key that still exists. */
function doubtsAbout(
  plugin: PluginProcess,
  { apiKey, response, token, foundBy }: StoredKey,
  { by, parameter }: DeletionTarget,
  isNew: boolean,
): DeletionDoubt[] {
  const doubts: DeletionDoubt[] = [];
  const { identity, accessToken } = plugin.readSettings();
  if (token !== null && token !== tokenMark(identity)) doubts.push({ kind: "otherToken" });
  const text = response === null ? "" : responseText(response);
  const others = foundBy === null ? null : lookalikesBeside(text, apiKey, accessToken, () => false);
  if (others !== null && others.length > 0 && by === "value" && !plugin.deletedKeys.accepted.has(by))
    doubts.push({ kind: "otherValue", pointers: others });
  const idAt = (pointer: string): string | null => readApiKeyId(text, { apiKeyId: pointer });
  const pointers = idsBesideKey(text).filter((pointer) => idAt(pointer) !== parameter);
  if (pointers.length > 0 && !plugin.deletedKeys.accepted.has(by))
    doubts.push({ kind: "byId", pointers, isOther: by === "id" });
  if (by === "imported" && !plugin.deletedKeys.accepted.has(by)) doubts.push({ kind: "idUnknown" });
  if (isNew) doubts.push({ kind: "new" });
  return doubts;
}

/** @throws {ResourceError} if the webhook list cannot be read: then the address may be wrong. */
async function assertReadable(plugin: PluginProcess, name: KeyName): Promise<void> {
  const { webhooks } = await plugin.open();
  try {
    await webhooks.list();
  } catch (listError) {
    if (!(listError instanceof PartnerError)) throw listError;
    throw new ResourceError({ kind: "deletionUnclear", name, doubts: [{ kind: "noList", listError }] });
  }
}
