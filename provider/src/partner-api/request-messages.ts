import { isWebPage } from "../bodies/false-success.js";
import {
  BODY_LIMIT,
  HEADER_LIMIT,
  type Attempt,
  type CutOff,
  type HttpResponse,
  type NoResponse,
} from "./attempt.js";
import { PartnerError, type ErrorCode } from "./errors.js";
import { permanentCause, type PermanentCause } from "./connection-errors.js";
import { API_ROOT, OPERATIONS, type Operation } from "./operations.js";
import type { Outcome } from "./retry.js";
import { isPermanent } from "./retry-table.js";
import {
  canBeRefusedForNow,
  isAuthentication,
  isBusy,
  isConflict,
  isFromElsewhere,
  isNotFound,
  isNotImplemented,
  isRedirect,
  isRefused,
  isSuccess,
  isTemporary,
} from "./statuses.js";

/** The facts about an operation that failed after all its attempts. */
export interface RequestFailure {
  readonly operation: Operation;
  /** The webhook to change; `null` for other operations. */
  readonly webhookId: number | null;
  /** The address of the base URL. */
  readonly server: string;
  /** Names a setting as the user knows it, such as `partners:baseUrl`. */
  readonly settingName: (name: string) => string;
  /** `done`: with a body that reports a failure. */
  readonly outcome: Outcome;
  /** Milliseconds until a rate limit allows another request. */
  readonly pause: number;
  /** What the server said, redacted. */
  readonly serverWords: string | null;
  /** Whether it refused because the webhook is in the wanted state already. */
  readonly isAlreadySo: boolean;
}

/** An operation failed: what happened, what may have changed, one remedy, and the server's own words. */
export function requestFailed(failure: RequestFailure): PartnerError {
  const { operation, webhookId, server, outcome, serverWords } = failure;
  const { attempt, mayHaveChanged, attempts } = outcome;
  const [code, happened, remedy] = explain(failure);
  const { method, template } = OPERATIONS[operation];
  const clause = (path: string): string =>
    `${method} ${server}${API_ROOT}${path}: ${happened}${attempts > 1 ? ` after ${attempts} attempts` : ""}`;
  const message = [
    `${clause(pathOf(template, webhookId))}.`,
    mayHaveChanged ? MAY_HAVE_CHANGED[operation] : "",
    remedy,
    serverWords === null ? "" : quoted(serverWords),
  ];
  return new PartnerError(code, message.filter((part) => part !== "").join(" "), {
    mayHaveChanged,
    status: attempt?.kind === "response" ? attempt.status : null,
    isUnreachable: isUnreachable(outcome),
    isAlreadySo: failure.isAlreadySo,
    isPermanent: attempt !== null && isPermanent(attempt),
    isRefusal: attempt?.kind === "response" && isRefused(attempt.status),
    summary: clause(template),
    serverWords,
  });
}

/** Repeats the server's words, as `quoteServer` returns them. */
export function quoted(serverWords: string): string {
  return `The server said: "${serverWords}"${/[.!?]$/.test(serverWords) ? "" : "."}`;
}

/** A request waits for its retry. @param pause Milliseconds. */
export function retryStatus(
  operation: Operation,
  webhookId: number | null,
  attempt: Attempt,
  pause: number,
): string {
  const { method, template } = OPERATIONS[operation];
  const happened = happenedIn(attempt, operation);
  const seconds = Number((pause / 1000).toPrecision(2));
  return `${method} ${pathOf(template, webhookId)}: ${happened}; retrying in ${seconds} s`;
}

/** The environment names a proxy that cannot be used. Its address may contain a password. */
export function invalidProxy(): PartnerError {
  return new PartnerError(
    "PARTNERS_CONFIGURATION",
    "The environment sets an invalid proxy: HTTPS_PROXY and HTTP_PROXY must be http:// or https:// " +
      "URLs. Percent-encode user and password.",
    { summary: "The environment sets an invalid proxy" },
  );
}

