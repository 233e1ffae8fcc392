import { oppositeState } from "../api/operations.js";
import type { OddRecord } from "../responses/webhook-list-reader.js";
import type { Notice, RotationReason } from "../shared/problems.js";
import { GONE_KEYS, unknownSettingText } from "../setting-names.js";
import { renderError } from "./error-messages.js";
import { lostKeySearch } from "./key-error-messages.js";
import {
  describedKey,
  goneCommand,
  inflections,
  keyName,
  listed,
  minuteOf,
  otherServerRemedy,
  resourceAt,
  sentences,
  settingName,
  stateSettings,
  UP,
  webhooksText,
  type MessageContext,
} from "./wording.js";

/** Whether a notice is a fact about the update that calls for nothing. Every other one is a warning. */
export function isInformation({ kind }: Notice): boolean {
  return kind === "firstChange";
}

/** Turns a notice into a message to the user. */
export function renderNotice(notice: Notice, context: MessageContext): string {
  switch (notice.kind) {
    case "otherServer":
      return sentences(
        `resources of this stack belong to ${notice.owner}, not to ${notice.present}.`,
        otherServerRemedy(notice.owner, context),
      );
    case "keyWasGone": {
      const key = describedKey(notice.name);
      if (notice.why === "repeated")
        return `${key} was gone when its deletion was retried. The first attempt probably deleted it.`;
      if (notice.why === "sameId")
        return `${key} was not deleted by itself: a key with the same ID was. ${ifStillWorks(context)}`;
      if (notice.why === "declared") return `${key} counts as deleted, because ${GONE_KEYS} names it.`;
      return sentences(
        `${key} was not found, so it counts as deleted.`,
        "If nobody deleted it at the service, check there that it is gone.",
      );
    }
    case "keyShared":
      return sentences(
        `${describedKey(notice.name)} is also the key of ${resourceAt(notice.urn)}:`,
        "the service may allow only one. Declare only one of these resources.",
        "The key is deleted only with the last one.",
      );
    case "keyKept": {
      const { name, urn, same } = notice;
      const kept = `${describedKey(name)} is not deleted, because ${resourceAt(urn)} has`;
      if (same === "key") return `${kept} the same key: the service may allow only one.`;
      return `${kept} a key with the same ID. ${ifStillWorks(context)}`;
    }
    case "importedByValue":
      return `${describedKey(notice.name)} was imported, so its ID is not known: it is deleted by its value.`;
    case "lostCreation": {
      return sentences(
        `a key may have been created at ${minuteOf(notice.at)} that is in no stack.`,
        `Look ${lostKeySearch(null)} Then ${goneCommand(notice.at, context)}.`,
        notice.needsKey && "Until then, no other key is created.",
      );
    }
    case "clockOff": {
      const { hours } = notice;
      return sentences(
        `the clock of this machine is ${Math.abs(hours)} hours`,
        hours > 0 ? "ahead of the service's." : "behind the service's.",
        "Correct this clock. Until then, a previous key is deleted only when its overlap is over by the",
        "service's time as well.",
      );
    }
    case "pointerFindsNothing":
      return sentences(
        `${settingName("responses.apiKey", context)} finds no key in the saved response`,
        `of ${keyName(notice.fingerprint)}, so the key does not change.`,
      );
    case "reread":
      return sentences(
        `${settingName("responses.apiKey", context)} points to another key in the saved response:`,
        `this update changes the output apiKey from ${keyName(notice.fingerprint)}`,
        `to ${keyName(notice.next)}, and sends nothing. Give the consumers the new value.`,
      );
    case "rotation": {
      const key = `${keyName(notice.fingerprint)} (${rotationReason(notice.why)})`;
      if (notice.validUntil === null)
        return sentences(
          `this update creates another key in place of ${key},`,
          `and deletes the old one${UNLESS_RETAINED}.`,
        );
      return sentences(
        `this update rotates ${key} and keeps the old key valid as previousApiKey`,
        `until ${minuteOf(notice.validUntil)}.`,
      );
    }
    case "previousKeyEnds": {
      const { fingerprint, early, replaced } = notice;
      const name = fingerprint === null ? "" : ` ${fingerprint}`;
      const when = early ? " before its overlap ends" : "";
      return `this update deletes the previous key${name}${when}${replaced ? UNLESS_RETAINED : ""}.`;
    }
    case "stateUnknown":
      return sentences(
        `the list does not show the state of ${webhooksText(notice.webhookIds)}, so drift is not detected.`,
        `Set ${stateSettings(notice.setting, context)}.`,
      );
    case "unknownSetting":
      return unknownSettingText(context.account === undefined ? `partners:${notice.name}` : notice.name);
    case "tlsNotVerified":
      return sentences(
        "NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone on the network read the access token.",
        "Remove it; for a private authority, set NODE_EXTRA_CA_CERTS.",
      );
    case "plainHttp":
      return sentences(
        `plain http:// lets anyone on the network to ${notice.host} read the access token and the API keys.`,
        `Where you can, use https:// and remove ${settingName("allowTokenOverPlainHttp", context)}.`,
      );
    case "nothingToRestore":
      return sentences(
        `the original state of ${webhooksText(notice.webhookIds)} is unknown,`,
        'so "restore" has no effect.',
      );
    case "firstChange": {
      const { webhookIds: ids, labels, state } = notice;
      const { s, are, them } = inflections(ids);
      const now = oppositeState(state);
      return `webhook${s} ${listed(labels)} ${are} ${now} now; this update sets ${them} to ${state}.`;
    }
    case "othersDiffer": {
      const { webhookIds: ids, state, certain } = notice;
      const { s, them } = inflections(ids);
      const condition = certain ? "" : `"states" is not known yet. Unless it names ${them}, `;
      const count = `${ids.length} webhook${s}`;
      return `${condition}"others" makes an update set ${count} to ${JSON.stringify(state)}: ${listed(ids)}.`;
    }
    case "leaving": {
      const { webhookIds: ids, state, account, certain } = notice;
      const { are, them } = inflections(ids);
      if (!certain)
        return sentences(
          `"states" is not known yet. Unless it names ${them}, or another resource declares ${them},`,
          `stateOnDestroy sets ${webhooksText(ids)} of account ${JSON.stringify(account)}`,
          `to ${JSON.stringify(state)}.`,
        );
      return sentences(
        `${webhooksText(ids)} of account ${JSON.stringify(account)} ${are} no longer declared here.`,
        `Unless another resource declares ${them}, stateOnDestroy sets ${them} to ${JSON.stringify(state)}.`,
      );
    }
    case "leftBehind": {
      const { webhookIds: ids, account } = notice;
      return sentences(
        `${webhooksText(ids)} of account ${JSON.stringify(account)} ${inflections(ids).stay},`,
        "because the resource moves to another account.",
      );
    }
    case "declaredElsewhere": {
      const { stay, them } = inflections(notice.webhookIds);
      return sentences(
        `${webhooksText(notice.webhookIds)} ${stay},`,
        `because the program has ${them} in a resource of another provider.`,
      );
    }
    case "notShared": {
      const why = notice.isPrivate ? "cannot be used" : "is not yours alone, so it is not used";
      return sentences(
        `the folder ${notice.folder} ${why}. A webhook or a key that two providers of this run share`,
        "is not detected, so removing it from one of them may change or delete it.",
        notice.isPrivate
          ? "Set TMPDIR to a folder that you can write to."
          : `Run "chmod 700 ${notice.folder}", or remove it.`,
      );
    }
    case "listNotRead":
      return sentences(
        `${settingName("readWebhooks", context)} is false,`,
        "so webhooks are changed without being read, and drift is not detected.",
      );
    case "changeUnconfirmed": {
      const what = `the server accepted the change of ${webhooksText(notice.webhookIds)}`;
      if (!notice.isRead)
        return `${what}, but responded with the old state. Check at the service whether it was made.`;
      const look = context.hasNoStack === true ? "list the webhooks" : 'run "pulumi refresh"';
      return sentences(
        `${what}, but responded with the old state, and the list does not confirm the change.`,
        `To see whether it was made, ${look} later.`,
      );
    }
    case "oddRecords":
      return `${oddRecordsText(notice.records, context)} The other webhooks can be managed.`;
    case "stateLost": {
      const { webhookIds: ids, setting } = notice;
      return sentences(
        `the list no longer shows the state of ${webhooksText(ids)}, which counts as a difference:`,
        `${UP} sets the state again. If every refresh says so, set ${stateSettings(setting, context)}.`,
      );
    }
    case "releasedGone": {
      const { them } = inflections(notice.webhookIds);
      return sentences(
        `the service did not find ${webhooksText(notice.webhookIds)}:`,
        `the state was not set, and the stack no longer manages ${them}.`,
      );
    }
    case "webhooksGone": {
      const { are, them } = inflections(notice.webhookIds);
      return sentences(
        `${webhooksText(notice.webhookIds)} ${are} no longer in the list,`,
        `so the refresh removes ${them} from the stack.`,
        `Remove ${them} from the program too, or the next ${UP} fails.`,
      );
    }
    case "drifted": {
      const { webhookIds: ids, labels, state } = notice;
      const { s, are, them } = inflections(ids);
      // Not "left": an earlier refresh may have recorded what someone else did. Pulumi repeats the first line
      // in each row about the resource.
      const what = `webhook${s} ${listed(labels)} ${are} now ${state}; the stack recorded ${them} as`;
      return sentences(
        `${what} ${oppositeState(state)}.\n${UP} sets what the program declares.`,
        `If this happens again, someone else may manage ${them} too.`,
      );
    }
    case "moved":
      return sentences(
        `the account moved from ${notice.owner} to ${notice.present}:`,
        "the update records the new address.",
      );
    case "notChecked":
      return `${NOT_CHECKED} ${renderError(notice.error, context)}`;
    case "checkTimedOut":
      return `${NOT_CHECKED} The server took more than ${notice.timeout / 1000} s.`;
  }
}

