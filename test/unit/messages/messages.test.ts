import { describe, expect, it } from "vitest";

import {
  RequestError,
  SettingsError,
  type FailureCause,
  type PartnerError,
  type RequestFailure,
  type SettingProblem,
  type SettingRule,
} from "../../../provider/src/api/errors.js";
import {
  ResourceError,
  type CheckedArgument,
  type ImportId,
  type InputProblem,
  type Notice,
  type ResourceProblem,
  type WebhookFailure,
} from "../../../provider/src/shared/problems.js";
import type { UnreadPages } from "../../../provider/src/webhooks/list-pages.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import { renderInputProblem } from "../../../provider/src/messages/input-messages.js";
import { renderNotice } from "../../../provider/src/messages/notice-messages.js";
import { renderStop } from "../../../provider/src/messages/status-messages.js";
import { PAGE, type MessageContext } from "../../../provider/src/messages/wording.js";
import { CANARIES, findLeaks } from "../../support/canary.ts";
import { page } from "../docs/tables.ts";

/** At least one example of each kind. A missing kind does not compile. */
type Examples<Union extends { kind: string }> = {
  readonly [Kind in Union["kind"]]:
    Extract<Union, { kind: Kind }> | readonly Extract<Union, { kind: Kind }>[];
};

const { repository } = JSON.parse(page("provider/package.json")) as { repository: { url: string } };
const AT = "2026-06-15T12:00:00.000Z";
const PRINT = "sha256:0123456789abcdef";

function failure(cause: FailureCause, changes: Partial<RequestFailure> = {}): RequestFailure {
  const server = "https://partners.example.com/gateway";
  const request = { operation: "listWebhooks", webhookId: null, server, mayUseProxy: false } as const;
  const end = { effect: "none", attempts: 1, failedAt: AT, requestId: null, serverMessage: null } as const;
  return { ...request, cause, ...end, ...changes };
}

function answered(status: number, changes?: Partial<RequestFailure>): RequestError {
  return new RequestError(failure({ kind: "status", status }, changes));
}

type Unreadable = Extract<FailureCause, { kind: "unreadableList" }>;

function unreadable(reason: Unreadable["reading"]["reason"], ...candidates: string[]): Unreadable {
  const setting = reason === "not unique" ? "webhookId" : "webhooks";
  return {
    kind: "unreadableList",
    reading: { readable: false, setting, reason, candidates },
  };
}

const CODES =
  "ECONNREFUSED ENOTFOUND ECONNRESET EHOSTUNREACH UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID " +
  "EPROTO ERR_SSL_WRONG_VERSION_NUMBER HTTPParserError UND_ERR_RES_CONTENT_LENGTH_MISMATCH UND_ERR_ABORTED UND_ERR_SOCKET";

const CAUSES: Examples<FailureCause> = {
  status: [
    ...[301, 400, 401, 403, 404, 408, 429, 500].map((status) => ({ kind: "status", status }) as const),
    ...[401, 403].map((status) => ({ kind: "status", status, isWebPage: true }) as const),
  ],
  throttled: { kind: "throttled", status: 429, wait: 3_600_500 },
  timeout: [true, false].map((sent) => ({ kind: "timeout", sent })),
  outOfTime: { kind: "outOfTime" },
  connection: CODES.split(" ").map((code) => ({ kind: "connection", code })),
  interrupted: { kind: "interrupted" },
  cutOff: { kind: "cutOff" },
  webPage: { kind: "webPage" },
  reportedFailure: { kind: "reportedFailure" },
  notApplied: { kind: "notApplied" },
  undecoded: ["dcb", "unknown"].map((encoding) => ({ kind: "undecoded", encoding })),
  tooLarge: [null, 12_345_678].map((size) => ({ kind: "tooLarge", limit: 8 * 1024 * 1024, size })),
  unreadableList: [
    unreadable("not JSON"),
    unreadable("none"),
    unreadable("several", "/hooks", "/archive"),
    unreadable("pointer", "/data"),
    unreadable("not unique"),
  ],
};