/** What an operation with an unknown effect may have done. */
const MAY_HAVE_CHANGED: Readonly<Record<Operation, string>> = {
  createApiKey: "", // keys/ says what a lost response means.
  deleteApiKey: "The key may have been deleted.",
  listWebhooks: "",
  activateWebhook: "The webhook may have changed.",
  disableWebhook: "The webhook may have changed.",
};

/** Returns the code, what happened, and one remedy. */
function explain(failure: RequestFailure): readonly [code: ErrorCode, happened: string, remedy: string] {
  const { outcome, pause, settingName } = failure;
  const { end, attempt } = outcome;
  if (end === "interrupted") return ["PARTNERS_INTERRUPTED", "interrupted", ""];
  const later = `Run this again in ${Math.ceil(pause / 1000)} s.`;
  if (attempt === null)
    return ["PARTNERS_STATUS", "not sent, because the server returned 429 to another request", later];
  const happened = happenedIn(attempt, failure.operation);
  if (end === "throttled") return ["PARTNERS_STATUS", happened, later];
  if (attempt.kind === "noResponse") {
    const code = isTimeout(attempt) ? "PARTNERS_TIMEOUT" : "PARTNERS_CONNECTION";
    return [code, happened, connectionRemedy(attempt, failure)];
  }
  const { status, cutOff, text } = attempt;
  const code = isSuccess(status) ? "PARTNERS_UNREADABLE" : "PARTNERS_STATUS";
  const baseUrl = settingName("baseUrl");
  // The Partner API speaks JSON: something in front of it wants a login.
  if (isWebPage(text) && (isSuccess(status) || isAuthentication(status))) {
    const remedy = `Check ${baseUrl}, and whether a gateway needs a login or ${settingName("headers")}.`;
    return [code, `${happened} and a web page`, remedy];
  }
  if (!isSuccess(status)) return [code, happened, statusRemedy(attempt, failure)];
  if (cutOff === "timeout") return ["PARTNERS_TIMEOUT", happened, slowServer(failure)];
  if (cutOff === "connection") return ["PARTNERS_CONNECTION", happened, again(failure)];
  if (cutOff === "malformed") return ["PARTNERS_CONNECTION", happened, PERMANENT_REMEDY["not HTTP"](baseUrl)];
  if (cutOff === "limit") return [code, happened, `Check ${baseUrl}.`];
  return [code, `${happened}, but its body reports a failure`, ""];
}

function happenedIn(attempt: Attempt, operation: Operation): string {
  if (attempt.kind === "noResponse") {
    const { code } = attempt;
    if (permanentCause(code) === "not HTTP") return `the response is not valid HTTP (${code})`;
    if (!isTimeout(attempt)) return `the connection failed (${code})`;
    return `timed out while ${attempt.sent ? "waiting for the response" : "connecting"}`;
  }
  const { status, cutOff } = attempt;
  if (!isSuccess(status) || cutOff === null) return `the server returned ${status}`;
  if (cutOff === "limit")
    return `the response is longer than ${BODY_LIMIT[OPERATIONS[operation].kind] / 2 ** 20} MiB`;
  return CUT_OFF[cutOff];
}

const CUT_OFF: Readonly<Record<Exclude<CutOff, "limit">, string>> = {
  timeout: "timed out while reading the response",
  connection: "the response was cut off",
  malformed: "the body of the response is not valid HTTP",
};

function statusRemedy({ status, headers }: HttpResponse, failure: RequestFailure): string {
  const { operation, webhookId, settingName } = failure;
  const [baseUrl, token] = [settingName("baseUrl"), settingName("accessToken")];
  if (isRedirect(status)) return `Redirects are not followed: set ${baseUrl} to the final address.`;
  if (canBeRefusedForNow(status) && headers["retry-after"] !== undefined) return again(failure);
  if (status === 401) return `The access token was rejected: check ${token}.`;
  if (status === 403) {
    const orLimit = operation === "createApiKey" ? ", or the account may have reached a limit" : "";
    return `The access token may lack permission for this operation${orLimit}: check ${token}.`;
  }
  if (isNotFound(status))
    return webhookId === null
      ? `Nothing is at this address: check ${baseUrl}, the part before ${API_ROOT}.`
      : `The webhook may be gone. If not, check ${baseUrl}.`;
  if (isConflict(status) && operation === "createApiKey")
    return (
      "Run this again. If that fails, the service may allow only one key at a time: if this stack has it, " +
      "rotate without overlap, with deleteBeforeReplace."
    );
  if (isNotImplemented(status)) return `The server does not have this operation: check ${baseUrl}.`;
  return status >= 500 || isTemporary(status) || isBusy(status) ? again(failure) : "";
}

