/** Why no response came, if another attempt would end the same way. */
export type PermanentCause =
  | "proxy certificate"
  | "no TLS"
  | "old TLS"
  | "handshake"
  | "expired"
  | "too early"
  | "other host"
  | "certificate"
  | "proxy login"
  | "login method"
  | "proxy refusal"
  | "long headers"
  | "not HTTP";

/** What undici says of two lengths, and of any error after a header with a length. */
const WRONG_LENGTH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** The codes of OpenSSL (verify(1)), Node and undici. The first that matches counts. */
const PERMANENT: readonly (readonly [PermanentCause, RegExp])[] = [
  ["proxy certificate", /^PROXY_TLS_/],
  ["no TLS", /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST)$/],
  ["old TLS", /^ERR_SSL_(?:UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW|TLSV1_ALERT_PROTOCOL_VERSION)$/],
  ["handshake", /^ERR_SSL_/],
  ["expired", /^CERT_HAS_EXPIRED$/],
  ["too early", /^CERT_NOT_YET_VALID$/],
  ["other host", /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ["certificate", /CERT|SELF_SIGNED|^UNABLE_TO_/],
  ["proxy login", /^PROXY_407$/],
  ["login method", /^PROXY_407_NOT_BASIC$/],
  ["proxy refusal", /^PROXY_4(?!08|29)\d\d$/],
  ["long headers", /^UND_ERR_HEADERS_OVERFLOW$/],
  // The end of a connection is in the same list of the parser.
  ["not HTTP", new RegExp(`^(?!HPE_INVALID_EOF_STATE$)HPE_|^HTTPParserError$|^${WRONG_LENGTH}$`)],
];

/** Returns `null` if the failure may pass, such as a refused connection. @param code See {@link codeOf}. */
export function permanentCause(code: string): PermanentCause | null {
  return PERMANENT.find(([, pattern]) => pattern.test(code))?.[0] ?? null;
}

/**
 * Whether the body of a response is not HTTP. A wrong length does not tell: of a response that says
 * `connection: close`, undici calls an early end so.
 */
export function isMalformed(code: string): boolean {
  return permanentCause(code) === "not HTTP" && code !== WRONG_LENGTH;
}

/** Returns the error of a connection to a proxy, whose certificate the code tells from that of the server. */
export function proxyConnectionError(error: Error): Error {
  const code = codeOf(error);
  const isTls = /^ERR_SSL_|^ERR_TLS_|CERT|SELF_SIGNED|^UNABLE_TO_/.test(code);
  return isTls ? Object.assign(new Error(code), { code: `PROXY_TLS_${code}` }) : error;
}

/** Returns the error of a proxy that wants another login than Basic, such as NTLM, Kerberos or Digest. */
export function otherLoginError(): Error {
  const code = "PROXY_407_NOT_BASIC";
  return Object.assign(new Error(code), { code });
}

/**
 * Returns the code or the name of an error, `PROXY_` and the status with which a proxy refused, or `HPE_` and
 * what the HTTP parser says. Never its message: it may contain the URL, and the URL a key.
 */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  const { message, name } = error;
  // undici says both nowhere else.
  const [, proxyStatus] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (proxyStatus !== undefined) return `PROXY_${proxyStatus}`;
  const [, syntax] =
    /^Response does not match the HTTP\/1\.1 protocol \(([\w ,/'-]{1,60})\)$/.exec(message) ?? [];
  if (syntax !== undefined) return `HPE_${syntax.toUpperCase().replace(/\W+/g, "_")}`;
  const code = "code" in error && typeof error.code === "string" ? error.code : name;
  return /^[\w/]{1,64}$/.test(code) ? code : "UNKNOWN"; // As in ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE.
}