const refused = { kind: "refused", reason: "several", candidates: ["/token", "/clientSecret"] } as const;
const NOTHING = { ...refused, reason: "none", candidates: [] } as const;
/** At a set pointer, and at the only one that is named like a key. */
const MISFITS = [
  "number",
  "notText",
  "empty",
  "characters",
  "long",
  "masked",
  "accessToken",
  "header",
] as const;
const NAMED_MISFITS = ["short", "address", "label"] as const;
const POST = { operation: "createApiKey" } as const;
const PATCH = { operation: "disableWebhook", webhookId: 101 } as const;
const DELETE = { operation: "deleteApiKey" } as const;
const NAMED = { fingerprint: PRINT, createdAt: "2026-06-15T12:00:00.123Z" };
/** A key that is too short for a fingerprint. */
const SHORT = { ...NAMED, fingerprint: null };
/** An imported key that is too short as well. */
const IMPORTED = { fingerprint: null, createdAt: null };

const key = {
  kind: "keyNotFound",
  name: { fingerprint: PRINT, createdAt: AT },
  complete: true,
  undecoded: null,
  reportsFailure: false,
  serverMessage: null,
  rotates: false,
} as const;

const MOVE = { owner: "https://old.example.com", present: "https://new.example.com" };
const otherServer = { kind: "otherServer", ...MOVE } as const;

const URN = "urn:pulumi:dev::shop::";
const FLEET = `${URN}partners:index:PartnerWebhookStates::fleet`;
const MANY = Array.from({ length: 23 }, (_, index) => index + 1);

const changing = (webhookId: number, error: PartnerError): WebhookFailure => ({ webhookId, error });
const forbidden = (webhookId: number) =>
  changing(webhookId, answered(403, { ...PATCH, serverMessage: `Webhook ${webhookId} is locked.` }));
const twice = (webhookId: number | null, ...urns: [string, string]) =>
  ({ kind: "declaredTwice", webhookId, urns }) as const;

const UNREAD: readonly UnreadPages[] = [
  { kind: "elsewhere", page: 1 },
  { kind: "unknown", page: 1, pointers: ["/meta/next_key"], isAddress: false },
  { kind: "unknown", page: 1, pointers: ["/meta/following", "/links/onward"], isAddress: true },
  ...[null, "Cursor expired"].map((words) => {
    const sent = { parameter: "cursor", pointer: "/next_cursor", status: 400 };
    return { kind: "refused", page: 1, ...sent, words } as const;
  }),
  { kind: "nothingNew", page: 2, parameter: "cursor", pointer: "/next_cursor" },
  { kind: "nothingNew", page: 2, parameter: "starting_after", pointer: null },
  { kind: "nothingNew", page: 2, parameter: null, pointer: null },
  { kind: "loop", page: 2 },
  { kind: "tooMany", page: 200 },
];

