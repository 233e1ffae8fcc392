import dns from "node:dns";

/**
 * Lets every host name below `.test` lead to this machine and none below `.invalid` anywhere (RFC 6761, 6.2 and 6.4), so
 * that a test needs no network, and a name can stand for a server that is not loopback. Until the function that is
 * returned is called.
 */
export function resolveTestNames(): () => void {
  const { lookup } = dns;
  const replacement = (hostname: string, options: dns.LookupOptions, callback: Callback): void => {
    if (hostname.endsWith(".invalid")) {
      process.nextTick(callback, Object.assign(new Error("no such host"), { code: "ENOTFOUND" }), "", 0);
    } else {
      lookup(hostname.endsWith(".test") ? "127.0.0.1" : hostname, options, callback);
    }
  };
  dns.lookup = replacement as typeof lookup; // net looks it up there for each connection.
  return () => {
    dns.lookup = lookup;
  };
}

type Callback = (error: Error | null, address: string | dns.LookupAddress[], family?: number) => void;
