import type { Wait } from "../api/client.js";
import {
  PartnerError,
  RequestError,
  SettingsError,
  type RequestFailure,
  type SettingProblem,
  type UnreadableWebhookList,
} from "../api/errors.js";
import { OPERATIONS, type Operation } from "../api/operations.js";
import {
  ResourceError,
  type Notice,
  type RefusedReading,
  type ResourceProblem,
  type RotationReason,
  type WebhookFailure,
} from "../handlers/problems.js";
import { variableOf } from "../handlers/settings.js";
import { unknownSettingText } from "../setting-names.js";

/** The context of a message. It decides how the message names settings and how much it repeats. */
export interface MessageContext {
  /** Whether the settings are the arguments of a `Provider`; otherwise, they are stack configuration or the environment. */
  readonly explicit: boolean;
  /** Whether the settings may come from the last `up`, as in a destroy or refresh. @default false */
  readonly lastUp?: boolean;
  /** Whether there is no stack: settings are environment variables, and nothing keeps what is created. @default false */
  readonly environmentOnly?: boolean;
  /** The name of the account, if there may be more than one. */
  readonly account?: string;
  /** Errors that were reported in full: the next resource with the same error gets a short message. @default every message is complete */
  readonly reportedErrors?: Set<string>;
  /** The URN of the resource, if the host knows it. */
  readonly urn?: string;
}

/**
 * Turns an error into a message: what failed, what may have changed on the server, one remedy, the server's own words and the
 * code. The message of a foreign error may contain anything, so only its type and location are shown.
 */
