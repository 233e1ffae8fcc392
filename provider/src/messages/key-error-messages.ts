import type { PartnerError } from "../api/errors.js";
import type { LostCreation, ResourceProblem } from "../shared/problems.js";
import { goneName, type KeyName } from "../keys/key-name.js";
import { encodingName, oneOf, readingRemedy } from "./reading-messages.js";
import {
  describedKey,
  goneCommand,
  minuteOf,
  quotedWords,
  resourceAt,
  settingName,
  stateDelete,
  UP,
  type MessageContext,
} from "./wording.js";

/** What can be wrong with a single key. */
type KeyProblem = Extract<
  ResourceProblem,
  { kind: "keyNotFound" | "lostCreation" | "sameKey" | "keyIdMissing" | "keyShown" | "deletionUnclear" }
>;

/** Describes the error behind another one. */
type DescribeError = (error: PartnerError) => string;

/** Describes a problem with a key: what happened, what may exist, and the remedy. */
export function keyErrorText(problem: KeyProblem, context: MessageContext, describe: DescribeError): string {
  switch (problem.kind) {
    case "keyNotFound": {
      const { name, rotates, complete, reading, serverMessage } = problem;
      const { createdAt } = name;
      const gone = goneOrRemoved(name, context);
      const old = rotates ? " The old key stays in use." : "";
      const time = createdAt === null ? "an unknown time" : minuteOf(createdAt);
      const created = `A key was created at ${time}`;
      const deletion = `delete the key at the service; in a stack, then ${gone}`;
      if (reading.reason === "empty")
        return `${created}, but the response is empty, so the key is lost.${old} Now ${deletion}.`;
      const cutOff = complete ? "" : ", which was cut off";
      const note = problem.reportsFailure ? ", which reports a failure" : cutOff;
      const words = quotedWords(serverMessage);
      if (reading.reason === "not JSON") {
        const why =
          problem.undecoded === null
            ? "It is not JSON"
            : `It has ${encodingName(problem.undecoded)}, which cannot be decoded`;
        return `${created} but not found in the response${note}. ${why}, so no setting can find the key.${old} Now ${deletion}.${words}`;
      }
      const remedy = `${readingRemedy("apiKey", reading, context)} Then run ${UP}, which reads the stored response and creates no other key.`;
      return `${created} but not found in the response${note}.${old} ${remedy} If the response has no key, or you have no stack, ${deletion}.${words}`;
    }
    case "lostCreation":
      return lostCreationText(problem, context);
    case "sameKey": {
      const { name, urn, rotates, kept } = problem;
      const keeps = rotates ? " The old key stays in use." : "";
      if (kept !== null)
        return `The service returned ${describedKey(name)}, which ${resourceAt(urn)} already has, but its response may have a new key elsewhere, and stays in the stack.${keeps} If so, set ${settingName("responses.apiKey", context)} to ${oneOf(kept.pointers)}, and run ${UP}. If the response has no new key, ${goneOrRemoved(kept.name, context)}.`;
      return `The service returned ${describedKey(name)}, which ${resourceAt(urn)} already has, instead of a new one.${keeps} The service may allow only one key. If so, declare one PartnerApiKey and, for a rotation, set overlapDays to 0 and deleteBeforeReplace to true.`;
    }
    case "keyIdMissing": {
      const { name } = problem;
      return `Deleting ${describedKey(name)} failed: ${settingName("responses.apiKeyId", context)} finds no ID in the response to its creation. Nothing was sent. Correct the setting and run ${UP}.${goneRemedy(name, context)}`;
    }
    case "keyShown":
      return `Deleting ${describedKey(problem.name)} failed: ${resourceAt(problem.urn)} still uses it, because its own key was not found. Nothing was sent. First fix the error of that resource.`;
    case "deletionUnclear":
      return deletionUnclearText(problem, context, describe);
  }
}

/** Says that a creation was lost, and how to go on. */
function lostCreationText({ at, rotates, deletes }: LostCreation, context: MessageContext): string {
  const old = rotates ? " The current key stays in use." : "";
  const blocked = deletes ? "the resource is not deleted" : "no other key is created";
  return `A key may have been created at ${minuteOf(at)} that no stack tracks, so ${blocked}. Nothing was sent.${old} ${lostKeySearch(at)} Then ${goneCommand(at, context)}.`;
}

/** Says how to find a key whose creation was lost. Other keys from that time are in use. */
export function lostKeySearch(time: string): string {
  return `Look at the service for a key created at about ${minuteOf(time)} that none of your stacks has, and delete it.`;
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
        return `the key was created with another access token or other headers. If they belong to another account, restore ${settingName("accessToken", context)}, and ${settingName("headers", context)}.`;
      case "byId":
        return `the service may delete keys by ${doubt.isOther ? "another" : "an"} ID. If so, set ${settingName("responses.apiKeyId", context)} to ${oneOf(doubt.pointers)}, and run ${UP}.`;
      case "new":
        return `the key is new: the service may not find it yet. Try again in two minutes.`;
    }
  });
  const [first = "", ...more] = reasons;
  const rest = more.map((reason) => ` Another possible cause: ${reason}`).join("");
  return `Deleting ${describedKey(name)} failed: the server returned 404, but ${first}${rest}${goneRemedy(name, context)}`;
}

/** Returns how to say that a key is gone. */
function goneRemedy(key: KeyName, context: MessageContext): string {
  return ` If the key is gone, ${goneOrRemoved(key, context)}.`;
}

/** Returns the command that says that a key is gone or, for one without a name, forgets it. */
function goneOrRemoved(key: KeyName, context: MessageContext): string {
  const name = goneName(key);
  return name === null ? stateDelete(context) : goneCommand(name, context);
}
