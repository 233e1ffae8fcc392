import { isObject, nameSet, normalizeName, parseDocument } from "../json.js";
import { reportsFailure } from "./failure-report.js";

/** Members of the root object that say that nothing was deleted, if they are false. */
const DONE = nameSet("success ok deleted revoked removed");
/** Members that say how much was deleted. */
const COUNT = nameSet("deletedCount deleteCount count affected affectedRows");
/** Members that hold the status of the response. */
const STATUS = nameSet("status statusCode code httpStatus");
/** Words that say that nothing was deleted, in a member named after the outcome. */
const FAILED = nameSet("fail failed failure error");

/**
 * Whether the body of a 2xx response to a deletion says that nothing was deleted. A record of what was
 * deleted does not. Never throws. Each operation has its own reader: see creation-reader.ts, change-reader.ts
 * and webhook-list-reader.ts.
 */
export function deniesDeletion(text: string): boolean {
  if (reportsFailure(text)) return true;
  const document = parseDocument(text);
  if (!isObject(document)) return false;
  return Object.entries(document).some(([token, value]) => {
    const name = normalizeName(token);
    const word = typeof value === "string" ? normalizeName(value) : null;
    if (DONE.has(name)) return value === false || value === 0 || word === "false";
    if (COUNT.has(name)) return value === 0;
    // HTTP has no status from 600, but services have codes of their own for success.
    if (STATUS.has(name) && typeof value === "number") return value >= 400 && value < 600;
    return (name === "status" || name === "result") && word !== null && FAILED.has(word);
  });
}
