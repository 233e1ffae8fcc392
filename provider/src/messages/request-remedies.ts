import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";
import { failedCommand, RUN_AGAIN, sentences, settingName, SUPPORT, type MessageContext } from "./wording.js";

/** What to do about a failed request. */
export interface Remedy {
  readonly text: string;
  /** Whether the text tells the reader to run this again, and so says that it is safe. */
  readonly repeats: boolean;
}

/** Returns a remedy that corrects something first. */
export function correct(...text: readonly string[]): Remedy {
  return { text: sentences(...text), repeats: false };
}

/** Returns a remedy that begins or ends with running this again. */
export function repeat(...text: readonly string[]): Remedy {
  return { text: sentences(...text), repeats: true };
}

/** Returns the remedy for a status that is not 2xx. @param isWebPage Whether a web page came with it. */
export function statusRemedy(
  status: number,
  isWebPage: boolean,
  operation: Operation,
  context: MessageContext,
): Remedy {
  const baseUrl = settingName("baseUrl", context);
  const token = settingName("accessToken", context);
  // The Partner API speaks JSON: something in front of it refused the request.
  if (isWebPage && [401, 403].includes(status))
    return correct(
      "A gateway or a proxy refused the request:",
      `if it needs a header, set ${settingName("headers", context)};`,
      `if not, check ${baseUrl} and ${token}.`,
    );
  const { kind, method } = OPERATIONS[operation];
  if (status === 401) return correct(`The access token was rejected: check ${token}.`);
  if (status === 403)
    return correct(`The token in ${token} has no permission for this: ask for it, or use another one.`);
  if ([404, 410].includes(status) && method === "PATCH")
    return repeat(
      `The webhook may have been deleted. Run ${failedCommand(context)} again;`,
      "if the list still shows it, remove it from the program.",
    );
  if ([404, 410].includes(status))
    return correct(
      `There is no Partner API at this address: check ${baseUrl}, the part before ${API_ROOT}.`,
      "A gateway may also say so if the token has no access.",
    );
  if ([405, 501].includes(status))
    return correct(`The server does not offer this operation: check ${baseUrl}, or ask ${SUPPORT}.`);
  if (status === 409 && kind === "create")
    return correct(
      "The service may allow only one key. If so, delete the other one or, for a rotation, set overlapDays",
      "to 0 and deleteBeforeReplace to true: the old key then ends before consumers have the new one.",
    );
  if (status === 408) return repeat(`The server gave up waiting for the request. ${RUN_AGAIN}.`);
  if ([409, 423, 425].includes(status))
    return repeat(`Another request may be in progress. ${RUN_AGAIN}; if it lasts, ask ${SUPPORT}.`);
  if (status === 429)
    return repeat(`${RUN_AGAIN} later, or set ${settingName("requestsPerSecond", context)}.`);
  if (status < 400 && status !== 304)
    return correct(`Redirects are not followed: set ${baseUrl} to the final address.`);
  if (status >= 500) return repeat(`${RUN_AGAIN} later; if it lasts, ask ${SUPPORT}.`);
  return correct(`Correct what the server reports, or ask ${SUPPORT}.`);
}

/** The codes for a connection that ended before a response. */
const CLOSED = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];
/** The code for headers that are invalid after a Content-Length, such as a second one. */
const INVALID_HEADERS = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** Says what an error code of a connection means. */
export function connectionText(code: string, mayUseProxy: boolean): string {
  const peer = mayUseProxy ? "the server or its proxy" : "the server";
  if (CLOSED.includes(code)) return `${peer} closed the connection without a response (${code})`;
  if (["HTTPParserError", INVALID_HEADERS].includes(code))
    return `${peer} sent a response that is not valid HTTP (${code})`;
  return `the connection${mayUseProxy ? ` to ${peer}` : ""} failed (${code})`;
}

/**
 * Returns the remedy for an error code of OpenSSL (verify(1)), Node or undici.
 *
 * @param source The setting that holds the address.
 */
export function connectionRemedy(code: string, source: string): Remedy {
  if (CLOSED.includes(code))
    return repeat(`${RUN_AGAIN}; if it happens again, check ${source}, or ask ${SUPPORT}.`);
  return correct(connectionCorrection(code, source));
}

function connectionCorrection(code: string, source: string): string {
  if (/SELF_SIGNED|^UNABLE_TO_/.test(code))
    return "The certificate's issuer is unknown: set NODE_EXTRA_CA_CERTS.";
  if (/^CERT_(HAS|NOT)/.test(code))
    return `The certificate has expired or is not valid yet: check this machine's clock, or ask ${SUPPORT}.`;
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
  return `Check ${source} and the network.`;
}
