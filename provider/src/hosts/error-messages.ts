import {
  PartnerError,
  RequestError,
  SettingsError,
  type RequestFailure,
  type UnreadableList,
} from "../api/errors.js";
import { OPERATIONS, type Operation } from "../api/operations.js";
import {
  ResourceError,
  type LostCreation,
  type RefusedReading,
  type ResourceProblem,
  type WebhookFailure,
} from "../handlers/problems.js";
import { goneName, type KeyName } from "../handlers/keys/key-name.js";
import { importIdText } from "./input-messages.js";
import { renderSettingProblem } from "./setting-messages.js";
import {
  describedKey,
  failedCommand,
  goneCommand,
  inflections,
  listed,
  minuteOf,
  otherServerRemedy,
  quoteForShell,
  resourceAt,
  settingName,
  stateSettings,
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
    // A server can send a lone surrogate, and truncation can leave one. gRPC cannot encode it, which would
    // end the process.
    return `${describeError(error, context).toWellFormed()}${keepingText(error, context)}${hint} [${error.code}]`;
  }
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const [, place] = /[\\/]([a-z-]+\.(?:js|ts):\d+)/.exec(stack) ?? []; // Of the innermost frame.
  return `An unexpected ${name} in pulumi-partners${place === undefined ? "" : ` at ${place}`}. This is a bug: please report this line. [PARTNERS_BUG]`;
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
  if (error instanceof ResourceError) return ["otherAccount", "absenceUnproven"].includes(error.problem.kind);
  if (!(error instanceof RequestError)) return false;
  const { cause, effect } = error.failure;
  if (cause.kind === "status") return cause.status < 400 || [401, 403, 404].includes(cause.status);
  return effect === "none" && ["connection", "timeout", "webPage", "unreadableList"].includes(cause.kind);
}

function describeError(error: PartnerError, context: MessageContext): string {
  if (error instanceof SettingsError)
    return `${error.problems.map((problem) => renderSettingProblem(problem, context)).join(" ")} Nothing was sent.`;
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
  const { operation, effect, attempts, failedAt, serverMessage, requestId } = failure;
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const effectText = effect === "none" ? "" : ` ${POSSIBLE_EFFECTS[operation](failedAt)}`;
  const [happened, usualRemedy] = explain(failure, context);
  const isLost = operation === "createApiKey" && effect === "possible";
  const remedy = isLost ? lostCreationRemedy(failure, context) : ` ${usualRemedy}`;
  const request = requestId === null ? "" : ` Request ID: ${requestId}.`;
  return `${happened}${tries}.${effectText}${remedy}${quotedWords(serverMessage)}${request}`;
}

/** Quotes what the server said, if anything. */
function quotedWords(words: string | null): string {
  if (words === null) return "";
  return ` The server said: "${words}"${/[.!?…]$/.test(words) ? "" : "."}`;
}

/** What to say about an operation that may have taken effect, at the latest at a time. A read never has. */
const POSSIBLE_EFFECTS: Readonly<Record<Operation, (time: string) => string>> = {
  createApiKey: (time) => `A key may have been created that no stack tracks. ${lostKeySearch(time)}`,
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
      ? ` If the service is slow, raise ${settingName("requestTimeout", context)}.`
      : refusal;
  return `${first} Then ${goneCommand(failedAt, context)}.`;
}

