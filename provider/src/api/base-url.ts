import { BlockList, isIP } from "node:net";

import { API_ROOT } from "./operations.js";

/** Where the Partner API is, taken apart as undici wants it. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before {@link API_ROOT}, without a slash at its end; `""` for none. */
  readonly prefix: string;
  /** Whether the host is this machine, so that plain HTTP is allowed and a proxy is not. */
  readonly loopback: boolean;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4"); // RFC 1122, 3.2.1.3
LOOPBACK.addAddress("::1", "ipv6"); // RFC 4291, 2.5.3

/**
 * Reads a base URL.
 *
 * @returns The parts, or what is wrong with it: words that fit after "the base URL", and never repeat the URL,
 * because one with credentials in it is among the things that can be wrong.
 */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (!URL.canParse(text)) return { problem: "is not a URL; it looks like https://partners.example.com" };
  const url = new URL(text);
  const loopback = isLoopback(url.hostname);
  if (url.username !== "" || url.password !== "") {
    return { problem: "must not contain a user name or password; the access token is a setting of its own" };
  }
  if (url.protocol === "http:" && !loopback) {
    return {
      problem:
        "must start with https://: plain http:// would send the access token in clear text, and is allowed to this machine only",
    };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { problem: "must start with https://, or with http:// for a server on this machine" };
  if (text.includes("?") || text.includes("#")) return { problem: "must not contain a query or a fragment" };
  const prefix = url.pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT)) return { problem: `must end before ${API_ROOT}, which is added to it` };
  return { origin: url.origin, prefix, loopback };
}

/** Whether a host as it stands in a URL is this machine. Names other than `localhost` could resolve to anything. */
function isLoopback(hostname: string): boolean {
  if (hostname === "localhost") return true;
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}
