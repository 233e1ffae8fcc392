import type { RequestFailure, UnreadableList } from "../api/errors.js";
import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";
import { afterLostKey, lostKeySearch } from "./key-error-messages.js";
import { encodingName, readingRemedy } from "./reading-messages.js";
import {
  connectionRemedy,
  connectionText,
  correct,
  repeat,
  statusRemedy,
  type Remedy,
} from "./request-remedies.js";
import {
  failedCommand,
  goneCommand,
  quotedWords,
  RUN_AGAIN,
  sentences,
  settingName,
  SUPPORT,
  type MessageContext,
} from "./wording.js";

/** Describes a request that failed. */
export function requestText(failure: RequestFailure, context: MessageContext): string {
  return `${requestName(failure, context)}: ${outcomeText(failure, context)}`;
}

/** Says in one clause which request failed, and how. */
export function requestSummary(failure: RequestFailure, context: MessageContext): string {
  return `${requestName(failure, context)}: ${explain(failure, context).happened}${triesText(failure)}`;
}

/**
 * Returns the part of a message after the request: what happened, what may have changed, the remedy and the
 * server's words.
 */
export function outcomeText(failure: RequestFailure, context: MessageContext): string {
  const { operation, effect, failedAt, serverMessage, goneName = null, holdsCreation = false } = failure;
  const effectText = effect === "none" ? "" : ` ${POSSIBLE_EFFECTS[operation](failedAt)}`;
  const held = holdsCreation ? " So no key was created." : "";
  const { happened, remedy } = explain(failure, context);
  const next = isLostCreation(failure) ? lostCreationRemedy(failure, remedy, context) : ` ${remedy.text}`;
  const gone = goneName === null ? "" : ` If the key is gone, ${goneCommand(goneName, context)}.`;
  const unread = ` If only this list fails, set ${settingName("readWebhooks", context)} to false.`;
  const otherwise = holdsCreation ? unread : gone;
  const words = serverMessage === null ? "" : quotedWords(serverMessage);
  const end = `${next}${otherwise}${words}${requestIdText(failure)}`;
  return `${happened}${triesText(failure)}.${effectText}${held}${end}`;
}

/** Whether a key may exist that is in no stack. */
export function isLostCreation({ operation, effect }: RequestFailure): boolean {
  return operation === "createApiKey" && effect === "possible";
}

/** Whether the message already says that the operation may be run again. */
export function asksToRepeat(failure: RequestFailure, context: MessageContext): boolean {
  return !isLostCreation(failure) && explain(failure, context).remedy.repeats;
}

/** Returns the server's name for the request, if it gave one. */
export function requestIdText({ requestId }: RequestFailure): string {
  return requestId === null ? "" : ` Request ID: ${requestId}.`;
}

/** Names a request, as in `PATCH https://partners.example.com/api/v1/partners/…`. Never contains a key. */
function requestName(failure: RequestFailure, { account }: MessageContext): string {
  const { operation, webhookId, server, page = 1 } = failure;
  const { method, template } = OPERATIONS[operation];
  const path = webhookId === null ? template : template.replace(/\{\w+\}/, String(webhookId));
  const which = page > 1 ? ` (page ${page})` : "";
  const of = account === undefined ? "" : ` (account ${JSON.stringify(account)})`;
  return `${method} ${server}${API_ROOT}${path}${which}${of}`;
}

function triesText({ attempts }: RequestFailure): string {
  return attempts > 1 ? ` (${attempts} attempts)` : "";
}

/** What to say about an operation that may have taken effect, at the latest at a time. A read never has. */
const POSSIBLE_EFFECTS: Readonly<Record<Operation, (time: string) => string>> = {
  createApiKey: (time) =>
    sentences(
      "A key may have been created that is in no stack.",
      `Before you run this again, look ${lostKeySearch(time)}`,
    ),
  deleteApiKey: () => "The key may already be deleted.",
  listWebhooks: () => "",
  activateWebhook: () => "The webhook may have been changed.",
  disableWebhook: () => "The webhook may have been changed.",
};

/** Returns what to correct before the next creation, if anything, and the command that repeats it. */
function lostCreationRemedy({ cause, failedAt }: RequestFailure, usual: Remedy, context: MessageContext) {
  const correction = usual.repeats ? "" : ` ${usual.text}`;
  const first =
    cause.kind === "timeout"
      ? ` If the server is slow, raise ${settingName("requestTimeout", context)}.`
      : correction;
  return `${first} Then ${afterLostKey(failedAt, context)}.`;
}

