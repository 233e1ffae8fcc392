import type { Notice } from "./problems.js";

/**
 * What the plugin processes of one engine run tell each other about one topic. Each provider instance has a
 * process of its own, so the process that deletes a resource may not be the one in which the program declares
 * the same thing again.
 */
export interface Journal<Entry> {
  /** Where the entries are. */
  readonly folder: string;
  /** `false` if another user may have access to that folder, so that it is not used. */
  readonly isPrivate: boolean;
  /** Adds an entry. Once this returns, the other processes can read it. @returns `false` if they cannot */
  append(entry: Entry): boolean;
  /**
   * Returns what other processes have added since the last call, the oldest entries of each process first;
   * `null` if it cannot be read.
   */
  readOthers(): readonly Entry[] | null;
}

/** Returns the warning that the processes of the run cannot reach each other. */
export function notShared({ folder, isPrivate }: Pick<Journal<unknown>, "folder" | "isPrivate">): Notice {
  return { kind: "notShared", folder, isPrivate };
}
