import type { AccountSession } from "../account/account-session.js";
import type { ResourceName } from "../adapter/properties.js";
import { identifiersOf, type KeyIdentifier } from "./key-identifier-reader.js";
import { bodyOf, includesKey, type Key, type KeyState } from "./key-state.js";

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
  readonly #session: AccountSession;
  readonly #holders = new Map<string, Holder>();
  readonly #urnsWithoutKey = new Set<string>();

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /** Records the keys that a resource has in the state. @param isLeaving Whether it is being replaced. */
  record({ id, urn }: ResourceName, { current, previous }: KeyState, isLeaving = false): void {
    const keys = [current, previous].filter((key) => key !== null);
    this.#holders.set(`${urn} ${id}`, { id, urn, keys, isLeaving });
  }

  /** Records what a creation or an update has reached. */
  recordResult(name: ResourceName, state: KeyState): void {
    this.record(name, state);
    if (state.current === null) this.#urnsWithoutKey.add(name.urn);
    else this.#urnsWithoutKey.delete(name.urn);
  }

  /** Returns the other resources. */
  othersThan(name: ResourceName): Holder[] {
    return [...this.#holders.values()].filter((holder) => !isNamed(holder, name));
  }

  /**
   * Returns the URN of the resource that has a key already; `null` if the key is new. It is the URN of `name`
   * if that resource has the key in its state, or replaces the one that has it.
   */
  holderOf(key: Key, name: ResourceName, { current, previous }: KeyState): string | null {
    if ([current, previous].some((own) => own?.apiKey === key.apiKey)) return name.urn;
    return this.othersThan(name).find(({ keys }) => includesKey(keys, key))?.urn ?? null;
  }

  /** Whether another resource takes the place of this one, as far as this process has seen. */
  isReplaced(name: ResourceName): boolean {
    const isLeaving = [...this.#holders.values()].some((each) => isNamed(each, name) && each.isLeaving);
    return isLeaving || (name.urn !== "" && this.othersThan(name).some(({ urn }) => urn === name.urn));
  }

  /**
   * Whether a resource with this URN failed to get a key. Without a URN, as at a deletion in the dynamic
   * host, whether any resource did.
   */
  isWithoutKey(urn: string): boolean {
    return urn === "" ? this.#urnsWithoutKey.size > 0 : this.#urnsWithoutKey.has(urn);
  }

  /** Returns what may identify a key to the service, in the order to try. */
  identifiersOf({ apiKey, response, storedAs }: Key): KeyIdentifier[] {
    const { responses } = this.#session.readSettings();
    const identifiers = identifiersOf(response && bodyOf(response), apiKey, responses);
    // Today's setting may be the wrong one.
    return storedAs === undefined ? identifiers : [...identifiers, { value: storedAs, pointer: null }];
  }
}

/**
 * Whether a name is that of a holder. The ID decides: an alias changes the URN. But two imports may have one
 * `env:` ID, so that their URNs decide, if the host knows the one of the name.
 */
function isNamed(holder: Holder, { id, urn }: ResourceName): boolean {
  if (holder.id !== id) return false;
  const isImport = id.startsWith("env:");
  return !isImport || urn === "" || urn === holder.urn;
}
