import type { Wait } from "../api/client.js";
import {
  PartnerError,
  RequestError,
  SettingsError,
  type FailureCause,
  type RequestFailure,
  type SettingProblem,
} from "../api/errors.js";
import { API_ROOT, OPERATIONS } from "../api/operations.js";
import {
  ResourceError,
  type Notice,
  type RefusedReading,
  type ResourceProblem,
  type RotationReason,
  type WebhookFailure,
} from "../handlers/problems.js";
import type { Progress } from "../handlers/process.js";
import { variableOf } from "../handlers/settings.js";
import { SETTINGS } from "../setting-names.js";

/** What decides how settings are called. */
export interface Terms {
  /** Whether they are the arguments of a `Provider`; else they are stack configuration or the environment. */
  readonly explicit: boolean;
  /** Whether they may be those of the last `up`, as in a destroy and in a refresh. @default false */
  readonly lastUp?: boolean;
  /** The name of the account, where there may be more than one. */
  readonly account?: string;
  /** What was said of errors that resources have in common, so that it is said in full once. @default nothing is remembered */
  readonly told?: Set<string>;
  /** That of the resource, where the host knows it. */
  readonly urn?: string;
}

/**
 * The one place where errors become sentences: what failed, what it means for the server where something may have changed, one
 * remedy, the server's own words, the code. Of an error that is not ours only its kind and place: its message may repeat anything.
 */
