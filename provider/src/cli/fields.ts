/** The members of an object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** The members of an object; none of what is no object. */
export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
