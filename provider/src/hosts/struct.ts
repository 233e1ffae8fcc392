import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";

import {
  isPlaceholder,
  isSpecialName,
  MAX_LEVELS,
  SIGNATURE,
  UNKNOWN,
  type Properties,
} from "../handlers/contract.js";
import { parsed } from "../json-text.js";
import { isArray, isObject } from "../json.js";
import { MessageWriter } from "./message-writer.js";

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
  const writer = new MessageWriter();
  writeProperties(writer, properties, secrets);
  return Struct.deserializeBinary(writer.finish());
}

/**
 * Writes properties as the serialized field of a message. The classes of the protocol would take several
 * hundred bytes for each value, too many for a long list.
 */
export function toStructField(field: number, properties: Properties, secrets: readonly string[]): Buffer {
  const writer = new MessageWriter();
  writeProperties(writer, properties, secrets);
  writer.message(field, 0);
  return writer.finish();
}

/**
 * The fields of `Value` and of an entry of a map (google/protobuf/struct.proto). `Struct` and `ListValue`
 * have only the first.
 */
const VALUE = { null: 1, number: 2, string: 3, bool: 4, struct: 5, list: 6 } as const;
const ENTRY = { key: 1, value: 2 } as const;
const ITEM = 1;

function writeProperties(writer: MessageWriter, properties: Properties, secrets: readonly string[]): void {
  for (const name of Object.keys(properties).reverse()) {
    const value = properties[name];
    const end = writer.length;
    // Absent, or not known yet.
    const isSecret = secrets.includes(name) && value != null && value !== UNKNOWN;
    if (isSecret) writeSecret(writer, value);
    else writeValue(writer, value, null);
    writeEntry(writer, name, end);
  }
}

function writeSecret(writer: MessageWriter, value: unknown): void {
  const end = writer.length;
  writeValue(writer, value, MAX_LEVELS);
  writeEntry(writer, "value", end);
  const signatureEnd = writer.length;
  writer.string(VALUE.string, SECRET);
  writeEntry(writer, SIGNATURE, signatureEnd);
  writer.message(VALUE.struct, end);
}

/** Makes the value that was written since `end` a member. */
function writeEntry(writer: MessageWriter, name: string, end: number): void {
  writer.message(ENTRY.value, end);
  writer.string(ENTRY.key, name);
  writer.message(ITEM, end);
}

/**
 * Writes a value. An output that is left out would be unknown in every preview, so `undefined` becomes
 * `null`.
 *
 * @param levels The levels to write of a value of the service, without what `withoutSpecialValues` removes;
 * `null` for our own. Removed while it is written, because a copy of a long list would take too much memory.
 */
function writeValue(writer: MessageWriter, text: unknown, levels: number | null): void {
  const value = parsed(text);
  const end = writer.length;
  const next = levels && levels - 1;
  if (typeof value === "string" && (levels === null || !isPlaceholder(value)))
    writer.string(VALUE.string, value);
  else if (typeof value === "number" && Number.isFinite(value)) writer.double(VALUE.number, value);
  else if (typeof value === "boolean") writer.varint(VALUE.bool, Number(value));
  else if (isArray(value) && levels !== 0) {
    for (let index = value.length - 1; index >= 0; index -= 1) {
      const itemEnd = writer.length;
      writeValue(writer, value[index], next);
      writer.message(ITEM, itemEnd);
    }
    writer.message(VALUE.list, end);
  } else if (isObject(value) && levels !== 0) {
    for (const name of Object.keys(value).reverse()) {
      if (levels !== null && isSpecialName(name)) continue;
      const memberEnd = writer.length;
      writeValue(writer, value[name], next);
      writeEntry(writer, name, memberEnd);
    }
    writer.message(VALUE.struct, end);
  } else writer.varint(VALUE.null, 0);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET) return plain(value["value"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
