import { isObject, normalizeName, parseDocument } from "./json.js";

/** Whether a body begins like a web page, such as a login page. */
export function isWebPage(text: string): boolean {
  const head = text.slice(0, 1024).trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || (head.startsWith("<") && head.includes("<html"));
}

/** Whether the body of a 2xx response says that nothing was done: a web page, or a root that says so. */
export function reportsFailure(text: string): boolean {
  if (isWebPage(text)) return true;
  const document = parseDocument(text);
  if (!isObject(document)) return false;
  return Object.entries(document).some(([member, value]) => {
    const name = normalizeName(member);
    if (name === "success" || name === "ok") return value === false;
    return name === "status" && typeof value === "string" && /^(?:error|fail|failed|failure)$/i.test(value);
  });
}