export function renderError(error: unknown, terms: Terms): string {
  if (error instanceof PartnerError) {
    const hint = terms.lastUp === true && dependsOnSettings(error) ? ` ${LAST_UP}` : "";
    // Half a character, as a server may send it and a cut may leave it, would end the process: gRPC cannot encode it.
    const text = sentences(error, terms).replace(LONE_SURROGATES, "\ufffd");
    const isKnown = isShared(error) && terms.told?.has(text);
    if (isShared(error)) terms.told?.add(text);
    return `${isKnown ? briefly(error, terms) : text + hint} [${error.code}]`;
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return `An unexpected ${kind} in pulumi-partners${placeOf(error)}. This is a bug: please report it with this line. [PARTNERS_BUG]`;
}

const LONE_SURROGATES = /\p{Surrogate}/gu;
const UP = '"pulumi up"';
/** Why a corrected setting may change nothing. */
const LAST_UP = `Destroy and refresh use the settings of the last up: run ${UP} first, or add --run-program.`;

/** The same for what a person is told although nothing failed. */
export function renderNotice(notice: Notice, terms: Terms): string {
  switch (notice.kind) {
    case "otherServer":
      return `resources of this stack belong to ${notice.owner}, but ${setting("baseUrl", terms)} is ${notice.present}. ${otherServerRemedy(terms)}`;
    case "keyWasGone": {
      const { fingerprint, first, byId } = notice;
      const byValue = `If the service deletes keys by id, it may still exist: delete it there and set ${setting("responses.apiKeyId", terms)}.`;
      return `${keyName(fingerprint)} was not found (404) and counts as deleted.${first && !byId ? ` ${byValue}` : ""}`;
    }
    case "pointerFindsNothing":
      return `${setting("responses.apiKey", terms)} finds no key in the kept response of ${keyName(notice.fingerprint)}, so the key stays as it is.`;
    case "reread":
      return `${setting("responses.apiKey", terms)} finds ${keyName(notice.next)} in the kept response; this update replaces ${keyName(notice.fingerprint)} with it.`;
    case "rotation":
      return rotationText(notice);
    case "previousKeyEnds": {
      const print = notice.fingerprint === null ? "" : ` ${notice.fingerprint}`;
      const date = notice.validUntil ?? "at an unknown time";
      if (notice.why === "expired")
        return `the previous key${print} has expired (${date}) and is deleted by this update.`;
      const cause =
        notice.why === "rotation" ? "a rotation keeps only one old key" : "overlapDays was reduced";
      return `the previous key${print} is deleted by this update, before the end of its overlap (${date}): ${cause}.`;
    }
    case "stateUnknown":
      return `the list does not show the state of ${webhooksText(notice.webhookIds)}, so drift is not detected; set ${stateSettings(notice.setting, terms)}.`;
    case "unknownSetting":
      return `"${setting(notice.name, terms)}" is not a pulumi-partners setting, so it has no effect. Valid settings: ${SETTINGS.join(", ")}.`;
    case "nothingToRestore":
      return `the state of ${webhooksText(notice.webhookIds)} before this stack is not known, so "restore" changes nothing.`;
    case "othersDiffer": {
      const { webhookIds: ids, state } = notice;
      const differ = ids.length === 1 ? "1 webhook differs" : `${ids.length} webhooks differ`;
      return `${differ} from "others", which is ${JSON.stringify(state)}: ${listed(ids, NAMED_WEBHOOKS)}.`;
    }
    case "notChecked":
      return `the webhooks were not checked in this preview. ${renderError(notice.error, terms)}`;
  }
}

/** How far a change of many webhooks is. @param named Whether the account is named, where nothing else tells what it is about. */
export function renderProgress({ account, done, total }: Progress, named: boolean): string {
  return `${done}/${total} webhooks${named ? ` of the account ${JSON.stringify(account)}` : ""}`;
}

/** A few words for the status of a resource. */
export function renderWait(wait: Wait): string {
  const { method } = OPERATIONS[wait.operation];
  return wait.kind === "retry"
    ? `${method}: ${wait.reason}, trying again in ${Math.ceil(wait.delay / 1000)} s`
    : `${method}: waiting for the response (${Math.round(wait.elapsed / 1000)} s)`;
}

/** The command, or the argument, that makes a member of `responses`. */
export function mappingCommand(member: string, value: string, terms: Terms = { explicit: false }): string {
  if (terms.explicit) return `responses: { ${member}: ${JSON.stringify(value)} }`;
  return `pulumi config set --path 'partners:responses.${member}' ${quoteForShell(value)}`;
}

/** Makes a text one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w/.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Whether other settings can be the remedy. */
function dependsOnSettings(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true;
  if (error instanceof ResourceError)
    return ["otherAccount", "incompleteList", "absenceUnproven"].includes(error.problem.kind);
  if (!(error instanceof RequestError)) return false;
  const { cause, effect } = error.failure;
  if (cause.kind === "status") return cause.status < 400 || [401, 403, 404].includes(cause.status);
  return effect === "none" && ["connection", "timeout", "webPage", "unreadableList"].includes(cause.kind);
}

function sentences(error: PartnerError, terms: Terms): string {
  if (error instanceof SettingsError) return settingsText(error.problems, terms);
  if (error instanceof RequestError)
    return `${requestName(error.failure, terms)}: ${outcomeText(error.failure, terms)}`;
  if (error instanceof ResourceError) return resourceText(error.problem, terms);
  return error.message;
}

/** Whether an error is about the account, and not about one resource. */
function isShared(error: PartnerError): error is SettingsError | RequestError {
  return error instanceof SettingsError || (error instanceof RequestError && error.effect === "none");
}

function briefly(error: SettingsError | RequestError, terms: Terms): string {
  if (error instanceof SettingsError)
    return "The settings are wrong: see the error of another resource. Nothing was sent.";
  return `${requestName(error.failure, terms)}: ${happened(error.failure)}, as for another resource.`;
}

function settingsText(problems: readonly SettingProblem[], terms: Terms): string {
  return `${problems.map((problem) => settingText(problem, terms)).join(" ")} Nothing was sent.`;
}

function settingText(problem: SettingProblem, terms: Terms): string {
  if (problem.kind === "environment") return problem.text;
  const { setting: name } = problem;
  if (problem.kind === "invalid") {
    const variable = terms.explicit ? "" : ` (${variableOf(name.replace(/\..*/, ""))})`;
    return `${capitalized(setting(name, terms))}${variable} ${problem.text}.`;
  }
  if (terms.explicit) return `Set ${setting(name, terms)}; it does not consult the environment.`;
  const command =
    name === "accessToken"
      ? "pulumi config set --secret partners:accessToken"
      : `pulumi config set partners:${name} https://partners.example.com`;
  return `Set ${name}: "${command}", or the environment variable ${variableOf(name)}.`;
}

/** What happened to a request and what to do about it, to follow its name. */
function outcomeText(failure: RequestFailure, terms: Terms): string {
  const { operation, cause, effect, attempts, failedAt } = failure;
  const { kind, mayHave } = OPERATIONS[operation];
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const possible = effect === "possible";
  const effectText = possible && mayHave !== null ? ` ${mayHave}.` : "";
  const remedy =
    possible && kind === "create"
      ? `Look for a key created about ${minuteOf(failedAt)} at the service, delete it, then run "pulumi up".`
      : possible
        ? "Run the command again."
        : remedyFor(failure, terms);
  // Where something may have changed, what to do about that comes first, and what caused it is still said.
  const reason = possible ? reasonFor(cause) : "";
  return `${happened(failure)}${tries}.${reason}${effectText} ${remedy}${wordsOf(failure)}`;
}

/** As `PATCH /webhooks/101/disable at partners.example.com`. A key is never named. */
function requestName({ operation, webhookId, host }: RequestFailure, { account }: Terms): string {
  const { method, template } = OPERATIONS[operation];
  const path = webhookId === null ? template : template.replace(/\{\w+\}/, String(webhookId));
  const of = account === undefined ? "" : ` (account ${JSON.stringify(account)})`;
  return `${method} ${path} at ${host}${of}`;
}

function happened({ cause, host }: RequestFailure): string {
  switch (cause.kind) {
    case "status":
      return `the server answered ${cause.status}`;
    case "throttled":
      return `the service (${cause.status}) asks for a wait of ${Math.ceil(cause.wait / 1000)} s`;
    case "timeout":
      return cause.sent ? "timed out while waiting for the response" : "timed out while connecting";
    case "connection":
      return `${CONNECTION_FAILURES[cause.code]?.(host) ?? "the connection failed"} (${cause.code})`;
    case "interrupted":
      return "interrupted";
    case "cutOff":
      return "the response was cut off";
    case "webPage":
      return "the server answered with a web page";
    case "reportedFailure":
      return "the server reported a success, but the body reports a failure";
    case "tooLarge":
      return "the list is larger than 64 MiB";
    case "unreadableList":
      return "the list was not recognised";
  }
}

/** What codes of Node mean. */
const CONNECTION_FAILURES: Readonly<Partial<Record<string, (host: string) => string>>> = {
  ENOTFOUND: (host) => `no such host: ${host}`,
  EAI_AGAIN: (host) => `the address of ${host} could not be looked up`,
  ECONNREFUSED: (host) => `nothing listens at ${host}`,
  ECONNRESET: (host) => `${host} closed the connection`,
  EHOSTUNREACH: (host) => `no route to ${host}`,
  ENETUNREACH: (host) => `no route to ${host}`,
};

/** What a person must know of the cause although the remedy is about the possible effect. */
function reasonFor(cause: FailureCause): string {
  if (cause.kind !== "status") return "";
  if (cause.status >= 300 && cause.status < 400) return " Redirects are not followed.";
  if (cause.status === 401) return " The access token was rejected.";
  return cause.status === 403 ? " The access token does not permit this." : "";
}

function remedyFor({ operation, cause }: RequestFailure, terms: Terms): string {
  switch (cause.kind) {
    case "status":
      return statusRemedy(cause.status, OPERATIONS[operation].kind === "create", terms);
    case "throttled":
      return `Try again after that, or raise ${setting("operationTimeout", terms)}.`;
    case "timeout":
      return cause.sent
        ? `Try again; if the service is slow, raise ${setting("requestTimeout", terms)}.`
        : connectionRemedy("", terms);
    case "connection":
      return connectionRemedy(cause.code, terms);
    case "interrupted":
      return 'Run "pulumi up" again.';
    case "cutOff":
      return "Try again.";
    case "webPage":
      return `Check ${setting("baseUrl", terms)}, and whether a proxy asks for a login.`;
    case "reportedFailure":
      return "Ask the operator of the service for the reason.";
    case "tooLarge":
      return `Check that ${setting("baseUrl", terms)} is the address of the API.`;
    case "unreadableList": {
      const { setting: member, reason, candidates } = cause.reading;
      const why = {
        "not JSON": "It is not JSON.",
        none: "Nothing looks like webhooks.",
        several: "There are several candidates.",
        pointer: "The setting finds nothing.",
        "not unique": "Two webhooks have the same id.",
      }[reason];
      if (reason === "not JSON") return `${why} Check ${setting("baseUrl", terms)}.`;
      return `${why} ${choose(member, candidates, terms)}`;
    }
  }
}

function statusRemedy(status: number, creates: boolean, terms: Terms): string {
  if (status === 401)
    return `The access token was rejected: check ${settingOrVariable("accessToken", terms)}.`;
  if (status === 403) return `Set ${setting("accessToken", terms)} to a token that permits this.`;
  if (status === 404)
    return `There is no Partner API at that address: ${setting("baseUrl", terms)} must be its address without ${API_ROOT}.`;
  if (status === 409 && creates)
    return "The service refuses a second key: delete the other one, or set deleteBeforeReplace.";
  if (status === 429) return `Try again later, or set ${setting("requestsPerSecond", terms)}.`;
  if (status === 304) return "A cache answered instead of the service: exempt the API from it.";
  if (status < 400)
    return `Redirects are not followed: set ${setting("baseUrl", terms)} to the final address.`;
  if (status >= 500) return "The service failed: try again later.";
  return "The service refused the request: correct what it names, or ask its operator.";
}

/** OpenSSL's codes (verify(1)), as Node passes them on, for a certificate whose authority is not known here. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function connectionRemedy(code: string, terms: Terms): string {
  const baseUrl = setting("baseUrl", terms);
  if (UNTRUSTED.has(code)) return "The certificate's issuer is unknown: set NODE_EXTRA_CA_CERTS.";
  switch (code) {
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return "The certificate is not valid today: check this machine's clock.";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `The certificate is for another host: check ${baseUrl}.`;
    case "ERR_SSL_WRONG_VERSION_NUMBER":
      return `The server does not speak TLS: check the port in ${baseUrl}.`;
    case "HTTPParserError":
      return `The server does not speak HTTP: check ${baseUrl}.`;
    case "UNEXPECTED_100_CONTINUE":
      return "The server sent an unexpected 100 Continue, which undici rejects.";
    case "UND_ERR_ABORTED":
    case "UND_ERR_PRX_CONN":
    case "UND_ERR_PRX_TLS":
      return `The proxy refused the connection: check HTTPS_PROXY, or add the host to NO_PROXY.`;
  }
  if (code.startsWith("ERR_SSL_") || code === "EPROTO")
    return "The TLS handshake failed: ask the service which versions and ciphers it accepts.";
  return `Check ${baseUrl}, and the network.`;
}

function resourceText(problem: ResourceProblem, terms: Terms): string {
  switch (problem.kind) {
    case "otherAccount":
      return `The resource belongs to account ${JSON.stringify(problem.owner)}, but ${setting("account", terms)} is ${JSON.stringify(problem.present)}. Nothing was sent. Restore the settings or, if the resource no longer exists, ${stateDelete(terms)}.`;
    case "accountRenamed":
      return `The resource belongs to account ${JSON.stringify(problem.owner)}, but partners:account is ${JSON.stringify(problem.present)}. Nothing was sent. Set it back, or give the resource a Provider.`;
    case "otherServer":
      return `The resource belongs to ${problem.owner}, but ${setting("baseUrl", terms)} is ${problem.present}. Nothing was sent. ${otherServerRemedy(terms)}`;
    case "noSuchWebhook": {
      const { webhookIds, existing } = problem;
      const missing = webhookIds.length === 1 ? "does not exist" : "do not exist";
      const others = existing?.length === 0 ? " The account has no webhooks." : "";
      const exist = existing?.length ? ` Webhooks that exist: ${listed(existing, LISTED_IDS)}.` : "";
      return `W${webhooksText(webhookIds).slice(1)} ${missing} in this account.${exist}${others} Correct the id, or create the webhook at the service.`;
    }
    case "declaredTwice": {
      const names = resourceNames(problem.urns);
      if (problem.webhookId === null)
        return `${names} overlap: one of them sets "others" for the whole account. Set "others" to "leave", or remove one.`;
      return `Webhook ${problem.webhookId} is declared twice, by ${names}. Remove one, or correct its id or provider.`;
    }
    case "fleetIncomplete": {
      const { failures, total } = problem;
      return `${failures.length} of ${total} webhooks could not be changed. The next run sends only what is left.\n${failureLines(failures, terms)}`;
    }
    case "noImportId":
      return "To import a webhook, use its id: a positive whole number such as 101. Nothing was imported.";
    case "noImportAccount":
      return `To import all webhooks of the account, use its name: ${JSON.stringify(problem.account)}. Nothing was imported.`;
    case "importStateUnknown":
      return `The list does not show the state of webhook ${problem.webhookId}: set ${stateSettings(problem.setting, terms)}, then import it.`;
    case "noImportVariable": {
      const wrong = problem.name === null ? "" : ` ${problem.name} is not set, or holds no key.`;
      return `To import a key, use "env:" and the name of an environment variable that holds it, such as env:OLD_KEY.${wrong} Nothing was imported.`;
    }
    case "incompleteList":
      return `The webhooks cannot be listed: ${FURTHER_PAGES} ${completeRemedy(terms)}`;
    case "absenceUnproven": {
      const complete = setting("responses.complete", terms);
      const why = problem.complete ? "the list is empty, which may have another reason." : FURTHER_PAGES;
      const remedy = problem.complete
        ? `If the account has no webhooks, set ${complete} to true.`
        : completeRemedy(terms);
      return `Webhook ${problem.webhookId} is not in the list, but ${why} ${remedy}`;
    }
    case "patchedNotFound": {
      const { failure } = problem;
      return `${requestName(failure, terms)}: ${listedAllTheSame(failure)}`;
    }
    case "keyNotFound": {
      const { createdAt, rotates, complete, reading, requestId } = problem;
      const stays = rotates ? " The old key stays in use." : "";
      const notes = [
        ...(complete ? [] : ["cut off"]),
        ...(requestId === null ? [] : [`request id ${requestId}`]),
      ];
      const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
      return `A key was created at ${minuteOf(createdAt)}, but not found in the response${note}, which is kept.${stays} ${keyRemedy(reading, terms)} Then run ${UP}: it creates no other key. ${giveUp(terms)}`;
    }
    case "keyUnknown":
      return `The key was never found in its response. ${keyRemedy(problem.reading, terms)} Then run ${UP}. ${giveUp(terms)}`;
    case "deletionUnclear": {
      const { failure, listError } = problem;
      return `${requestName(failure, terms)}: the server answered 404, so the key is gone or ${setting("baseUrl", terms)} is wrong. The webhook list, which would tell, could not be read: ${shortly(listError, terms)}. If the key is gone, ${stateDelete(terms)}.`;
    }
    case "secondKeyRefused":
      return `${requestName(problem.failure, terms)}: the server answered 409. A rotation in place needs two keys: set overlapDays to 0 and the option deleteBeforeReplace to true.${wordsOf(problem.failure)}`;
    case "partlyDone": {
      const deleted = problem.deleted === "previous" ? "The previous key was deleted" : "One key was deleted";
      return `${deleted}. Then this failed: ${sentences(problem.next, terms)}`;
    }
  }
}

function listedAllTheSame(failure: RequestFailure): string {
  return `the server answered 404, although the webhook is in the list. Ask the service whether it may be changed.${wordsOf(failure)}`;
}

/** A line for each reason, with the webhooks that it is true for. Ten webhooks are named in all. */
function failureLines(failures: readonly WebhookFailure[], terms: Terms): string {
  const byReason = Map.groupBy(failures, ({ error }) => failureText(error, terms, false));
  let left = NAMED_WEBHOOKS;
  let unnamed = failures.length;
  const lines: string[] = [];
  for (const same of byReason.values()) {
    const [first] = same;
    if (!first || left === 0) break;
    const ids = same.map(({ webhookId }) => webhookId);
    lines.push(`- ${listed(ids, left)}: ${failureText(first.error, terms, true)}`);
    left -= Math.min(left, ids.length);
    unnamed -= ids.length;
  }
  return [...lines, ...(unnamed > 0 ? [`- and ${unnamed} more`] : [])].join("\n");
}

/** @param withId Whether the id of the request is named, which no two failures have in common. */
function failureText(error: PartnerError, terms: Terms, withId: boolean): string {
  const shown = (failure: RequestFailure): RequestFailure =>
    withId ? failure : { ...failure, requestId: null };
  if (error instanceof RequestError) return outcomeText(shown(error.failure), terms);
  if (error instanceof ResourceError && error.problem.kind === "patchedNotFound")
    return listedAllTheSame(shown(error.problem.failure));
  if (error instanceof ResourceError && error.problem.kind === "noSuchWebhook")
    return "does not exist in this account.";
  return sentences(error, terms);
}

/** Two resources by type and name; by their URNs where these are the same, as in two components. */
function resourceNames(urns: readonly [string, string]): string {
  const [one, other] = urns.map((urn) => {
    const [, , type = "", ...name] = urn.split("::");
    return `${type.replace(/^.*[$:]/, "")} ${JSON.stringify(name.join("::"))}`;
  });
  return one === other ? urns.join(" and ") : `${one ?? ""} and ${other ?? ""}`;
}

/** `webhook 7`, `webhooks 7, 8 and 3 more`. What is no id is in quotes. */
function webhooksText(ids: readonly (number | string)[]): string {
  const names = ids.map((id) => (typeof id === "number" ? id : JSON.stringify(id)));
  return `webhook${ids.length === 1 ? "" : "s"} ${listed(names, NAMED_WEBHOOKS)}`;
}

function listed(names: readonly (number | string)[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}

function otherServerRemedy(terms: Terms): string {
  return `Set it back or, if the account has moved, set ${setting("previousBaseUrl", terms)} to the old address; then run ${UP}.`;
}

/** What ends a state that nothing else gets out of. */
function giveUp(terms: Terms): string {
  return `If the body has no key, delete the key at the service and ${stateDelete(terms)}.`;
}

function stateDelete({ urn }: Terms): string {
  return `run "pulumi state delete ${urn === undefined ? "<URN>" : quoteForShell(urn)}"`;
}

const FURTHER_PAGES = "the list may have further pages.";

function completeRemedy(terms: Terms): string {
  return `If the list is complete, set ${setting("responses.complete", terms)} to true.`;
}

/** Ids of existing webhooks that a message lists. */
const LISTED_IDS = 20;
/** Webhooks that a message is about and names. */
const NAMED_WEBHOOKS = 10;

function keyRemedy({ reason, candidates }: RefusedReading, terms: Terms): string {
  const why = {
    none: "",
    several: "There are several candidates.",
    pointer: "The setting finds no key.",
  }[reason];
  return `${why} ${choose("apiKey", candidates, terms)}`.trim();
}

/** The one remedy for something that was not recognised. */
function choose(member: string, candidates: readonly string[], terms: Terms): string {
  const name = setting(`responses.${member}`, terms);
  const [only] = candidates;
  if (only === undefined) return `Set ${name} to its JSON Pointer.`;
  const star = candidates.some((pointer) => pointer.split("/").includes("*"));
  const note = star ? " (* is any name)" : "";
  if (candidates.length > 1) return `Set ${name} to one of ${candidates.join(", ")}${note}.`;
  return star ? `Set ${name} to ${only}${note}.` : `Try ${mappingCommand(member, only, terms)}.`;
}

function rotationText({ fingerprint, why, validUntil }: Extract<Notice, { kind: "rotation" }>): string {
  const reason = rotationReasonText(why);
  const fate =
    validUntil === null
      ? "and is deleted at the end of the same update"
      : `and stays valid as previousApiKey until ${validUntil}`;
  return `${keyName(fingerprint)} is rotated (${reason}) ${fate}.`;
}

function rotationReasonText(why: RotationReason): string {
  switch (why.kind) {
    case "trigger":
      return "rotation.trigger changed";
    case "unknownAge":
      return "its age is not known";
    case "age":
      return `in use since ${why.since}, due since ${why.due}, afterDays: ${why.afterDays}`;
  }
}

function wordsOf({ serverWords, requestId }: RequestFailure): string {
  const id = requestId === null ? "" : ` (request id ${requestId})`;
  if (serverWords !== null) return ` The server said: "${serverWords}"${id}.`;
  return requestId === null ? "" : ` Request id: ${requestId}.`;
}

/** The settings by which the state of a webhook is read. */
function stateSettings(missing: "webhookState" | "active", terms: Terms): string {
  const names = missing === "active" ? ["active", "disabled"] : [missing];
  return names.map((name) => setting(`responses.${name}`, terms)).join(" and ");
}

function setting(name: string, { explicit }: Terms): string {
  return explicit ? `the Provider's ${name}` : `partners:${name}`;
}

function settingOrVariable(name: string, terms: Terms): string {
  return terms.explicit ? setting(name, terms) : `${setting(name, terms)} or ${variableOf(name)}`;
}

function keyName(fingerprint: string | null): string {
  return fingerprint === null ? "a key" : `key ${fingerprint}`;
}

/** What failed, without a remedy. */
function shortly(error: PartnerError, terms: Terms): string {
  return error instanceof RequestError ? happened(error.failure) : sentences(error, terms);
}

/** A time in ISO 8601 to the minute. */
function minuteOf(time: string): string {
  return time.replace(/:[0-9]{2}(?:\.[0-9]+)?Z$/, "Z");
}

function capitalized(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}

/** File and line of the innermost frame in our own code: enough for a report, and free of anybody's data. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /[\\/]([a-z-]+\.(?:js|ts):\d+)/.exec(error.stack ?? "") : null;
  return frame ? ` at ${frame[1] ?? ""}` : "";
}
