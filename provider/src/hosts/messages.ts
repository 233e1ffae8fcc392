import type { Wait } from "../api/client.js";
import {
  PartnerError,
  RequestError,
  SettingsError,
  type RequestFailure,
  type SettingProblem,
  type UnreadableWebhookList,
} from "../api/errors.js";
import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";
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
  /** Whether settings come only from environment variables, as outside a Pulumi project. @default false */
  readonly environmentOnly?: boolean;
  /** The name of the account, where there may be more than one. */
  readonly account?: string;
  /** What was said of errors that resources have in common, so that it is said in full once. @default nothing is remembered */
  readonly told?: Set<string>;
  /** That of the resource, where the host knows it. */
  readonly urn?: string;
}

/**
 * The one place where facts become sentences: what failed, what it means for the server where something may have changed, one
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
      const byValue = `If the service deletes keys by id, it may still exist: delete it there, and set ${setting("responses.apiKeyId", terms)}.`;
      return `${keyName(fingerprint)} was not found (404), so it is treated as deleted.${first && !byId ? ` ${byValue}` : ""}`;
    }
    case "pointerFindsNothing":
      return `${setting("responses.apiKey", terms)} finds no key in the kept response of ${keyName(notice.fingerprint)}, so the key is unchanged.`;
    case "reread":
      return `${setting("responses.apiKey", terms)} finds ${keyName(notice.next)} in the kept response; this update replaces ${keyName(notice.fingerprint)} with it.`;
    case "rotation":
      return rotationText(notice);
    case "previousKeyEnds": {
      const { fingerprint, validUntil, early } = notice;
      const print = fingerprint === null ? "" : ` ${fingerprint}`;
      return `the previous key${print} (valid until ${minuteOf(validUntil ?? "an unknown time")}) is deleted by this update${early ? ", before its overlap ends" : ""}.`;
    }
    case "stateUnknown":
      return `the list does not show the state of ${webhooksText(notice.webhookIds)}, so drift is not detected; set ${stateSettings(notice.setting, terms)}.`;
    case "unknownSetting":
      return `"${setting(notice.name, terms)}" is not a pulumi-partners setting, so it has no effect. Valid settings: ${SETTINGS.join(", ")}.`;
    case "nothingToRestore":
      return `the original state of ${webhooksText(notice.webhookIds)} is unknown, so "restore" changes nothing.`;
    case "othersDiffer": {
      const { webhookIds: ids, state } = notice;
      const webhooks = ids.length === 1 ? "1 webhook is" : `${ids.length} webhooks are`;
      return `${webhooks} not ${JSON.stringify(state)}, as "others" says: ${listed(ids, NAMED_WEBHOOKS)}.`;
    }
    case "notChecked":
      return `the webhooks could not be checked in advance. ${renderError(notice.error, terms)}`;
  }
}

/** How far a change of many webhooks is. @param named Whether the account is named, where nothing else tells what it is about. */
export function renderProgress({ account, done, total }: Progress, named: boolean): string {
  return `${done}/${total} webhooks${named ? ` of the account ${JSON.stringify(account)}` : ""}`;
}

/** A few words for the status of a resource. */
export function renderWait(wait: Wait): string {
  const { method } = OPERATIONS[wait.operation];
  if (wait.kind === "response")
    return `${method}: waiting for the response (${Math.round(wait.elapsed / 1000)} s)`;
  const reason = CONNECTION_FAILURES[wait.reason]?.(wait.host) ?? wait.reason;
  return `${method}: ${reason}, trying again in ${Math.ceil(wait.delay / 1000)} s`;
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
  if (error instanceof ResourceError) return ["otherAccount", "absenceUnproven"].includes(error.problem.kind);
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
    return "The settings are invalid; see the first error. Nothing was sent.";
  const [happened] = explain(error.failure, terms);
  return `${requestName(error.failure, terms)}: ${happened}; see the first error for what to do.`;
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
  if (terms.explicit) return `Set ${setting(name, terms)}. A Provider does not read environment variables.`;
  if (terms.environmentOnly === true) return `Set the environment variable ${variableOf(name)}.`;
  const command =
    name === "accessToken"
      ? "pulumi config set --secret partners:accessToken"
      : `pulumi config set partners:${name} https://partners.example.com`;
  return `Set ${name}: "${command}", or the environment variable ${variableOf(name)}.`;
}

/** What happened to a request, what it may have done, and what to do about it, to follow its name. */
function outcomeText(failure: RequestFailure, terms: Terms): string {
  const { operation, effect, attempts, failedAt } = failure;
  const { kind, mayHave } = OPERATIONS[operation];
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const creation =
    kind === "create" ? ` Look for one created about ${minuteOf(failedAt)}, and delete it.` : "";
  const effectText = effect === "none" || mayHave === null ? "" : ` ${mayHave}.${creation}`;
  const [happened, remedy] = explain(failure, terms);
  return `${happened}${tries}.${effectText} ${remedy}${wordsOf(failure)}`;
}

