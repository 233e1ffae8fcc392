/** A value that can go to the engine: JSON, without anything that gRPC's `Struct` refuses. */
export type Wire = null | boolean | number | string | Wire[] | { [name: string]: Wire };

/**
 * Makes a value fit for the engine. `undefined` becomes `null`: in what `create` returns it fails *after* the key was created, in
 * an initialization failure it hangs the engine, and an output that is left out is unknown in every preview.
 */
export function toWire(value: unknown): Wire {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object") return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toWire(member)]));
}
