import type { ResponseMapping } from "../responses.js";
import { findPaths, printPath } from "./paths.js";
import type { Pointer } from "./pointer.js";

/** How a response was read, for a person who has to say more about it. Holds no value of it. */
export interface Explanation {
  /**
   * JSON Pointers by the member of {@link ResponseMapping} that would say the same. Several where several places agree; none
   * for what was not found. Names that may be data are `*`.
   */
  readonly pointers: Readonly<Partial<Record<PointerName, readonly string[]>>>;
  /**
   * The member of {@link ResponseMapping} that has to be set, and what comes into question for it; `active` stands for
   * `disabled` as well. `null` if none has to be.
   */
  readonly missing: {
    readonly setting: PointerName | "active";
    readonly candidates: readonly string[];
  } | null;
  /** The names and types of what has to be pointed into: of the whole response, or of a record of the list. */
  readonly structure: readonly string[];
}

/** The members of {@link ResponseMapping} that are pointers. */
export type PointerName = Extract<
  keyof ResponseMapping,
  "apiKey" | "apiKeyId" | "webhooks" | "webhookId" | "webhookState"
>;

/** Candidates that are named at the most. */
const MAX_CANDIDATES = 8;

/** Where a document has values that come into question, as far as they are named; see {@link findPaths}. */
export function candidates(root: unknown, accepts: (value: unknown, name: string) => boolean): string[] {
  const found: string[] = [];
  for (const path of findPaths(root, accepts)) {
    if (found.length >= MAX_CANDIDATES) break;
    found.push(pointerText(path));
  }
  return [...new Set(found)];
}

/** A path as it is written into a setting; what may be data in it is `*`. */
export function pointerText(path: Pointer): string {
  return path.length === 0 ? "" : printPath(path);
}