/** As `PATCH /webhooks/101/disable at partners.example.com`. A key is never named. */
function requestName({ operation, webhookId, host }: RequestFailure, { account }: Terms): string {
  const { method, template } = OPERATIONS[operation];
  const path = webhookId === null ? template : template.replace(/\{\w+\}/, String(webhookId));
  const of = account === undefined ? "" : ` (account ${JSON.stringify(account)})`;
  return `${method} ${path} at ${host}${of}`;
}

/** What happened, and what helps. */
function explain({ operation, cause, host }: RequestFailure, terms: Terms): readonly [string, string] {
  const baseUrl = setting("baseUrl", terms);
  switch (cause.kind) {
    case "status":
      return [`the server answered ${cause.status}`, statusRemedy(cause.status, operation, terms)];
    case "listed":
      return [
        "the server answered 404, although the webhook is in the list",
        "Ask the operator of the service whether this webhook can be changed.",
      ];
    case "throttled":
      return [
        `the service (${cause.status}) asked to wait ${Math.ceil(cause.wait / 1000)} s`,
        `Try again after that, or raise ${setting("operationTimeout", terms)}.`,
      ];
    case "timeout":
      return cause.sent
        ? [
            "timed out while waiting for the response",
            `Try again; if the service is slow, raise ${setting("requestTimeout", terms)}.`,
          ]
        : ["timed out while connecting", connectionRemedy("", baseUrl)];
    case "connection": {
      const what = CONNECTION_FAILURES[cause.code]?.(host) ?? "the connection failed";
      return [`${what} (${cause.code})`, connectionRemedy(cause.code, baseUrl)];
    }
    case "interrupted":
      return ["interrupted", `Run ${UP} again.`];
    case "cutOff":
      return ["the response was cut off", "Try again."];
    case "webPage":
      return [
        "the server answered with a web page",
        `Check ${baseUrl}, and whether a proxy asks for a login.`,
      ];
    case "reportedFailure":
      return [
        "the server reported a success, but the body reports a failure",
        "Ask the operator of the service for the reason.",
      ];
    case "tooLarge":
      return ["the list is larger than 64 MiB", `Check that ${baseUrl} is the address of the API.`];
    case "unreadableList":
      return ["the list was not recognised", readingRemedy(cause.reading.setting, cause.reading, terms)];
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

function statusRemedy(status: number, operation: Operation, terms: Terms): string {
  if (status === 401)
    return `The access token was rejected: check ${settingOrVariable("accessToken", terms)}.`;
  if (status === 403) return `The token lacks permission for this: change ${setting("accessToken", terms)}.`;
  if (status === 404)
    return `No Partner API was found at this address. Set ${setting("baseUrl", terms)} to its address, without ${API_ROOT}.`;
  if (status === 409 && OPERATIONS[operation].kind === "create")
    return "The service refuses a second key: delete the other one, or set overlapDays to 0 and deleteBeforeReplace.";
  if (status === 429) return `Try again later, or set ${setting("requestsPerSecond", terms)}.`;
  if (status === 304) return "A cache answered instead of the service: exempt the API from it.";
  if (status < 400)
    return `Redirects are not followed: set ${setting("baseUrl", terms)} to the final address.`;
  if (status >= 500) return "The service failed: try again later.";
  return "The service refused the request: fix what it names, or ask its operator.";
}

/** What helps with codes of OpenSSL (verify(1)), Node and undici, the first that fits. */
const CONNECTION_REMEDIES: readonly (readonly [RegExp, (baseUrl: string) => string])[] = [
  [/SELF_SIGNED|^UNABLE_TO_/, () => "The certificate's issuer is unknown: set NODE_EXTRA_CA_CERTS."],
  [/^CERT_(HAS|NOT)/, () => "The certificate is not valid today: check this machine's clock."],
  [/ALTNAME_INVALID/, (baseUrl) => `The certificate is for another host: check ${baseUrl}.`],
  [/SSL_WRONG_VERSION/, (baseUrl) => `The server does not speak TLS: check the port in ${baseUrl}.`],
  [/SSL|EPROTO/, () => "The TLS handshake failed: ask the service which versions and ciphers it accepts."],
  [/HTTPParserError/, (baseUrl) => `The server does not speak HTTP: check ${baseUrl}.`],
  [/100_CONTINUE/, () => "The server sent an unexpected 100 Continue, which undici rejects."],
  [
    /^UND_ERR_(ABORTED|PRX)/,
    () => "The proxy refused the connection: check HTTPS_PROXY, or add the host to NO_PROXY.",
  ],
];

function connectionRemedy(code: string, baseUrl: string): string {
  const [, remedy] = CONNECTION_REMEDIES.find(([codes]) => codes.test(code)) ?? [];
  return remedy?.(baseUrl) ?? `Check ${baseUrl}, and the network.`;
}

function resourceText(problem: ResourceProblem, terms: Terms): string {
  switch (problem.kind) {
    case "otherAccount":
      return `The resource belongs to account ${JSON.stringify(problem.owner)}, but ${setting("account", terms)} is ${JSON.stringify(problem.present)}. Nothing was sent. Set it back or, if the resource no longer exists, ${stateDelete(terms)}.`;
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
    case "wrongImportId":
      return `To import it, use ${problem.text}. Nothing was imported.`;
    case "stateUnknown":
      return `The list does not show the state of ${webhooksText(problem.webhookIds)}; set ${stateSettings(problem.setting, terms)}.`;
    case "absenceUnproven": {
      const { webhookId, complete } = problem;
      const what =
        webhookId === null
          ? "The webhooks cannot be listed:"
          : `Webhook ${webhookId} is not in the list, but`;
      const [why, condition] = complete
        ? ["an empty list proves nothing", "the account has no webhooks"]
        : ["the list may have further pages", "the list is complete"];
      return `${what} ${why}. If ${condition}, set ${setting("responses.complete", terms)} to true.`;
    }
    case "keyNotFound": {
      const { createdAt, rotates, complete, reading } = problem;
      const stays = rotates ? " The old key stays in use." : "";
      const note = complete ? "" : " (cut off)";
      // The key in use would leave the state as well.
      const forget = `${stateDelete(terms)}${rotates ? " (it forgets both keys)" : ""}`;
      return `A key was created at ${minuteOf(createdAt)}, but not found in the response${note}, which is kept.${stays} ${readingRemedy("apiKey", reading, terms)} Then run ${UP}; it creates no key. If the body has no key, delete the key at the service and ${forget}.`;
    }
    case "deletionUnclear": {
      const { failure, listError } = problem;
      return `${requestName(failure, terms)}: the server answered 404, but nothing confirms that the key is gone: ${sentences(listError, terms)} If the key is gone, ${stateDelete(terms)}.`;
    }
    case "partlyDone":
      return `One key was deleted. Then this failed: ${sentences(problem.next, terms)}`;
  }
}

/** A line for each reason, with the webhooks that it is true for. Ten webhooks are named in all. */
function failureLines(failures: readonly WebhookFailure[], terms: Terms): string {
  let left = NAMED_WEBHOOKS;
  let unnamed = failures.length;
  const lines: string[] = [];
  for (const [reason, same] of Map.groupBy(failures, ({ error }) => failureText(error, terms))) {
    if (left === 0) break;
    lines.push(
      `- ${listed(
        same.map(({ webhookId }) => webhookId),
        left,
      )}: ${reason}`,
    );
    left -= Math.min(left, same.length);
    unnamed -= same.length;
  }
  return [...lines, ...(unnamed > 0 ? [`- and ${unnamed} more`] : [])].join("\n");
}

/** Without the id of the request, which no two failures have in common. */
function failureText(error: PartnerError, terms: Terms): string {
  if (error instanceof RequestError) return outcomeText({ ...error.failure, requestId: null }, terms);
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
function stateDelete({ urn }: Terms): string {
  return `run "pulumi state delete ${urn === undefined ? "<URN>" : quoteForShell(urn)}"`;
}

/** Ids of existing webhooks that a message lists. */
const LISTED_IDS = 20;
/** Webhooks that a message is about and names. */
const NAMED_WEBHOOKS = 10;

/** Why something is not recognised; empty where nothing looks like it. */
const READING_PROBLEMS = {
  "not JSON": "It is not JSON. ",
  none: "",
  several: "There are several candidates. ",
  pointer: "The JSON Pointer matches nothing. ",
  "not unique": "Two webhooks have the same id. ",
} as const;

/** The one remedy for something that was not recognised. @param member Of `responses`. */
function readingRemedy(
  member: string,
  { reason, candidates }: Pick<UnreadableWebhookList | RefusedReading, "reason" | "candidates">,
  terms: Terms,
): string {
  const name = setting(`responses.${member}`, terms);
  const why = READING_PROBLEMS[reason];
  const [only] = candidates;
  if (reason === "not JSON") return `${why}Check ${setting("baseUrl", terms)}.`;
  if (only === undefined) return `${why}Set ${name} to its JSON Pointer.`;
  const star = candidates.some((pointer) => pointer.split("/").includes("*"));
  const note = star ? " (* is any name)" : "";
  if (candidates.length > 1) return `${why}Set ${name} to one of ${candidates.join(", ")}${note}.`;
  return star ? `${why}Set ${name} to ${only}${note}.` : `${why}Try ${mappingCommand(member, only, terms)}.`;
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