export function renderError(error: unknown, context: MessageContext): string {
  if (error instanceof PartnerError) {
    const hint = context.lastUp === true && dependsOnSettings(error) ? ` ${LAST_UP}` : "";
    // A server can send a lone surrogate, and truncation can leave one. gRPC cannot encode it, which would end the process.
    const text = describeError(error, context).replace(LONE_SURROGATES, "\ufffd");
    const isReported = isShared(error) && context.reportedErrors?.has(text);
    if (isShared(error)) context.reportedErrors?.add(text);
    return `${isReported ? shortText(error, context) : text + hint} [${error.code}]`;
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return `An unexpected ${kind} in pulumi-partners${placeOf(error)}. This is a bug: please report this line. [PARTNERS_BUG]`;
}

const LONE_SURROGATES = /\p{Surrogate}/gu;
const UP = '"pulumi up"';
/** Explains why a corrected setting may have no effect. */
const LAST_UP = `If you changed a setting after the last up, run ${UP} first, or add --run-program.`;

/** Turns a notice into a warning for the user. */
export function renderNotice(notice: Notice, context: MessageContext): string {
  switch (notice.kind) {
    case "otherServer":
      return `resources of this stack belong to ${notice.owner}, but ${setting("baseUrl", context)} is ${notice.present}. ${otherServerRemedy(context)}`;
    case "keyWasGone": {
      const { fingerprint, status, mayExist } = notice;
      if (status === 410) return `${keyName(fingerprint)} was already deleted at the service (410).`;
      const byValue = `If the service deletes keys by ID, the key may still exist: delete it there and set ${setting("responses.apiKeyId", context)}.`;
      return `${keyName(fingerprint)} was not found (404), so it is treated as deleted.${mayExist ? ` ${byValue}` : ""}`;
    }
    case "pointerFindsNothing":
      return `${setting("responses.apiKey", context)} matches nothing in the stored response of ${keyName(notice.fingerprint)}, so the key does not change.`;
    case "reread":
      return `${setting("responses.apiKey", context)} points to another key in the stored response: this update replaces ${keyName(notice.fingerprint)} with ${keyName(notice.next)}.`;
    case "rotation":
      return rotationText(notice);
    case "previousKeyEnds": {
      const { fingerprint, validUntil, early, replaced } = notice;
      const name = fingerprint === null ? "" : ` ${fingerprint}`;
      const expiry = validUntil === null ? "expiry unknown" : `valid until ${minuteOf(validUntil)}`;
      return `this update deletes the previous key${name} (${expiry})${early ? " before its overlap ends" : ""}${replaced ? UNLESS_RETAINED : ""}.`;
    }
    case "stateUnknown":
      return `the list does not show the state of ${webhooksText(notice.webhookIds)}, so drift is not detected. Set ${stateSettings(notice.setting, context)}.`;
    case "unknownSetting":
      return unknownSettingText(setting(notice.name, context));
    case "tlsNotVerified":
      return "NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone on the network read the access token. Remove it; for a private authority, set NODE_EXTRA_CA_CERTS.";
    case "nothingToRestore":
      return `the original state of ${webhooksText(notice.webhookIds)} is unknown, so "restore" has no effect.`;
    case "othersDiffer": {
      const { webhookIds: ids, state } = notice;
      const { s, are } = inflections(ids);
      return `"others" covers ${ids.length} webhook${s} that ${are} not ${JSON.stringify(state)}: ${listed(ids, MAX_NAMED_WEBHOOKS)}.`;
    }
    case "leaving": {
      const { webhookIds: ids, state, account } = notice;
      const { are, them } = inflections(ids);
      return `${webhooksText(ids)} of account ${JSON.stringify(account)} ${are} no longer declared here. Unless another resource declares ${them}, stateOnDestroy sets ${them} to ${JSON.stringify(state)}.`;
    }
    case "declaredElsewhere": {
      const { stay, they, are, them } = inflections(notice.webhookIds);
      return `${webhooksText(notice.webhookIds)} ${stay} as ${they} ${are}, because the program declares ${them} through another provider.`;
    }
    case "webhooksGone": {
      const { are, them } = inflections(notice.webhookIds);
      return `${webhooksText(notice.webhookIds)} ${are} no longer in the list, so the refresh drops ${them}.`;
    }
    case "drifted":
      return `webhooks are not in the state in which this stack left them. If every refresh says so, another stack may manage the same webhooks.`;
    case "moved":
      return `the account moved from ${notice.owner} to ${notice.present}: the update records the new address.`;
    case "notChecked":
      // The first error must be complete, so a warning does not count as its report.
      return `the webhooks could not be checked before the update. ${renderError(notice.error, { ...context, reportedErrors: new Set() })}`;
  }
}

/** Describes the progress of a change to many webhooks. @param account The account, if the engine shows no resource. */
export function renderProgress(done: number, total: number, account: string | null): string {
  return `${done}/${total} webhooks${account === null ? "" : ` in the account ${JSON.stringify(account)}`}`;
}

/** Describes a wait in a few words, for the status of a resource. */
export function renderWait(wait: Wait): string {
  const { method } = OPERATIONS[wait.operation];
  const reason = CONNECTION_FAILURES[wait.reason]?.(wait.host) ?? wait.reason;
  return `${method}: ${reason}, retrying in ${Math.ceil(wait.delay / 1000)} s`;
}

/** Describes the end of a wait. */
export function renderWaitEnd({ operation }: Wait): string {
  return `${OPERATIONS[operation].method}: done`;
}

/** Says what is in flight when the process is asked to stop, as in `… in flight: 60 × disableWebhook, 1 × createApiKey.` */
export function renderStop(event: string, operations: readonly string[]): string {
  const counts = [...Map.groupBy(operations, (name) => name)].map(
    ([name, { length }]) => `${length} × ${name}`,
  );
  return `${event} received; in flight: ${counts.join(", ")}.`;
}

/** Returns the command, or the `Provider` argument, that sets a member of `responses`. */
export function mappingCommand(
  member: string,
  value: string,
  context: MessageContext = { explicit: false },
): string {
  if (context.explicit) return `responses: { ${member}: ${JSON.stringify(value)} }`;
  if (context.environmentOnly)
    return `PARTNERS_RESPONSES=${quoteForShell(JSON.stringify({ [member]: value }))}`;
  return `pulumi config set --path 'partners:responses.${member}' ${quoteForShell(value)}`;
}

/** Quotes a text as one word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w/.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
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
    return `${error.problems.map((problem) => settingText(problem, context)).join(" ")} Nothing was sent.`;
  if (error instanceof RequestError)
    return `${requestName(error.failure, context)}: ${outcomeText(error.failure, context)}`;
  const { problem } = error as PartnerError & Pick<ResourceError, "problem">; // There is no fourth kind.
  return resourceText(problem, context);
}

/** Whether an error concerns the whole account rather than one resource. */
function isShared(error: PartnerError): error is SettingsError | RequestError {
  return error instanceof SettingsError || (error instanceof RequestError && error.failure.effect === "none");
}

function shortText(error: SettingsError | RequestError, context: MessageContext): string {
  if (error instanceof SettingsError)
    return "The settings are invalid; see the first error. Nothing was sent.";
  const [happened] = explain(error.failure, context);
  return `${requestName(error.failure, context)}: ${happened}; see the first error for what to do.`;
}

function settingText(problem: SettingProblem, context: MessageContext): string {
  if (problem.kind === "environment") return problem.text;
  const { setting: name } = problem;
  if (problem.kind === "invalid") {
    const variable = alternativeVariable(name, context);
    const subject = capitalized(setting(name, context)) + (variable === null ? "" : ` (${variable})`);
    return `${subject} ${problem.text}.`;
  }
  if (context.explicit)
    return `Set ${setting(name, context)}. A Provider does not read environment variables.`;
  if (context.environmentOnly === true) return `Set the environment variable ${variableOf(name)}.`;
  const command =
    name === "accessToken"
      ? "pulumi config set --secret partners:accessToken"
      : `pulumi config set partners:${name} https://partners.example.com`;
  return `Set ${name}: run "${command}", or set the environment variable ${variableOf(name)}.`;
}

/** Returns the part of a message after the request: what happened, what may have changed, the remedy and the server's words. */
function outcomeText(failure: RequestFailure, context: MessageContext): string {
  const { operation, effect, attempts, failedAt } = failure;
  const { kind, possibleEffect } = OPERATIONS[operation];
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const creation =
    kind === "create" ? ` Look for a key created at about ${minuteOf(failedAt)}, and delete it.` : "";
  const effectText = effect === "none" || possibleEffect === null ? "" : ` ${possibleEffect}.${creation}`;
  const [happened, remedy] = explain(failure, context);
  return `${happened}${tries}.${effectText} ${remedy}${wordsOf(failure)}`;
}

/** Names a request, as in `PATCH /webhooks/101/disable at partners.example.com`. Never contains a key. */
function requestName({ operation, webhookId, host }: RequestFailure, { account }: MessageContext): string {
  const { method, template } = OPERATIONS[operation];
  const path = webhookId === null ? template : template.replace(/\{\w+\}/, String(webhookId));
  const of = account === undefined ? "" : ` (account ${JSON.stringify(account)})`;
  return `${method} ${path} at ${host}${of}`;
}

/** Returns what happened, and the remedy. */
function explain(
  { operation, cause, host, mayUseProxy }: RequestFailure,
  context: MessageContext,
): readonly [string, string] {
  const baseUrl = setting("baseUrl", context);
  const addresses = mayUseProxy ? `${baseUrl} (or HTTPS_PROXY)` : baseUrl;
  switch (cause.kind) {
    case "status":
      return [`the server returned ${cause.status}`, statusRemedy(cause.status, operation, context)];
    case "listed":
      return [
        "the server returned 404, although the webhook is in the list",
        "Ask the service's operator whether this webhook can be changed.",
      ];
    case "throttled":
      return [
        `the server returned ${cause.status} and asked for a wait of ${Math.ceil(cause.wait / 1000)} s`,
        `Try again after that, or raise ${setting("operationTimeout", context)}.`,
      ];
    case "timeout":
      return cause.sent
        ? [
            "timed out while waiting for the response",
            `Try again; if the service is slow, raise ${setting("requestTimeout", context)}.`,
          ]
        : ["timed out while connecting", connectionRemedy("", addresses)];
    case "connection": {
      const { code } = cause;
      const peer = mayUseProxy ? `${host} or its proxy` : host;
      const happened = CONNECTION_FAILURES[code]?.(peer) ?? "the connection failed";
      return [`${happened} (${code})`, connectionRemedy(code, addresses)];
    }
    case "interrupted":
      return ["interrupted", `Run ${UP} again.`];
    case "cutOff":
      return ["the response was cut off", "Try again."];
    case "webPage":
      return ["the server returned a web page", `Check ${baseUrl}, and whether a proxy requires a login.`];
    case "reportedFailure":
      return [
        "the server reported success, but the body reports a failure",
        "Ask the service's operator for the reason.",
      ];
    case "tooLarge":
      return ["the list is larger than 64 MiB", `Check that ${baseUrl} is the address of the API.`];
    case "unreadableList":
      return ["the list was not recognized", readingRemedy(cause.reading.setting, cause.reading, context)];
  }
}

/** The meaning of Node's error codes. */
const CONNECTION_FAILURES: Readonly<Partial<Record<string, (host: string) => string>>> = {
  ENOTFOUND: (host) => `no such host: ${host}`,
  EAI_AGAIN: (host) => `the DNS lookup of ${host} failed`,
  ECONNREFUSED: (host) => `nothing is listening at ${host}`,
  ECONNRESET: (host) => `${host} closed the connection`,
  EHOSTUNREACH: (host) => `no route to ${host}`,
  ENETUNREACH: (host) => `no route to ${host}`,
};

function statusRemedy(status: number, operation: Operation, context: MessageContext): string {
  if (status === 401) {
    const variable = alternativeVariable("accessToken", context);
    const places = setting("accessToken", context) + (variable === null ? "" : ` or ${variable}`);
    return `The access token was rejected: check ${places}.`;
  }
  if (status === 403)
    return `The token lacks permission for this: change ${setting("accessToken", context)}.`;
  if (status === 404)
    return `There is no Partner API at this address. Correct ${setting("baseUrl", context)}.`;
  if (status === 409 && OPERATIONS[operation].kind === "create")
    return "The service allows only one key: delete the other one, or set overlapDays to 0 and deleteBeforeReplace.";
  if (status === 429) return `Try again later, or set ${setting("requestsPerSecond", context)}.`;
  if (status === 304) return "A cache answered instead of the service: exclude the API from caching.";
  if (status < 400)
    return `Redirects are not followed: set ${setting("baseUrl", context)} to the final address.`;
  if (status >= 500) return "The service failed: try again later.";
  return "The service rejected the request: fix the problem that it reports, or ask its operator.";
}

/** Remedies by error code of OpenSSL (verify(1)), Node or undici; the first match applies. */
const CONNECTION_REMEDIES: readonly (readonly [RegExp, (baseUrl: string) => string])[] = [
  [/SELF_SIGNED|^UNABLE_TO_/, () => "The certificate's issuer is unknown: set NODE_EXTRA_CA_CERTS."],
  [/^CERT_(HAS|NOT)/, () => "The certificate has expired or is not valid yet: check this machine's clock."],
  [/ALTNAME_INVALID/, (baseUrl) => `The certificate is for another host: check ${baseUrl}.`],
  [/SSL_WRONG_VERSION/, (baseUrl) => `No TLS on this port: check the scheme and port of ${baseUrl}.`],
  [
    /SSL|EPROTO/,
    () => "The TLS handshake failed: ask the service's operator which versions and ciphers it accepts.",
  ],
  [/HTTPParserError/, (baseUrl) => `The server does not speak HTTP: check ${baseUrl}.`],
  [
    /^UND_ERR_(ABORTED|PRX)/,
    () => "The proxy refused the connection: check HTTPS_PROXY, or add the host to NO_PROXY.",
  ],
];

function connectionRemedy(code: string, baseUrl: string): string {
  const [, remedy] = CONNECTION_REMEDIES.find(([codes]) => codes.test(code)) ?? [];
  return remedy?.(baseUrl) ?? `Check ${baseUrl} and the network.`;
}

function resourceText(problem: ResourceProblem, context: MessageContext): string {
  switch (problem.kind) {
    case "otherAccount": {
      const owner = JSON.stringify(problem.owner);
      const remedy = context.explicit
        ? `Give it a Provider with account ${owner}`
        : "Restore its provider or partners:account";
      return `The resource belongs to account ${owner}, but ${setting("account", context)} is ${JSON.stringify(problem.present)}. Nothing was sent. ${remedy}; if the resource no longer exists, ${stateDelete(context)}.`;
    }
    case "otherServer":
      return `The resource belongs to ${problem.owner}, but ${setting("baseUrl", context)} is ${problem.present}. Nothing was sent. ${otherServerRemedy(context)}`;
    case "noSuchWebhook": {
      const { webhookIds, existing } = problem;
      const { s, does } = inflections(webhookIds);
      const exist =
        existing.length === 0
          ? "The account has no webhooks."
          : `Existing webhooks: ${listed(existing, MAX_EXISTING_WEBHOOKS)}.`;
      return `Webhook${s} ${listed(webhookIds, MAX_NAMED_WEBHOOKS)} ${does} not exist in this account. ${exist} Correct or remove the ID${s}, or create the webhook${s} at the service.`;
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
      return `${failures.length} of ${total} webhooks could not be changed. Run ${UP} again to retry them.\n${failureLines(failures, context)}`;
    }
    case "unknownToken": {
      const { what, token, known } = problem;
      return `There is no ${what} ${JSON.stringify(token)}. Correct it to one of: ${known.join(", ")}.`;
    }
    case "wrongImportId":
      return `To import this resource, use ${problem.text}. Nothing was imported.`;
    case "stateUnknown":
      return `The list does not show the state of ${webhooksText(problem.webhookIds)}. Set ${stateSettings(problem.setting, context)}.`;
    case "absenceUnproven": {
      const { webhookId, complete } = problem;
      const what =
        webhookId === null
          ? "The webhooks cannot be listed:"
          : `Webhook ${webhookId} is not in the list, but`;
      const [why, condition] = complete
        ? ["the list is empty, which may mean that it was misread", "the account has no webhooks"]
        : ["the list may have further pages", "the list is complete"];
      return `${what} ${why}. If ${condition}, set ${setting("responses.complete", context)} to true.`;
    }
    case "keyNotFound": {
      const { createdAt, rotates, complete, reading } = problem;
      const oldKey = rotates ? " The old key stays in use." : "";
      const note = complete ? "" : " (cut off)";
      const remedy = readingRemedy("apiKey", reading, context);
      if (context.environmentOnly)
        return `A key was created at ${minuteOf(createdAt)} but not found in the response${note}, which was not kept. Delete the key at the service. ${remedy}`;
      const removal = `${stateDelete(context)}${rotates ? " (drops both keys)" : ""}`;
      const created = `A key was created at ${minuteOf(createdAt)} but not found in the response${note}, which is kept.${oldKey}`;
      if (reading.reason === "not JSON")
        return `${created} The body is not JSON, so no JSON Pointer can find the key: delete it at the service and ${removal}.`;
      return `${created} ${remedy} Then run ${UP}; it does not create another key. If the body has no key, delete the key at the service and ${removal}.`;
    }
    case "deletionUnclear": {
      const { failure, listError } = problem;
      const removal = context.environmentOnly ? "" : ` If the key is gone, ${stateDelete(context)}.`;
      return `${requestName(failure, context)}: the server returned 404, but nothing confirms that the key is gone: ${describeError(listError, context)}${removal}`;
    }
    case "partlyDone":
      return `One key was deleted. Then this failed: ${describeError(problem.next, context)}`;
  }
}

/** Returns one line for each reason, with the webhooks that it applies to. The lines name at most ten webhooks in total. */
function failureLines(failures: readonly WebhookFailure[], context: MessageContext): string {
  let left = MAX_NAMED_WEBHOOKS;
  let unnamed = failures.length;
  const lines: string[] = [];
  for (const [reason, same] of Map.groupBy(failures, ({ error }) => failureText(error, context))) {
    if (left === 0) break;
    const ids = same.map(({ webhookId }) => webhookId);
    lines.push(`- ${listed(ids, left)}: ${reason}`);
    left -= Math.min(left, same.length);
    unnamed -= same.length;
  }
  return [...lines, ...(unnamed > 0 ? [`- and ${unnamed} more`] : [])].join("\n");
}

/** Leaves out the request ID, which differs for each failure, so that equal reasons share a line. */
function failureText(error: PartnerError, context: MessageContext): string {
  if (error instanceof RequestError) return outcomeText({ ...error.failure, requestId: null }, context);
  if (error instanceof ResourceError && error.problem.kind === "noSuchWebhook")
    return "does not exist in this account.";
  return describeError(error, context);
}

/** Names two resources by type and name, or by URN if both have the same type and name, as in two components. */
function resourceNames(urns: readonly [string, string]): string {
  const [one, other] = urns.map((urn) => {
    const [, , type = "", ...name] = urn.split("::");
    return `${type.replace(/^.*[$:]/, "")} ${JSON.stringify(name.join("::"))}`;
  });
  return one === other ? urns.join(" and ") : `${one ?? ""} and ${other ?? ""}`;
}

/** Names webhooks, as in `webhook 7` or `webhooks 7, 8 and 3 more`. */
function webhooksText(ids: readonly number[]): string {
  return `webhook${inflections(ids).s} ${listed(ids, MAX_NAMED_WEBHOOKS)}`;
}

/** Returns the words that depend on whether a sentence is about one webhook or about several. */
function inflections({ length }: readonly number[]): typeof SINGULAR {
  return length === 1 ? SINGULAR : PLURAL;
}

const SINGULAR = { s: "", they: "it", them: "it", are: "is", does: "does", stay: "stays" };
const PLURAL = { s: "s", they: "they", them: "them", are: "are", does: "do", stay: "stay" };

function listed(names: readonly (number | string)[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return names.slice(0, most).join(", ") + more;
}

function otherServerRemedy(context: MessageContext): string {
  return `Change it back or, if the account moved, set ${setting("previousBaseUrl", context)} to the old address; then run ${UP}.`;
}

/** Returns the last resort: the command that removes the resource from the state. Without a URN, the CLI offers all resources. */
function stateDelete({ urn }: MessageContext): string {
  return `run "pulumi state delete${urn === undefined ? "" : ` ${quoteForShell(urn)}`}"`;
}

/** How many existing webhooks a message lists. */
const MAX_EXISTING_WEBHOOKS = 20;
/** How many affected webhooks a message names. */
const MAX_NAMED_WEBHOOKS = 10;

/** Why a response is not recognized; empty if there is no candidate. */
const READING_PROBLEMS = {
  "not JSON": "It is not JSON. ",
  none: "",
  several: "There are several candidates. ",
  pointer: "The JSON Pointer matches nothing. ",
  "not unique": "Two webhooks have the same ID. ",
} as const;

/** Returns the remedy for a response that is not recognized. @param member The member of `responses` to set. */
function readingRemedy(
  member: string,
  { reason, candidates }: Pick<UnreadableWebhookList | RefusedReading, "reason" | "candidates">,
  context: MessageContext,
): string {
  const name = setting(`responses.${member}`, context);
  const why = READING_PROBLEMS[reason];
  const [only] = candidates;
  if (reason === "not JSON") return `${why}Check ${setting("baseUrl", context)}.`;
  if (only === undefined) return `${why}Set ${name} to its JSON Pointer.`;
  const star = candidates.some((pointer) => pointer.split("/").includes("*"));
  const note = star ? " (* is any name)" : "";
  if (candidates.length > 1) return `${why}Set ${name} to one of ${candidates.join(", ")}${note}.`;
  return star
    ? `${why}Set ${name} to ${only}${note}.`
    : `${why}Try ${mappingCommand(member, only, context)}.`;
}

function rotationText({ fingerprint, why, validUntil }: Extract<Notice, { kind: "rotation" }>): string {
  const what = `${keyName(fingerprint)} (${rotationReasonText(why)})`;
  if (validUntil === null) return `this update replaces ${what} and deletes it${UNLESS_RETAINED}.`;
  return `this update rotates ${what} and keeps the old key valid as previousApiKey until ${validUntil}.`;
}

/** No host is told about the resource options. */
const UNLESS_RETAINED = ", unless retainOnDelete is set";

function rotationReasonText(why: RotationReason): string {
  if (why.kind === "trigger") return "rotation.trigger changed";
  if (why.kind === "unknownAge") return "its creation date is missing";
  return `in use since ${why.since}, due since ${why.due}, afterDays: ${why.afterDays}`;
}

function wordsOf({ serverMessage, requestId }: RequestFailure): string {
  const id = requestId === null ? "" : ` (request ID ${requestId})`;
  if (serverMessage !== null) return ` The server said: "${serverMessage}"${id}.`;
  return requestId === null ? "" : ` Request ID: ${requestId}.`;
}

/** Names the settings that locate the state of a webhook. */
function stateSettings(missing: "webhookState" | "active", context: MessageContext): string {
  const names = missing === "active" ? ["active", "disabled"] : [missing];
  return names.map((name) => setting(`responses.${name}`, context)).join(" and ");
}

function setting(name: string, { explicit, environmentOnly }: MessageContext): string {
  if (explicit) return `the Provider's ${name}`;
  if (environmentOnly !== true) return `partners:${name}`;
  const [root = "", member] = name.split(".");
  return member === undefined ? variableOf(root) : `"${member}" in ${variableOf(root)}`;
}

/** Returns the variable that can replace a configuration key; `null` if only one of the two can be used. */
function alternativeVariable(name: string, { explicit, environmentOnly }: MessageContext): string | null {
  return explicit || environmentOnly === true ? null : variableOf(name.replace(/\..*/, ""));
}

function keyName(fingerprint: string | null): string {
  return fingerprint === null ? "a key" : `key ${fingerprint}`;
}

/** Shortens an ISO 8601 time to the minute. */
function minuteOf(time: string): string {
  return time.replace(/:[0-9]{2}(?:\.[0-9]+)?Z$/, "Z");
}

function capitalized(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}

/** Returns the file and line of the innermost stack frame: enough for a bug report, and free of user data. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /[\\/]([a-z-]+\.(?:js|ts):\d+)/.exec(error.stack ?? "") : null;
  return frame ? ` at ${frame[1] ?? ""}` : "";
}