/** Says what happened, and what to do about it. */
function explain(
  { operation, cause, mayUseProxy, attempts }: RequestFailure,
  context: MessageContext,
): { readonly happened: string; readonly remedy: Remedy } {
  const baseUrl = settingName("baseUrl", context);
  const addresses = mayUseProxy ? `${baseUrl} (or HTTPS_PROXY)` : baseUrl;
  switch (cause.kind) {
    case "status": {
      const { status, isWebPage = false } = cause;
      const happened = `the server returned ${status}${isWebPage ? " and a web page" : ""}`;
      return { happened, remedy: statusRemedy(status, isWebPage, operation, context) };
    }
    case "throttled": {
      const wait = durationText(cause.wait);
      const isTooFast = cause.status === 429 && attempts > 1;
      const slower = isTooFast ? `, or set ${settingName("requestsPerSecond", context)}` : "";
      const why =
        attempts === 0
          ? `not sent, because the server returned ${cause.status} to another request, and this one`
          : `the server returned ${cause.status}, and a retry`;
      return { happened: `${why} must wait ${wait}`, remedy: repeat(`${RUN_AGAIN} in ${wait}${slower}.`) };
    }
    case "timeout":
      if (!cause.sent)
        return { happened: "timed out while connecting", remedy: connectionRemedy("", addresses) };
      return {
        happened: "timed out while waiting for the response",
        remedy: repeat(
          `${RUN_AGAIN}; if the server is slow, raise ${settingName("requestTimeout", context)}.`,
        ),
      };
    case "outOfTime":
      return {
        happened:
          attempts === 0
            ? "not sent, because the time of customTimeouts was over first"
            : "the time of customTimeouts was over before a retry",
        remedy: correct("Raise the resource option customTimeouts."),
      };
    case "connection":
      return {
        happened: connectionText(cause.code, mayUseProxy),
        remedy: connectionRemedy(cause.code, addresses),
      };
    case "interrupted":
      return { happened: "interrupted", remedy: repeat(`Run ${failedCommand(context)} again.`) };
    case "cutOff":
      return { happened: "the response was cut off", remedy: repeat(`${RUN_AGAIN}.`) };
    case "webPage":
      return {
        happened: "the server returned a web page",
        remedy: correct(`Check ${baseUrl}, and whether a proxy requires a login.`),
      };
    case "reportedFailure":
      return {
        happened: "the status means success, but the response reports a failure",
        remedy: correct(`Ask ${SUPPORT} why.`),
      };
    case "notApplied":
      return {
        happened: "the server accepted the change, but its response and its list still show the old state",
        remedy: repeat(`Run ${failedCommand(context)} again later, or ask ${SUPPORT} why.`),
      };
    case "undecoded":
      return {
        happened: `the list has ${encodingName(cause.encoding)}, which cannot be decoded`,
        remedy: correct(`Check whether a proxy encodes it, or ask ${SUPPORT} to send it unencoded.`),
      };
    case "tooLarge":
      return {
        happened: `the list is ${sizeBefore(cause.size)}larger than ${cause.limit / 2 ** 20} MiB, the limit`,
        remedy: correct(`Check that ${baseUrl} is the address of the API.`),
      };
    case "unreadableList":
      return {
        happened: unreadableText(cause.reading),
        remedy: correct(readingRemedy(cause.reading.setting, cause.reading, context)),
      };
  }
}

function unreadableText({ reason }: UnreadableList): string {
  if (reason === "not a number") return "the IDs of the webhooks are not positive whole numbers";
  if (reason === "not JSON") return "the response is not JSON";
  return `the list was not recognized${reason === "not unique" ? ": two webhooks have the same ID" : ""}`;
}

/** Rounds a wait in milliseconds up: to seconds or, if it is long, to minutes. */
function durationText(wait: number): string {
  const seconds = Math.ceil(wait / 1000);
  return seconds < 180 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}

/** Names a size in bytes before a comparison, rounded up: it is larger than a limit. */
function sizeBefore(size: number | null): string {
  return size === null ? "" : `${Math.ceil((size / 2 ** 20) * 10) / 10} MiB, `;
}