/** Names a request, as in `PATCH /webhooks/101/disable at partners.example.com`. Never contains a key. */
function requestName({ operation, webhookId, host }: RequestFailure, { account }: MessageContext): string {
  const { method, template } = OPERATIONS[operation];
  const path = webhookId === null ? template : template.replace(/\{\w+\}/, String(webhookId));
  const of = account === undefined ? "" : ` (account ${JSON.stringify(account)})`;
  return `${method} ${path} at ${host}${of}`;
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
  { operation, cause, host, mayUseProxy, attempts }: RequestFailure,
  context: MessageContext,
): readonly [happened: string, remedy: string] {
  const baseUrl = settingName("baseUrl", context);
  const addresses = mayUseProxy ? `${baseUrl} (or HTTPS_PROXY)` : baseUrl;
  switch (cause.kind) {
    case "status":
      return [`the server returned ${cause.status}`, statusRemedy(cause.status, operation, context)];
    case "throttled": {
      const wait = `must wait ${Math.ceil(cause.wait / 1000)} s`;
      const isTooFast = cause.status === 429 && attempts > 1;
      const remedy = isTooFast
        ? `set ${settingName("requestsPerSecond", context)}`
        : `raise ${settingName("operationTimeout", context)}`;
      return [
        attempts === 0
          ? `not sent, because the server returned ${cause.status} to another request, and further ones ${wait}`
          : `the server returned ${cause.status}, and a retry ${wait}`,
        `Try again after that, or ${remedy}.`,
      ];
    }
    case "timeout":
      if (!cause.sent) return ["timed out while connecting", connectionRemedy("", addresses)];
      return [
        "timed out while waiting for the response",
        `Try again; if the service is slow, raise ${settingName("requestTimeout", context)}.`,
      ];
    case "outOfTime":
      return [
        attempts === 0
          ? "not sent, because the customTimeouts limit was reached first"
          : "the customTimeouts limit was reached before a retry",
        "Raise the customTimeouts of the resource.",
      ];
    case "connection": {
      const peer = mayUseProxy ? `${host} or its proxy` : host;
      return [`${connectionText(cause.code, peer)} (${cause.code})`, connectionRemedy(cause.code, addresses)];
    }
    case "interrupted":
      return ["interrupted", `Run ${failedCommand(context)} again.`];
    case "cutOff":
      return ["the response was cut off", "Try again."];
    case "webPage":
      return ["the server returned a web page", `Check ${baseUrl}, and whether a proxy requires a login.`];
    case "reportedFailure":
      return ["the body reports a failure, although the status does not", "Ask the service's operator why."];
    case "notApplied":
      return [
        "the server accepted the change, but its response and its list still show the old state",
        `Run ${failedCommand(context)} again later, or ask the service's operator why.`,
      ];
    case "undecoded":
      return [
        `the list has ${encodingName(cause.encoding)}, which cannot be decoded`,
        "Check whether a proxy encodes it, or ask the service's operator to send it unencoded.",
      ];
    case "tooLarge":
      return [
        `the list is larger than ${cause.limit / 2 ** 20} MiB`,
        `Check that ${baseUrl} is the address of the API.`,
      ];
    case "unreadableList": {
      if (cause.reading.reason === "too many values")
        return [`the list has too many values to be a list of ${cause.elements}`, `Check ${baseUrl}.`];
      const { setting: member, reason } = cause.reading;
      const why = reason === "not unique" ? `: two ${cause.elements} have the same ID` : "";
      return [`the list was not recognized${why}`, readingRemedy(member, cause.reading, context)];
    }
  }
}

