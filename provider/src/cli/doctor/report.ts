import type { Explanation } from "../../api/responses.js";
import type { WebhookState } from "../../api/operations.js";
import type { SettingName } from "../../setting-names.js";

/** How a check ended. Only `failed` makes the command fail. */
export type Status = "ok" | "warning" | "failed" | "skipped";

/** One line of the diagnosis. */
export interface Check {
  readonly check: CheckName;
  readonly status: Status;
  /** What was found, as a sentence; for a failure that is known, with what to do. Never holds a secret. */
  readonly detail: string;
  /** What to do, where the detail does not say it: sentences, or commands. Empty if there is nothing to do. */
  readonly remedy: readonly string[];
}

/** The checks, in the order in which they are made. */
export type CheckName =
  | "node"
  | "pulumi-cli"
  | "pulumi-sdk"
  | "plugin"
  | "stack"
  | "settings"
  | "route"
  | "service"
  | "shape"
  | "clock"
  | "latency"
  | "webhooks"
  | "key";

/** Where a setting comes from. Values are not reported, as some are secret. */
export interface SettingReport {
  readonly name: SettingName;
  readonly from: "stack configuration" | "environment" | "Provider" | "default" | "missing";
  /** The environment variable that would set it. */
  readonly variable: string;
}

/** A webhook of the service, of the stack, or of both. */
export interface WebhookReport {
  readonly webhookId: number;
  readonly exists: boolean;
  /** `null` if it does not exist, or its state could not be read. */
  readonly state: WebhookState | null;
  /** The resources of the stack that declare it, by name; `null` where there is no stack to look at. */
  readonly declaredBy: readonly string[] | null;
}

/** What became of the key that `--try-create` asks for. */
export interface KeyReport {
  readonly outcome: "not made" | "deleted" | "may exist" | "exists";
  /** When the service answered, or was given up on; ISO 8601. */
  readonly at: string | null;
  readonly requestId: string | null;
  readonly explanation: Explanation | null;
}

/**
 * All that `pulumi-partners doctor --json` prints. Members are added in minor versions, and changed or removed only in major
 * ones, together with `format`.
 */
export interface Report {
  readonly format: 1;
  /** The version of this package. */
  readonly version: string;
  readonly exitCode: ExitCode;
  readonly checks: readonly Check[];
  readonly settings: readonly SettingReport[];
  /** How the list of webhooks was read; `null` if there was none. */
  readonly shape: Explanation | null;
  /** `null` if the list could not be read. */
  readonly webhooks: readonly WebhookReport[] | null;
  /** `null` without `--try-create`. */
  readonly key: KeyReport | null;
}

/** 0: nothing failed; 1: a check failed; 3: a key may exist that nobody holds. 2 is for the command line. */
export type ExitCode = 0 | 1 | 3;

/** A check that went well. */
export function ok(check: CheckName, detail: string): Check {
  return { check, status: "ok", detail, remedy: [] };
}

/** A check that could not be made. */
export function skipped(check: CheckName, detail: string): Check {
  return { check, status: "skipped", detail, remedy: [] };
}

/** Something that may be meant so. */
export function warning(check: CheckName, detail: string, ...remedy: readonly string[]): Check {
  return { check, status: "warning", detail, remedy };
}

/** Something that will not work. */
export function failed(check: CheckName, detail: string, ...remedy: readonly string[]): Check {
  return { check, status: "failed", detail, remedy };
}
