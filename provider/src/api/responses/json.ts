/** A JSON object. Only its own members count: `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed JSON value is an object, that is: neither a scalar nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a parsed JSON value is an array. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The JSON value of a body, or why there is none. The problem is a sentence that quotes nothing of the body. */
export type ParsedBody =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Parses a response body; a byte order mark is ignored. Never throws. */
export function parseBody(text: string): ParsedBody {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return { ok: true, value: JSON.parse(body) as unknown };
  } catch {
    return { ok: false, problem: whyNotJson(body) };
  }
}

function whyNotJson(body: string): string {
  const start = body.trimStart().slice(0, 1);
  if (start === "") return "The body of the response is empty.";
  if (start === "<") {
    return "The body of the response is not JSON: it looks like an HTML page. Check that partners:baseUrl is the address of the API.";
  }
  // What begins like JSON and is none was most likely cut off on its way.
  const cutOff = start === "{" || start === "[" || start === '"';
  return `The body of the response is not JSON${cutOff ? "; it may have been cut off" : ""}.`;
}
