import { parseDocument } from "../json-text.js";
export function provesWhole(text: string): boolean {
  const d = parseDocument(text);
  return typeof d === "string" || (typeof d === "object" && d !== null);
}
