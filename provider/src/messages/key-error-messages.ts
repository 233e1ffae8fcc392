import type { KeyNotFound, LostCreation, ResourceProblem } from "../shared/problems.js";
import { goneName, type KeyName } from "../keys/key-name.js";
import {
  encodingName,
  keyDoubt,
  lookInResponse,
  oneOf,
  readingRemedy,
  SHOW_RESPONSE,
} from "./reading-messages.js";
import {
  describedKey,
  goneCommand,
  minuteOf,
  quotedWords,
  resourceAt,
  RUN_AGAIN,
  sentences,
  settingName,
  stateDelete,
  UP,
  type DescribeError,
  type MessageContext,
} from "./wording.js";

/** What can be wrong with a single key. */
type KeyProblem = Extract<
  ResourceProblem,
  { kind: "keyNotFound" | "lostCreation" | "sameKey" | "keyIdMissing" | "keyShown" | "deletionUnclear" }
>;

const KEY_PROBLEMS: Readonly<Record<KeyProblem["kind"], true>> = {
  keyNotFound: true,
  lostCreation: true,
  sameKey: true,
  keyIdMissing: true,
  keyShown: true,
  deletionUnclear: true,
};

export function isKeyProblem(kind: ResourceProblem["kind"]): kind is KeyProblem["kind"] {
  return kind in KEY_PROBLEMS;
}

/** Describes a problem with a key: what happened, what may exist, and the remedy. */
export function keyErrorText(problem: KeyProblem, context: MessageContext, describe: DescribeError): string {
  switch (problem.kind) {
    case "keyNotFound":
      return keyNotFoundText(problem, context);
    case "lostCreation":
      return lostCreationText(problem, context);
    case "sameKey": {
      const { name, urn, rotates, kept } = problem;
      const other = `${describedKey(name)}, which ${resourceAt(urn)} already has`;
      const keeps = rotates && OLD_STAYS;
      if (kept !== null)
        return sentences(
          `The server returned ${other}.`,
          "The response is saved in the stack, and may have a new key elsewhere.",
          keeps,
          `${lookInResponse(kept.pointers, context).trim()} Then run ${UP}.`,
          `If the response has no new key, ${goneOrRemoved(kept.name, context)}.`,
        );
      return sentences(
        `The server returned ${other}, instead of a new one.`,
        keeps,
        "The service may allow only one key. If so, declare one PartnerApiKey and, for a rotation, set",
        "overlapDays to 0 and deleteBeforeReplace to true.",
      );
    }
    case "keyIdMissing": {
      const { name } = problem;
      return sentences(
        `Deleting ${describedKey(name)} failed: ${settingName("responses.apiKeyId", context)} finds no ID`,
        `in the response to its creation. Correct the setting and run ${UP}.`,
        goneRemedy(name, context),
      );
    }
    case "keyShown":
      return sentences(
        `Deleting ${describedKey(problem.name)} failed: ${resourceAt(problem.urn)} still uses it,`,
        "because its own key was not found. First fix the error of that resource.",
      );
    case "deletionUnclear":
      return deletionUnclearText(problem, context, describe);
  }
}

const OLD_STAYS = "The old key stays in use.";

/** Says that a key was created, but not found in the response, and how to find it or go on without it. */
function keyNotFoundText(
  { name, rotates, complete, reading, serverMessage, reportsFailure, undecoded }: KeyNotFound,
  context: MessageContext,
): string {
  const time = name.createdAt === null ? "an unknown time" : minuteOf(name.createdAt);
  const created = `A key was created at ${time}`;
  const old = rotates && OLD_STAYS;
  const hasStack = context.hasNoStack !== true;
  const deletion = hasStack
    ? `delete the key at the service, then ${goneOrRemoved(name, context)}`
    : "delete the key at the service; there is no stack to correct";
  if (reading.reason === "empty")
    return sentences(`${created}, but the response is empty, so the key is lost.`, old, `Now ${deletion}.`);
  const cutOff = complete ? "" : ", which was cut off";
  const note = reportsFailure ? ", which reports a failure" : cutOff;
  const missing = `${created} but not found in the response${note}.`;
  const words = serverMessage === null ? "" : quotedWords(serverMessage);
  if (reading.reason === "not JSON") {
    const why =
      undecoded === null ? "It is not JSON" : `It has ${encodingName(undecoded)}, which cannot be decoded`;
    const unreadable = `${why}, so no setting can find the key.`;
    const isLegible = hasStack && undecoded === null;
    const value = isLegible && `If the deletion needs the key, look in the response: ${SHOW_RESPONSE}.`;
    return `${sentences(missing, unreadable, old, value, `Now ${deletion}.`)}${words}`;
  }
  const doubt = keyDoubt(reading, context);
  const remedy = doubt ?? readingRemedy("apiKey", reading, context);
  const rest = hasStack
    ? sentences(
        `Then run ${UP}: it reads the saved response, and creates no other key.`,
        `${doubt === null ? "Only if" : "If"} the response has no key, ${deletion}.`,
      )
    : "There is no stack to save the response in: delete the key at the service, and create another one.";
  return `${sentences(missing, old, remedy, rest)}${words}`;
}