const PROBLEMS: Examples<ResourceProblem> = {
  otherAccount: { kind: "otherAccount", owner: "eu", present: "default" },
  otherServer,
  noSuchWebhook: [
    { kind: "noSuchWebhook", webhookIds: [7], existing: [] },
    { kind: "noSuchWebhook", webhookIds: [98, 99], existing: MANY },
  ],
  unknownToken: {
    kind: "unknownToken",
    token: "partners:index:PartnerWebhook",
    known: ["partners:index:PartnerWebhookState"],
  },
  wrongImportId: all<ImportId>({
    webhookId: { kind: "webhookId" },
    accountName: { kind: "accountName", account: "default" },
    variable: [null, "OLD_KEY"].map((unusable) => ({ kind: "variable", unusable })),
  }).map((expected) => ({ kind: "wrongImportId", expected })),
  stateUnknown: { kind: "stateUnknown", webhookIds: [101], setting: "active" },
  releasedElsewhere: { kind: "releasedElsewhere", webhookIds: [101] },
  noMatch: [
    { kind: "noMatch", failure: { kind: "wrongQuery" } },
    {
      kind: "noMatch",
      failure: {
        kind: "none",
        by: "url",
        webhooks: ['101 ("orders", hooks.example.com/orders)', "102"],
        isShown: true,
      },
    },
    { kind: "noMatch", failure: { kind: "none", by: "name", webhooks: ["101"], isShown: false } },
    {
      kind: "noMatch",
      failure: {
        kind: "several",
        by: "name",
        webhooks: Array.from({ length: 13 }, (_, index) => String(index + 1)),
        isShown: true,
      },
    },
  ],
  declaredTwice: [
    twice(101, `${URN}partners:index:PartnerWebhookState::orders`, FLEET),
    twice(101, `${URN}eu$partners:index:PartnerWebhookStates::fleet`, FLEET),
    twice(null, FLEET, `${URN}partners:index:PartnerWebhookStates::more`),
  ],
  fleetIncomplete: [
    {
      kind: "fleetIncomplete",
      changed: [201, 202],
      failures: [
        changing(101, answered(409, { ...PATCH, serverMessage: "locked", requestId: "req-1" })),
        changing(102, answered(409, { ...PATCH, serverMessage: "locked", requestId: "req-2" })),
        changing(103, answered(502, { ...PATCH, effect: "possible", attempts: 4 })),
        changing(104, answered(404, PATCH)),
        changing(7, new ResourceError({ kind: "noSuchWebhook", webhookIds: [7], existing: [101] })),
      ],
    },
    {
      kind: "fleetIncomplete",
      changed: [24],
      failures: [forbidden(1), ...MANY.slice(1).map(forbidden)],
    },
  ],
  listNotRead: (["others", "restore", "import", "list"] as const).map((need) => ({
    kind: "listNotRead",
    need,
  })),
  absenceUnproven: [
    { kind: "absenceUnproven", webhookId: 7, complete: false, unread: null, doubt: null },
    { kind: "absenceUnproven", webhookId: 7, complete: false, unread: null, doubt: "part" },
    { kind: "absenceUnproven", webhookId: 7, complete: true, unread: null, doubt: "odd" },
    { kind: "absenceUnproven", webhookId: null, complete: true, unread: null, doubt: null },
    ...UNREAD.map((unread) => {
      return { kind: "absenceUnproven", webhookId: 7, complete: false, unread, doubt: null } as const;
    }),
  ],
  keyNotFound: [
    { ...key, reading: { kind: "refused", reason: "none", candidates: [""] } },
    { ...key, reading: refused },
    { ...key, complete: false, rotates: true, reading: NOTHING },
    { ...key, reading: { ...refused, reason: "pointer", candidates: ["/*/apiKey"] } },
    { ...key, reportsFailure: true, reading: { ...NOTHING, reason: "not JSON" } },
    { ...key, undecoded: "dcb", reading: { ...NOTHING, reason: "not JSON" } },
    { ...key, reading: { ...NOTHING, reason: "empty" } },
    { ...key, reportsFailure: true, serverMessage: "quota exceeded", reading: refused },
    { ...key, name: IMPORTED, reading: NOTHING },
    ...MISFITS.map((kind) => ({
      ...key,
      reading: { ...refused, reason: "pointer", misfit: { pointer: null, kind } } as const,
    })),
    ...NAMED_MISFITS.map((kind) => ({
      ...key,
      reading: { ...NOTHING, candidates: ["/key"], misfit: { pointer: "/key", kind } },
    })),
    { ...key, reading: { ...NOTHING, misfit: { pointer: "", kind: "accessToken" } } },
    { ...key, reading: { ...NOTHING, misfit: { pointer: "/key", kind: "masked" } } },
    { ...key, reading: { ...NOTHING, isPending: true } },
    { ...key, reading: { ...NOTHING, candidates: ["/grant"], isPending: true } },
    { ...key, complete: false, reading: { ...NOTHING, reason: "not JSON" } },
  ],
  lostCreation: [true, false].map((rotates) => ({
    kind: "lostCreation",
    at: NAMED.createdAt,
    rotates,
    deletes: rotates,
  })),
  sameKey: [
    { kind: "sameKey", name: NAMED, urn: FLEET, rotates: true, kept: null },
    { kind: "sameKey", name: SHORT, urn: "", rotates: false, kept: { name: NAMED, pointers: ["/newKey"] } },
    { kind: "sameKey", name: NAMED, urn: FLEET, rotates: true, kept: { name: NAMED, pointers: [] } },
  ],
  keyIdMissing: [NAMED, IMPORTED].map((name) => ({ kind: "keyIdMissing", name })),
  keyShown: { kind: "keyShown", name: NAMED, urn: FLEET },
  deletionUnclear: [
    { kind: "deletionUnclear", name: NAMED, doubts: [{ kind: "noList", listError: answered(401) }] },
    { kind: "deletionUnclear", name: SHORT, doubts: [{ kind: "new" }] },
    {
      kind: "deletionUnclear",
      name: NAMED,
      doubts: [{ kind: "otherToken" }, { kind: "byId", pointers: ["/id", "/keyId"], isOther: false }],
    },
    {
      kind: "deletionUnclear",
      name: NAMED,
      doubts: [{ kind: "byId", pointers: ["/keyId"], isOther: true }],
    },
    { kind: "deletionUnclear", name: NAMED, doubts: [{ kind: "otherValue", pointers: ["/secret"] }] },
    { kind: "deletionUnclear", name: { ...NAMED, createdAt: null }, doubts: [{ kind: "idUnknown" }] },
  ],
  partlyDone: (["previous", "replaced"] as const).map((deleted) => ({
    kind: "partlyDone",
    deleted,
    next: answered(403, POST),
  })),
};

