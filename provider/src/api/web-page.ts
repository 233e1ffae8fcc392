import type { Answered } from "./exchange.js";

/** Bytes to keep of an answer of which only the status matters, unless it is a web page. */
export const PAGE_LIMIT = 1024 * 1024;
/** Bytes in which a web page says that it is one; comments and an XML declaration may come first. */
const HEAD = 1024;

/**
 * Whether an answer is a page for people: a login wall, a captive portal, or the web site that a wrong base URL leads to.
 * Such answer 200 to anything, and have done nothing.
 */
export function isWebPage({ body }: Answered): boolean {
  const head = body.toString("latin1", 0, HEAD).trimStart();
  return head.startsWith("<") && /<!doctype html|<html[\s>]/i.test(head);
}