function connectionRemedy(attempt: NoResponse, failure: RequestFailure): string {
  const { code, sent } = attempt;
  const baseUrl = failure.settingName("baseUrl");
  const cause = permanentCause(code);
  if (cause !== null) return PERMANENT_REMEDY[cause](baseUrl);
  // The address was right.
  if (sent) return isTimeout(attempt) ? slowServer(failure) : again(failure);
  if (/^PROXY_4/.test(code)) return again(failure); // The others are permanent.
  if (/^PROXY_|^UND_ERR_PRX_CONN$/.test(code))
    return "The proxy did not connect: check HTTPS_PROXY, or add the host to NO_PROXY.";
  return `Check ${baseUrl}, the network and any proxy.`;
}

const PERMANENT_REMEDY: Readonly<Record<PermanentCause, (baseUrl: string) => string>> = {
  handshake: (baseUrl) =>
    `The TLS handshake failed: check ${baseUrl}. Client certificates are not supported.`,
  "no TLS": (baseUrl) => `The server does not speak TLS: check the port in ${baseUrl}.`,
  "old TLS": () => "The server has no TLS 1.2 or newer: let its owner update it.",
  expired: () =>
    "The server's certificate has expired: let its owner renew it, unless this machine's clock is wrong.",
  "too early": () => "The server's certificate is not valid yet: check the clock.",
  "other host": (baseUrl) => `The server's certificate is for another host: check the host in ${baseUrl}.`,
  "proxy certificate": () =>
    "TLS with the proxy failed: check HTTPS_PROXY. For a private CA, set NODE_EXTRA_CA_CERTS.",
  certificate: (baseUrl) =>
    `The certificate was rejected: check ${baseUrl}. For a private CA, set NODE_EXTRA_CA_CERTS.`,
  "proxy login": () =>
    "The proxy rejected the login: check the user and the password in HTTPS_PROXY, percent-encoded.",
  "login method": () =>
    "The proxy does not accept Basic logins: set HTTPS_PROXY to a local proxy that logs in.",
  "proxy refusal": () => "The proxy refuses this host: allow it, or add it to NO_PROXY.",
  "long headers": (baseUrl) =>
    `The headers of the response are longer than ${HEADER_LIMIT / 1024} KiB: check ${baseUrl}.`,
  "not HTTP": (baseUrl) =>
    `Check ${baseUrl}. If it is right, the service or a gateway has to correct its responses.`,
};

/** Not for a creation that may have taken effect: the next one would create a second object. */
function again({ operation, outcome }: RequestFailure): string {
  const { kind } = OPERATIONS[operation];
  return kind === "create" && outcome.mayHaveChanged ? "" : "Run this again later.";
}

function slowServer({ settingName }: RequestFailure): string {
  return `If the server is slow, raise ${settingName("requestTimeout")}.`;
}

function isTimeout({ reason, code }: NoResponse): boolean {
  return reason === "timeout" || code === "UND_ERR_CONNECT_TIMEOUT";
}

/** Whether nothing shows that the Partner API was reached. */
function isUnreachable({ end, attempt }: Outcome): boolean {
  if (end === "interrupted") return true;
  if (attempt === null) return false; // It answered another request, with a 429.
  return attempt.kind === "noResponse" || isFromElsewhere(attempt.status) || isWebPage(attempt.text);
}

function pathOf(template: string, webhookId: number | null): string {
  return webhookId === null ? template : template.replace(/\{\w+\}/, String(webhookId));
}
