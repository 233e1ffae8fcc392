import { connectionRemedy } from "./connection-remedy.js";
import {
  ApiStatusError,
  ConnectionError,
  InterruptedError,
  TimeoutError,
  UnreadableResponseError,
  type ErrorFacts,
  type PartnerError,
} from "./errors.js";
import { API_ROOT, type Operation } from "./operations.js";
import { isSuccess } from "./exchange.js";
import type { Outcome } from "./retry.js";

/**
 * Makes the error for an operation that did not succeed.
 *
 * @param subject See {@link ErrorFacts.subject}.
 * @param now Milliseconds since the epoch; where a key may exist, the error says since when.
 */
export function failure(
  operation: Operation,
  subject: string | null,
  outcome: Outcome,
  requestId: string | null,
  now: number,
): PartnerError {
  const { exchange, effect, attempts } = outcome;
  const facts = { operation, subject, effect, requestId };
  const tries = attempts <= 1 ? "" : ` (${attempts} attempts)`;
  const remedy = (text: string): string =>
    operation === "createApiKey" && effect !== "none" ? lookForKey(now) : text;

  if (outcome.stopped) {
    const happened = `the process was told to stop ${attempts === 0 ? "before anything was sent" : "before there was an answer"}`;
    return new InterruptedError({ ...facts, happened, remedy: remedy('Run "pulumi up" again.') });
  }
  if (exchange.kind === "answered" && isSuccess(exchange.status)) {
    const happened = `the answer broke off${tries}`;
    return new ConnectionError({ ...facts, happened, status: exchange.status, remedy: remedy(TRY_AGAIN) });
  }
  if (exchange.kind === "answered") {
    const { status } = exchange;
    const happened = `the server answered ${status}${tries}`;
    return new ApiStatusError({
      ...facts,
      happened,
      status,
      remedy: remedy(statusRemedy(operation, outcome, status)),
    });
  }
  if (outcome.tooLongWait !== null) {
    const happened = `the server answered 429 to another request${tries}`;
    return new ApiStatusError({
      ...facts,
      happened,
      status: 429,
      remedy: remedy(statusRemedy(operation, outcome, 429)),
    });
  }
  if (exchange.reason === "timeout") {
    const happened = exchange.sent
      ? `no answer came in time${tries}`
      : `no connection came about in time${tries}`;
    return new TimeoutError({ ...facts, happened, remedy: remedy(SLOW) });
  }
  const happened = `the connection failed with ${exchange.code}${tries}`;
  return new ConnectionError({ ...facts, happened, remedy: remedy(connectionRemedy(exchange.code)) });
}

/** Makes the error for a list that arrived and cannot be used. @param problem What is wrong, with its remedy. */
export function unreadableList(problem: string, requestId: string | null): UnreadableResponseError {
  const facts: ErrorFacts = {
    operation: "listWebhooks",
    happened: "the list could not be read",
    effect: "none",
    remedy: problem,
    requestId,
  };
  return new UnreadableResponseError(facts);
}

/** Makes the error for a status of success that comes with a web page, so that nobody can know what it is about. */
export function webPage(
  operation: Operation,
  subject: string | null,
  requestId: string | null,
): UnreadableResponseError {
  return new UnreadableResponseError({
    operation,
    subject,
    happened: "the server answered with a web page, as a login wall does, or the web site of a wrong address",
    effect: "possible",
    remedy: `Check partners:baseUrl and what stands between here and the service; then run "pulumi up" again, which finds out.`,
    requestId,
  });
}

/** Makes the error for a status of success whose body says that it was none. */
export function contradiction(
  operation: Operation,
  subject: string | null,
  requestId: string | null,
): UnreadableResponseError {
  return new UnreadableResponseError({
    operation,
    subject,
    happened: "the server answered with a status of success and a body that reports a failure",
    effect: "possible",
    remedy: `Look at the service for the reason; then run "pulumi up" again, which finds out.`,
    requestId,
  });
}

const TRY_AGAIN = "Try again.";
const SLOW =
  "Try again; if the service is slow by nature, raise partners:requestTimeout or partners:operationTimeout.";

/** Where a key may be that no stack knows of, only a person can look. */
function lookForKey(now: number): string {
  const time = new Date(now).toISOString();
  return `It was not tried again, as that could make a second key. Look at the service for a key made about ${time}, delete it there if there is one, then run "pulumi up" again.`;
}

function statusRemedy(operation: Operation, { tooLongWait }: Outcome, status: number): string {
  if (tooLongWait !== null) {
    return `The server asks to wait ${Math.ceil(tooLongWait / 1000)} s, longer than partners:operationTimeout allows: try again then.`;
  }
  if (status === 401)
    return "The access token was rejected: check partners:accessToken, or PARTNERS_ACCESS_TOKEN where the stack has none.";
  if (status === 403) return "The access token does not permit this: use one that does, for this account.";
  if (status === 404 && operation !== "deleteApiKey")
    return `There is no Partner API at partners:baseUrl: it is what stands before ${API_ROOT} in its addresses.`;
  if (status === 409 && operation === "createApiKey") {
    return "The service refuses a second key: delete the other one first, or set the resource option deleteBeforeReplace.";
  }
  if (status === 429)
    return "The service limits the rate: try again later, or set partners:requestsPerSecond.";
  if (status >= 300 && status < 400) {
    return "Redirects are not followed, as the access token must not go elsewhere: set partners:baseUrl to the final address.";
  }
  if (status >= 500) return "The service has a problem of its own: try again later.";
  return "The service refused the request: compare its documentation.";
}
