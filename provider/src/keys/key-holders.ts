import { createHash, createHmac } from "node:crypto";

import { responseText } from "../responses/creation-reader.js";
import { notShared, type Journal } from "../shared/journal.js";
import type { ResourceName } from "../shared/properties.js";
import type { Notice } from "../shared/problems.js";
import type { KeyState } from "./key-state.js";
import { namesOf, type KeyReadingSettings, type StoredKey } from "./stored-key.js";

/**
 * A resource. Only its ID tells it apart from the one that it replaces, which has the same URN.
 */
export type KeyResource = ResourceName;

/**
 * Names by which one key can be deleted: its value, and the ID that is sent in its place. Secret. `shown`:
 * the resource only shows the key of the resource that it replaces, which is the one to delete it.
 */
export interface HeldKey {
  readonly names: readonly string[];
  /** The response to its creation, hashed as the names are; `null` for an imported key. */
  readonly response: string | null;
  readonly isShown: boolean;
}

/** Another resource that has a key. */
export interface KeyHolder {
  readonly id: string;
  readonly urn: string;
  /** `id`: it has another key with the same ID. */
  readonly same: "key" | "id";
  /** As of {@link HeldKey}, hashed. */
  readonly response: string | null;
  readonly isShown: boolean;
}

/** What one process tells the others about the keys of a resource. All names of keys are hashed. */
export interface KeyEntry extends KeyResource {
  /**
   * `leaving`: the resource is being deleted, so that it no longer protects its keys. `deleted`: no resource,
   * but keys that were deleted.
   */
  readonly status: "present" | "leaving" | "deleted";
  readonly keys: readonly HeldKey[];
}

/** What {@link KeyHolders} needs to know about its process. */
export interface HoldersOwner {
  /**
   * `identity` is secret. IDs count only among processes with the same token and headers: in two accounts,
   * two keys can have the same ID. An account can have several tokens, so values count always.
   */
  readSettings(): { readonly identity: string };
  warn(notice: Notice): void;
}

/**
 * Knows which resources have which keys, as far as this run has seen. A service can return one key for two
 * creations, or one ID for two keys: deleting the key of one resource would then delete that of another.
 */
export class KeyHolders {
  readonly #entries = new Map<string, KeyEntry>();
  readonly #journal: Journal<KeyEntry> | null;
  readonly #owner: HoldersOwner;

  /** @param journal `null` if this is the only process of the run. */
  constructor(journal: Journal<KeyEntry> | null, owner: HoldersOwner) {
    this.#journal = journal;
    this.#owner = owner;
  }

  /** Records the keys of a resource, in place of those that were recorded before. */
  record(resource: KeyResource, keys: readonly HeldKey[]): void {
    this.#add({ ...resource, status: "present", keys: keys.map((key) => this.#hashed(key)) });
  }

  /** Records that a resource is being deleted. Its keys are still known as deleted by it. */
  leave({ id, urn }: KeyResource, keys: readonly HeldKey[]): void {
    this.#add({ id, urn, status: "leaving", keys: keys.map((key) => this.#hashed(key)) });
  }

  /** Records that a key was deleted. @param names As of {@link HeldKey}. */
  recordDeletion(names: readonly string[]): void {
    const key = this.#hashed({ names, response: null, isShown: false });
    this.#add({ id: `deleted ${key.names.join()}`, urn: "", status: "deleted", keys: [key] });
  }

  /** Forgets the deletion of a key that the service has returned again. */
  forgetDeletion(names: readonly string[]): void {
    for (let found = this.#find("", names, "deleted"); found; found = this.#find("", names, "deleted"))
      this.#entries.delete(found.id);
  }

  /** Whether this run has deleted a key, or another one with the same ID. */
  wasDeleted(names: readonly string[]): boolean {
    return this.#find("", names, "deleted") !== null;
  }

  /** Returns another resource that has a key, or another key with the same ID; `null` if there is none. */
  otherHolder({ id }: KeyResource, names: readonly string[]): KeyHolder | null {
    return this.#find(id, names, "present");
  }

  /** Returns another resource that has a key, and is being deleted; `null` if there is none. */
  leavingHolder({ id }: KeyResource, names: readonly string[]): KeyHolder | null {
    return this.#find(id, names, "leaving");
  }

  #find(id: string, names: readonly string[], status: KeyEntry["status"]): KeyHolder | null {
    this.#readOthers();
    const [value, ...rest] = this.#hashes(names);
    const holders = [...this.#entries.values()]
      .filter((entry) => entry.id !== id && entry.status === status)
      .flatMap(({ id: holderId, urn, keys }) =>
        keys
          .filter((key) => key.names.some((name) => name === value || rest.includes(name)))
          .map((key) => ({
            id: holderId,
            urn,
            same: key.names[0] === value ? ("key" as const) : ("id" as const),
            isShown: key.isShown,
            response: key.response,
          })),
      );
    return holders.find(({ isShown }) => !isShown) ?? holders[0] ?? null;
  }

  #add(entry: KeyEntry): void {
    this.#readOthers(); // What others said earlier must not replace it.
    this.#entries.set(entry.id, entry);
    if (this.#journal?.append(entry) === false) this.#owner.warn(notShared(this.#journal));
  }

  #readOthers(): void {
    for (const entry of this.#journal?.readOthers() ?? []) this.#entries.set(entry.id, entry);
  }

  /** Hashes a secret as all processes with the same token and headers do. */
  hash(secret: string): string {
    return createHmac("sha256", this.#owner.readSettings().identity).update(secret).digest("base64url");
  }

  #hashed({ names, response, isShown }: HeldKey): HeldKey {
    return { names: this.#hashes(names), response: response === null ? null : this.hash(response), isShown };
  }

  /** Hashes the names of a key. The first hash is that of its value, which all processes understand. */
  #hashes(names: readonly string[]): string[] {
    const hashes = names.map((name) => this.hash(name));
    // Nothing but the entries of one run, in files that only this user can read, has this hash.
    const value = createHash("sha256")
      .update(names[0] ?? "")
      .digest("base64url");
    return [value, ...hashes];
  }
}

/** Returns the keys that a resource has according to its state. */
export function heldKeys({ current, previous, replaced }: KeyState, settings: KeyReadingSettings): HeldKey[] {
  const held = (key: StoredKey | null, isShown: boolean): HeldKey[] =>
    key
      ? [{ names: namesOf(key, settings), response: key.response && responseText(key.response), isShown }]
      : [];
  return [...held(current, false), ...held(previous, false), ...held(replaced, true)];
}
