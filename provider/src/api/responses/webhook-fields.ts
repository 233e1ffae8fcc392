import { isObject, type JsonObject } from "./json.js";
import { normalise } from "./names.js";
import type { Pointer } from "./pointer.js";

/** Objects in a record whose members count as the record's own. */
const INNER_PLACES: ReadonlySet<string> = new Set(["webhook", "attributes"]);

/** A member that records may have. Records that spell it alike share one object, so that a long list stays small. */
export interface Column {
  /** Where it is: `record/`, `webhook/` or `attributes/`, and its normalised name. Spellings of one name share it. */
  readonly key: string;
  /** Its normalised name. */
  readonly name: string;
  /** Its path, relative to the record. */
  readonly path: Pointer;
}

/** What one record has in one column. */
export interface Field {
  readonly column: Column;
  readonly value: unknown;
}

/**
 * Reads, once, those members of the records that are needed: for each record the fields of the given names (normalised).
 * A record may have several fields of one name, in several places or spellings.
 */
export function readFields(records: readonly JsonObject[], names: ReadonlySet<string>): Field[][] {
  const readRecord = createReader("record", [], names);
  return records.map((record) => {
    const fields: Field[] = [];
    readRecord(record, fields);
    return fields;
  });
}

/** What a member name means in some place. */
interface Member {
  /** Set if the name is one of the needed. */
  readonly column: Column | null;
  /** Set if the name is that of an inner place. */
  readonly readInner: Reader | null;
}

type Reader = (object: JsonObject, into: Field[]) => void;

/** A reader of the objects in one place, which remembers what each name means: the records of a list repeat the same few. */
function createReader(place: string, path: Pointer, names: ReadonlySet<string>): Reader {
  const members = new Map<string, Member>();
  const learn = (rawName: string): Member => {
    const name = normalise(rawName);
    const memberPath = [...path, rawName];
    const isInner = path.length === 0 && INNER_PLACES.has(name);
    const member = {
      column: names.has(name) ? { key: `${place}/${name}`, name, path: memberPath } : null,
      readInner: isInner ? createReader(name, memberPath, names) : null,
    };
    members.set(rawName, member);
    return member;
  };
  return (object, into) => {
    for (const rawName of Object.keys(object)) {
      const { column, readInner } = members.get(rawName) ?? learn(rawName);
      if (column === null && readInner === null) continue;
      const value = object[rawName];
      if (column !== null) into.push({ column, value });
      if (readInner !== null && isObject(value)) readInner(value, into);
    }
  };
}
