import { PartnerError, RequestError, SettingsError, type RequestFailure } from "../api/errors.js";
import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";
import { ResourceError, type ResourceProblem, type WebhookFailure } from "../shared/problems.js";
import { searchFailureText } from "../webhook-search.js";
import { importIdText } from "./input-messages.js";
import { afterLostKey, isKeyProblem, keyErrorText, lostKeySearch } from "./key-error-messages.js";
import { encodingName, readingRemedy, unreadPagesText } from "./reading-messages.js";
import { connectionRemedy, connectionText, statusRemedy } from "./request-remedies.js";
import { renderSettingProblem } from "./setting-messages.js";
import {
  failedCommand,
  goneCommand,
  inflections,
  listed,
  otherServerRemedy,
  PAGE,
  quotedWords,
  quoteForShell,
  RUN_AGAIN,
  sentences,
  settingName,
  stateDelete,
  stateSettings,
  SUPPORT,
  UP,
  webhooksText,
  type MessageContext,
} from "./wording.js";

/**
 * Turns an error into a message: what failed, what may have changed on the server, one remedy, the server's
 * own words and the code. The message of a foreign error may contain anything, so only its type and location
 * are shown.
 */
export function renderError(error: unknown, context: MessageContext = {}): string {
  if (error instanceof PartnerError) {
    const lastUp = context.lastUp === true && dependsOnSettings(error) ? ` ${lastUpText(context)}` : "";
    const hint = context.refreshesFirst === true ? ` ${refreshText(context)}${lastUp}` : lastUp;
    const end = sentences(endText(error, context), pageText(error));
    // A server can send a lone surrogate, and truncation can leave one. gRPC cannot encode it, which would
    // end the process.
    const text = `${describeError(error, context).toWellFormed()}${keepingText(error, context)}${hint}`;
    return sentences(text, end, `[${error.code}]`);
  }
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const [, place] = /[\\/]([a-z-]+\.(?:js|ts):\d+)/.exec(stack) ?? []; // Of the innermost frame.
  const where = place === undefined ? "" : ` at ${place}`;
  return sentences(
    `An unexpected ${name} in pulumi-partners${where}. This is a bug: please report this line.`,
    `If a key was being created, see ${PAGE}#a-key-may-exist before you run this again. [PARTNERS_BUG]`,
  );
}

/** Says whether anything was changed, or whether it is safe to run this again, unless the remedy does. */
function endText(error: PartnerError, context: MessageContext): string {
  if (error instanceof SettingsError) return NOTHING_SENT;
  if (error instanceof ResourceError) {
    const { problem } = error;
    if (problem.kind !== "partlyDone") return RESOURCE_ENDS[problem.kind];
    return isLostCreation(problem.next) ? "" : SAFE_AGAIN;
  }
  if (!(error instanceof RequestError) || error.failure.effect === "none") return NOTHING_CHANGED;
  if (isLostCreation(error) || explain(error.failure, context)[1].includes(" again")) return "";
  return SAFE_AGAIN;
}

const NOTHING_SENT = "Nothing was sent.";
const NOTHING_CHANGED = "Nothing was changed.";
const SAFE_AGAIN = "It is safe to run this again.";

const RESOURCE_ENDS: Readonly<Record<Exclude<ResourceProblem["kind"], "partlyDone">, string>> = {
  otherAccount: NOTHING_SENT,
  otherServer: NOTHING_SENT,
  noSuchWebhook: NOTHING_CHANGED,
  releasePending: "",
  declaredTwice: NOTHING_CHANGED,
  fleetIncomplete: "",
  unknownToken: NOTHING_SENT,
  wrongImportId: "Nothing was imported.",
  stateUnknown: NOTHING_CHANGED,
  listNotRead: NOTHING_SENT,
  absenceUnproven: NOTHING_CHANGED,
  noMatch: NOTHING_CHANGED,
  keyNotFound: "",
  lostCreation: NOTHING_SENT,
  sameKey: "",
  keyIdMissing: NOTHING_SENT,
  keyShown: NOTHING_SENT,
  deletionUnclear: SAFE_AGAIN,
};

