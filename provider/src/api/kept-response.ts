/**
 * The response to a creation as it is kept in the state. The service shows it once, so nothing is ever lost by our reading of
 * it: a second secret, an id, a key that was not recognised. Secret.
 */
export interface KeptResponse {
  /** The body as text, or in base64 where it is not UTF-8. */
  readonly body: string;
  readonly encoding: "utf8" | "base64";
  /** Whether all of it arrived. */
  readonly complete: boolean;
}

/** Puts a body into a form that the state can hold. */
export function keepResponse(body: Buffer, complete: boolean): KeptResponse {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(body), encoding: "utf8", complete };
  } catch {
    return { body: body.toString("base64"), encoding: "base64", complete };
  }
}

/** The text of a kept response, to look for the key in. */
export function responseText({ body, encoding }: KeptResponse): string {
  return encoding === "utf8" ? body : Buffer.from(body, "base64").toString("utf8");
}

/** Reads a kept response from the state; `null` if there is none, or none that this version understands. */
export function asKeptResponse(value: unknown): KeptResponse | null {
  if (typeof value !== "object" || value === null) return null;
  const { body, encoding, complete } = value as Readonly<Record<string, unknown>>;
  if (typeof body !== "string" || (encoding !== "utf8" && encoding !== "base64")) return null;
  return { body, encoding, complete: complete === true };
}
