import { PartnerError, type RequestFailure } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { KeyReading } from "../responses/key-reader.js";

/** Why no key was read from a response. */
export type RefusedReading = Extract<KeyReading, { kind: "refused" }>;

/** The configured server is not the one that the resource belongs to. Both are addresses. */
export interface OtherServer {
  readonly kind: "otherServer";
  readonly owner: string;
  readonly present: string;
}

/** The list does not show the state of these webhooks. `setting` names the setting that would make it readable. */
export interface StateUnknown {
  readonly kind: "stateUnknown";
  readonly webhookIds: readonly number[];
  readonly setting: "webhookState" | "active";
}

/** Why an operation on a resource is impossible, as facts. No fact may be or contain a token or a key. */
export type ResourceProblem =
  /** The configured account is not the one that the resource belongs to. */
  | { readonly kind: "otherAccount"; readonly owner: string; readonly present: string }
  | OtherServer
  /** `existing`: the IDs that exist. */
  | {
      readonly kind: "noSuchWebhook";
      readonly webhookIds: readonly number[];
      readonly existing: readonly number[];
    }
  /** The folder in which the processes of a run exchange what they declare cannot be used, so no webhook can be let go. */
  | { readonly kind: "noRunFolder"; readonly folder: string }
  /** Two resources manage the same webhook. `null`: one manages all `others`, so any other resource overlaps. */
  | {
      readonly kind: "declaredTwice";
      readonly webhookId: number | null;
      readonly urns: readonly [string, string];
    }
  /** Some changes to a fleet failed. `total`: the number of changes that were needed. */
  | {
      readonly kind: "fleetIncomplete";
      readonly failures: readonly [WebhookFailure, ...WebhookFailure[]];
      readonly total: number;
    }
  /** The engine asks for something that does not exist. `known`: those that do. */
  | {
      readonly kind: "unknownToken";
      readonly what: "resource type" | "listable type" | "function";
      readonly token: string;
      readonly known: readonly string[];
    }
  /** The import ID is not valid. `text` describes a valid one; it follows the word "use" and repeats no value. */
  | { readonly kind: "wrongImportId"; readonly text: string }
  | StateUnknown
  /**
   * A webhook is missing from a list that does not prove its absence: the list has further pages or, if it is `complete`, is
   * empty. `null`: all webhooks were requested.
   */
  | { readonly kind: "absenceUnproven"; readonly webhookId: number | null; readonly complete: boolean }
  /** A key was created, but not found in the response, which is kept. `rotates`: another key stays in use until it is found. */
  | {
      readonly kind: "keyNotFound";
      readonly createdAt: string;
      readonly complete: boolean;
      readonly rotates: boolean;
      readonly reading: RefusedReading;
    }
  /** A deletion returned 404, and the list, which would confirm that the key is gone, could not be read. */
  | {
      readonly kind: "deletionUnclear";
      readonly failure: RequestFailure;
      readonly listError: PartnerError;
    }
  /** One of several keys was deleted, and then something failed. */
  | { readonly kind: "partlyDone"; readonly next: PartnerError };

/** Why one webhook of a fleet could not be brought into its state. */
export interface WebhookFailure {
  readonly webhookId: number;
  readonly error: PartnerError;
}

/** An operation that is impossible although the service is reachable. */
export class ResourceError extends PartnerError {
  override readonly code: PartnerError["code"];
  readonly problem: ResourceProblem;

  constructor(problem: ResourceProblem) {
    super(problem.kind);
    this.problem = problem;
    this.code = codeOf(problem);
  }
}

/** Returns the code that users look up: for a problem with a cause, the code of the cause. */
function codeOf(problem: ResourceProblem): PartnerError["code"] {
  switch (problem.kind) {
    case "partlyDone":
      return problem.next.code;
    case "fleetIncomplete":
      return problem.failures[0].error.code;
    case "keyNotFound":
      return "PARTNERS_UNREADABLE";
    default:
      return "PARTNERS_RESOURCE";
  }
}

/** A warning, as facts. No fact may be or contain a token or a key. */
export type Notice =
  | OtherServer
  /** A key was gone before its deletion. `mayExist`: the service may know it by its ID only, so it may still be valid. */
  | {
      readonly kind: "keyWasGone";
      readonly fingerprint: string | null;
      readonly status: 404 | 410;
      readonly mayExist: boolean;
    }
  /** `responses.apiKey` finds nothing in a stored response, so the key is unchanged. */
  | { readonly kind: "pointerFindsNothing"; readonly fingerprint: string | null }
  /** `responses.apiKey` finds a different key in a stored response, so the update replaces the key. */
  | { readonly kind: "reread"; readonly fingerprint: string | null; readonly next: string | null }
  /** The update rotates a key. */
  | {
      readonly kind: "rotation";
      readonly fingerprint: string | null;
      readonly why: RotationReason;
      /** When the old key expires, ISO 8601; `null` if the resource is replaced. */
      readonly validUntil: string | null;
    }
  /**
   * The update deletes the previous key. `validUntil`: the end of its overlap, ISO 8601; `early`: whether it is not over;
   * `replaced`: whether the resource is replaced.
   */
  | {
      readonly kind: "previousKeyEnds";
      readonly fingerprint: string | null;
      readonly validUntil: string | null;
      readonly early: boolean;
      readonly replaced: boolean;
    }
  | StateUnknown
  /** A provider has a setting with an unknown name. */
  | { readonly kind: "unknownSetting"; readonly name: string }
  /** Certificates are not verified, because of the environment. */
  | { readonly kind: "tlsNotVerified" }
  /** `restore` has no original state to restore. */
  | { readonly kind: "nothingToRestore"; readonly webhookIds: readonly number[] }
  /** These webhooks are not in the `state` that a fleet sets for all `others`. */
  | { readonly kind: "othersDiffer"; readonly state: WebhookState; readonly webhookIds: readonly number[] }
  /** A resource no longer declares these webhooks, and sets them to `state`, unless another resource declares them. */
  | {
      readonly kind: "leaving";
      readonly account: string;
      readonly state: WebhookState;
      readonly webhookIds: readonly number[];
    }
  /** A removed resource leaves these webhooks as they are, because the program declares them through another provider. */
  | { readonly kind: "declaredElsewhere"; readonly webhookIds: readonly number[] }
  /** A refresh drops these webhooks, because they are no longer in the list. */
  | { readonly kind: "webhooksGone"; readonly webhookIds: readonly number[] }
  /** A webhook is not in the state in which this stack last set or saw it. */
  | { readonly kind: "drifted" }
  /** The update records that the account has moved from `owner` to `present`. */
  | { readonly kind: "moved"; readonly owner: string; readonly present: string }
  /** A preview could not check the webhooks, and continues without the check. */
  | { readonly kind: "notChecked"; readonly error: PartnerError };

/** Why a key is rotated. `since` and `due` are dates such as 2026-02-19. */
export type RotationReason =
  | { readonly kind: "trigger" }
  | { readonly kind: "unknownAge" }
  | { readonly kind: "age"; readonly since: string; readonly due: string; readonly afterDays: number };
