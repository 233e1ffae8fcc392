import { isState, isWebhookId } from "../api/operations.js";
import { isObject } from "../json.js";
import { PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES } from "../registration.js";
import { quotedName, UNKNOWN, unknownArguments, type Properties } from "../shared/properties.js";
import type { InputProblem } from "../shared/problems.js";

/** Returns the problems with the arguments of `PartnerWebhookState`. */
export function webhookStateProblems(args: Properties): InputProblem[] {
  const { webhookId, state, stateOnDestroy } = args;
  const problems = unknownArguments("PartnerWebhookState", args, PARTNER_WEBHOOK_STATE.inputs);
  const isValidId = typeof webhookId === "number" && isWebhookId(String(webhookId));
  if (webhookId !== UNKNOWN && !isValidId) problems.push({ kind: "invalidArgument", argument: "webhookId" });
  if (!mayBeState(state)) problems.push({ kind: "invalidArgument", argument: "state" });
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}

/** The maximum number of problems with `states` and `others` to report. */
const MAX_PROBLEMS = 10;

/** Returns the problems with the arguments of `PartnerWebhookStates`. */
export function webhookStatesProblems(args: Properties): InputProblem[] {
  const { states, others, stateOnDestroy } = args;
  const problems: InputProblem[] = [];
  if (states !== UNKNOWN && !isObject(states)) problems.push({ kind: "invalidArgument", argument: "states" });
  for (const [id, state] of Object.entries(isObject(states) ? states : {})) {
    if (!isWebhookId(id)) problems.push({ kind: "notAWebhookId", name: quotedName(id) });
    else if (!mayBeState(state)) problems.push({ kind: "notAState", webhookId: id });
  }
  if (others != null && others !== "leave" && !mayBeState(others))
    problems.push({ kind: "invalidArgument", argument: "others" });
  return [
    ...unknownArguments("PartnerWebhookStates", args, PARTNER_WEBHOOK_STATES.inputs),
    ...problems.slice(0, MAX_PROBLEMS),
    ...stateOnDestroyProblems(stateOnDestroy),
  ];
}

function stateOnDestroyProblems(value: unknown): InputProblem[] {
  if (value == null || value === "leave" || value === "restore" || mayBeState(value)) return [];
  return [{ kind: "invalidArgument", argument: "stateOnDestroy" }];
}

/** Whether a value is a state, or may turn out to be one. */
function mayBeState(value: unknown): boolean {
  return isState(value) || value === UNKNOWN;
}
