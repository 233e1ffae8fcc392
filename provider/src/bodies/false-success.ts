import { isObject, normalizeName, parseDocument } from "./json.js";

/** Whether a body begins like a web page, such as a login page. */
export function isWebPage(text: string): boolean {
  const head = text.slice(0, 1024).trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || (head.startsWith("<") && head.includes("<html"));
}

/** Whether the body of a 2xx response shows that nothing was done. */
export function reportsFailure(text: string): boolean {
  return isWebPage(text) || rootReportsFailure(text);
}

/** Whether the root of a body in JSON says that nothing was done. */
export function rootReportsFailure(text: string): boolean {
  const document = parseDocument(text);
  if (!isObject(document)) return false;
  return Object.entries(document).some(([member, value]) => {
    const name = normalizeName(member);
    if (name === "success" || name === "ok") return value === false;
    return name === "status" && typeof value === "string" && /^(?:error|fail|failed|failure)$/i.test(value);
  });
}
