import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import { isObject } from "../bodies/json.js";
import { SIGNATURE, UNKNOWN, withoutUndefined, type Properties } from "../plugin/properties.js";

/** The {@link SIGNATURE} of a secret. */
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** Reads properties. Unwraps secrets, and omits what a move from the dynamic host leaves in the state. */
export function fromStruct(message: Struct | undefined): Properties {
  const members = Object.entries(message?.toJavaScript() ?? {}).filter(
    ([name]) => name !== "__provider" && name !== "__urn",
  );
  return withoutSecrets(Object.fromEntries(members)) as Properties;
}

/** Writes properties into a message. @param secrets The names of those that the engine must encrypt. */
export function toStruct(properties: Properties, secrets: readonly string[] = []): Struct {
  const members = Object.entries(withoutUndefined(properties)).map(([name, value]) => {
    const hasValue = value !== null && value !== UNKNOWN;
    return [name, hasValue && secrets.includes(name) ? { [SIGNATURE]: SECRET, value } : value];
  });
  return Struct.fromJavaScript(Object.fromEntries(members) as Parameters<typeof Struct.fromJavaScript>[0]);
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET) return withoutSecrets(value["value"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member)]));
}
