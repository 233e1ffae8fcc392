import type { Wait } from "../api/client.js";
import { OPERATIONS, oppositeState, type Operation } from "../api/operations.js";
import type { Notice, RotationReason, UnmanagedRecord } from "../shared/problems.js";
import { GONE_KEYS, unknownSettingText } from "../registration.js";
import { renderError } from "./error-messages.js";
import {
  describedKey,
  goneCommand,
  inflections,
  keyName,
  listed,
  minuteOf,
  otherServerRemedy,
  resourceAt,
  settingName,
  stateSettings,
  UP,
  webhooksText,
  type MessageContext,
} from "./wording.js";

/** Turns a notice into a warning for the user. */
export function renderNotice(notice: Notice, context: MessageContext): string {
  switch (notice.kind) {
    case "otherServer":
      return `resources of this stack belong to ${notice.owner}, not to ${notice.present}. ${otherServerRemedy(context)}`;
    case "keyWasGone": {
      const key = describedKey(notice.name);
      if (notice.why === "repeated")
        return `${key} was gone when its deletion was retried. The first attempt probably deleted it.`;
      if (notice.why === "sameId")
        return `${key} was not deleted by itself: a key with the same ID was. If it still works, delete it at the service, and correct ${settingName("responses.apiKeyId", context)}.`;
      if (notice.why === "declared") return `${key} counts as deleted, because ${GONE_KEYS} names it.`;
      return `${key} was not found, so it counts as deleted. If nobody deleted it at the service, check there that it is gone.`;
    }
    case "keyShared":
      return `${describedKey(notice.name)} is also the key of ${resourceAt(notice.urn)}: the service may allow only one. Declare only one of these resources. The key is deleted only with the last one.`;
    case "keyKept": {
      const { name, urn, same } = notice;
      const holder = resourceAt(urn);
      if (same === "key")
        return `${describedKey(name)} is not deleted, because ${holder} has the same key: the service may allow only one.`;
      return `${describedKey(name)} is not deleted, because ${holder} has a key with the same ID. If it still works, delete it at the service, and correct ${settingName("responses.apiKeyId", context)}.`;
    }
    case "importedByValue":
      return `${describedKey(notice.name)} was imported, so its ID is not known: it is deleted by its value.`;
    case "lostCreation": {
      const lost = `a key may have been created at ${minuteOf(notice.at)} that no stack tracks.`;
      const until = notice.needsKey ? " Until then, no other key is created." : "";
      return `${lost} Look for it at the service and delete it if it exists, then ${goneCommand(notice.at, context)}.${until}`;
    }
    case "clockOff": {
      const { hours } = notice;
      return `the clock of this machine is ${Math.abs(hours)} hours ${hours > 0 ? "ahead of" : "behind"} the service's. Correct this clock. Until then, a previous key is deleted only when its overlap is over by the service's time as well.`;
    }
    case "pointerFindsNothing":
      return `${settingName("responses.apiKey", context)} finds no key in the stored response of ${keyName(notice.fingerprint)}, so the key does not change.`;
    case "reread":
      return `${settingName("responses.apiKey", context)} points to another key in the stored response: this update replaces ${keyName(notice.fingerprint)} with ${keyName(notice.next)}.`;
    case "rotation": {
      const key = `${keyName(notice.fingerprint)} (${rotationReason(notice.why)})`;
      if (notice.validUntil === null) return `this update replaces ${key} and deletes it${UNLESS_RETAINED}.`;
      return `this update rotates ${key} and keeps the old key valid as previousApiKey until ${minuteOf(notice.validUntil)}.`;
    }
    case "previousKeyEnds": {
      const { fingerprint, early, replaced } = notice;
      const name = fingerprint === null ? "" : ` ${fingerprint}`;
      return `this update deletes the previous key${name}${early ? " before its overlap ends" : ""}${replaced ? UNLESS_RETAINED : ""}.`;
    }
    case "stateUnknown":
      return `the list does not show the state of ${webhooksText(notice.webhookIds)}, so drift is not detected. Set ${stateSettings(notice.setting, context)}.`;
    case "unknownSetting":
      return unknownSettingText(context.account === undefined ? `partners:${notice.name}` : notice.name);
    case "tlsNotVerified":
      return "NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone on the network read the access token. Remove it; for a private authority, set NODE_EXTRA_CA_CERTS.";
    case "plainHttp":
      return `plain http:// lets anyone on the network to ${notice.host} read the access token and the API keys. Where you can, use https:// and remove ${settingName("allowTokenOverPlainHttp", context)}.`;
    case "nothingToRestore":
      return `the original state of ${webhooksText(notice.webhookIds)} is unknown, so "restore" has no effect.`;
    case "othersDiffer": {
      const { webhookIds: ids, state, certain } = notice;
      const { s, are, them } = inflections(ids);
      const condition = certain ? "" : `"states" is not known yet. Unless it names ${them}, `;
      return `${condition}"others" covers ${ids.length} webhook${s} that ${are} not ${JSON.stringify(state)}: ${listed(ids)}.`;
    }
    case "leaving": {
      const { webhookIds: ids, state, account } = notice;
      const { are, them } = inflections(ids);
      return `${webhooksText(ids)} of account ${JSON.stringify(account)} ${are} no longer declared here. Unless another resource declares ${them}, stateOnDestroy sets ${them} to ${JSON.stringify(state)}.`;
    }
    case "leftBehind": {
      const { webhookIds: ids, account } = notice;
      return `${webhooksText(ids)} of account ${JSON.stringify(account)} ${inflections(ids).stay}, because the resource moves to another account.`;
    }
    case "declaredElsewhere": {
      const { stay, them } = inflections(notice.webhookIds);
      return `${webhooksText(notice.webhookIds)} ${stay}, because the program declares ${them} through another provider.`;
    }
    case "notShared":
      return `the folder ${notice.folder} cannot be used, so a webhook or a key that two providers share is not detected, and a removal that would change a webhook fails. Set TMPDIR to a folder of your own.`;
    case "listNotRead":
      return `${settingName("readWebhooks", context)} is false, so webhooks are changed without being read, and drift is not detected.`;
    case "changeUnconfirmed":
      if (!notice.isRead)
        return `the service accepted the change of ${webhooksText(notice.webhookIds)}, but responded with the old state. Check at the service whether it was made.`;
      return `the service accepted the change of ${webhooksText(notice.webhookIds)}, but responded with the old state, and the list does not confirm the change. To see whether it was made, run "pulumi refresh" later.`;
    case "oddRecords":
      return `${oddRecordsText(notice.records, context)} The other webhooks can be managed.`;
    case "stateLost": {
      const { webhookIds: ids, setting } = notice;
      return `the list no longer shows the state of ${webhooksText(ids)}, which counts as a difference: ${UP} sets the state again. If every refresh says so, set ${stateSettings(setting, context)}.`;
    }
    case "releasedGone": {
      const { them } = inflections(notice.webhookIds);
      return `the service did not find ${webhooksText(notice.webhookIds)}: the state was not set, and the stack no longer manages ${them}.`;
    }
    case "webhooksGone": {
      const { are, them } = inflections(notice.webhookIds);
      return `${webhooksText(notice.webhookIds)} ${are} no longer in the list, so the refresh drops ${them}.`;
    }
    case "drifted": {
      const { webhookIds: ids, labels, state } = notice;
      const { s, are, them } = inflections(ids);
      return `webhook${s} ${listed(labels)} ${are} ${state}; this stack left ${them} ${oppositeState(state)}. If every refresh says so, another stack may manage ${them}.`;
    }
    case "moved":
      return `the account moved from ${notice.owner} to ${notice.present}: the update records the new address.`;
    case "notChecked":
      return `${NOT_CHECKED} ${renderError(notice.error, context)}`;
    case "checkTimedOut":
      return `${NOT_CHECKED} The service took more than ${notice.timeout / 1000} s.`;
  }
}

