import type { HeaderRule } from "./extra-headers.js";
import type { Operation } from "./operations.js";

/** Whether a failed operation may have changed anything on the server. */
export type Effect = "none" | "possible";

/** The stable codes of all errors. The table of the troubleshooting page has rows for each. */
export type ErrorCode =
  | "PARTNERS_CONFIGURATION"
  | "PARTNERS_CONNECTION"
  | "PARTNERS_TIMEOUT"
  | "PARTNERS_INTERRUPTED"
  | "PARTNERS_STATUS"
  | "PARTNERS_UNREADABLE"
  | "PARTNERS_RESOURCE";

/**
 * The base class of all errors of this provider. An error holds facts and no text: the host renders it,
 * because only the host knows where the account's settings come from. No fact may contain a token or a key.
 */
export abstract class PartnerError extends Error {
  abstract readonly code: ErrorCode;
}

/** Turns an error of this provider into `null`, where nothing depends on success. @throws any other error. */
export function ignorePartnerError(error: unknown): null {
  if (error instanceof PartnerError) return null;
  throw error;
}

/** Why a list is not recognized. */
export interface UnreadableList {
  readonly readable: false;
  /** The member of `responses` that would help. */
  readonly setting: "webhooks" | "webhookId";
  /**
   * `pointer`: the setting points to nothing usable. `not unique`: several records have the same ID. `not a
   * number`: the records have IDs of another kind.
   */
  readonly reason: "not JSON" | "none" | "several" | "pointer" | "not unique" | "not a number";
  /** JSON Pointers to possible lists, or to possible IDs relative to a record; at most 10. */
  readonly candidates: readonly string[];
}

/** Why a request failed. */
export type FailureCause =
  /** The server returned a status other than 2xx. `isWebPage`: with a web page. @default false */
  | { readonly kind: "status"; readonly status: number; readonly isWebPage?: true }
  /**
   * A response, usually a 429, demands a wait (in milliseconds) that is longer than `operationTimeout`
   * allows. If there was no attempt, it was the response to another request.
   */
  | { readonly kind: "throttled"; readonly status: number; readonly wait: number }
  /** No response arrived in time. `sent`: whether the request had been sent. */
  | { readonly kind: "timeout"; readonly sent: boolean }
  /** The engine's call, limited by `customTimeouts`, ended before the request's turn or before a retry. */
  | { readonly kind: "outOfTime" }
  /** The connection failed or broke. `code` comes from the system or from undici. */
  | { readonly kind: "connection"; readonly code: string }
  /** The process was asked to stop. */
  | { readonly kind: "interrupted" }
  /** The response had a 2xx status and was cut off. */
  | { readonly kind: "cutOff" }
  /** The response had a 2xx status and is a web page. */
  | { readonly kind: "webPage" }
  /** The response had a 2xx status and a body that reports a failure. A creation then had no effect. */
  | { readonly kind: "reportedFailure" }
  /** The response had a 2xx status and shows the webhook in its other state. */
  | { readonly kind: "notApplied" }
  /** The list has an encoding that cannot be decoded, or `unknown` if it cannot be named safely. */
  | { readonly kind: "undecoded"; readonly encoding: string }
  /** The list is larger than `limit`. `size`: as far as it is known. Both in bytes. */
  | { readonly kind: "tooLarge"; readonly limit: number; readonly size: number | null }
  /** The webhook list is not recognized. */
  | { readonly kind: "unreadableList"; readonly reading: UnreadableList };

/** The facts about a request that failed after all its attempts. */
export interface RequestFailure {
  readonly operation: Operation;
  /** The webhook to change; `null` for other operations. */
  readonly webhookId: number | null;
  /** The page of a list. @default 1 */
  readonly page?: number;
  /** The address that the path of the API was added to, as in `https://partners.example.com/gateway`. */
  readonly server: string;
  readonly cause: FailureCause;
  /** Whether the environment sets a proxy for this host, which may be the one that failed. */
  readonly mayUseProxy: boolean;
  /** The effect of all attempts together. */
  readonly effect: Effect;
  readonly attempts: number;
  /** When the operation failed, ISO 8601. */
  readonly failedAt: string;
  /** The server's request ID, if it is safe to print. */
  readonly requestId: string | null;
  /** The server's error message, redacted. */
  readonly serverMessage: string | null;
  /**
   * The name by which a person can say that the key to delete is gone: a fingerprint or a time.
   * @default `null`: it cannot be gone, or has no name
   */
  readonly goneName?: string | null;
  /** Whether a key was to be created, and is not because this request failed. @default false */
  readonly holdsCreation?: boolean;
}