/** Names the records that cannot be managed, by their positions in the list, and says why. */
export function oddRecordsText(records: readonly OddRecord[], context: MessageContext): string {
  const reasons: Readonly<Record<Exclude<OddRecord["reason"], "not an object">, string>> = {
    none: "no ID",
    "not a number": "an ID that is not a positive whole number",
    several: "several IDs that differ",
    pointer: `no ID at ${settingName("responses.webhookId", context)}`,
  };
  const parts = [...Map.groupBy(records, ({ reason }) => reason)].map(([reason, same]) => {
    const isOne = same.length === 1;
    const named = `record${isOne ? "" : "s"} ${listed(same.map(({ position }) => position))}`;
    if (reason === "not an object") return `${named} ${isOne ? "is not an object" : "are not objects"}`;
    return `${named} ${isOne ? "has" : "have"} ${reasons[reason]}`;
  });
  return `some records of the webhook list cannot be managed: ${parts.join("; ")}.`;
}

function ifStillWorks(context: MessageContext): string {
  const setting = settingName("responses.apiKeyId", context);
  return `If it still works, delete it at the service, and correct ${setting}.`;
}

const NOT_CHECKED = "the service could not be checked before the update.";

/** No host is told about the resource options. */
const UNLESS_RETAINED = ", unless retainOnDelete or deletedWith is set";

function rotationReason(why: RotationReason): string {
  if (why.kind === "trigger") return "rotation.trigger changed";
  if (why.kind === "unknownAge") return "its creation date is missing";
  return `in use since ${why.since}, due since ${why.due}`;
}
