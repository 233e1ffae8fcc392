import { PartnerError } from "../api/errors.js";
import type { WebhookState } from "../api/operations.js";
import type { RefusedKey } from "../responses/key-reader.js";
import type { ListDoubt, OddRecord } from "../responses/webhook-list-reader.js";
import type { SearchFailure } from "../webhook-search.js";
import type { KeyName } from "../keys/key-name.js";
import type { UnreadPages } from "../webhooks/list-pages.js";

/** The configured server is not the one that the resource belongs to. Both are addresses. */
type OtherServer = { kind: "otherServer"; owner: string; present: string };

/**
 * The list does not show the state of these webhooks. `setting` names the setting that would make it
 * readable.
 */
export type StateUnknown = {
  kind: "stateUnknown";
  webhookIds: readonly number[];
  setting: "webhookState" | "active";
};

/** The service confirmed a creation, but no key was found in the response, which is kept. */
export interface KeyNotFound {
  readonly kind: "keyNotFound";
  /** Names the response in place of the key. */
  readonly name: KeyName;
  /** Whether the whole response arrived. */
  readonly complete: boolean;
  /** The encoding that could not be decoded; `unknown` if it cannot be named safely; `null` if none. */
  readonly undecoded: string | null;
  /** Whether the response also reports a failure, so that there may be no key. */
  readonly reportsFailure: boolean;
  /** What the server says in the response, redacted. */
  readonly serverMessage: string | null;
  /** Whether another key stays in use until this one is found. */
  readonly rotates: boolean;
  readonly reading: RefusedKey;
}

/** A key may have been created that is in no stack, and nobody has looked for it yet. */
export interface LostCreation {
  readonly kind: "lostCreation";
  /** When it was lost, ISO 8601. */
  readonly at: string;
  /** Whether another key is in use. */
  readonly rotates: boolean;
  /** What it prevents: the deletion of the resource, or another creation. */
  readonly deletes: boolean;
}

/** Why a service that returns 404 for the deletion of a key may still have the key. */
export type DeletionDoubt = Readonly<
  /** The list, which shows whether the address is right, could not be read. */
  | { kind: "noList"; listError: PartnerError }
  /** The key was created with another access token, which may belong to another account. */
  | { kind: "otherToken" }
  /**
   * The service may delete keys by an ID. `pointers`: to what may be the ID in the response. `isOther`:
   * another ID than the one that was sent.
   */
  | { kind: "byId"; pointers: readonly string[]; isOther: boolean }
  /** `responses.apiKey` chose one of several values in the response. `pointers`: to the others. */
  | { kind: "otherValue"; pointers: readonly string[] }
  /** The key was imported without its ID, by which the service deletes keys, so only its value was sent. */
  | { kind: "idUnknown" }
  /** The key is so new that a replica of the service may not know it yet. */
  | { kind: "new" }
>;

/** Why an operation on a resource is impossible, as facts. No fact may be or contain a token or a key. */
export type ResourceProblem = Readonly<
  /** The configured account is not the one that the resource belongs to. */
  | { kind: "otherAccount"; owner: string; present: string }
  | OtherServer
  /** `existing`: the IDs that exist; `null` if the list is not read. */
  | { kind: "noSuchWebhook"; webhookIds: readonly number[]; existing: readonly number[] | null }
  /** Another provider of the run has released these webhooks, before the program declared them here. */
  | { kind: "releasedElsewhere"; webhookIds: readonly number[] }
  /**
   * Two resources manage the same webhook. `null`: one manages all `others`, so any other resource overlaps.
   */
  | { kind: "declaredTwice"; webhookId: number | null; urns: readonly [string, string] }
  /** Some changes to a fleet failed. `changed`: the webhooks of the changes that were made. */
  | {
      kind: "fleetIncomplete";
      failures: readonly [WebhookFailure, ...WebhookFailure[]];
      changed: readonly number[];
    }
  /** The engine asks for a resource type or a state that does not exist. `known`: those that do. */
  | { kind: "unknownToken"; token: string; known: readonly string[] }
  /** The import ID is not valid. */
  | { kind: "wrongImportId"; expected: ImportId }
  | StateUnknown
  /** The setting `readWebhooks` is false, and this needs the list. */
  | { kind: "listNotRead"; need: "others" | "restore" | "import" | "list" }
  /** A program looks for a webhook by what none or several have, or not as it must. */
  | { kind: "noMatch"; failure: SearchFailure }
  /**
   * A webhook is missing from a list that does not prove its absence: the list has further pages or, if it is
   * `complete`, is empty. `null`: all webhooks were requested. `unread`: why further pages were not read.
   * `doubt`: see `ListDoubt`.
   */
  | {
      kind: "absenceUnproven";
      webhookId: number | null;
      complete: boolean;
      unread: UnreadPages | null;
      doubt: ListDoubt | null;
    }
  | KeyNotFound
  | LostCreation
  /**
   * The service returned a key that the resource at `urn` already has. `rotates`: the resource keeps its key.
   * `kept`: the response is kept, by its name, because it has other values that may be the new key;
   * `pointers`: to those to propose.
   */
  | {
      kind: "sameKey";
      name: KeyName;
      urn: string;
      rotates: boolean;
      kept: { readonly name: KeyName; readonly pointers: readonly string[] } | null;
    }
  /** `responses.apiKeyId` is set, but finds no ID in the response to the creation of the key. */
  | { kind: "keyIdMissing"; name: KeyName }
  /** The resource at `urn`, which replaces this one, still shows its key, because it has none of its own. */
  | { kind: "keyShown"; name: KeyName; urn: string }
  /** A deletion returned 404, which does not prove that the key is gone. */
  | { kind: "deletionUnclear"; name: KeyName; doubts: readonly DeletionDoubt[] }
  /**
   * A key was deleted, and then something failed. `deleted`: the previous key, before a rotation; one of the
   * keys of a resource that is deleted; or the key of a replaced resource, because of `deleteBeforeReplace`.
   */
  | { kind: "partlyDone"; deleted: "previous" | "one" | "replaced"; next: PartnerError }
