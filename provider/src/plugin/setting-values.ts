import type { BaseUrl } from "../partner-api/connections.js";
import { API_ROOT } from "../partner-api/operations.js";
import { RULES } from "../setting-messages.js";

/** As the URL parser writes them. Names other than `localhost` could resolve to anything. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Returns the parts of a base URL, or the rule that it breaks. */
export function parseBaseUrl(text: string): BaseUrl | string {
  if (!URL.canParse(text)) return RULES.url;
  const { protocol, username, password, hostname, origin, pathname } = new URL(text);
  const loopback = LOOPBACK.test(hostname);
  if (username !== "" || password !== "") return RULES.noCredentials;
  if (protocol !== "https:" && !(protocol === "http:" && loopback)) return RULES.https;
  if (text.includes("?") || text.includes("#")) return RULES.noQuery;
  const prefix = pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT)) return RULES.noApiRoot(API_ROOT);
  return { origin, prefix, loopback };
}
