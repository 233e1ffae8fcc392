import { parseDocument } from "../json.js";
import { resolvePointer } from "../json.js";

/** Error bodies are short; a longer body is data. In characters. */
const MAX_LENGTH = 1024 * 1024;

/** JSON Pointers to error messages, by priority (RFC 9457, RFC 6749 and custom). */
const MESSAGE_POINTERS = [
  "/message",
  "/error/message",
  "/error_description",
  "/detail",
  "/title",
  "/errors/0/message",
  "/error",
  "/errors/0/detail",
  "/errors/0",
  "/errorMessage",
  "/errmsg",
  "/msg",
  "/data/message",
  "/result/message",
];

/**
 * Returns the message in an error body. It is not redacted yet.
 *
 * @returns `null` if the body is not JSON or has no message under the usual names.
 */
export function serverMessage(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const document = parseDocument(text);
  const messages = MESSAGE_POINTERS.map((pointer) => resolvePointer(document, pointer));
  return (
    messages.find((message): message is string => typeof message === "string" && message.trim() !== "") ??
    null
  );
}
