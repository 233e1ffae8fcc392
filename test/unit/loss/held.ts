import type { Properties } from "../../support/plugin-process.ts";

/** What the outputs of a key's resource hold. */
export interface Held {
  /** The keys that are known: the present one, and the one from before a rotation. */
  readonly keys: readonly string[];
  /** The response in which a key is still to be found; `null` if there is none. */
  readonly unread: string | null;
}

/** Reads the outputs of a key's resource. */
export function heldIn({ apiKey, previousApiKey, response, memory }: Properties): Held {
  const { unread = null } = (memory ?? {}) as { unread?: { response: string } | null };
  const isFound = typeof apiKey === "string";
  const created = !isFound && typeof response === "string" ? response : null;
  return {
    keys: [apiKey, previousApiKey].filter((key) => typeof key === "string"),
    unread: unread === null ? created : unread.response,
  };
}