/** A setting that can break each rule. */
const RULES: Readonly<Record<SettingRule & string, string>> = {
  visibleAscii: "accessToken",
  headerName: "headers",
  headerText: "headers",
  headerValue: "headers",
  headerTwice: "headers",
  url: "baseUrl",
  noCredentials: "baseUrl",
  https: "baseUrl",
  noQuery: "baseUrl",
  noApiRoot: "baseUrl",
  flag: "responses.complete",
  nativeOnly: "refreshBeforeUpdate",
  needsList: "refreshBeforeUpdate",
  jsonObject: "responses",
  jsonPointer: "responses.apiKey",
  parameterName: "responses.pageParameter",
  wordList: "responses.active",
  distinctWords: "responses.disabled",
  pathSegment: "responses.apiKeyId",
};

const SETTINGS: Examples<SettingProblem> = {
  missing: ["baseUrl", "accessToken"].map((setting) => ({ kind: "missing", setting })),
  invalid: [
    { kind: "invalid", setting: "requestTimeout", rule: { min: 0.001, max: 86_400 } },
    { kind: "invalid", setting: "headers", rule: { reserved: "authorization" } },
    { kind: "invalid", setting: "responses", rule: { members: ["apiKey", "webhooks"] } },
    ...Object.entries(RULES).map(([rule, setting]) => {
      return { kind: "invalid", setting, rule: rule as keyof typeof RULES } as const;
    }),
  ],
  separatedPair: (["accessToken", "headers"] as const).map((kept) => {
    return { kind: "separatedPair", replaced: "baseUrl", kept };
  }),
  oldNode: { kind: "oldNode", version: "20.0.0", minimum: "22.19.0" },
  loggedPaths: { kind: "loggedPaths" },
  invalidProxy: { kind: "invalidProxy" },
};

const rotation = { kind: "rotation", fingerprint: PRINT, validUntil: "2026-06-22T12:00:00.000Z" } as const;