/** Whether a key may exist that is in no stack. */
function isLostCreation(error: PartnerError): boolean {
  if (!(error instanceof RequestError)) return false;
  const { operation, effect } = error.failure;
  return operation === "createApiKey" && effect === "possible";
}

/** Links to what the page says about a key that may exist, or that may still exist. */
function pageText(error: PartnerError): string {
  const section = sectionAbout(error);
  // No full stop, which a terminal could take for a part of the link.
  return section === null ? "" : `See ${PAGE}#${section}`;
}

/** Names the section of the page about an error; `null` if the message says everything. */
function sectionAbout(error: PartnerError): string | null {
  if (isLostCreation(error)) return "a-key-may-exist";
  if (!(error instanceof ResourceError)) return null;
  const { problem } = error;
  switch (problem.kind) {
    case "partlyDone":
      return sectionAbout(problem.next) ?? "may-the-job-be-run-again";
    case "lostCreation":
      return "a-key-may-exist";
    case "keyNotFound":
      return "a-key-was-created-but-not-found";
    case "deletionUnclear":
      return "a-deletion-returned-404";
    default:
      return isKeyProblem(problem.kind) ? "partners_resource" : null;
  }
}

/** Explains why a corrected setting may have no effect. */
function lastUpText({ refreshesFirst }: MessageContext): string {
  // Any other `up` would first read the resource with the old settings again.
  const remedy =
    refreshesFirst === true
      ? 'run "pulumi up --refresh --run-program"'
      : `run ${UP} first, or add --run-program`;
  return `If you changed a setting after the last up, ${remedy}.`;
}

/** Explains why a preview or an update without changes reads the resource. */
function refreshText(context: MessageContext): string {
  return `With ${settingName("refreshBeforeUpdate", context)}, each run reads the webhooks first.`;
}

/** Whether different settings could fix the error. */
function dependsOnSettings(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true;
  if (error instanceof ResourceError)
    return ["otherAccount", "absenceUnproven", "stateUnknown"].includes(error.problem.kind);
  if (!(error instanceof RequestError)) return false;
  const { cause, effect } = error.failure;
  if (cause.kind === "status") return cause.status < 400 || [401, 403, 404].includes(cause.status);
  return effect === "none" && ["connection", "timeout", "webPage", "unreadableList"].includes(cause.kind);
}

function describeError(error: PartnerError, context: MessageContext): string {
  if (error instanceof SettingsError) {
    // Several unknown names in one setting are one problem for the reader.
    return sentences(...new Set(error.problems.map((problem) => renderSettingProblem(problem, context))));
  }
  if (error instanceof RequestError)
    return `${requestName(error.failure, context)}: ${outcomeText(error.failure, context)}`;
  const { problem } = error as PartnerError & Pick<ResourceError, "problem">; // There is no fourth kind.
  return resourceText(problem, context);
}

/**
 * Returns the part of a message after the request: what happened, what may have changed, the remedy and the
 * server's words.
 */
function outcomeText(failure: RequestFailure, context: MessageContext): string {
  const { operation, effect, attempts, failedAt, serverMessage, requestId, goneName = null } = failure;
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const effectText = effect === "none" ? "" : ` ${POSSIBLE_EFFECTS[operation](failedAt)}`;
  const [happened, usualRemedy] = explain(failure, context);
  const remedy =
    operation === "createApiKey" && effect === "possible"
      ? lostCreationRemedy(failure, context)
      : ` ${usualRemedy}`;
  const gone = goneName === null ? "" : ` If the key is gone, ${goneCommand(goneName, context)}.`;
  const request = requestId === null ? "" : ` Request ID: ${requestId}.`;
  const words = serverMessage === null ? "" : quotedWords(serverMessage);
  return `${happened}${tries}.${effectText}${remedy}${gone}${words}${request}`;
}

