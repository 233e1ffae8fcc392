/** Why no response came, if another attempt would end the same way. */
export type PermanentCause = "handshake" | "certificate" | "proxy login" | "proxy refusal" | "long headers";

/** The codes of OpenSSL (verify(1)), Node and undici. The first that matches counts. */
const PERMANENT: readonly (readonly [PermanentCause, RegExp])[] = [
  ["handshake", /^ERR_SSL_/],
  ["certificate", /CERT|SELF_SIGNED|^UNABLE_TO_|^UND_ERR_PRX_TLS$/],
  ["proxy login", /^PROXY_407$/],
  ["proxy refusal", /^PROXY_4\d\d$/],
  ["long headers", /^UND_ERR_HEADERS_OVERFLOW$/],
];

/** Returns `null` if the failure may pass, such as a refused connection. @param code See {@link codeOf}. */
export function permanentCause(code: string): PermanentCause | null {
  return PERMANENT.find(([, pattern]) => pattern.test(code))?.[0] ?? null;
}

/**
 * Returns the code or the name of an error, or `PROXY_` and the status with which a proxy refused. Never its
 * message: it may contain the URL, and the URL a key.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // undici says it nowhere else.
  const [, proxyStatus] = /^Proxy response \((\d{3})\)/.exec(error.message) ?? [];
  if (proxyStatus !== undefined) return `PROXY_${proxyStatus}`;
  // undici's HTTPParserError has no code.
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^[\w/]{1,64}$/.test(code) ? code : "UNKNOWN"; // As in ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
}
