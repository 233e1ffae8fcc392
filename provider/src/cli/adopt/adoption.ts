import type { ImportEntry } from "./import-file.js";

/** What was found to adopt. */
export interface Adoption {
  /** The program that declares it; `null` for nothing. */
  readonly program: string | null;
  /** What can be imported of it. May hold a secret. */
  readonly entries: readonly ImportEntry[];
  /** What a person has to know, a sentence each. */
  readonly notes: readonly string[];
  /** The setting that the program takes the key from; `null` if it takes none. */
  readonly setting: string | null;
}
