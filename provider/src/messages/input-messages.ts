import type { CheckedArgument, ImportId, InputProblem } from "../shared/problems.js";

/** Says what is wrong with an argument of a resource, and what it must be. */
export function renderInputProblem(problem: InputProblem): string {
  switch (problem.kind) {
    case "unknownArgument":
      return (
        `${problem.of} has the unknown argument ${problem.name}. ` +
        `Valid arguments: ${problem.known.join(", ")}.`
      );
    case "invalidArgument":
      return `${problem.argument} must ${RULES[problem.argument]}.`;
    case "notAWebhookId":
      return (
        `states has the key ${problem.name}, which is not a webhook ID. ` +
        "Write a whole number such as 101."
      );
    case "notAState":
      return `In states, the state of ${problem.webhookId} must ${RULES.state}.`;
    case "invalidDays":
      return `rotation.${problem.argument} must be a whole number of days, ${problem.min} to ${problem.max}.`;
    case "overlapMissing":
      return (
        "rotation needs overlapDays: the days that the old key stays valid, " +
        "or 0 to delete it at the end of the update that rotates it."
      );
    case "overlapTooLong":
      return "rotation.overlapDays must not exceed afterDays.";
  }
}

/** What each argument must be. Follows the word "must". */
const RULES: Readonly<Record<CheckedArgument, string>> = {
  webhookId: "be a positive whole number such as 7, without quotes",
  state: 'be "active" or "disabled"',
  states: 'map webhook IDs to states, such as { 101: "active" }',
  others: 'be "leave" (the default), "active" or "disabled"',
  stateOnDestroy: 'be "leave" (the default), "restore", "active" or "disabled"',
  rotation: "be an object such as { afterDays: 90, overlapDays: 7 }",
  "rotation.trigger": "be a string",
};

/** Describes the ID by which a resource is imported. Follows the word "use". */
export function importIdText(expected: ImportId): string {
  switch (expected.kind) {
    case "webhookId":
      return "its ID: a positive whole number such as 101";
    case "accountName":
      return `its account: ${JSON.stringify(expected.account)}`;
    case "variable": {
      const hint = expected.unusable === null ? "" : `; ${expected.unusable} is not set, or holds no key`;
      return `"env:" and the name of an environment variable that holds the key, such as env:OLD_KEY${hint}`;
    }
  }
}
