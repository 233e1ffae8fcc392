import { isObject, type JsonObject } from "./json.js";
import { normalise } from "./names.js";
import type { Pointer } from "./pointer.js";

/** Objects in a record whose members count as the record's own. */
const INNER_PLACES: ReadonlySet<string> = new Set(["webhook", "attributes"]);

/** Where a record may have something, and under which name. */
interface Place {
  /** `record/`, `webhook/` or `attributes/`, and the normalised name. Spellings of one name share it. */
  readonly key: string;
  /** The normalised name. */
  readonly name: string;
  /** Relative to the record; of several spellings, the first. */
  readonly path: Pointer;
}

/**
 * What all records have in one place, in the order of the records. An array and not an object for each value: a list may
 * have hundreds of thousands.
 */
export class Column implements Place {
  readonly key: string;
  readonly name: string;
  readonly path: Pointer;
  readonly values: unknown[] = [];
  /** The record of each value; `null` as long as the first records have one each. */
  #rows: number[] | null = null;

  constructor({ key, name, path }: Place) {
    this.key = key;
    this.name = name;
    this.path = path;
  }

  /** Adds what a record has. One that spells the name in two ways has two values. */
  add(value: unknown, row: number): void {
    if (this.#rows === null && row !== this.values.length) this.#rows = [...this.values.keys()];
    this.#rows?.push(row);
    this.values.push(value);
  }

  /** The index of the record that has the value of this index. */
  rowOf(index: number): number {
    return this.#rows?.[index] ?? index;
  }
}

/** What one record has in one place. */
export interface Field extends Place {
  readonly value: unknown;
}

/** Reads, once, those members of the records that have one of the given names (normalised). */
export function readColumns(
  records: readonly JsonObject[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, Column> {
  const columns = new Map<string, Column>();
  const readRecord = createReader("record", [], names, (place) => {
    const column = columns.get(place.key) ?? new Column(place);
    columns.set(place.key, column);
    return (value, row) => {
      column.add(value, row);
    };
  });
  records.forEach(readRecord);
  return columns;
}

/** The same members of a single record, with their paths. */
export function readFields(record: JsonObject, names: ReadonlySet<string>): Field[] {
  const fields: Field[] = [];
  const readRecord = createReader("record", [], names, (place) => (value) => {
    fields.push({ ...place, value });
  });
  readRecord(record, 0);
  return fields;
}

/** What a member name means in some place. */
interface Member {
  /** Set if the name is one of the needed. */
  readonly take: Take | null;
  /** Set if the name is that of an inner place. */
  readonly readInner: Reader | null;
}

type Take = (value: unknown, row: number) => void;
type Reader = (object: JsonObject, row: number) => void;

/**
 * A reader of the objects in one place, which remembers what each name means: the records of a list repeat the same few.
 *
 * @param found is told of each place the first time, and gives what takes the values.
 */
function createReader(
  place: string,
  path: Pointer,
  names: ReadonlySet<string>,
  found: (place: Place) => Take,
): Reader {
  const members = new Map<string, Member>();
  const learn = (rawName: string): Member => {
    const name = normalise(rawName);
    const memberPath = [...path, rawName];
    const isInner = path.length === 0 && INNER_PLACES.has(name);
    const member = {
      take: names.has(name) ? found({ key: `${place}/${name}`, name, path: memberPath }) : null,
      readInner: isInner ? createReader(name, memberPath, names, found) : null,
    };
    members.set(rawName, member);
    return member;
  };
  return (object, row) => {
    // Object.keys would make an array for each record. What JSON.parse makes inherits nothing that is enumerated.
    for (const rawName in object) {
      const { take, readInner } = members.get(rawName) ?? learn(rawName);
      if (take === null && readInner === null) continue;
      const value = object[rawName];
      take?.(value, row);
      if (readInner !== null && isObject(value)) readInner(value, row);
    }
  };
}
