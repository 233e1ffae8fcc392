/**
 * The response to a creation, as stored in the state. The service shows it only once, so the state keeps everything in it: a
 * second secret, an ID, or a key that was not recognized. Secret.
 */
export interface KeptResponse {
  /** The body as text, or in base64 if it is not UTF-8. */
  readonly body: string;
  readonly encoding: "utf8" | "base64";
  /** Whether the whole body arrived. */
  readonly complete: boolean;
}

/** Converts a body into a form that the state can store. */
export function keepResponse(body: Buffer, complete: boolean): KeptResponse {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(body), encoding: "utf8", complete };
  } catch {
    return { body: body.toString("base64"), encoding: "base64", complete };
  }
}

/** Returns the text of a stored response. */
export function responseText({ body, encoding }: KeptResponse): string {
  return encoding === "utf8" ? body : Buffer.from(body, "base64").toString("utf8");
}

/** Reads a stored response from the state; `null` if there is none, or if this version does not understand it. */
export function asKeptResponse(value: unknown): KeptResponse | null {
  if (typeof value !== "object" || value === null) return null;
  const { body, encoding, complete } = value as Readonly<Record<string, unknown>>;
  if (typeof body !== "string" || (encoding !== "utf8" && encoding !== "base64")) return null;
  return { body, encoding, complete: complete === true };
}