function statusRemedy(status: number, operation: Operation, context: MessageContext): string {
  const baseUrl = settingName("baseUrl", context);
  if (status === 401) return `The access token was rejected: check ${settingName("accessToken", context)}.`;
  if (status === 403)
    return `The token lacks permission for this: change ${settingName("accessToken", context)}.`;
  if (status === 404 && OPERATIONS[operation].method === "PATCH")
    return `The webhook may just have been deleted: run ${failedCommand(context)} again, or ask the service's operator.`;
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

function encodingName(encoding: string): string {
  return encoding === "unknown" ? "an unknown encoding" : `the encoding "${encoding}"`;
}

/** The codes for a connection that ended before a response. */
const CLOSED = ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"];
/** The code for headers that are invalid after a Content-Length, such as a second one. */
const INVALID_HEADERS = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

/** Says what an error code of a connection means. */
function connectionText(code: string, peer: string): string {
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
function connectionRemedy(code: string, source: string): string {
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

function resourceText(problem: ResourceProblem, context: MessageContext): string {
  switch (problem.kind) {
    case "otherAccount": {
      const account = context.account === undefined ? "partners:account" : "the Provider's account";
      return `The resource belongs to account ${JSON.stringify(problem.owner)}, but ${account} is ${JSON.stringify(problem.present)}. Nothing was sent. Restore its provider or ${account}; if the resource no longer exists, ${stateDelete(context)}.`;
    }
    case "otherServer":
      return `The resource belongs to ${problem.owner}, not to ${problem.present}. Nothing was sent. ${otherServerRemedy(context)}`;
    case "noSuchWebhook": {
      const { webhookIds, existing } = problem;
      const { s, do: verb } = inflections(webhookIds);
      return `Webhook${s} ${listed(webhookIds)} ${verb} not exist in this account. Existing webhooks: ${listed(existing) || "none"}. Correct or remove the ID${s}, or create the webhook${s} at the service.`;
    }
    case "noRunFolder":
      return `No webhook was changed, because the folder ${problem.folder}, which records what the program declares, cannot be used. Set TMPDIR to a folder of your own.`;
    case "declaredTwice": {
      const names = resourceNames(problem.urns);
      if (problem.webhookId === null)
        return `${names} overlap: one of them sets "others" for the whole account. Set "others" to "leave", or remove one.`;
      return `Webhook ${problem.webhookId} is declared twice, by ${names}. Remove one, or correct its ID or provider.`;
    }
    case "fleetIncomplete": {
      const { failures, total } = problem;
      const keeping = context.deletes === true ? ` ${KEEPING}` : "";
      return `${failures.length} of ${total} webhooks could not be changed. Run ${failedCommand(context)} again to retry them.${keeping}\n${failureLines(failures, context)}`;
    }
    case "unknownToken":
      return `There is no ${JSON.stringify(problem.token)}. Correct it to one of: ${problem.known.join(", ")}.`;
    case "wrongImportId":
      return `To import this resource, use ${importIdText(problem.expected)}. Nothing was imported.`;
    case "stateUnknown":
      return `The list does not show the state of ${webhooksText(problem.webhookIds)}. Set ${stateSettings(problem.setting, context)}.`;
    case "absenceUnproven": {
      const { webhookId, complete } = problem;
      const what =
        webhookId === null ? "The webhooks cannot be listed" : `Webhook ${webhookId} was not found`;
      const [why, condition] = complete
        ? ["the list is empty, which may mean that it was misread", "the account has no webhooks"]
        : ["the list may have further pages", "the list is complete"];
      return `${what}: ${why}. If ${condition}, set ${settingName("responses.complete", context)} to true.`;
    }
    case "keyNotFound": {
      const { name, rotates, complete, reading, serverMessage } = problem;
      const { createdAt } = name;
      const gone = goneOrRemoved(name, context);
      const old = rotates ? " The old key stays in use." : "";
      const time = createdAt === null ? "an unknown time" : minuteOf(createdAt);
      const created = `A key was created at ${time}`;
      const deletion = `delete the key at the service; in a stack, then ${gone}`;
      if (reading.reason === "empty")
        return `${created}, but the response is empty, so the key is lost.${old} Now ${deletion}.`;
      const cutOff = complete ? "" : ", which was cut off";
      const note = problem.reportsFailure ? ", which reports a failure" : cutOff;
      const words = quotedWords(serverMessage);
      if (reading.reason === "not JSON") {
        const why =
          problem.undecoded === null
            ? "It is not JSON"
            : `It has ${encodingName(problem.undecoded)}, which cannot be decoded`;
        return `${created} but not found in the response${note}. ${why}, so no setting can find the key.${old} Now ${deletion}.${words}`;
      }
      const remedy = `${readingRemedy("apiKey", reading, context)} Then run ${UP}, which reads the stored response and creates no other key.`;
      return `${created} but not found in the response${note}.${old} ${remedy} If the response has no key, or you have no stack, ${deletion}.${words}`;
    }
    case "lostCreation":
      return lostCreationText(problem, context);
    case "sameKey": {
      const { name, urn, rotates } = problem;
      const keeps = rotates ? " The old key stays in use." : "";
      return `The service returned ${describedKey(name)}, which ${resourceAt(urn)} already has, instead of a new one.${keeps} The service may allow only one key. If so, declare one PartnerApiKey and, for a rotation, set overlapDays to 0 and deleteBeforeReplace to true.`;
    }
    case "keyIdMissing": {
      const { name } = problem;
      return `Deleting ${describedKey(name)} failed: ${settingName("responses.apiKeyId", context)} finds no ID in the response to its creation. Nothing was sent. Correct the setting and run ${UP}.${goneRemedy(name, context)}`;
    }
    case "keyShown":
      return `Deleting ${describedKey(problem.name)} failed: ${resourceAt(problem.urn)} still uses it, because its own key was not found. Nothing was sent. First fix the error of that resource.`;
    case "deletionUnclear":
      return deletionUnclearText(problem, context);
    case "partlyDone":
      return `One key was deleted. Then this failed: ${describeError(problem.next, context)}`;
  }
}

/** Says that a creation was lost, and how to go on. */
function lostCreationText({ at, rotates }: LostCreation, context: MessageContext): string {
  const old = rotates ? " The current key stays in use." : "";
  const blocked = context.deletes === true ? "the resource is not deleted" : "no other key is created";
  return `A key may have been created at ${minuteOf(at)} that no stack tracks, so ${blocked}. Nothing was sent.${old} ${lostKeySearch(at)} Then ${goneCommand(at, context)}.`;
}

/** Says how to find a key whose creation was lost. Other keys from that time are in use. */
function lostKeySearch(time: string): string {
  return `Look at the service for a key created at about ${minuteOf(time)} that none of your stacks has, and delete it.`;
}

/** Says why a 404 does not prove that a key is gone, and how to go on. */
function deletionUnclearText(
  { name, doubts }: Extract<ResourceProblem, { kind: "deletionUnclear" }>,
  context: MessageContext,
): string {
  const reasons = doubts.map((doubt) => {
    switch (doubt.kind) {
      case "noList":
        return `nothing confirms that the key is gone. ${describeError(doubt.listError, context)}`;
      case "otherToken":
        return `the key was created with another access token. If that token belongs to another account, restore ${settingName("accessToken", context)}.`;
      case "byId":
        return `the service may delete keys by ID. If so, set ${settingName("responses.apiKeyId", context)} to ${oneOf(doubt.pointers)}, and run ${UP}.`;
      case "new":
        return `the key is new: the service may not find it yet. Try again in two minutes.`;
    }
  });
  const [first = "", ...more] = reasons;
  const rest = more.map((reason) => ` Another possible cause: ${reason}`).join("");
  return `Deleting ${describedKey(name)} failed: the server returned 404, but ${first}${rest}${goneRemedy(name, context)}`;
}

/** Returns how to say that a key is gone. */
function goneRemedy(key: KeyName, context: MessageContext): string {
  return ` If the key is gone, ${goneOrRemoved(key, context)}.`;
}

/** Returns the command that says that a key is gone or, for one without a name, forgets it. */
function goneOrRemoved(key: KeyName, context: MessageContext): string {
  const name = goneName(key);
  return name === null ? stateDelete(context) : goneCommand(name, context);
}

/** Returns one line for each of the first ten reasons, with the webhooks that it applies to. */
function failureLines(failures: readonly WebhookFailure[], context: MessageContext): string {
  const reasons = Map.groupBy(failures, ({ error }) =>
    // Without the request and its ID, which differ for each failure, so that equal reasons share a line.
    error instanceof RequestError
      ? outcomeText({ ...error.failure, requestId: null }, context)
      : describeError(error, context),
  );
  const lines = [...reasons].map(
    ([reason, same]) => `- ${listed(same.map(({ webhookId }) => webhookId))}: ${reason}`,
  );
  if (lines.length > 10) lines.splice(10, Infinity, `- and ${lines.length - 10} more reasons`);
  return lines.join("\n");
}

/** Names resources by type and name, or by URN if these are the same, as in two components. */
function resourceNames(urns: readonly string[]): string {
  const names = urns.map((urn) => {
    const [, , type = "", ...name] = urn.split("::");
    return `${type.replace(/^.*[$:]/, "")} ${JSON.stringify(name.join("::"))}`;
  });
  return (new Set(names).size === 1 ? urns : names).join(" and ");
}

/**
 * Returns the last resort: the command that removes the resource from the state. Without a URN, the CLI
 * offers all resources.
 */
function stateDelete({ urn }: MessageContext): string {
  return `run "pulumi state delete${urn === undefined ? "" : ` ${quoteForShell(urn)}`}"`;
}

/**
 * Returns the remedy for a response that is not recognized.
 *
 * @param member The member of `responses` to set.
 */
function readingRemedy(
  member: string,
  {
    reason,
    candidates,
    misfit,
  }: Pick<UnreadableList | RefusedReading, "reason" | "candidates"> & Pick<RefusedReading, "misfit">,
  context: MessageContext,
): string {
  if (reason === "not JSON") return `It is not JSON. Check ${settingName("baseUrl", context)}.`;
  const name = settingName(`responses.${member}`, context);
  const matches = reason === "pointer" ? "The JSON Pointer matches nothing. " : "";
  const why = misfit ? `${misfitText(misfit)} ` : matches;
  const whose = member === "apiKey" ? "the key's" : "its";
  if (candidates.length === 0) return `${why}Set ${name} to ${whose} JSON Pointer.`;
  // The value does not look like a key, but a person can say that it is one.
  if (misfit?.pointer && candidates.length === 1 && candidates[0] === misfit.pointer)
    return `${why}If it is the key, set ${name} to ${misfit.pointer}.`;
  const choice = oneOf(candidates.map((pointer) => pointer || '""')); // The whole response.
  const hasStar = candidates.some((pointer) => pointer.includes("*"));
  return `${why}Set ${name} to ${choice}${hasStar ? " (* is any name)" : ""}.`;
}

type Misfit = NonNullable<RefusedReading["misfit"]>;

/** What a value is that cannot be the key, or does not look like it. */
const MISFITS: Readonly<Record<Misfit["kind"], string>> = {
  number: "a number, not a string",
  notText: "not a string",
  empty: "an empty string",
  characters: "a string with spaces or with characters that a key cannot have",
  long: "a string of more than 4096 characters",
  masked: "masked",
  accessToken: "the access token, which is never a key",
  short: "a string of fewer than 8 characters",
  address: "a URL or a path",
  label: "a string of words, like a name",
};

/** Says why the value at a pointer is not the key. */
function misfitText({ pointer, kind }: Misfit): string {
  const value = pointer === null ? "value at the JSON Pointer" : `value at ${pointer || '""'}`;
  return `The ${value} is ${MISFITS[kind]}.`;
}

function oneOf(pointers: readonly string[]): string {
  return pointers.length > 1 ? `one of ${pointers.join(", ")}` : pointers.join();
}
