import type { Properties } from "../../../provider/src/adapter/properties.ts";
import type { Call, Entry } from "./engine.ts";

export const DAY = 86_400_000;

/** Whether a resource has a key. If it is only in a kept response, a person has named another value there. */
export function isUsed(key: string, outputs: Properties): boolean {
  return outputs["apiKey"] === key || outputs["previousApiKey"] === key;
}

/** Returns the resources whose state contains a key. */
export function holdersOf(key: string, stack: Iterable<Entry>): readonly Entry[] {
  return [...stack].filter(({ outputs }) => JSON.stringify(outputs).includes(key));
}

interface Rotation {
  readonly trigger?: string | number;
  readonly afterDays?: number;
  readonly overlapDays?: number;
}

/** Returns the rotation that arguments declare. */
export function rotationOf({ rotation }: Properties): Rotation {
  return rotation ?? {};
}

/** A kept response. */
interface Response {
  readonly isCutOff: boolean;
}

export interface Internal {
  readonly trigger: string | null;
  readonly rotatedAt: string | null;
  readonly openCreation: {
    readonly at: string;
    readonly trigger: string | null;
    readonly response: Response | null;
  } | null;
  readonly previous: { readonly createdAt: string | null; readonly response: Response | null } | null;
}

/** Returns the open creation of a key; `null` if there is none. */
export function openCreationOf({ internal }: Properties): Internal["openCreation"] {
  return (internal as Internal | undefined)?.openCreation ?? null;
}

/** Returns the current and the previous key, as the outputs have them. */
export function keysOf(outputs: Properties) {
  const { apiKey, previousApiKey, response } = outputs;
  const { previous } = outputs["internal"] as Internal;
  return {
    current: { apiKey, response: apiKey === null ? null : response },
    previous: { apiKey: previousApiKey, response: previous?.response },
  };
}

/** Returns outputs as if no creation was open. */
export function withoutOpenCreation(outputs: Properties): Properties {
  return { ...outputs, internal: { ...(outputs["internal"] as Internal), openCreation: null } };
}

/** Returns when the overlap ends by today's arguments; `NaN` if there is none. */
export function overlapEnd({ olds, news }: Pick<Call, "olds" | "news">): number {
  const { rotatedAt } = olds["internal"] as Internal;
  const { overlapDays } = rotationOf(news);
  if (overlapDays === undefined || olds["previousApiKey"] === null)
    return Date.parse(String(olds["previousExpiresAt"]));
  return Date.parse(rotatedAt ?? "") + overlapDays * DAY;
}

/** Whether a call may create a key: one is due, and no creation is open, or a person has acted. */
export function mayCreate(
  { name, verb, olds, news }: Pick<Call, "name" | "verb" | "olds" | "news">,
  now: number,
): boolean {
  if (!name.startsWith("key") || verb !== "update") return name.startsWith("key") && verb === "create";
  const { trigger: declared = "", afterDays = Infinity } = rotationOf(news);
  const trigger = String(declared);
  const open = openCreationOf(olds);
  if (open !== null && (trigger === "" || trigger === open.trigger)) return false;
  const { trigger: used } = olds["internal"] as Internal;
  const age = Math.floor(now / DAY) - Math.floor(Date.parse(String(olds["createdAt"])) / DAY);
  const isOld = !(age < afterDays) && !(overlapEnd({ olds, news }) > now);
  return olds["apiKey"] === null || (trigger !== "" && trigger !== used) || isOld;
}
