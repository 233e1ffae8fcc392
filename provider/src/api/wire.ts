import { ResourceError } from "./errors.js";
import type { Answered } from "./exchange.js";

/** Path segments that a server, or a proxy before it, resolves as "here" and "one up". */
const DOT_SEGMENTS = new Set(["", ".", ".."]);

/**
 * Puts the path parameter into a template.
 *
 * @throws {ResourceError} if the value cannot stand in a path: empty, `.` and `..` would address something else
 * (`DELETE /api-key/..` is a `DELETE` of all there is), and a lone surrogate has no encoding.
 */
export function fillPath(template: string, parameter: string | undefined): string {
  if (parameter === undefined) return template;
  if (DOT_SEGMENTS.has(parameter) || !parameter.isWellFormed()) {
    throw new ResourceError({
      operation: null,
      happened: "The value for the path is empty, a dot segment, or not valid Unicode, so nothing was sent",
      effect: "none",
      remedy:
        "Nothing was changed on the server. Check that partners:responses.apiKey and partners:responses.apiKeyId point to the right fields.",
    });
  }
  return template.replace(/\{[a-z_]+\}/, () => encodeURIComponent(parameter));
}

/** Marks a body that is no UTF-8 text, where it is kept as text. */
export const BASE64_MARK = "base64:";

/** A body as text. One that is not UTF-8 is kept in base64, behind {@link BASE64_MARK}, as it may hold a key all the same. */
export function textOf(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return BASE64_MARK + body.toString("base64");
  }
}

/** The reverse of {@link textOf}, to be searched: in what is no UTF-8, the rest can be read all the same. */
export function searchable(text: string): string {
  if (!text.startsWith(BASE64_MARK)) return text;
  return Buffer.from(text.slice(BASE64_MARK.length), "base64").toString("utf8");
}

const [COMMA, BRACKET, BRACE] = Buffer.from(",[{");

/** Whether a JSON text may hold more values than so many: one of three characters stands before each, and in strings for nothing. */
export function mayExceed(limit: number, body: Buffer): boolean {
  if (body.length <= limit) return false;
  let values = 0;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  }
  return values > limit;
}

/** The `Link` header (RFC 8288) of an answer, its repetitions joined. */
export function linkHeader({ headers }: Answered): string | undefined {
  const link = headers["link"];
  return Array.isArray(link) ? link.join(", ") : link;
}