>;

/** The ID by which a resource is imported. */
export type ImportId = Readonly<
  | { kind: "webhookId" }
  | { kind: "accountName"; account: string }
  /**
   * `unusable`: the variable that the ID names, redacted, if it is not set or holds no key; `null`: it names
   * none.
   */
  | { kind: "variable"; unusable: string | null }
>;

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
  if (problem.kind === "partlyDone") return problem.next.code;
  if (problem.kind === "fleetIncomplete") return problem.failures[0].error.code;
  return problem.kind === "keyNotFound" ? "PARTNERS_UNREADABLE" : "PARTNERS_RESOURCE";
}

/** A problem with the arguments of a resource, as facts. No fact repeats a value, which could be a secret. */
export type InputProblem = Readonly<
  /** `of`: what has the argument. `name`: in quotes, and redacted, because it could be anything. */
  | { kind: "unknownArgument"; of: string; name: string; known: readonly string[] }
  | { kind: "invalidArgument"; argument: CheckedArgument }
  /** A key of `states` is not a webhook ID. `name`: as of an unknown argument. */
  | { kind: "notAWebhookId"; name: string }
  /** The value of a webhook in `states` is not a state. */
  | { kind: "notAState"; webhookId: string }
  /** The value is not a whole number in this range. */
  | { kind: "invalidDays"; argument: "afterDays" | "overlapDays"; min: number; max: number }
  /** There is a `rotation`, but it has no `overlapDays`. */
  | { kind: "overlapMissing" }
  /** `overlapDays` exceeds `afterDays`. */
  | { kind: "overlapTooLong" }
>;

/** An argument whose name says what it may be. */
export type CheckedArgument =
  "webhookId" | "state" | "states" | "others" | "stateOnDestroy" | "rotation" | "rotation.trigger";

