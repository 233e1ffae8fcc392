import { randomBytes } from "node:crypto";

/**
 * What a service does with API keys:
 *
 * - `new`: each creation returns another key.
 * - `same`: a creation returns the key that exists, if there is one.
 * - `oneRecord`: each creation replaces the key, and keeps its ID.
 * - `byId`: a key is deleted by its ID; a deletion by the key itself gets a 404.
 * - `refused`: a creation gets a 201 that reports a failure, and creates nothing.
 */
export type KeyKind = "new" | "same" | "oneRecord" | "byId" | "refused";

/** All of them. */
export const KEY_KINDS: readonly KeyKind[] = ["new", "same", "oneRecord", "byId", "refused"];

/** The valid API keys of one account. */
export class ApiKeys {
  readonly #kind: KeyKind;
  readonly #generate: () => string;
  /** Oldest first. */
  readonly #valuesById = new Map<string, string>();
  /** The ID of every key of the kind `oneRecord`. */
  readonly #recordId = generateId();

  /** @param initial The keys that exist at the start. */
  constructor(kind: KeyKind, generate: () => string, initial: Iterable<string> = []) {
    this.#kind = kind;
    this.#generate = generate;
    for (const value of new Set(initial)) this.#add(value);
  }

  /** The valid keys, oldest first. */
  get values(): string[] {
    return [...this.#valuesById.values()];
  }

  /** Creates a key, if the kind allows it. @returns The body of the response. */
  create(): Readonly<Record<string, unknown>> {
    const [oldest] = this.values;
    if (this.#kind === "refused")
      return { success: false, error: `quota of ${this.#valuesById.size} keys reached` };
    if (this.#kind === "same" && oldest !== undefined) return { apiKey: oldest };
    const apiKey = this.#generate();
    const id = this.#add(apiKey);
    return this.#kind === "byId" || this.#kind === "oneRecord" ? { id, apiKey } : { apiKey };
  }

  /** Deletes the key that a path parameter identifies. @returns Whether there was one. */
  delete(parameter: string): boolean {
    const findsIds = this.#kind === "byId" || this.#kind === "oneRecord";
    const findsValues = this.#kind !== "byId";
    for (const [id, value] of this.#valuesById)
      if ((findsIds && id === parameter) || (findsValues && value === parameter))
        return this.#valuesById.delete(id);
    return false;
  }

  /** @returns The ID of the key. */
  #add(value: string): string {
    const id = this.#kind === "oneRecord" ? this.#recordId : generateId();
    this.#valuesById.set(id, value);
    return id;
  }
}

function generateId(): string {
  return `key_${randomBytes(6).toString("hex")}`;
}
