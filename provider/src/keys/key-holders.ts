import type { AccountSession } from "../account/account-session.js";
import type { ResourceName } from "../adapter/properties.js";
import { includesKey, valuesOf, type Key, type KeyState } from "./key-state.js";

/** A resource that has keys. */
interface Holder extends ResourceName {
  readonly keys: readonly Key[];
  /** Whether it is being replaced, so that it no longer needs its keys. */
  readonly isLeaving: boolean;
}

/** A resource that has keys, and what its process knows. */
export interface KeyContext {
  readonly session: AccountSession;
  readonly holders: KeyHolders;
  readonly name: ResourceName;
}

/**
 * Remembers which resource of this process has which key. Two may have the same one, after an import or if
 * the service returns a key again: then, it is deleted with the last of them.
 *
 * `adopt` records nothing, because a `get` must not keep a key. What is imported is recorded by `plan`: the
 * engine compares it with the program before it deletes anything.
 */
export class KeyHolders {
  /** By URN and ID. */
  readonly #holders = new Map<string, Holder>();
  readonly #urnsWithoutKey = new Set<string>();
  /** The keys whose responses are known, by value. */
  readonly #created = new Map<string, Key>();
  /** The values of the keys that are gone, and whether this process has deleted them. */
  readonly #gone = new Map<string, boolean>();

  /** Records the keys that a resource has in the state. @param isLeaving Whether it is being replaced. */
  record({ id, urn }: ResourceName, { current, previous }: KeyState, isLeaving = false): void {
    const keys = [current, previous].filter((key) => key !== null);
    for (const key of keys) if (key.response !== null) this.#created.set(key.apiKey, key);
    this.#holders.set(`${urn} ${id}`, { id, urn, keys, isLeaving });
  }

  /** Records what a creation or an update has reached. */
  recordResult(name: ResourceName, state: KeyState): void {
    this.record(name, state);
    if (state.current === null) this.#urnsWithoutKey.add(name.urn);
    else this.#urnsWithoutKey.delete(name.urn);
  }

  /** Returns a key with the response to its creation, if one is known: an imported copy has none. */
  withResponse(key: Key): Key {
    return key.response === null ? (this.#created.get(key.apiKey) ?? key) : key;
  }

  /** Lets a resource leave a key to the others that have it: the last one deletes it. */
  leave(name: ResourceName, key: Key): void {
    this.#forget(key, (holder) => isSameResource(holder, name));
  }

  /** Records that nobody has a key any more. @param isDeleted Whether this process deleted it. */
  markGone(key: Key, isDeleted: boolean): void {
    for (const value of valuesOf(key)) this.#gone.set(value, isDeleted);
    this.#forget(key, () => true);
  }

  /** Whether this process has deleted a key. One that was not found may still be deleted by another value. */
  hasDeleted(key: Key): boolean {
    return valuesOf(key).some((value) => this.#gone.get(value) === true);
  }

  /** Records that the service has returned a key. @returns whether it was gone in this process. */
  markCreated(key: Key): boolean {
    return valuesOf(key).filter((value) => this.#gone.delete(value)).length > 0;
  }

  /** Returns the other resources that go on using their keys. */
  othersThatStay(name: ResourceName): Holder[] {
    return this.#othersThan(name).filter(({ isLeaving }) => !isLeaving);
  }

  /**
   * Returns the URN of the resource that has a key already; `null` if the key is new. It is the URN of `name`
   * if that resource has the key in its state, or replaces the one that has it.
   */
  holderOf(key: Key, name: ResourceName, { current, previous }: KeyState): string | null {
    if ([current, previous].some((own) => own?.apiKey === key.apiKey)) return name.urn;
    return this.#othersThan(name).find(({ keys }) => includesKey(keys, key))?.urn ?? null;
  }

  /** Whether another resource takes the place of this one, as far as this process has seen. */
  isReplaced(name: ResourceName): boolean {
    // Before its replacement is created, `plan` has said so.
    const isLeaving = [...this.#holders.values()].some(
      (holder) => holder.isLeaving && isSameResource(holder, name),
    );
    // For `--replace`, the engine asks for no plan, but the replacement has the same URN.
    return isLeaving || (name.urn !== "" && this.#othersThan(name).some(({ urn }) => urn === name.urn));
  }

  /**
   * Whether a resource with this URN failed to get a key. Without a URN, as at a deletion in the dynamic
   * host, whether any resource did.
   */
  isWithoutKey(urn: string): boolean {
    return urn === "" ? this.#urnsWithoutKey.size > 0 : this.#urnsWithoutKey.has(urn);
  }

  #forget(key: Key, isMeant: (holder: Holder) => boolean): void {
    for (const [index, holder] of this.#holders)
      if (isMeant(holder))
        this.#holders.set(index, { ...holder, keys: holder.keys.filter((own) => !includesKey([own], key)) });
  }

  #othersThan(name: ResourceName): Holder[] {
    return [...this.#holders.values()].filter((holder) => !isSameResource(holder, name));
  }
}

/**
 * Whether a holder is the resource of this name. The ID decides, because an alias changes the URN. Only the
 * ID of an import, such as `env:OLD_KEY`, may be that of several resources: then, the URN decides, if the
 * host knows it.
 */
function isSameResource(holder: Holder, { id, urn }: ResourceName): boolean {
  if (holder.id !== id) return false;
  const isShared = id.startsWith("env:") && urn !== "";
  return !isShared || holder.urn === urn;
}
