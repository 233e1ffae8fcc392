import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb.js";

import { SIGNATURE, UNKNOWN, withoutSpecialValues, type Properties } from "../handlers/contract.js";
import { isObject } from "../json.js";
import { toWire } from "./plugin-host.js";

/** The {@link SIGNATURE} of a secret. */
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** Reads properties from a message. Unwraps secrets, and omits what only the dynamic host needs, which a move leaves in the state. */
export function fromStruct(message: Struct | undefined): Properties {
  const members = Object.entries(message?.toJavaScript() ?? {}).filter(
    ([name]) => name !== "__provider" && name !== "__urn",
  );
  return plain(Object.fromEntries(members)) as Properties;
}

/** Writes properties into a message. @param secrets The names of the properties that the engine must encrypt. */
export function toStruct(properties: Properties, secrets: readonly string[] = []): Struct {
  const marked: Record<string, unknown> = { ...properties };
  for (const name of secrets) {
    const value = marked[name];
    if (value == null || value === UNKNOWN) continue; // Absent, or not known yet.
    marked[name] = { [SIGNATURE]: SECRET, value: withoutSpecialValues(value) };
  }
  return Struct.fromJavaScript(toWire(marked) as Record<string, JavaScriptValue>);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET) return plain(value["value"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
