import { PartnerError, type RequestFailure } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { KeyReading } from "../responses/key-reader.js";

/** Why no key is read from a response. */
export type RefusedReading = Extract<KeyReading, { kind: "refused" }>;

/** The settings name another server than the resource's. Both are addresses. */
export interface OtherServer {
  readonly kind: "otherServer";
  readonly owner: string;
  readonly present: string;
}

/** The list does not tell the state of webhooks; `setting` would. */
export interface StateUnknown {
  readonly kind: "stateUnknown";
  readonly webhookIds: readonly number[];
  readonly setting: "webhookState" | "active";
}

/** What cannot be done about a resource, as facts. No fact may be, or contain, a token or a key. */
export type ResourceProblem =
  /** The settings are those of another account than the resource's. */
  | { readonly kind: "otherAccount"; readonly owner: string; readonly present: string }
  | OtherServer
  /** Text in `webhookIds` is no id, redacted. `existing`: the ids that there are; `null` if they are not known. */
  | {
      readonly kind: "noSuchWebhook";
      readonly webhookIds: readonly (number | string)[];
      readonly existing: readonly number[] | null;
    }
  /** Two resources manage a webhook, or, if it is `null`, one manages all `others` and another one any. */
  | {
      readonly kind: "declaredTwice";
      readonly webhookId: number | null;
      readonly urns: readonly [string, string];
    }
  /** Some of the changes to a fleet failed; `total`: of so many that were needed. */
  | {
      readonly kind: "fleetIncomplete";
      readonly failures: readonly [WebhookFailure, ...WebhookFailure[]];
      readonly total: number;
    }
  /** What a resource is imported by is not what it should be: `text`, which fits after "use", and repeats no value. */
  | { readonly kind: "wrongImportId"; readonly text: string }
  | StateUnknown
  /**
   * A webhook is missing from a list that has further pages or, if it is `complete`, may be empty for another reason. `null`:
   * all webhooks are asked for.
   */
  | { readonly kind: "absenceUnproven"; readonly webhookId: number | null; readonly complete: boolean }
  /** A key was created and is not found in the response, which is kept. `rotates`: another key stays in use meanwhile. */
  | {
      readonly kind: "keyNotFound";
      readonly createdAt: string;
      readonly complete: boolean;
      readonly rotates: boolean;
      readonly reading: RefusedReading;
    }
  /** A deletion was answered 404, and it is not certain that the key is gone, as the list failed. */
  | {
      readonly kind: "deletionUnclear";
      readonly failure: RequestFailure;
      readonly listError: PartnerError;
    }
  /** One of several keys was deleted, and what came next failed. */
  | { readonly kind: "partlyDone"; readonly next: PartnerError };

/** Why a webhook of a fleet is not in the state that it should be in. */
export interface WebhookFailure {
  readonly webhookId: number;
  readonly error: PartnerError;
}

/** What is asked for cannot be done, although the service answers. */
export class ResourceError extends PartnerError {
  override readonly code: PartnerError["code"];
  readonly problem: ResourceProblem;

  constructor(problem: ResourceProblem) {
    super(problem.kind);
    this.problem = problem;
    // What failed in the end is what a person looks up.
    this.code = codeOf(problem);
  }
}

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

/** What a person is told although nothing failed, as facts. */
export type Notice =
  | OtherServer
  /** A deletion was answered 404 and counts as done. `first`: no earlier attempt can have deleted it; `byId`: as asked for by an id. */
  | {
      readonly kind: "keyWasGone";
      readonly fingerprint: string | null;
      readonly first: boolean;
      readonly byId: boolean;
    }
  /** `responses.apiKey` finds nothing in a kept response, so the key stays as it is. */
  | { readonly kind: "pointerFindsNothing"; readonly fingerprint: string | null }
  /** `responses.apiKey` finds another key in a kept response, so an update is about to put that in place. */
  | { readonly kind: "reread"; readonly fingerprint: string | null; readonly next: string | null }
  /** A preview, or an update, is about to rotate a key. Days are dates such as 2026-02-19. */
  | {
      readonly kind: "rotation";
      readonly fingerprint: string | null;
      readonly why: RotationReason;
      /** Until when the old key stays valid, ISO 8601; `null` where the resource is replaced. */
      readonly validUntil: string | null;
    }
  /** An update is about to delete the previous key. `validUntil`: the end of its overlap, ISO 8601; `early`: that is not over. */
  | {
      readonly kind: "previousKeyEnds";
      readonly fingerprint: string | null;
      readonly validUntil: string | null;
      readonly early: boolean;
    }
  | StateUnknown
  /** A provider has a setting of an unknown name. */
  | { readonly kind: "unknownSetting"; readonly name: string }
  /** `restore` has nothing to go back to. */
  | { readonly kind: "nothingToRestore"; readonly webhookIds: readonly number[] }
  /** `others` of a fleet puts into `state` what is not in it. */
  | { readonly kind: "othersDiffer"; readonly state: WebhookState; readonly webhookIds: readonly number[] }
  /** A preview could not ask the service, and goes on without. */
  | { readonly kind: "notChecked"; readonly error: PartnerError };

/** Why a key is rotated. Days are dates such as 2026-02-19. */
export type RotationReason =
  | { readonly kind: "trigger" }
  | { readonly kind: "unknownAge" }
  | { readonly kind: "age"; readonly since: string; readonly due: string; readonly afterDays: number };