/** A warning, as facts. No fact may be or contain a token or a key. */
export type Notice = Readonly<
  | OtherServer
  /** The update records that the account has moved from `owner` to `present`. */
  | { kind: "moved"; owner: string; present: string }
  /**
   * A key was gone when it was to be deleted. `why`: an earlier attempt may have deleted it (`repeated`), a
   * person says so (`declared`), or the service did not find it.
   */
  | { kind: "keyWasGone"; name: KeyName; why: "repeated" | "declared" | "gone" | "sameId" }
  /** Two resources have the same key. `urn`: the other one. */
  | { kind: "keyShared"; name: KeyName; urn: string }
  /**
   * A key is not deleted, because the resource at `urn` has the same key, or another key with the same ID.
   */
  | { kind: "keyKept"; name: KeyName; urn: string; same: "key" | "id" }
  /** An imported key is deleted by its value, although `responses.apiKeyId` is set. */
  | { kind: "importedByValue"; name: KeyName }
  /** A creation was lost. `needsKey`: the update needs another one, and fails. */
  | { kind: "lostCreation"; at: string; needsKey: boolean }
  /** The clock of this machine is ahead of the service's by so many hours. */
  | { kind: "clockOff"; hours: number }
  /** `responses.apiKey` finds nothing in a stored response, so the key is unchanged. */
  | { kind: "pointerFindsNothing"; fingerprint: string | null }
  /** `responses.apiKey` finds a different key in a stored response, so the update replaces the key. */
  | { kind: "reread"; fingerprint: string | null; next: string | null }
  /**
   * The update rotates a key. `validUntil`: when the old key expires, ISO 8601; `null` if the resource is
   * replaced.
   */
  | { kind: "rotation"; fingerprint: string | null; why: RotationReason; validUntil: string | null }
  /**
   * The update deletes the previous key. `early`: its overlap is not over; `replaced`: the resource is
   * replaced.
   */
  | { kind: "previousKeyEnds"; fingerprint: string | null; early: boolean; replaced: boolean }
  | StateUnknown
  /** A provider has a setting with an unknown name. */
  | { kind: "unknownSetting"; name: string }
  /** Certificates are not verified, because of the environment. */
  | { kind: "tlsNotVerified" }
  /** The access token is sent unencrypted to this host, because a setting allows it. */
  | { kind: "plainHttp"; host: string }
  /** `restore` has no original state to restore. */
  | { kind: "nothingToRestore"; webhookIds: readonly number[] }
  /**
   * A resource names these webhooks for the first time, and sets them to `state`: now they are in the other
   * one. The engine shows only what the program declares.
   */
  | { kind: "firstChange"; state: WebhookState; webhookIds: readonly number[]; labels: readonly string[] }
  /**
   * These webhooks are not in the `state` that a fleet sets for all `others`. `certain`: the program names
   * none of them; otherwise, that is not known yet.
   */
  | { kind: "othersDiffer"; state: WebhookState; webhookIds: readonly number[]; certain: boolean }
  /**
   * A resource no longer declares these webhooks, and sets them to `state`, unless another resource declares
   * them. `certain`: otherwise, it is not known yet whether it names them.
   */
  | {
      kind: "leaving";
      account: string;
      state: WebhookState;
      webhookIds: readonly number[];
      certain: boolean;
    }
  /** A resource moves to another account, and leaves these webhooks as they are in its old `account`. */
  | { kind: "leftBehind"; account: string; webhookIds: readonly number[] }
  /**
   * A removed resource leaves these webhooks as they are, because the program declares them through another
   * provider.
   */
  | { kind: "declaredElsewhere"; webhookIds: readonly number[] }
  /**
   * The processes of the run cannot tell each other through this folder what the program declares.
   * `isPrivate`: `false` if the reason is that others may have access to it.
   */
  | { kind: "notShared"; folder: string; isPrivate: boolean }
  /**
   * The responses to the changes of these webhooks show their other state, and the list did not tell whether
   * they were made. `isRead`: whether a refresh will tell.
   */
  | { kind: "changeUnconfirmed"; webhookIds: readonly number[]; isRead: boolean }
  /** These records of the list have no usable ID, so their webhooks cannot be managed. */
  | { kind: "oddRecords"; records: readonly OddRecord[] }
  /** The list no longer shows the states of these webhooks, which counts as a difference. */
  | { kind: "stateLost"; webhookIds: readonly number[]; setting: StateUnknown["setting"] }
  /** These webhooks are in the list, but the service does not find them, so they count as released. */
  | { kind: "releasedGone"; webhookIds: readonly number[] }
  /** A refresh drops these webhooks, because they are no longer in the list. */
  | { kind: "webhooksGone"; webhookIds: readonly number[] }
  /** A refresh finds these webhooks in this `state`; this stack last set or saw them in the other one. */
  | {
      kind: "drifted";
      state: WebhookState;
      webhookIds: readonly number[];
      /** Each webhook by its ID and what it is known by. */
      labels: readonly string[];
    }
  /** The setting `readWebhooks` is false, so webhooks are set without being read. */
  | { kind: "listNotRead" }
  /** A preview could not check the webhooks, and continues without the check. */
  | { kind: "notChecked"; error: PartnerError }
  /** A preview continues without a check that took longer than `timeout`, in milliseconds. */
  | { kind: "checkTimedOut"; timeout: number }
>;

/** Why a key is rotated. `since` and `due` are dates such as 2026-02-19. */
export type RotationReason = Readonly<
  { kind: "trigger" } | { kind: "unknownAge" } | { kind: "age"; since: string; due: string }
>;