const NOTICES: Examples<Notice> = {
  otherServer,
  keyWasGone: [
    { kind: "keyWasGone", name: NAMED, why: "gone" },
    { kind: "keyWasGone", name: IMPORTED, why: "declared" },
    { kind: "keyWasGone", name: SHORT, why: "repeated" },
    { kind: "keyWasGone", name: NAMED, why: "sameId" },
  ],
  keyShared: { kind: "keyShared", name: NAMED, urn: FLEET },
  keyKept: [
    { kind: "keyKept", name: NAMED, urn: FLEET, same: "key" },
    { kind: "keyKept", name: NAMED, urn: "", same: "id" },
  ],
  importedByValue: { kind: "importedByValue", name: NAMED },
  lostCreation: [true, false].map((needsKey) => ({ kind: "lostCreation", at: NAMED.createdAt, needsKey })),
  clockOff: [72, -5].map((hours) => ({ kind: "clockOff", hours })),
  pointerFindsNothing: { kind: "pointerFindsNothing", fingerprint: PRINT },
  reread: { kind: "reread", fingerprint: PRINT, next: "sha256:fedcba9876543210" },
  rotation: [
    { ...rotation, why: { kind: "trigger" }, validUntil: null },
    { ...rotation, why: { kind: "unknownAge" } },
    { ...rotation, why: { kind: "age", since: "2026-06-01", due: "2026-06-11" } },
  ],
  previousKeyEnds: [
    { kind: "previousKeyEnds", fingerprint: PRINT, early: true, replaced: true },
    { kind: "previousKeyEnds", fingerprint: null, early: false, replaced: false },
  ],
  stateUnknown: { kind: "stateUnknown", webhookIds: [101], setting: "webhookState" },
  oddRecords: [
    { kind: "oddRecords", records: [{ position: 3, reason: "not a number" }] },
    {
      kind: "oddRecords",
      records: [
        { position: 2, reason: "not an object" },
        { position: 3, reason: "not an object" },
      ],
    },
    {
      kind: "oddRecords",
      records: [
        { position: 1, reason: "none" },
        { position: 4, reason: "none" },
        { position: 5, reason: "several" },
        { position: 6, reason: "pointer" },
        { position: 7, reason: "not an object" },
      ],
    },
  ],
  stateLost: { kind: "stateLost", webhookIds: [101], setting: "active" },
  releasedGone: { kind: "releasedGone", webhookIds: [101] },
  unknownSetting: { kind: "unknownSetting", name: "basUrl" },
  tlsNotVerified: { kind: "tlsNotVerified" },
  plainHttp: { kind: "plainHttp", host: "partners.internal:8080" },
  nothingToRestore: { kind: "nothingToRestore", webhookIds: MANY },
  firstChange: [
    {
      kind: "firstChange",
      state: "active",
      webhookIds: [103],
      labels: ['103 ("orders", hooks.example.com)'],
    },
    { kind: "firstChange", state: "disabled", webhookIds: [1, 2], labels: ["1", "2 (hooks.example.com)"] },
  ],
  othersDiffer: [true, false].map((certain) => ({
    kind: "othersDiffer",
    state: "disabled",
    webhookIds: MANY,
    certain,
  })),
  leaving: [true, false].map((certain) => {
    return { kind: "leaving", account: "default", state: "active", webhookIds: MANY, certain };
  }),
  leftBehind: { kind: "leftBehind", account: "eu", webhookIds: [101] },
  declaredElsewhere: [[1], [1, 2]].map((webhookIds) => ({ kind: "declaredElsewhere", webhookIds })),
  notShared: [true, false].map((isPrivate) => ({
    kind: "notShared",
    folder: "/tmp/pulumi-partners-1000",
    isPrivate,
  })),
  webhooksGone: { kind: "webhooksGone", webhookIds: [1] },
  drifted: [
    {
      kind: "drifted",
      state: "active",
      webhookIds: [103],
      labels: ['103 ("orders", hooks.example.com/orders)'],
    },
    { kind: "drifted", state: "active", webhookIds: [1, 2], labels: ["1", "2 (hooks.example.com/eu)"] },
  ],
  listNotRead: { kind: "listNotRead" },
  moved: { kind: "moved", ...MOVE },
  changeUnconfirmed: [true, false].map((isRead) => ({
    kind: "changeUnconfirmed",
    webhookIds: [101, 102],
    isRead,
  })),
  notChecked: { kind: "notChecked", error: answered(501, { attempts: 4 }) },
  checkTimedOut: { kind: "checkTimedOut", timeout: 10_000 },
};

const ARGUMENTS: Readonly<Record<CheckedArgument, null>> = {
  webhookId: null,
  state: null,
  states: null,
  others: null,
  stateOnDestroy: null,
  rotation: null,
  "rotation.trigger": null,
};

const INPUTS: Examples<InputProblem> = {
  unknownArgument: {
    kind: "unknownArgument",
    of: "rotation",
    name: '"days"',
    known: ["trigger", "afterDays", "overlapDays"],
  },
  invalidArgument: Object.keys(ARGUMENTS).map((argument) => {
    return { kind: "invalidArgument", argument: argument as CheckedArgument };
  }),
  notAWebhookId: { kind: "notAWebhookId", name: '"0101"' },
  notAState: { kind: "notAState", webhookId: "101" },
  invalidDays: { kind: "invalidDays", argument: "afterDays", min: 1, max: 36_500 },
  overlapMissing: { kind: "overlapMissing" },
  overlapTooLong: { kind: "overlapTooLong" },
};

function all<Union extends { kind: string }>(examples: Examples<Union>): Union[] {
  return Object.values<Union | readonly Union[]>(examples).flat() as Union[];
}

/** The requests of causes that a list cannot have. */
const CHANGES: Partial<Record<FailureCause["kind"], Partial<RequestFailure>>> = {
  reportedFailure: { ...PATCH, effect: "possible" },
  notApplied: { ...PATCH, effect: "possible" },
};

/** Where the settings come from in the golden list. The others are not set. */
const STACK = { origins: { baseUrl: "configuration", accessToken: "environment" } } as const;

