import { PartnerError, resourceError } from "../partner-api/errors.js";
import { oppositeState, type WebhookState } from "../partner-api/operations.js";
import { warning, type Notice } from "../plugin/resource.js";
import { wrongImportId, type NameSetting } from "../plugin/setting-messages.js";
import type { MoreSign, UnreadableList } from "./webhook-list-reader.js";
import type { StateField } from "./webhook-state-reader.js";

/** A webhook that could not be set. */
export interface WebhookFailure {
  readonly webhookId: number;
  readonly error: PartnerError;
}

/** The input that causes a change. */
export type Why = "states" | "others" | "stateOnDestroy";

/** The list needs a setting to be read. */
export function unreadableList({ setting, pointers }: UnreadableList, name: NameSetting): PartnerError {
  const set = `Set ${name(`responses.${setting ?? ""}`)} to`;
  const choice = oneOf(pointers.map((pointer) => pointer || '"" (the whole response)'));
  const noList = `${set} ${choice || "its JSON Pointer, such as /data/items"}.`;
  const noId = choice ? `${set} ${choice}.` : "Each record needs a positive whole number of its own.";
  const [what, remedy] = {
    json: ["The webhook list is not JSON", `Check ${name("baseUrl")}.`],
    webhooks: ["The webhook list was not recognized", noList],
    webhookId: ["The webhook list has records without a usable ID", noId],
  }[setting ?? "json"] as [string, string];
  return new PartnerError("PARTNERS_UNREADABLE", `${what}. ${remedy}`, { summary: what });
}

/** Something needs all webhooks, but the list goes on. */
export function listIncomplete(need: Need, sign: MoreSign, name: NameSetting): PartnerError {
  const [what, otherwise] = NEEDS[need];
  return resourceError(`${what} needs the whole list, but ${incompleteText(sign, name)}${otherwise}`);
}

/** Webhooks do not exist. @param existing What the list shows. */
export function noSuchWebhook(webhookIds: readonly number[], existing: readonly number[]): PartnerError {
  const { s, does } = inflections(webhookIds);
  return resourceError(
    `Webhook${s} ${listed(webhookIds)} ${does} not exist in this account. ` +
      `Existing webhooks: ${listed(existing) || "none"}. ` +
      `Correct or remove the ID${s}, or create the webhook${s} at the service.`,
  );
}

/** Two resources declare the same. @param webhookId `null` if one of them has `others`. */
export function declaredTwice(webhookId: number | null, urns: readonly [string, string]): PartnerError {
  const names = urns.map((urn) => JSON.stringify(urn.split("::").slice(3).join("::")));
  // Resources in two components may have the same name.
  const both = (names[0] === names[1] ? urns : names).join(" and ");
  return resourceError(
    webhookId === null
      ? `${both} overlap: one of them sets "others" for the whole account. Set it to "leave", or remove one.`
      : `Webhook ${webhookId} is declared twice, by ${both}. Remove one, or correct its ID or provider.`,
  );
}

/** Some webhooks of a fleet could not be set. @param total How many had to be set. */
export function fleetIncomplete(failures: readonly WebhookFailure[], total: number): PartnerError {
  const ids = listed(failures.map(({ webhookId }) => webhookId));
  const reasons = Map.groupBy(failures, ({ error: { code, status } }) => `${code} ${status ?? ""}`);
  const firsts = [...reasons.values()].flatMap((same) => same.slice(0, 1)).slice(0, MAX_REASONS);
  const lines = firsts.map(({ error }) => `\n- ${error.message}`);
  return new PartnerError(
    firsts[0]?.error.code ?? "PARTNERS_RESOURCE",
    `${failures.length} of ${total} webhooks were not set: ${ids}. Run this again to retry.${lines.join("")}`,
    { effect: failures.some(({ error }) => error.effect === "possible") ? "possible" : "none" },
  );
}

/** A webhook cannot be imported, because the list does not show its state. */
export function importNeedsState(fields: readonly StateField[], name: NameSetting): PartnerError {
  const remedy = stateRemedy(fields, name) || " Declare the webhook without an import.";
  return resourceError(`The import needs the state, which the list does not show.${remedy}`);
}

/** An import of a webhook is by its ID. */
export function invalidWebhookId(): PartnerError {
  return wrongImportId("the ID of a webhook, such as 101");
}

/** A fleet does not exist at the service, so it cannot be imported. */
export function importOfFleet(): PartnerError {
  return resourceError("PartnerWebhookStates needs no import. Declare it, and its webhooks become managed.");
}

