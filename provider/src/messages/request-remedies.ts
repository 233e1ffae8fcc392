import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";
import { failedCommand, RUN_AGAIN, sentences, settingName, SUPPORT, type MessageContext } from "./wording.js";

/** Returns the remedy for a status that is not 2xx. */
export function statusRemedy(status: number, operation: Operation, context: MessageContext): string {
  const baseUrl = settingName("baseUrl", context);
  const token = settingName("accessToken", context);
  if (status === 401) return `The access token was rejected: check ${token}.`;
  if (status === 403)
    return `The access token has no permission for this: use another one in ${token}, or ask for permission.`;
  if (status === 404 && OPERATIONS[operation].method === "PATCH")
    return sentences(
      `The webhook may have been deleted. Run ${failedCommand(context)} again;`,
      "if the list still shows it, remove it from the program.",
    );
  if (status === 404)
    return sentences(
      `There is no Partner API at this address: check ${baseUrl}, the part before ${API_ROOT}.`,
      "A gateway may also say so if the token has no access.",
    );
  if (status === 409 && OPERATIONS[operation].kind === "create")
    return sentences(
      "The service may allow only one key. If so, delete the other one or, for a rotation, set overlapDays",
      "to 0 and deleteBeforeReplace to true: the old key then ends before consumers have the new one.",
    );
  if (status === 408) return `The server gave up waiting for the request. ${RUN_AGAIN}.`;
  if (status === 429) return `${RUN_AGAIN} later, or set ${settingName("requestsPerSecond", context)}.`;
  if (status < 400 && status !== 304)
    return `Redirects are not followed: set ${baseUrl} to the final address.`;
  if (status >= 500)
    return `The server has a problem of its own. ${RUN_AGAIN} later; if it lasts, ask ${SUPPORT}.`;
  return `The server rejected the request: fix the problem that it reports, or ask ${SUPPORT}.`;
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
    return `Check the scheme and port of ${source}; if they are right, ask ${SUPPORT}.`;
  if (code === INVALID_HEADERS)
    return `Ask ${SUPPORT} to correct the headers of the response: there may be two lengths.`;
  if (/SSL|EPROTO/.test(code))
    return `The TLS handshake failed: ask ${SUPPORT} which versions and ciphers are accepted.`;
  if (/^UND_ERR_(ABORTED|PRX)/.test(code))
    return "The proxy refused the connection: check HTTPS_PROXY, or add the host to NO_PROXY.";
  if (CLOSED.includes(code)) return `${RUN_AGAIN}; if it happens again, check ${source}, or ask ${SUPPORT}.`;
  return `Check ${source} and the network.`;
}
