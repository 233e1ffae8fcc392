import { redactText } from "../api/redact.js";
import type { InputProblem } from "./problems.js";

/**
 * Properties of a resource, as a host passes them. They may hold anything: any version of the program may
 * have written them.
 */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * The engine's placeholder for a value that is not known yet (Pulumi SDK, runtime/rpc.ts: `unknownValue`).
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * All texts that the engine takes for values that are not known yet (pulumi/pulumi,
 * sdk/go/common/resource/plugin/rpc.go).
 */
const PLACEHOLDERS = [
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // A boolean.
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // A number.
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // An array.
  "030794c1-ac77-496b-92df-f27374a8bd58", // An asset.
  "e48ece36-62e2-4504-bad9-02848725956a", // An archive.
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // An object.
];

/** Whether the engine takes a text for a value that is not known yet, and so would not store it. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDERS.includes(text);
}

/**
 * The member that marks an object as a special value, such as a secret or a file (pulumi/pulumi,
 * sdk/go/common/resource/sig).
 */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Names one resource. Its URN is empty if the host does not know it. */
export interface ResourceName {
  /** The ID in the state. */
  readonly id: string;
  readonly urn: string;
}

/**
 * Properties of every resource: ours, which come back from the state, and the engine's, which start with two
 * underscores.
 */
const COMMON_PROPERTIES = /^(?:account|refreshBeforeUpdate|keySince|rotationDue|__.*)$/;

/** Returns a problem if something has unknown arguments. @param of A resource, or an argument of one. */
export function unknownArguments(of: string, args: Properties, known: readonly string[]): InputProblem[] {
  const unknown = Object.keys(args).find((name) => !known.includes(name) && !COMMON_PROPERTIES.test(name));
  return unknown === undefined ? [] : [{ kind: "unknownArgument", of, name: quotedName(unknown), known }];
}

/** Quotes a name that a person wrote, without what could be a secret. */
export function quotedName(name: string): string {
  return redactText(JSON.stringify(name), []) ?? "";
}

/**
 * The maximum number of levels of a service's value to keep: more would overflow the stack here or in the
 * decoders.
 */
const MAX_LEVELS = 100;
/** The maximum number of values in it to keep: in a message to the engine, each takes about 1 KB. */
const MAX_VALUES = 250_000;

/** Whether a member has a special meaning for the engine, for the SDK or for JavaScript. */
function isSpecialName(name: string): boolean {
  return name === SIGNATURE || name === "__proto__" || name.startsWith("__pulumi");
}

/**
 * Removes from a service's value what has a special meaning for the engine or for the SDK, which recognizes
 * its own objects by members such as `__pulumiAsset`. Either would open the file that such an object names,
 * and store its path and hash. Also removes what neither can decode: halves of characters, levels below the
 * first {@link MAX_LEVELS}, and what follows the first {@link MAX_VALUES} values.
 */
export function withoutSpecialValues(value: unknown): unknown {
  return ordinary(value, MAX_LEVELS, { values: MAX_VALUES });
}

/** @param left The number of values to keep. */
function ordinary(value: unknown, levels: number, left: { values: number }): unknown {
  left.values -= 1;
  if (typeof value === "string") return isPlaceholder(value) ? null : value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0 || left.values <= 0) return null;
  const clean = (member: unknown): unknown => ordinary(member, levels - 1, left);
  if (Array.isArray(value)) return value.slice(0, left.values).map(clean);
  const members = Object.entries(value)
    .slice(0, left.values)
    .filter(([name]) => !isSpecialName(name));
  return Object.fromEntries(members.map(([name, member]) => [name.toWellFormed(), clean(member)]));
}

/**
 * Replaces `undefined` in properties for the engine with `null`: returned by `create`, it would cause a
 * failure *after* the key was created; in an initialization failure, it would hang the engine. An output that
 * is left out would be unknown in every preview.
 */
export function withoutUndefined(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties, (_name, value: unknown) => value ?? null)) as Properties;
}