/** Says that a creation was lost, and how to go on. */
function lostCreationText({ at, rotates, deletes }: LostCreation, context: MessageContext): string {
  return sentences(
    `A key may have been created at ${minuteOf(at)} that is in no stack,`,
    deletes ? "so the resource is not deleted." : "so no other key is created.",
    rotates && "The current key stays in use.",
    `Before you run this again, look ${lostKeySearch(null)} Then ${afterLostKey(at, context)}.`,
  );
}

/**
 * Says how to find a key whose creation was lost. Other keys from that time are in use. Follows "look".
 *
 * @param time When it was lost, ISO 8601; `null` if the text before says so.
 */
export function lostKeySearch(time: string | null): string {
  return sentences(
    `at the service for a key created at ${time === null ? "that time" : `about ${minuteOf(time)}`}`,
    "that none of your stacks has (compare their outputs hint and createdAt), and delete only that one.",
  );
}

/** Returns what to do once a lost key is gone. */
export function afterLostKey(time: string, context: MessageContext): string {
  return context.hasNoStack === true ? "create another one" : goneCommand(time, context);
}

/** Says why a 404 does not prove that a key is gone, and how to go on. */
function deletionUnclearText(
  { name, doubts }: Extract<ResourceProblem, { kind: "deletionUnclear" }>,
  context: MessageContext,
  describe: DescribeError,
): string {
  const reasons = doubts.map((doubt) => {
    switch (doubt.kind) {
      case "noList":
        return `nothing confirms that the key is gone. ${describe(doubt.listError)}`;
      case "otherToken":
        return sentences(
          "the key was created with another access token or other headers.",
          `If they belong to another account, restore ${settingName("accessToken", context)},`,
          `and ${settingName("headers", context)}.`,
        );
      case "byId":
        return sentences(
          `the service may delete keys by ${doubt.isOther ? "another" : "an"} ID. If so, set`,
          `${settingName("responses.apiKeyId", context)} to ${oneOf(doubt.pointers)}, and run ${UP}.`,
        );
      case "otherValue":
        return sentences(
          "the key may be another value in the response to its creation. If so, set",
          `${settingName("responses.apiKey", context)} to ${oneOf(doubt.pointers)}, and run ${UP}.`,
        );
      case "idUnknown":
        return sentences(
          "the key was imported, so its ID is not known, and the service may delete keys only by an ID.",
          "Delete it at the service.",
        );
      case "new":
        return `the key is new, and the service may not find it yet. ${RUN_AGAIN} in two minutes.`;
    }
  });
  const [first = "", ...more] = reasons;
  return sentences(
    `Deleting ${describedKey(name)} failed: the server returned 404, but ${first}`,
    ...more.map((reason) => `Another possible cause: ${reason}`),
    goneRemedy(name, context),
  );
}

/** Returns how to say that a key is gone. */
function goneRemedy(key: KeyName, context: MessageContext): string {
  return `If the key is gone, ${goneOrRemoved(key, context)}.`;
}

/** Returns the command that says that a key is gone or, for one without a name, forgets it. */
function goneOrRemoved(key: KeyName, context: MessageContext): string {
  const name = goneName(key);
  return name === null ? stateDelete(context) : goneCommand(name, context);
}
