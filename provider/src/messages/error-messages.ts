import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import { ResourceError, type ResourceProblem } from "../shared/problems.js";
import { isKeyProblem } from "./key-error-messages.js";
import {
  asksToRepeat,
  isLostCreation,
  outcomeText,
  requestIdText,
  requestSummary,
  requestText,
} from "./request-messages.js";
import { resourceText } from "./resource-messages.js";
import { renderSettingProblem } from "./setting-messages.js";
import {
  KEEPING,
  PAGE,
  quoteForShell,
  resourceAt,
  sentences,
  settingName,
  UP,
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

/**
 * Returns the words about a cause that can make many resources fail alike; `null` if each of them must tell
 * everything, such as what may have changed.
 */
export function sharedCause(error: unknown, context: MessageContext): string | null {
  if (error instanceof SettingsError) return describeError(error, context);
  if (!(error instanceof RequestError) || error.failure.effect !== "none") return null;
  return outcomeText({ ...error.failure, requestId: null }, context);
}

/**
 * Describes an error with a {@link sharedCause} in short, after the one of another resource.
 *
 * @param urn The other resource. May be empty.
 */
export function renderRepeated(error: PartnerError, urn: string, context: MessageContext): string {
  const what =
    error instanceof RequestError ? requestSummary(error.failure, context) : "The settings are not valid";
  return sentences(
    `${what}, as for ${resourceAt(urn)}, whose error says what to do.`,
    error instanceof RequestError && requestIdText(error.failure).trim(),
    `${error instanceof RequestError ? NOTHING_CHANGED : NOTHING_SENT} [${error.code}]`,
  );
}

function describeError(error: PartnerError, context: MessageContext): string {
  if (error instanceof SettingsError) {
    // Several unknown names in one setting are one problem for the reader.
    return sentences(...new Set(error.problems.map((problem) => renderSettingProblem(problem, context))));
  }
  if (error instanceof RequestError) return requestText(error.failure, context);
  const { problem } = error as PartnerError & Pick<ResourceError, "problem">; // There is no fourth kind.
  return resourceText(problem, context, (cause) => describeError(cause, context));
}

/** Says whether anything was changed, or whether it is safe to run this again, unless the remedy does. */
function endText(error: PartnerError, context: MessageContext): string {
  if (error instanceof SettingsError) return NOTHING_SENT;
  if (error instanceof ResourceError) {
    const { problem } = error;
    // What failed after the deletion changed nothing, or says so.
    if (problem.kind === "partlyDone") return repeatText(problem.next, context);
    if (problem.kind === "deletionUnclear" && problem.doubts.some(({ kind }) => kind === "new")) return "";
    if (problem.kind === "sameKey" && problem.kept !== null) return "";
    return RESOURCE_ENDS[problem.kind];
  }
  if (!(error instanceof RequestError) || error.failure.effect === "none") return NOTHING_CHANGED;
  return repeatText(error, context);
}

/** Says that an operation may be run again, unless the remedy does, or a key has to be looked for first. */
function repeatText(error: PartnerError, context: MessageContext): string {
  const isSaid =
    error instanceof RequestError && (isLostCreation(error.failure) || asksToRepeat(error.failure, context));
  return isSaid ? "" : SAFE_AGAIN;
}

const NOTHING_SENT = "Nothing was sent.";
const NOTHING_CHANGED = "Nothing was changed.";
const SAFE_AGAIN = "It is safe to run this again.";

/** The last words about each problem. Empty if its remedy ends with what to run. */
const RESOURCE_ENDS: Readonly<Record<Exclude<ResourceProblem["kind"], "partlyDone">, string>> = {
  otherAccount: NOTHING_SENT,
  otherServer: NOTHING_SENT,
  noSuchWebhook: NOTHING_CHANGED,
  releasedElsewhere: "",
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
  sameKey: SAFE_AGAIN,
  keyIdMissing: NOTHING_SENT,
  keyShown: NOTHING_SENT,
  deletionUnclear: SAFE_AGAIN,
};

/** Links to what the page says about a key that may exist, or that may still exist. */
function pageText(error: PartnerError): string {
  const section = sectionAbout(error);
  // No full stop, which a terminal could take for a part of the link.
  return section === null ? "" : `See ${PAGE}#${section}`;
}

/** Names the section of the page about an error; `null` if the message says everything. */
function sectionAbout(error: PartnerError): string | null {
  if (error instanceof RequestError) return isLostCreation(error.failure) ? "a-key-may-exist" : null;
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
    return ["otherAccount", "otherServer", "absenceUnproven", "stateUnknown"].includes(error.problem.kind);
  if (!(error instanceof RequestError)) return false;
  const { cause, effect } = error.failure;
  if (cause.kind === "status") return cause.status < 400 || [401, 403, 404].includes(cause.status);
  return effect === "none" && ["connection", "timeout", "webPage", "unreadableList"].includes(cause.kind);
}

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
