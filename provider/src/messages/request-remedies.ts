import { OPERATIONS, type Operation } from "../api/operations.js";
import { failedCommand, settingName, type MessageContext } from "./wording.js";

/** Returns the remedy for a status that is not 2xx. */
export function statusRemedy(status: number, operation: Operation, context: MessageContext): string {
  const baseUrl = settingName("baseUrl", context);
  if (status === 401) return `The access token was rejected: check ${settingName("accessToken", context)}.`;
  if (status === 403)
    return `The token lacks permission for this: change ${settingName("accessToken", context)}.`;
  if (status === 404 && OPERATIONS[operation].method === "PATCH")
    return `The webhook may have been deleted. Run ${failedCommand(context)} again; if the list still shows it, remove it from the program.`;
  if (status === 404) return `There is no Partner API at this address. Correct ${baseUrl}.`;
  if (status === 409 && OPERATIONS[operation].kind === "create")
    return "The service may allow only one key. If so, delete the other one or, for a rotation, set overlapDays to 0 and deleteBeforeReplace to true.";
  if (status === 408) return "It timed out while waiting for the request: try again.";
  if (status === 429) return `Try again later, or set ${settingName("requestsPerSecond", context)}.`;
  if (status < 400 && status !== 304)
    return `Redirects are not followed: set ${baseUrl} to the final address.`;
  if (status >= 500) return "The service failed: try again later.";
  return "The service rejected the request: fix the problem that it reports, or ask its operator.";
}

/** The codes for a connection that ended before a response. */
const CLOSED = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];
/** The code for headers that are invalid after a Content-Length, such as a second one. */
const INVALID_HEADERS = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** Says what an error code of a connection means. */
export function connectionText(code: string, peer: string): string {
  if (CLOSED.includes(code)) return `${peer} closed the connection without a response`;
  if (["HTTPParserError", INVALID_HEADERS].includes(code))
    return `${peer} sent a response that is not valid HTTP`;
  return `the connection to ${peer} failed`;
}

/**
 * Returns the remedy for an error code of OpenSSL (verify(1)), Node or undici.
 *
 * @param source The setting that holds the address.
 */
export function connectionRemedy(code: string, source: string): string {
  if (/SELF_SIGNED|^UNABLE_TO_/.test(code))
    return "The certificate's issuer is unknown: set NODE_EXTRA_CA_CERTS.";
  if (/^CERT_(HAS|NOT)/.test(code))
    return "The certificate has expired or is not valid yet: check this machine's clock.";
  if (code.includes("ALTNAME_INVALID")) return `The certificate is for another host: check ${source}.`;
  if (code.includes("SSL_WRONG_VERSION"))
    return `The server speaks another protocol: check the scheme and port of ${source}.`;
  if (code === "HTTPParserError")
    return `Check the scheme and port of ${source}; if they are right, ask the service's operator.`;
  if (code === INVALID_HEADERS)
    return "Ask the service's operator to correct its headers: there may be two lengths.";
  if (/SSL|EPROTO/.test(code))
    return "The TLS handshake failed: ask the service's operator which versions and ciphers it accepts.";
  if (/^UND_ERR_(ABORTED|PRX)/.test(code))
    return "The proxy refused the connection: check HTTPS_PROXY, or add the host to NO_PROXY.";
  if (CLOSED.includes(code))
    return `Try again; if it happens again, check ${source}, or ask the service's operator.`;
  return `Check ${source} and the network.`;
}
