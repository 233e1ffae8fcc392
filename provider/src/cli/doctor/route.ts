import type { BaseUrl } from "../../api/base-url.js";
import { ok, warning, type Check } from "./report.js";

/** Says how requests get to the service, from the same variables and by the same rules as the agent that sends them. */
export function checkRoute({ origin, loopback }: BaseUrl, env: NodeJS.ProcessEnv): Check {
  if (loopback) return ok("route", "This machine: straight, never through a proxy.");
  const path = proxyPath(new URL(origin), env);
  if (path === null) {
    const [name] = proxyVariable(env);
    const detail = `${name} is no address that a proxy can have, so nothing can be sent.`;
    return warning("route", detail, `Set it in full, such as ${name}=http://proxy.example.com:3128.`);
  }
  const authorities = env["NODE_EXTRA_CA_CERTS"] ? " Further authorities: NODE_EXTRA_CA_CERTS." : "";
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    return warning(
      "route",
      `${path} NODE_TLS_REJECT_UNAUTHORIZED=0 turns the check of certificates off, so that anybody on the way can take the access token.`,
      "Unset it; for an authority of your organisation set NODE_EXTRA_CA_CERTS.",
    );
  }
  return ok("route", path + authorities);
}

/** Those that undici speaks. */
const PROXY_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:", "socks:"]);

/** @returns `null` if it leads through a proxy whose address cannot be used. */
function proxyPath(url: URL, env: NodeJS.ProcessEnv): string | null {
  const [name, proxy] = proxyVariable(env);
  if (proxy === "") return "Straight: no proxy is set.";
  const [exception, exceptions] = variable(env, "no_proxy");
  if (isExcepted(url, exceptions))
    return `Straight: ${exception} excepts the host from the proxy in ${name}.`;
  if (!URL.canParse(proxy)) return null;
  // Only host and port are told: the rest can be a password.
  const { protocol, host } = new URL(proxy);
  return PROXY_SCHEMES.has(protocol) && host !== "" ? `Through the proxy of ${name}, ${host}.` : null;
}

/** The variable that counts for https. */
function proxyVariable(env: NodeJS.ProcessEnv): readonly [string, string] {
  const https = variable(env, "https_proxy");
  return https[1] === "" ? variable(env, "http_proxy") : https;
}

/** A variable in lower case, even if it is empty, or else in upper case. */
function variable(env: NodeJS.ProcessEnv, name: string): readonly [string, string] {
  const upper = name.toUpperCase();
  const lowerValue = env[name];
  return lowerValue === undefined ? [upper, env[upper] ?? ""] : [name, lowerValue];
}

/**
 * Whether `NO_PROXY` names a host, as undici 8 reads it: a name stands for itself and for what is below it, `*.` before it for
 * the latter only, `*` for all; with or without a port; no networks.
 */
function isExcepted(url: URL, exceptions: string): boolean {
  const host = withoutBrackets(url.hostname);
  const port = url.port || "443";
  return exceptions
    .toLowerCase()
    .split(/[,\s]/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = entry, onlyPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      if (onlyPort !== undefined && Number(onlyPort) !== 0 && Number(onlyPort) !== Number(port)) return false;
      const parent = withoutBrackets(name)
        .replace(/^\*?\./, "")
        .replace(/(.)\.$/, "$1");
      if (parent === "*" || host.endsWith(`.${parent}`)) return true;
      return host === parent && !name.startsWith("*");
    });
}

/** An IPv6 address stands in brackets in a URL. */
function withoutBrackets(host: string): string {
  return host.replace(/^\[(.+)\]$/, "$1");
}
