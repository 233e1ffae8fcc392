import { BlockList, isIP } from "node:net";

import { API_ROOT } from "./operations.js";

/** The base URL of a Partner API, in the parts that undici needs. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before {@link API_ROOT}, without a trailing slash; `""` if there is none. */
  readonly prefix: string;
  /** Whether the host is this machine. Only then is plain HTTP allowed, and no proxy is used. */
  readonly loopback: boolean;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4"); // RFC 1122, 3.2.1.3
LOOPBACK.addAddress("::1", "ipv6"); // RFC 4291, 2.5.3

/**
 * Parses a base URL.
 *
 * @returns The parts, or the problem, worded to follow "the base URL". The problem never repeats the URL, which may
 * contain credentials.
 */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (!URL.canParse(text)) return { problem: "is not a URL; it looks like https://partners.example.com" };
  const url = new URL(text);
  const loopback = isLoopback(url.hostname);
  if (url.username !== "" || url.password !== "") {
    return { problem: "must not contain a user name or password; the access token is a separate setting" };
  }
  if (url.protocol === "http:" && !loopback) {
    return {
      problem:
        "must start with https://; plain http:// would send the access token unencrypted and is allowed only for this machine",
    };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { problem: "must start with https://, or with http:// for a server on this machine" };
  if (text.includes("?") || text.includes("#")) return { problem: "must not contain a query or a fragment" };
  const prefix = url.pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT))
    return { problem: `must not include ${API_ROOT}, which is added automatically` };
  return { origin: url.origin, prefix, loopback };
}

/** Whether the host of a URL is this machine. Names other than `localhost` could resolve to anything. */
function isLoopback(hostname: string): boolean {
  if (hostname === "localhost") return true;
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}