const REQUEST_CODES: Readonly<Record<FailureCause["kind"], ErrorCode>> = {
  status: "PARTNERS_STATUS",
  throttled: "PARTNERS_STATUS",
  timeout: "PARTNERS_TIMEOUT",
  outOfTime: "PARTNERS_TIMEOUT",
  connection: "PARTNERS_CONNECTION",
  interrupted: "PARTNERS_INTERRUPTED",
  cutOff: "PARTNERS_CONNECTION",
  webPage: "PARTNERS_UNREADABLE",
  reportedFailure: "PARTNERS_UNREADABLE",
  notApplied: "PARTNERS_UNREADABLE",
  undecoded: "PARTNERS_UNREADABLE",
  tooLarge: "PARTNERS_UNREADABLE",
  unreadableList: "PARTNERS_UNREADABLE",
};

/** A Partner API operation failed. */
export class RequestError extends PartnerError {
  override readonly code: ErrorCode;
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure) {
    super(failure.cause.kind);
    this.code = REQUEST_CODES[failure.cause.kind];
    this.failure = failure;
  }

  /** The status of an unsuccessful response; `null` for any other failure. */
  get status(): number | null {
    const { cause } = this.failure;
    return cause.kind === "status" ? cause.status : null;
  }
}

/** The rule that the value of a setting breaks. */
export type SettingRule =
  /** Characters that fit into a header. */
  | "visibleAscii"
  | "url"
  | "noCredentials"
  /** Plain HTTP is for this machine, or for those who accept the risk. */
  | "https"
  | "noQuery"
  /** Without the path that all operations share. */
  | "noApiRoot"
  /** The value that it points to must fit into a path. */
  | "pathSegment"
  /** Not for dynamic resources. */
  | "nativeOnly"
  /** Must be false if `readWebhooks` is false. */
  | "needsList"
  /** A number in this range. */
  | { readonly min: number; readonly max: number }
  | MappingRule
  | HeaderRule;

/** The rules that a value of the setting `responses`, or of a member, can break. */
export type MappingRule =
  | "jsonPointer"
  | "wordList"
  | "flag"
  | "parameterName"
  | "jsonObject"
  /** `disabled` must have no word of `active`. */
  | "distinctWords"
  /** The member must be one of these. Its name is not repeated, because it could be anything. */
  | { readonly members: readonly string[] };

/** A problem with a setting, or with the environment of the process. */
export type SettingProblem =
  | { readonly kind: "missing"; readonly setting: string }
  /** The value is not repeated, because it could be a secret. */
  | { readonly kind: "invalid"; readonly setting: string; readonly rule: SettingRule }
  /** Stack configuration replaces an address or its token, but not a secret that belongs to it. */
  | { readonly kind: "separatedPair"; readonly replaced: PairedSetting; readonly kept: PairedSetting }
  /** This version of Node cannot send requests. */
  | { readonly kind: "oldNode"; readonly version: string; readonly minimum: string }
  /** `NODE_DEBUG` makes undici print request paths, and the path of a deletion contains the key. */
  | { readonly kind: "loggedPaths" }
  /** The environment names a proxy whose address is not an HTTP URL. */
  | { readonly kind: "invalidProxy" };

/** Settings that belong together. */
export type PairedSetting = "baseUrl" | "accessToken" | "headers";

/** Settings are missing or invalid, or the environment does not allow requests. Nothing was sent. */
export class SettingsError extends PartnerError {
  override readonly code = "PARTNERS_CONFIGURATION";
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super("settings");
    this.problems = problems;
  }
}