/** Names the records that cannot be managed, by their positions in the list, and says why. */
export function oddRecordsText(records: readonly UnmanagedRecord[], context: MessageContext): string {
  const reasons: Readonly<Record<UnmanagedRecord["reason"], string>> = {
    none: "no ID",
    "not a number": "an ID that is not a positive whole number",
    several: "several IDs that differ",
    pointer: `no ID at ${settingName("responses.webhookId", context)}`,
  };
  const parts = [...Map.groupBy(records, ({ reason }) => reason)].map(([reason, same]) => {
    const [s, have] = same.length === 1 ? ["", "has"] : ["s", "have"];
    return `record${s} ${listed(same.map(({ position }) => position))} ${have} ${reasons[reason]}`;
  });
  return `some records of the webhook list cannot be managed: ${parts.join("; ")}.`;
}

const NOT_CHECKED = "the service could not be checked before the update.";

/** No host is told about the resource options. */
const UNLESS_RETAINED = ", unless retainOnDelete or deletedWith is set";

function rotationReason(why: RotationReason): string {
  if (why.kind === "trigger") return "rotation.trigger changed";
  if (why.kind === "unknownAge") return "its creation date is missing";
  return `in use since ${why.since}, due since ${why.due}`;
}

/**
 * Describes the progress of a change to many webhooks.
 *
 * @param account The account, if the engine shows no resource.
 */
export function renderProgress(done: number, total: number, account: string | null): string {
  return `${done}/${total} webhooks${account === null ? "" : ` in the account ${JSON.stringify(account)}`}`;
}

/** Describes a wait in a few words, for the status of a resource. */
export function renderWait(wait: Wait): string {
  return `${OPERATIONS[wait.operation].method}: ${wait.reason}, retrying in ${Math.ceil(wait.delay / 1000)} s`;
}

/** What to do after a killed run. */
const KILLED_RUN =
  "https://github.com/pulumi-partners/pulumi-partners/blob/main/docs/troubleshooting.md#a-run-was-killed";

/**
 * Says what is in flight when the process is asked to stop.
 *
 * @param event `Cancel` after the first Ctrl-C, while the engine still waits for the responses, or the name
 * of a signal.
 */
export function renderStop(event: string, operations: readonly Operation[]): string {
  const counts = [...Map.groupBy(operations, (name) => name)].map(
    ([name, { length }]) => `${length} × ${name}`,
  );
  const creations = operations.filter((operation) => OPERATIONS[operation].kind === "create").length;
  if (creations === 0) return `Stopping ${counts.join(", ")}.`;
  const keys = creations === 1 ? "A key is" : `${creations} keys are`;
  const when =
    event === "Cancel" ? "Wait for the response: after another Ctrl-C," : "If the run has stopped,";
  return `${keys} being created. ${when} a new key may exist at the service, but in no stack. Then follow ${KILLED_RUN}.`;
}