const ERRORS: readonly PartnerError[] = [
  ...all(CAUSES).map((cause) => new RequestError(failure(cause, CHANGES[cause.kind]))),
  new RequestError(failure({ kind: "connection", code: "ECONNREFUSED" }, { mayUseProxy: true })),
  new RequestError(failure({ kind: "throttled", status: 429, wait: 3_540_000 }, { attempts: 0 })),
  new RequestError(failure({ kind: "throttled", status: 429, wait: 16_000 }, { attempts: 5 })),
  answered(409, POST),
  answered(422, { serverMessage: "Two keys at most.", requestId: "req-1" }),
  new RequestError(failure({ kind: "timeout", sent: true }, { ...POST, effect: "possible" })),
  new RequestError(failure({ kind: "outOfTime" }, { attempts: 0 })),
  answered(502, { ...PATCH, effect: "possible", attempts: 4 }),
  answered(502, { ...DELETE, effect: "possible", attempts: 4 }),
  answered(502, { holdsCreation: true, attempts: 4 }),
  ...all(PROBLEMS).map((problem) => new ResourceError(problem)),
  ...all(SETTINGS).map((problem) => new SettingsError([problem])),
];

const texts = (context: MessageContext): string[] => [
  ...ERRORS.map((error) => renderError(error, context)),
  ...all(INPUTS).map(renderInputProblem),
  ...all(NOTICES).map((notice) => renderNotice(notice, context)),
  renderStop("SIGINT", ["disableWebhook", "activateWebhook", "deleteApiKey"], false),
  ...[true, false].flatMap((isNative) => [
    renderStop("SIGINT", ["createApiKey", "createApiKey", "disableWebhook"], isNative),
    renderStop("Cancel", ["createApiKey"], isNative),
  ]),
];