/** What an update changes at the service, and which input says so. */
export function willChange(why: Why, state: WebhookState, webhookIds: readonly number[]): Notice {
  const { they, are, them } = inflections(webhookIds);
  const reason = {
    states: `; ${they} ${are} ${oppositeState(state)} now`,
    others: ', as "others" says',
    stateOnDestroy: `, as stateOnDestroy says, unless another resource declares ${them}`,
  }[why];
  const text = `This update sets ${webhooksText(webhookIds)} to ${state}${reason}.`;
  return { severity: "information", text };
}

/** The list shows webhooks without their states. @param fields The members that may hold them. */
export function stateUnknown(
  webhookIds: readonly number[],
  fields: readonly StateField[],
  name: NameSetting,
): Notice {
  const what = `The list does not show the state of ${webhooksText(webhookIds)}, so drift is not detected`;
  return warning(`${what}.${stateRemedy(fields, name)}`);
}

/** Managed webhooks are not on a list that goes on. */
export function notListed(sign: MoreSign, name: NameSetting): Notice {
  return warning(`Drift of webhooks that are not on the list is not detected: ${incompleteText(sign, name)}`);
}

/** An argument of a program breaks a rule. */
export function invalidArgument(argument: keyof typeof RULES): string {
  return `${argument} must ${RULES[argument]}.`;
}

/** `states` has an invalid member. @param webhookId `null` if its name is not an ID. It is not repeated. */
export function invalidState(webhookId: string | null): string {
  return webhookId === null
    ? "states has a key that is not a webhook ID: write a positive whole number such as 101."
    : `In states, the state of ${webhookId} must ${RULES.state}.`;
}

/** A fleet is being set. */
export function progress(done: number, total: number): string {
  return `${done} of ${total} webhooks set`;
}

/** What each argument must do or be. */
const RULES = {
  webhookId: "be a positive whole number such as 101, without quotes",
  state: 'be "active" or "disabled"',
  states: 'map webhook IDs to states, such as { 101: "active" }',
  others: 'be "leave" (the default), "active" or "disabled"',
  stateOnDestroy: 'be "leave" (the default), "restore", "active" or "disabled"',
} as const;

type Need = keyof typeof NEEDS;

/** What needs the whole list, and the way around it. */
const NEEDS = {
  others: ['"others"', ' Otherwise, name the webhooks in "states".'],
  getPartnerWebhooks: ["getPartnerWebhooks", ""],
  import: ["The import", " Otherwise, declare the webhook without an import."],
} as const;

/** The maximum number of reasons, and of webhooks in a row, to name. */
const MAX_REASONS = 3;
const MAX_NAMES = 10;

/** Says what shows that a list goes on, and what to do if it does not. */
function incompleteText(sign: MoreSign, name: NameSetting): string {
  const setting = name("responses.complete");
  if (sign === "responses.complete") return `${setting} is false.`;
  const where = sign === "Link" ? "the header Link" : sign;
  return `${where} says that it goes on. If it is complete, set ${setting} to true.`;
}

/** Proposes the members that may hold the state. Empty if there are none. */
function stateRemedy(fields: readonly StateField[], name: NameSetting): string {
  if (fields.length === 0) return "";
  const choice = oneOf(fields.map(({ pointer, values }) => `${pointer} (${values.join(", ")})`));
  const words = `${name("responses.active")} and ${name("responses.disabled")}`;
  const more = fields.some(({ needsWords }) => needsWords) ? `, and ${words} to its values` : "";
  return ` Set ${name("responses.webhookState")} to ${choice}${more}.`;
}

function webhooksText(webhookIds: readonly number[]): string {
  return `webhook${inflections(webhookIds).s} ${listed(webhookIds)}`;
}

function listed(webhookIds: readonly number[]): string {
  const more = webhookIds.length > MAX_NAMES ? ` and ${webhookIds.length - MAX_NAMES} more` : "";
  return webhookIds.slice(0, MAX_NAMES).join(", ") + more;
}

function oneOf(choices: readonly string[]): string {
  return choices.length > 1 ? `one of ${choices.join(", ")}` : choices.join();
}

function inflections({ length }: readonly unknown[]) {
  return length === 1
    ? { s: "", they: "it", them: "it", are: "is", does: "does" }
    : { s: "s", they: "they", them: "them", are: "are", does: "do" };
}
