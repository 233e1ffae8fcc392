import type { WebhookListReading } from "../responses/webhook-list-reader.js";
import type { Operation } from "./operations.js";

/** What a failed operation did on the server: certainly nothing, or nobody can know. */
export type Effect = "none" | "possible";

/** The stable name of a kind of error, which the troubleshooting page is sorted by. */
export type ErrorCode =
  | "PARTNERS_CONFIGURATION"
  | "PARTNERS_CONNECTION"
  | "PARTNERS_TIMEOUT"
  | "PARTNERS_INTERRUPTED"
  | "PARTNERS_STATUS"
  | "PARTNERS_UNREADABLE"
  | "PARTNERS_RESOURCE";

/**
 * The common part of all errors of this provider. An error holds facts and no sentence: the host words it, as only the host
 * knows where the settings of the account come from. No fact may be, or contain, a token or a key.
 */
export abstract class PartnerError extends Error {
  /** See {@link ErrorCode}. */
  abstract readonly code: ErrorCode;
  /** See {@link Effect}. */
  readonly effect: Effect = "none";
}

/** Why a list of webhooks is not recognised. */
export type UnreadableWebhookList = Extract<WebhookListReading, { readable: false }>;

/** Why a request did not lead to a result. */
export type FailureCause =
  /** The server answered with a status that is not a success. */
  | { readonly kind: "status"; readonly status: number }
  /** A change was answered 404, although the list has the webhook. */
  | { readonly kind: "listed" }
  /** A status, most often 429, asks for a wait of so many milliseconds, longer than `operationTimeout` allows. */
  | { readonly kind: "throttled"; readonly status: number; readonly wait: number }
  /** No response in time; `sent`: whether the request had left. */
  | { readonly kind: "timeout"; readonly sent: boolean }
  /** The connection failed or broke; `code` is the system's or undici's. */
  | { readonly kind: "connection"; readonly code: string }
  /** The process was told to stop. */
  | { readonly kind: "interrupted" }
  /** The response was cut off behind a status of success. */
  | { readonly kind: "cutOff" }
  /** A status of success with a page for people. */
  | { readonly kind: "webPage" }
  /** A status of success with a body that reports a failure. */
  | { readonly kind: "reportedFailure" }
  /** A list of more than 64 MiB. */
  | { readonly kind: "tooLarge" }
  /** A list that is not recognised. `body` is its text, to describe the structure of; never printed. */
  | { readonly kind: "unreadableList"; readonly reading: UnreadableWebhookList; readonly body: string };

/** The facts of a request that failed, after all its attempts. */
export interface RequestFailure {
  readonly operation: Operation;
  /** The webhook that it was about; `null` for other operations. */
  readonly webhookId: number | null;
  /** The host that it went to, with its port. */
  readonly host: string;
  readonly cause: FailureCause;
  /** What all attempts together may have done. */
  readonly effect: Effect;
  /** Attempts that were sent. */
  readonly attempts: number;
  /** When it was given up, ISO 8601. */
  readonly failedAt: string;
  /** The request id that the server gave, made printable. */
  readonly requestId: string | null;
  /** What the server said, redacted. */
  readonly serverWords: string | null;
}

const REQUEST_CODES: Readonly<Record<FailureCause["kind"], ErrorCode>> = {
  status: "PARTNERS_STATUS",
  listed: "PARTNERS_STATUS",
  throttled: "PARTNERS_STATUS",
  timeout: "PARTNERS_TIMEOUT",
  connection: "PARTNERS_CONNECTION",
  interrupted: "PARTNERS_INTERRUPTED",
  cutOff: "PARTNERS_CONNECTION",
  webPage: "PARTNERS_UNREADABLE",
  reportedFailure: "PARTNERS_UNREADABLE",
  tooLarge: "PARTNERS_UNREADABLE",
  unreadableList: "PARTNERS_UNREADABLE",
};

/** An operation of the Partner API failed. */
export class RequestError extends PartnerError {
  override readonly code: ErrorCode;
  override readonly effect: Effect;
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure) {
    super(failure.cause.kind);
    this.code = REQUEST_CODES[failure.cause.kind];
    this.effect = failure.effect;
    this.failure = failure;
  }

  /** The status that the server answered with instead of a success; `null` for any other failure. */
  get status(): number | null {
    const { cause } = this.failure;
    return cause.kind === "status" ? cause.status : null;
  }
}

/** What is wrong with a setting, or with the environment of the process. */
export type SettingProblem =
  | { readonly kind: "missing"; readonly setting: string }
  /** `text` fits after the name of the setting, and repeats no value. */
  | { readonly kind: "invalid"; readonly setting: string; readonly text: string }
  /** `text` is a whole sentence. */
  | { readonly kind: "environment"; readonly text: string };

/** Settings are missing or wrong, or the environment does not permit a request. Nothing was sent. */
export class SettingsError extends PartnerError {
  override readonly code = "PARTNERS_CONFIGURATION";
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super("settings");
    this.problems = problems;
  }
}