/** What to say about an operation that may have taken effect, at the latest at a time. A read never has. */
const POSSIBLE_EFFECTS: Readonly<Record<Operation, (time: string) => string>> = {
  createApiKey: (time) => `A key may have been created that is in no stack. ${lostKeySearch(time)}`,
  deleteApiKey: () => "The key may already be deleted.",
  listWebhooks: () => "",
  activateWebhook: () => "The webhook may have been changed.",
  disableWebhook: () => "The webhook may have been changed.",
};

/** Returns what to change before the next creation, if anything, and the command that repeats it. */
function lostCreationRemedy(failure: RequestFailure, context: MessageContext): string {
  const { cause, failedAt } = failure;
  const isRefused = cause.kind === "webPage" || (cause.kind === "status" && cause.status < 400);
  const refusal = isRefused ? ` ${explain(failure, context)[1]}` : "";
  const first =
    cause.kind === "timeout"
      ? ` If the server is slow, raise ${settingName("requestTimeout", context)}.`
      : refusal;
  return `${first} Then ${afterLostKey(failedAt, context)}.`;
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

/** What to do if the resource is declared again after a deletion that failed partway. */
const KEEPING = 'To keep the resource, run "pulumi up --refresh".';

/** Returns what to do if a deletion may have changed something, but the resource is to be kept. */
function keepingText(error: PartnerError, { deletes, urn }: MessageContext): string {
  if (deletes !== true) return "";
  const isRequest = error instanceof RequestError;
  const isPossible = isRequest && error.failure.effect === "possible";
  const isPartlyDone = error instanceof ResourceError && error.problem.kind === "partlyDone";
  if (!isPossible && !isPartlyDone) return "";
  if (isRequest && error.failure.webhookId !== null) return ` ${KEEPING}`;
  // No refresh can tell whether a key is gone.
  const command = urn === undefined ? '--replace" with its URN' : `--replace ${quoteForShell(urn)}"`;
  return ` To keep the resource, replace its key: run "pulumi up ${command}.`;
}

/** Returns what happened, and the remedy. */
function explain(
  { operation, cause, server, mayUseProxy, attempts }: RequestFailure,
  context: MessageContext,
): readonly [happened: string, remedy: string] {
  const baseUrl = settingName("baseUrl", context);
  const addresses = mayUseProxy ? `${baseUrl} (or HTTPS_PROXY)` : baseUrl;
  switch (cause.kind) {
    case "status":
      return [`the server returned ${cause.status}`, statusRemedy(cause.status, operation, context)];
    case "throttled": {
      const wait = durationText(cause.wait);
      const isTooFast = cause.status === 429 && attempts > 1;
      const slower = isTooFast ? `, or set ${settingName("requestsPerSecond", context)}` : "";
      const happened =
        attempts === 0
          ? `not sent, because the server returned ${cause.status} to another request, and this one`
          : `the server returned ${cause.status}, and a retry`;
      return [`${happened} must wait ${wait}`, `${RUN_AGAIN} in ${wait}${slower}.`];
    }
    case "timeout":
      if (!cause.sent) return ["timed out while connecting", connectionRemedy("", addresses)];
      return [
        "timed out while waiting for the response",
        `${RUN_AGAIN}; if the server is slow, raise ${settingName("requestTimeout", context)}.`,
      ];
    case "outOfTime":
      return [
        attempts === 0
          ? "not sent, because the time of customTimeouts was over first"
          : "the time of customTimeouts was over before a retry",
        "Raise the resource option customTimeouts.",
      ];
    case "connection": {
      const { host } = new URL(server);
      const peer = mayUseProxy ? `${host} or its proxy` : host;
      return [`${connectionText(cause.code, peer)} (${cause.code})`, connectionRemedy(cause.code, addresses)];
    }
    case "interrupted":
      return ["interrupted", `Run ${failedCommand(context)} again.`];
    case "cutOff":
      return ["the response was cut off", `${RUN_AGAIN}.`];
    case "webPage":
      return ["the server returned a web page", `Check ${baseUrl}, and whether a proxy requires a login.`];
    case "reportedFailure":
      return ["the status means success, but the response reports a failure", `Ask ${SUPPORT} why.`];
    case "notApplied":
      return [
        "the server accepted the change, but its response and its list still show the old state",
        `Run ${failedCommand(context)} again later, or ask ${SUPPORT} why.`,
      ];
    case "undecoded":
      return [
        `the list has ${encodingName(cause.encoding)}, which cannot be decoded`,
        `Check whether a proxy encodes it, or ask ${SUPPORT} to send it unencoded.`,
      ];
    case "tooLarge":
      return [
        `the list is ${sizeBefore(cause.size)}larger than the limit of ${cause.limit / 2 ** 20} MiB`,
        `Check that ${baseUrl} is the address of the API.`,
      ];
    case "unreadableList": {
      const { setting: member, reason } = cause.reading;
      if (reason === "not a number") {
        const what = `the IDs of the ${cause.elements} are not positive whole numbers`;
        return [what, readingRemedy(member, cause.reading, context)];
      }
      if (reason === "not JSON")
        return ["the response is not JSON", readingRemedy(member, cause.reading, context)];
      const why = reason === "not unique" ? `: two ${cause.elements} have the same ID` : "";
      return [`the list was not recognized${why}`, readingRemedy(member, cause.reading, context)];
    }
  }
}

function resourceText(problem: ResourceProblem, context: MessageContext): string {
  switch (problem.kind) {
    case "otherAccount": {
      const owner = JSON.stringify(problem.owner);
      const account = context.account === undefined ? "partners:account" : "the Provider's account";
      return sentences(
        `The resource belongs to account ${owner}, but ${account} is ${JSON.stringify(problem.present)}.`,
        `Pass the Provider of ${owner} to it again, or set ${account} back to ${owner}.`,
        `Only if the resource no longer exists, ${stateDelete(context)}.`,
      );
    }
    case "otherServer":
      return sentences(
        `The resource belongs to ${problem.owner}, not to ${problem.present}.`,
        otherServerRemedy(problem.owner, context),
      );
    case "noSuchWebhook": {
      const { webhookIds, existing } = problem;
      const { s, do: verb } = inflections(webhookIds);
      const what = `Webhook${s} ${listed(webhookIds)} ${verb} not exist in this account`;
      const correct = `Correct or remove the ID${s}`;
      if (existing === null)
        return sentences(
          `${what}: the server returned 404.`,
          `${correct}; if all changes fail, check ${settingName("baseUrl", context)}.`,
        );
      return sentences(
        `${what}. Existing webhooks: ${listed(existing) || "none"}.`,
        `${correct}, or create the webhook${s} at the service.`,
      );
    }
    case "releasePending":
      return sentences(
        `For two minutes, another provider of this run has been removing ${webhooksText(problem.webhookIds)}`,
        `from its resource. Nothing was changed here. Run ${failedCommand(context)} again.`,
      );
    case "declaredTwice": {
      const names = resourceNames(problem.urns);
      if (problem.webhookId === null)
        return sentences(
          `${names} overlap: one of them sets "others" for the whole account.`,
          'Set "others" to "leave", or remove one.',
        );
      return sentences(
        `Webhook ${problem.webhookId} is declared twice, by ${names}.`,
        "Remove one, or correct its ID or provider.",
      );
    }
    case "fleetIncomplete": {
      const { failures, changed } = problem;
      const { s, were } = inflections(changed);
      const { them } = inflections(failures);
      const total = failures.length + changed.length;
      const text = sentences(
        `${failures.length} of ${total} webhooks could not be changed.`,
        changed.length > 0 && `Webhook${s} ${listed(changed)} ${were} changed.`,
        `Run ${failedCommand(context)} again to retry ${them}.`,
        context.deletes === true && KEEPING,
      );
      return `${text}\n${failureLines(failures, context)}`;
    }
    case "unknownToken":
      return sentences(
        `There is no ${JSON.stringify(problem.token)}.`,
        `Correct it to one of: ${problem.known.join(", ")}.`,
      );
    case "wrongImportId":
      return `To import this resource, use ${importIdText(problem.expected)}.`;
    case "stateUnknown":
      return sentences(
        `The list does not show the state of ${webhooksText(problem.webhookIds)}.`,
        `Set ${stateSettings(problem.setting, context)}.`,
      );
    case "listNotRead": {
      const [what, remedy] = LIST_NEEDS[problem.need];
      const setting = settingName("readWebhooks", context);
      return `${what} needs the webhook list, but ${setting} is false. ${remedy}`;
    }
    case "absenceUnproven": {
      const { webhookId, complete, unread, doubt } = problem;
      const what =
        webhookId === null ? "The webhooks cannot be listed" : `Webhook ${webhookId} was not found`;
      const setting = (name: string) => settingName(`responses.${name}`, context);
      if (doubt === "part")
        return sentences(
          `${what}: the response may have further webhooks outside the list.`,
          `Check that ${setting("webhooks")} points to all of them, and set ${setting("complete")} to true.`,
        );
      if (doubt === "odd" && complete)
        return sentences(
          `${what}: a record of the list has no ID that can be read, and may be it.`,
          `Set ${setting("webhookId")}.`,
        );
      if (unread !== null) return `${what}: ${unreadPagesText(unread, context)}`;
      const [why, condition] = complete
        ? ["the list is empty, which may mean that it was misread", "the account has no webhooks"]
        : ["the list may have further pages", "the list is complete"];
      return `${what}: ${why}. If ${condition}, set ${settingName("responses.complete", context)} to true.`;
    }
    case "noMatch":
      return searchFailureText(problem.failure, (member) => settingName(`responses.${member}`, context));
    case "partlyDone": {
      const next = describeError(problem.next, context);
      if (context.deletes === true) return `One key was deleted. Deleting the next one failed: ${next}`;
      return `The previous key was deleted, and the current one stays in use. Then this failed: ${next}`;
    }
    default:
      return keyErrorText(problem, context, (error) => describeError(error, context));
  }
}

/** What needs the list, and what to do without it. */
const LIST_NEEDS = {
  others: ['"others"', 'Set "others" to "leave", and name the webhooks in "states".'],
  restore: ['"restore"', 'Set stateOnDestroy to "leave", "active" or "disabled".'],
  import: ["An import", "Declare the webhook in the program instead: it needs no import."],
  list: ["This", "Set it to true, if the list can be read."],
} as const;

/**
 * Returns one line for each of the first ten reasons, with the webhooks that it applies to and what the
 * server said about them.
 */
function failureLines(failures: readonly WebhookFailure[], context: MessageContext): string {
  const reasons = Map.groupBy(failures, ({ error }) =>
    // Without what differs for each failure, so that equal reasons share a line.
    error instanceof RequestError
      ? outcomeText({ ...error.failure, requestId: null, serverMessage: null }, context)
      : describeError(error, context),
  );
  const lines = [...reasons].map(([reason, same]) => {
    const words = new Set(same.map(({ error }) => wordsOf(error)).filter((text) => text !== null));
    return `- ${listed(same.map(({ webhookId }) => webhookId))}: ${reason}${quotedWords(...words)}`;
  });
  if (lines.length > 10) lines.splice(10, Infinity, `- and ${lines.length - 10} more reasons`);
  return lines.join("\n");
}

function wordsOf(error: PartnerError): string | null {
  return error instanceof RequestError ? error.failure.serverMessage : null;
}

/** Rounds a wait in milliseconds up: to seconds or, if it is long, to minutes. */
function durationText(wait: number): string {
  const seconds = Math.ceil(wait / 1000);
  return seconds < 180 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}

/** Names resources by type and name, or by URN if these are the same, as in two components. */
function resourceNames(urns: readonly string[]): string {
  const names = urns.map((urn) => {
    const [, , type = "", ...name] = urn.split("::");
    return `${type.replace(/^.*[$:]/, "")} ${JSON.stringify(name.join("::"))}`;
  });
  return (new Set(names).size === 1 ? urns : names).join(" and ");
}

/** Names a size in bytes before a comparison, rounded up: it is larger than a limit. */
function sizeBefore(size: number | null): string {
  return size === null ? "" : `${Math.ceil((size / 2 ** 20) * 10) / 10} MiB, `;
}