describe("the message for every error and notice", () => {
  it("names the keys of stack configuration and the variables", async () => {
    await expect(`${texts(STACK).join("\n")}\n`).toMatchFileSnapshot("messages.txt");
  });

  it("names a setting that is not set as the address is set, or by both places if the address is missing", () => {
    const slow = answered(429);
    const places = (origins: MessageContext["origins"]) => renderError(slow, origins && { origins });
    expect(places({ baseUrl: "environment" })).toContain("set PARTNERS_REQUESTS_PER_SECOND.");
    expect(places({ baseUrl: "configuration" })).toContain("set partners:requestsPerSecond.");
    for (const origins of [{}, undefined])
      expect(places(origins)).toContain("partners:requestsPerSecond or PARTNERS_REQUESTS_PER_SECOND.");
    const missing = new SettingsError([{ kind: "missing", setting: "accessToken" }]);
    expect(renderError(missing, { origins: { baseUrl: "configuration" } })).toMatch(
      /^Set partners:accessToken or PARTNERS_ACCESS_TOKEN,/,
    );
  });

  it("names the arguments of an explicit provider, never stack configuration", () => {
    const explicit = texts({ account: "eu" });
    // An explicit provider, which does not read the environment, never has this problem.
    for (const text of explicit.filter((text) => !text.startsWith("partners:baseUrl replaces")))
      expect(text).not.toMatch(/partners:(?!index:)[a-z]|PARTNERS_(?!GONE_KEYS)[A-Z]+_|pulumi config/);
    const all = explicit.join("\n");
    expect(all).toContain(
      'GET https://partners.example.com/gateway/api/v1/partners/webhooks (account "eu"): the connection failed',
    );
    expect(all).toContain("Set the Provider's responses.apiKey to one of /token, /clientSecret. Then");
    expect(all).toContain("Set the Provider's baseUrl. A Provider does not read environment variables.");
  });

  it("names the place that the value of a setting comes from, so that nobody corrects the other one", () => {
    const origins = {
      accessToken: "environment",
      baseUrl: "configuration",
      responses: "environment",
    } as const;
    const [none] = all(PROBLEMS).filter(({ kind }) => kind === "keyNotFound");
    expect(renderError(answered(401), { origins })).toContain("check PARTNERS_ACCESS_TOKEN.");
    expect(renderError(answered(301), { origins })).toContain("set partners:baseUrl to the final address");
    expect(renderError(new ResourceError(none as ResourceProblem), { origins })).toContain(
      'Set apiKey in PARTNERS_RESPONSES to "" (the whole response).',
    );
    const wrong = { kind: "invalid", setting: "responses.complete", rule: "flag" } as const;
    expect(renderError(new SettingsError([wrong]), { origins })).toMatch(
      /^complete in PARTNERS_RESPONSES must/,
    );
  });

  it("says the same about several unknown names in one setting once", () => {
    const unknown = { kind: "invalid", setting: "responses", rule: { members: ["apiKey"] } } as const;
    expect(renderError(new SettingsError([unknown, unknown]), {})).toBe(
      renderError(new SettingsError([unknown]), {}),
    );
  });

  it("does not send anyone to a stack where there is none", () => {
    const context = { hasNoStack: true };
    const lost = new RequestError(failure({ kind: "timeout", sent: true }, { ...POST, effect: "possible" }));
    expect(renderError(lost, context)).toMatch(/delete only that one\. .* Then create another one\. See/);
    for (const cause of [{ kind: "interrupted" }, { kind: "notApplied" }] as const)
      expect(renderError(new RequestError(failure(cause)), context)).toContain("Run the same command again");
    for (const notice of all(NOTICES).filter(({ kind }) => kind === "changeUnconfirmed"))
      expect(renderNotice(notice, context)).not.toContain("pulumi refresh");
    for (const problem of all(PROBLEMS).filter(({ kind }) => kind === "keyNotFound")) {
      const text = renderError(new ResourceError(problem), context);
      expect(text).toContain("delete the key at the service");
      expect(text).not.toMatch(/pulumi up|state delete/);
    }
  });

  it("says in its last words whether anything was changed, or what to do before the next run", () => {
    const end = /(?:Nothing was \w+(?: here)?\.|again|in the environment\.|"pulumi state delete"\.)/;
    for (const error of ERRORS) expect(renderError(error)).toMatch(end);
    const partly = new ResourceError({ kind: "partlyDone", deleted: "previous", next: answered(403, POST) });
    expect(renderError(partly)).not.toContain("Nothing was");
  });

  it("names a section of the page if a key may exist, and no package that may not be installed", () => {
    const url = repository.url.replace(/^git\+|\.git$/g, "");
    expect(PAGE).toBe(`${url}/blob/main/docs/troubleshooting.md`);
    const headings = [...page("docs/troubleshooting.md").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
    const named = [
      ...texts({})
        .join("\n")
        .matchAll(/troubleshooting\.md#([\w-]+)/g),
    ];
    expect(new Set(named.map(([, anchor]) => anchor)).size).toBeGreaterThan(3);
    for (const [, anchor] of named) expect(headings).toContain(anchor);
    for (const event of ["SIGINT", "Cancel"])
      expect(renderStop(event, ["createApiKey"], true)).not.toContain("npx");
  });

  it("is complete, and contains no secret", () => {
    const both = [...texts({}), ...texts({ account: "eu" })];
    expect(findLeaks({ all: both.join() }, CANARIES)).toEqual([]);
    for (const text of both) expect(text).not.toMatch(/undefined|null(?!s)|NaN|\[object| {2}/);
    for (const error of ERRORS) expect(renderError(error).endsWith(` [${error.code}]`)).toBe(true);
  });

  it("names the resource to remove from the state by its URN, if known", () => {
    const urn = "urn:pulumi:dev::shop::my:Shop$partners:index:PartnerApiKey::checkout";
    const stuck = new ResourceError({ kind: "otherAccount", owner: "eu", present: "default" });
    expect(renderError(stuck, { urn })).toContain(`run "pulumi state delete '${urn}'".`);
    expect(renderError(stuck)).toContain('run "pulumi state delete".');
  });

  it("says that a lost creation blocks a deletion as well", () => {
    const lost = new ResourceError({
      kind: "lostCreation",
      at: NAMED.createdAt,
      rotates: true,
      deletes: true,
    });
    expect(renderError(lost, { deletes: true })).toMatch(
      /stack, so the resource is not deleted\. .* Then run the same command with PARTNERS_GONE_KEYS=/,
    );
  });

  it("says how to repeat a deletion, or to take it back, because up alone finds nothing to repair", () => {
    const rest = (error: PartnerError): string => renderError(error, { deletes: true });
    const keep = 'To keep the resource, run "pulumi up --refresh".';
    const keepKey = 'To keep the resource, replace its key: run "pulumi up --replace" with its URN.';
    const lost = { effect: "possible", attempts: 4 } as const;
    for (const [error, keeps] of [
      [answered(502, { ...PATCH, ...lost }), true],
      [
        new ResourceError(all(PROBLEMS).find(({ kind }) => kind === "fleetIncomplete") as ResourceProblem),
        true,
      ],
      [answered(502, { ...DELETE, ...lost }), false],
      [answered(409, PATCH), false],
    ] as const) {
      expect(rest(error).split(keep), renderError(error)).toHaveLength(keeps ? 2 : 1);
      expect(renderError(error)).not.toContain(keep);
    }
    const next = answered(403, DELETE);
    for (const [error, keeps] of [
      [answered(502, { ...DELETE, ...lost }), true],
      [new ResourceError({ kind: "partlyDone", deleted: "one", next }), true],
      [next, false],
      [answered(502, { ...PATCH, ...lost }), false],
    ] as const) {
      expect(rest(error).includes(keepKey)).toBe(keeps);
      expect(renderError(error)).not.toContain(keepKey);
    }
    const named = renderError(answered(502, { ...DELETE, ...lost }), { deletes: true, urn: FLEET });
    expect(named).toContain(`run "pulumi up --replace '${FLEET}'".`);
    for (const error of ERRORS) expect(rest(error)).not.toMatch(/"pulumi up" again/);
    expect(rest(new RequestError(failure({ kind: "interrupted" })))).toContain("Run the same command again.");
  });

  it("explains how destroy and refresh get new settings, if these could be the remedy", () => {
    const hint =
      / If you changed a setting after the last up, run "pulumi up" first, or add --run-program\. Nothing was \w+\. \[/;
    for (const [error, expected] of [
      [answered(401), true],
      [answered(404), true],
      [new RequestError(failure({ kind: "connection", code: "ENOTFOUND" })), true],
      [new ResourceError({ kind: "otherAccount", owner: "eu", present: "default" }), true],
      [new SettingsError(all(SETTINGS)), true],
      [answered(500), false],
      [new ResourceError(otherServer), true], // The setting may be right again since an `up` that failed.
    ] as const) {
      for (const context of [{}, { account: "eu" }])
        expect(hint.test(renderError(error, { ...context, lastUp: true })), renderError(error)).toBe(
          expected,
        );
      expect(renderError(error)).not.toMatch(hint);
    }
  });

  it("says why a preview reads a resource, and how it gets new settings", () => {
    const context = { lastUp: true, refreshesFirst: true };
    const why =
      "With partners:refreshBeforeUpdate or PARTNERS_REFRESH_BEFORE_UPDATE, each run reads the webhooks first.";
    const how = 'If you changed a setting after the last up, run "pulumi up --refresh --run-program".';
    expect(renderError(answered(500), context)).toMatch(
      new RegExp(`support\\. ${why} Nothing was changed\\. \\[`),
    );
    expect(renderError(answered(401), context)).toContain(`${why} ${how} Nothing was changed. [`);
    expect(renderError(answered(500), { ...context, account: "eu" })).toContain(
      "With the Provider's refresh",
    );
  });

  it("shows the type and location of a foreign error, but not its message", () => {
    const foreign = new TypeError(`in https://x/api-key/${CANARIES.token}`);
    expect(renderError(foreign)).toMatch(
      /^An unexpected TypeError in pulumi-partners( at [a-z-]+\.[jt]s:\d+)?\. This is a bug: .* \[PARTNERS_BUG\]$/,
    );
    expect(renderError(CANARIES.token)).toMatch(/^An unexpected string/);
  });
});

it("docs/troubleshooting.md quotes messages as they are, in the section of their code", () => {
  const known = texts({});
  const sections = page("docs/troubleshooting.md").split(/^## /m);
  const quoted = sections.flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    if (heading === "Messages of Pulumi") return [];
    return [...section.matchAll(/\*\*"(.+?)"\*\*/g)].map(([, quote = ""]) => ({ heading, quote }));
  });
  expect(quoted.length).toBeGreaterThan(5);
  const unknown = quoted.filter(({ heading, quote }) => {
    const parts = quote.split("…").map((part) => part.replace(/[()]/g, "\\$&"));
    return !known.some((text) => new RegExp(`^(?=[^]*\\[${heading}\\]$)[^]*${parts.join(".+")}`).test(text));
  });
  expect(unknown).toEqual([]);
});
