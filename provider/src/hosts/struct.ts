import { BinaryWriter } from "google-protobuf";
import { ListValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import { SIGNATURE, withoutUndefined, UNKNOWN, type Properties } from "../shared/properties.js";
import { isObject } from "../json.js";

/** What the classes of the protocol can hold. */
type JavaScriptValue = Parameters<typeof ListValue.fromJavaScript>[0][number];

/** The {@link SIGNATURE} of a secret. */
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Reads properties from a message. Unwraps secrets, and omits what only the dynamic host needs, which a move
 * leaves in the state.
 */
export function fromStruct(message: Struct | undefined): Properties {
  const members = Object.entries(message?.toJavaScript() ?? {}).filter(
    ([name]) => name !== "__provider" && name !== "__urn",
  );
  return plain(Object.fromEntries(members)) as Properties;
}

/**
 * Writes properties into a message.
 *
 * @param secrets The names of the properties that the engine must encrypt.
 */
export function toStruct(properties: Properties, secrets: readonly string[] = []): Struct {
  const members = Object.entries(withoutUndefined(properties)).map(([name, value]) => {
    // Absent, or not known yet.
    const isSecret = secrets.includes(name) && value !== null && value !== UNKNOWN;
    return [name, isSecret ? { [SIGNATURE]: SECRET, value } : value];
  });
  return Struct.fromJavaScript(Object.fromEntries(members) as Record<string, JavaScriptValue>);
}

/**
 * Writes a list as the only member of a `Struct`, which the engine must encrypt. One element at a time: the
 * classes of the protocol take several kilobytes for each.
 *
 * @param field The number of the field that holds the `Struct`.
 */
export function secretListField(field: number, name: string, list: readonly unknown[]): Uint8Array {
  // Pieces of a message that follow each other are one message.
  const pieces = list.map((element) =>
    ListValue.fromJavaScript([element as JavaScriptValue]).serializeBinary(),
  );
  const values = bytesField(VALUE.list, Buffer.concat(pieces));
  const signature = Struct.fromJavaScript({ [SIGNATURE]: SECRET }).serializeBinary();
  const secret = Buffer.concat([signature, memberField("value", values)]);
  return bytesField(field, memberField(name, bytesField(VALUE.struct, secret)));
}

/** The fields of the messages (google/protobuf/struct.proto). */
const VALUE = { struct: 5, list: 6 } as const;
const MEMBERS = 1;
const MEMBER = { name: 1, value: 2 } as const;

/** Writes a member of a `Struct`. @param value A `Value`. */
function memberField(name: string, value: Uint8Array): Uint8Array {
  const member = [bytesField(MEMBER.name, Buffer.from(name)), bytesField(MEMBER.value, value)];
  return bytesField(MEMBERS, Buffer.concat(member));
}

/** Writes a field that holds a message or a text. */
function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  const writer = new BinaryWriter();
  writer.writeBytes(field, bytes);
  return writer.getResultBuffer();
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET) return plain(value["value"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
