import type { WebhookState } from "../api/operations.js";
import type { Properties } from "./boundary.js";
import { UNKNOWN } from "./wire.js";

/** What `check` has let through. */
export interface WebhookInputs {
  readonly webhookId: number;
  readonly state: WebhookState;
}

/** What stands in state. */
export interface WebhookOutputs extends WebhookInputs {
  readonly stateOnDestroy: "leave" | "restore" | WebhookState;
  readonly initialState: WebhookState | null;
}

const STATES: readonly unknown[] = ["active", "disabled"] satisfies WebhookState[];
const ON_DESTROY: readonly unknown[] = ["leave", "restore", "active", "disabled"];

/** What is wrong with the inputs, a sentence each. Values that are not known yet are right. */
export function inputProblems(news: Properties): string[] {
  return [...checkWebhookId(news["webhookId"]), ...checkWords(news)];
}

function checkWebhookId(value: unknown): string[] {
  if (value === UNKNOWN || (typeof value === "number" && Number.isSafeInteger(value) && value > 0)) return [];
  // The value is not repeated: it may be a secret of the program.
  const found =
    typeof value === "string"
      ? "it is a string; write it without quotes, or convert it with Number()"
      : typeof value === "number"
        ? "it has a fraction, is not above 0, or is too large to be exact"
        : "it is missing or of another type";
  return [`webhookId must be a positive whole number such as 7: ${found}.`];
}

function checkWords({ state, stateOnDestroy }: Properties): string[] {
  const problems: string[] = [];
  if (state !== UNKNOWN && !STATES.includes(state)) problems.push(`state must be "active" or "disabled".`);
  if (stateOnDestroy != null && stateOnDestroy !== UNKNOWN && !ON_DESTROY.includes(stateOnDestroy)) {
    problems.push(`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`);
  }
  return problems;
}
