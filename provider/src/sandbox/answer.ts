/** A response before it is sent. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, beside those that every response has. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly body: string;
}

/** An answer whose body is this value as JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}
