import { RequestError, type PartnerError } from "../api/errors.js";
import type { ResourceProblem, WebhookFailure } from "../shared/problems.js";
import { searchFailureText } from "../webhook-search.js";
import { importIdText } from "./input-messages.js";
import { keyErrorText } from "./key-error-messages.js";
import { morePagesText, unreadPagesText } from "./reading-messages.js";
import { outcomeText } from "./request-messages.js";
import {
  failedCommand,
  inflections,
  KEEPING,
  listed,
  otherServerRemedy,
  quotedWords,
  sentences,
  settingName,
  stateDelete,
  stateSettings,
  webhooksText,
  type DescribeError,
  type MessageContext,
} from "./wording.js";

/**
 * Says why an operation on a resource is impossible, and what to do.
 *
 * @param describe Describes the error behind this one.
 */
export function resourceText(
  problem: ResourceProblem,
  context: MessageContext,
  describe: DescribeError,
): string {
  switch (problem.kind) {
    case "otherAccount": {
      const owner = JSON.stringify(problem.owner);
      const account = context.account === undefined ? "partners:account" : "the Provider's account";
      return sentences(
        `The resource belongs to account ${owner}, but ${account} is ${JSON.stringify(problem.present)}.`,
        `Pass the Provider of ${owner} to it again, or set ${account} back to ${owner}.`,
        `Only if the resource no longer exists, ${stateDelete(context)}.`,
      );
    }
    case "otherServer":
      return sentences(
        `The resource belongs to ${problem.owner}, not to ${problem.present}.`,
        otherServerRemedy(problem.owner, context),
      );
    case "noSuchWebhook": {
      const { webhookIds, existing } = problem;
      const { s, do: verb } = inflections(webhookIds);
      const what = `Webhook${s} ${listed(webhookIds)} ${verb} not exist in this account`;
      const correct = `Correct or remove the ID${s}`;
      if (existing === null)
        return sentences(
          `${what}: the server returned 404.`,
          `${correct}; if all changes fail, check ${settingName("baseUrl", context)}.`,
        );
      return sentences(
        `${what}. Existing webhooks: ${listed(existing) || "none"}.`,
        `${correct}, or create the webhook${s} at the service.`,
      );
    }
    case "releasedElsewhere":
      return sentences(
        `A resource of another provider has just given up ${webhooksText(problem.webhookIds)},`,
        "and may have applied its stateOnDestroy. Nothing was changed here.",
        `Run ${failedCommand(context)} again.`,
      );
    case "declaredTwice": {
      const names = resourceNames(problem.urns);
      if (problem.webhookId === null)
        return sentences(
          `${names} overlap: one of them sets "others" for the whole account.`,
          'Set "others" to "leave", or remove one.',
        );
      return sentences(
        `Webhook ${problem.webhookId} is declared twice, by ${names}.`,
        "Remove one, or correct its ID or provider.",
      );
    }
    case "fleetIncomplete": {
      const { failures, changed } = problem;
      const { s, were } = inflections(changed);
      const { them } = inflections(failures);
      const total = failures.length + changed.length;
      const text = sentences(
        `${failures.length} of ${total} webhooks could not be changed.`,
        changed.length > 0 && `Webhook${s} ${listed(changed)} ${were} changed.`,
        `Run ${failedCommand(context)} again to retry ${them}.`,
        context.deletes === true && KEEPING,
      );
      return `${text}\n${failureLines(failures, context, describe)}`;
    }
    case "unknownToken":
      return sentences(
        `There is no ${JSON.stringify(problem.token)}.`,
        `Correct it to one of: ${problem.known.join(", ")}.`,
      );
    case "wrongImportId":
      return `To import this resource, use ${importIdText(problem.expected)}.`;
    case "stateUnknown":
      return sentences(
        `The list does not show the state of ${webhooksText(problem.webhookIds)}.`,
        `Set ${stateSettings(problem.setting, context)}.`,
      );
    case "listNotRead": {
      const [what, remedy] = LIST_NEEDS[problem.need];
      const setting = settingName("readWebhooks", context);
      return `${what} needs the webhook list, but ${setting} is false. ${remedy}`;
    }
    case "absenceUnproven": {
      const { webhookId, complete, unread, doubt } = problem;
      const what =
        webhookId === null ? "The webhooks cannot be listed" : `Webhook ${webhookId} was not found`;
      const setting = (name: string) => settingName(`responses.${name}`, context);
      if (doubt === "part")
        return sentences(
          `${what}: the response may have further webhooks outside the list.`,
          `Check that ${setting("webhooks")} points to all of them, and set ${setting("complete")} to true.`,
        );
      if (doubt === "odd" && complete)
        return sentences(
          `${what}: a record of the list has no ID that can be read, and may be it.`,
          `Set ${setting("webhookId")}.`,
        );
      if (unread !== null) return `${what}: ${unreadPagesText(unread, context)}`;
      if (!complete) return `${what}: ${morePagesText(context)}`;
      return sentences(
        `${what}: the list is empty, which may mean that it was misread.`,
        `If the account has no webhooks, set ${setting("complete")} to true.`,
      );
    }
    case "noMatch":
      return searchFailureText(problem.failure, (member) => settingName(`responses.${member}`, context));
    case "partlyDone": {
      const next = describe(problem.next);
      return `${DELETED[problem.deleted]} failed: ${next}`;
    }
    default:
      return keyErrorText(problem, context, describe);
  }
}

/** What was deleted before something failed, and how the words about the failure begin. */
const DELETED = {
  previous: "The previous key was deleted, and the current one stays in use. Then this",
  one: "One key was deleted. Deleting the next one",
  replaced: "The old key was deleted, and the stack has no new one yet. Then this",
} as const;

/** What needs the list, and what to do without it. */
const LIST_NEEDS = {
  others: ['"others"', 'Set "others" to "leave", and name the webhooks in "states".'],
  restore: ['"restore"', 'Set stateOnDestroy to "leave", "active" or "disabled".'],
  import: ["An import", "Declare the webhook in the program instead: it needs no import."],
  list: ["This", "Set it to true, if the list can be read."],
} as const;

/**
 * Returns one line for each of the first ten reasons, with the webhooks that it applies to and what the
 * server said about them.
 */
function failureLines(
  failures: readonly WebhookFailure[],
  context: MessageContext,
  describe: DescribeError,
): string {
  const reasons = Map.groupBy(failures, ({ error }) =>
    // Without what differs for each failure, so that equal reasons share a line.
    error instanceof RequestError
      ? outcomeText({ ...error.failure, requestId: null, serverMessage: null }, context)
      : describe(error),
  );
  const lines = [...reasons].map(([reason, same]) => {
    const words = new Set(same.map(({ error }) => wordsOf(error)).filter((text) => text !== null));
    return `- ${listed(same.map(({ webhookId }) => webhookId))}: ${reason}${quotedWords(...words)}`;
  });
  if (lines.length > 10) lines.splice(10, Infinity, `- and ${lines.length - 10} more reasons`);
  return lines.join("\n");
}

function wordsOf(error: PartnerError): string | null {
  return error instanceof RequestError ? error.failure.serverMessage : null;
}

/** Names resources by type and name, or by URN if these are the same, as in two components. */
function resourceNames(urns: readonly string[]): string {
  const names = urns.map((urn) => {
    const [, , type = "", ...name] = urn.split("::");
    return `${type.replace(/^.*[$:]/, "")} ${JSON.stringify(name.join("::"))}`;
  });
  return (new Set(names).size === 1 ? urns : names).join(" and ");
}
