/**
 * Properties of a resource, as a host passes them. They may hold anything: any version of the program may
 * have written them.
 */
export type Properties = Readonly<Record<string, unknown>>;

/** The engine's placeholder for a value that is not known yet (Pulumi SDK, runtime/rpc.ts). */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The member that marks an object as special, such as a secret (pulumi, sdk/go/common/resource/sig). */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Names one resource. */
export interface ResourceName {
  /** The ID in the state. */
  readonly id: string;
  /** Empty if the host does not know it: the dynamic host passes none for a deletion. */
  readonly urn: string;
}

/** Returns what a URN says. Without one, all parts are empty. */
export function partsOf(urn: string) {
  const [, project = "", type = "", ...name] = urn.split("::");
  return { project, type, name: name.join("::") }; // A name may contain anything.
}

/** The levels to keep of a service's value: decoders do not accept any number. */
const MAX_LEVELS = 100;

/**
 * Removes from a service's value what the engine would interpret: an object with such a member could name a
 * file to read. Also removes lone surrogates, which gRPC cannot encode.
 */
export function withoutSpecialValues(value: unknown, levels = MAX_LEVELS): unknown {
  if (typeof value === "string") return value === UNKNOWN ? null : value.toWellFormed();
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((element) => withoutSpecialValues(element, levels - 1));
  const members = Object.entries(value).filter(
    ([name]) => name !== SIGNATURE && name !== "__proto__" && !name.startsWith("__pulumi"),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [name.toWellFormed(), withoutSpecialValues(member, levels - 1)]),
  );
}

/**
 * Replaces `undefined` in properties for the engine with `null`: returned by `create`, it would cause a
 * failure *after* the key was created, and an output that is left out would be unknown in every preview.
 */
export function withoutUndefined(properties: Properties): Properties {
  return JSON.parse(JSON.stringify(properties, (_name, value: unknown) => value ?? null)) as Properties;
}
