import { information, warning, type Notice } from "../account/notice.js";
import type { SettingsReader } from "../account/settings.js";
import { wrongImportId } from "../adapter/resource-messages.js";
import { PartnerError, resourceError } from "../partner-api/errors.js";
import { isTooLargeId, oppositeState, STATES, type WebhookState } from "../partner-api/operations.js";
import { idsOf, type StateMap } from "./fleet-state.js";
import type { IncompleteSign } from "./incomplete-sign-reader.js";
import type { UnreadableList } from "./webhook-list-reader.js";
import type { StateField } from "./webhook-state-field-reader.js";

/** How settings are named and set here. */
type SettingWords = Pick<SettingsReader, "settingName" | "proposeMember">;

/** A webhook that could not be set. */
export interface WebhookFailure {
  readonly webhookId: number;
  readonly error: PartnerError;
  /** Whether it may be in the declared state all the same: then, the recorded one is over. @default false */
  readonly isDoubted?: boolean;
}

/** What needs the complete list. `all`: `getPartnerWebhooks`, and `pulumi do … list`. */
export type Need = "others" | "all" | "import";

/** The input that causes a change. */
export type Why = "states" | "others" | "stateOnDestroy";

/** The list cannot be read, in most cases before a setting says where it is. */
export function unreadableList(list: UnreadableList, here: SettingWords): PartnerError {
  const { problem, setting, pointers } = list;
  const [what, rule] = {
    "not JSON": ["is not JSON", `Check ${here.settingName("baseUrl")}.`],
    "not found": ["was not recognized", null],
    error: ["is null, next to an error", "Look at the response, and ask the service."],
    missing: ["has records without a usable ID", "Each record needs an ID, a positive whole number."],
    "too large": [`has IDs above ${Number.MAX_SAFE_INTEGER}`, "Pulumi cannot hold them exactly."],
    "not unique": ["has two records with the same ID", "Each record needs one of its own."],
  }[problem] as [string, string | null];
  const canBeSet = setting !== null && (pointers.length > 0 || rule === null);
  const remedy = canBeSet ? sentence(here.proposeMember(setting, pointers)) : (rule ?? "");
  return unreadable(`The webhook list ${what}`, remedy);
}

/** Something needs the complete list, but the list is incomplete. */
export function listIncomplete(need: Need, sign: IncompleteSign, here: SettingWords): PartnerError {
  const why = incompleteText(sign, here);
  const needs = `needs the complete list, but ${why}`;
  const text = {
    others: `"others" ${needs} To set only some webhooks, name them in "states".`,
    all: `Not all webhooks can be listed: ${why}`,
    import: `The import ${needs} You can also declare the webhook without an import.`,
  }[need];
  return resourceError(text);
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

/** Some webhooks of a fleet could not be set. Each reason has its remedy. @param total How many had to be. */
export function fleetIncomplete(failures: readonly WebhookFailure[], total: number): PartnerError {
  const ids = listed(failures.map(({ webhookId }) => webhookId));
  const reasons = Map.groupBy(failures, ({ error: { code, status } }) => `${code} ${status ?? ""}`);
  const firsts = [...reasons.values()].flatMap((same) => same.slice(0, 1)).slice(0, MAX_REASONS);
  const lines = firsts.map(({ error }) => `\n- ${error.message}`);
  const statuses = new Set(failures.map(({ error }) => error.status));
  return new PartnerError(
    firsts[0]?.error.code ?? "PARTNERS_RESOURCE",
    `${failures.length} of ${total} webhooks were not set: ${ids}.${lines.join("")}`,
    {
      mayHaveChanged: failures.some(({ error }) => error.mayHaveChanged),
      status: statuses.size === 1 ? (failures[0]?.error.status ?? null) : null,
    },
  );
}

/** A change was refused, and only a person can tell whether the webhook is in the wanted state already. */
export function perhapsAlreadySo(
  refusal: PartnerError,
  state: WebhookState,
  isDeclared: boolean,
): PartnerError {
  const remedy = isDeclared
    ? `declare it ${oppositeState(state)}, run "pulumi up", and declare it ${state} again`
    : 'declare it as before, with "stateOnDestroy" set to "leave", run "pulumi up", and remove it again';
  const text = `If the webhook is ${state} already (the list does not show it), ${remedy}.`;
  return refusal.withMessage(`${refusal.message} ${text}`, {});
}

/** A webhook cannot be imported, because the list does not show its state. */
export function importNeedsState(fields: readonly StateField[], here: SettingWords): PartnerError {
  const remedy = stateRemedy(fields, here) || " Declare the webhook without an import.";
  return resourceError(`Cannot import: the list does not show the webhook's state.${remedy}`);
}

/** An import of a webhook is by its ID. */
export function invalidWebhookId(id: string): PartnerError {
  return wrongImportId(`the ID of a webhook, ${isTooLargeId(id) ? AT_MOST : "such as 101"}`);
}

/** A fleet does not exist at the service, so it cannot be imported. */
export function importOfFleet(): PartnerError {
  return resourceError("PartnerWebhookStates cannot be imported. Declare it to manage its webhooks.");
}

/**
 * An input changes webhooks. An update says so as well, and a policy may change the inputs afterwards, so it
 * speaks only of what is declared.
 */
export function willChange(why: Why, state: WebhookState, webhookIds: readonly number[]): Notice {
  const { them, stateChanges } = inflections(webhookIds);
  const webhooks = webhooksText(webhookIds);
  const otherwise = `unless another resource declares ${them}`;
  const text = {
    states: `The declared ${stateChanges} ${webhooks} from ${oppositeState(state)} to ${state}.`,
    others: `"others" sets ${webhooks} to ${state}.`,
    stateOnDestroy: `"stateOnDestroy" sets ${webhooks} to ${state}, ${otherwise}.`,
  }[why];
  return information(text);
}

/** Says which webhooks will change from their current states to the wanted ones. */
export function changeNotices(
  why: Why,
  wanted: StateMap,
  currentOf: (webhookId: number) => WebhookState | null | undefined,
): Notice[] {
  return STATES.flatMap((state) => {
    const ids = idsOf(wanted).filter((id) => wanted[id] === state && currentOf(id) !== state);
    return ids.length === 0 ? [] : [willChange(why, state, ids)];
  });
}

/** The list shows webhooks without their states. @param fields The members that may hold them. */
export function stateUnknown(
  webhookIds: readonly number[],
  fields: readonly StateField[],
  here: SettingWords,
): Notice {
  const what = `The list does not show the state of ${webhooksText(webhookIds)}, so drift is not detected`;
  return warning(`${what}.${stateRemedy(fields, here)}`);
}

/** The list is incomplete, so that it may lack webhooks that matter. */
export function notListed(sign: IncompleteSign, here: SettingWords): Notice {
  const what = "Drift is not detected for webhooks that are missing from the list";
  return warning(`${what}: ${incompleteText(sign, here)}`);
}

/** The list is `null`, although the stack records webhooks. */
export function listIsNull(): Notice {
  const what = "The service returned null instead of a webhook list, so drift is not detected";
  return warning(`${what}. If the webhooks do not exist any more, remove them from the program.`);
}

/** An argument of a program breaks a rule. */
export function invalidArgument(argument: keyof typeof RULES, value?: unknown): string {
  const isTooLarge = argument === "webhookId" && isTooLargeId(value);
  return `${argument} must ${isTooLarge ? `be ${AT_MOST}` : RULES[argument]}.`;
}

/** `states` has an invalid member. @param isId Whether its name is an ID. */
export function invalidState(name: string, isId: boolean): string {
  if (isId) return `In states, the state of ${name} must ${RULES.state}.`;
  return `The names in states must be webhook IDs, ${isTooLargeId(name) ? AT_MOST : 'such as "101"'}.`;
}

/** A fleet is being set. @param finished How many changes are over, including failed ones. */
export function progress(finished: number, total: number): string {
  return `Setting webhooks: ${finished} of ${total}`;
}

/** The limit of IDs, and why. */
const AT_MOST = `at most ${Number.MAX_SAFE_INTEGER}: Pulumi cannot hold a larger number exactly`;

/** What each argument must do or be. */
const RULES = {
  webhookId: "be a positive whole number such as 101, without quotes",
  state: 'be "active" or "disabled"',
  states: 'map webhook IDs to states, such as { "101": "active" }',
  others: 'be "leave" (the default), "active" or "disabled"',
  stateOnDestroy: 'be "leave" (the default), "restore", "active" or "disabled"',
} as const;

/** The maximum number of reasons to give, and of webhooks to name. */
const MAX_REASONS = 3;
const MAX_NAMES = 10;

function unreadable(what: string, remedy: string): PartnerError {
  return new PartnerError("PARTNERS_UNREADABLE", `${what}. ${remedy}`, { summary: what });
}

/** Says what shows that a list is incomplete, and what to do if it is not. */
function incompleteText(sign: IncompleteSign, here: SettingWords): string {
  if (sign === "responses.complete") return `${here.settingName(sign)} is false.`;
  const remedy = here.proposeMember("complete", [true]);
  if (sign === "left out") return `some records have no usable ID. If you do not need these, ${remedy}.`;
  const where = sign === "Link" ? "the Link header" : sign || "the response"; // "" points to its root.
  return `${where} indicates more webhooks. If the list is complete, ${remedy}.`;
}

/** Proposes the members that may hold the state. Empty if there are none. */
function stateRemedy(fields: readonly StateField[], here: SettingWords): string {
  if (fields.length === 0) return "";
  const pointers = fields.map(({ pointer }) => pointer);
  const words = `${here.settingName("responses.active[0]")} and ${here.settingName("responses.disabled[0]")}`;
  const more = fields.some(({ needsWords }) => needsWords)
    ? `, and list its values in the same way, starting at ${words}`
    : "";
  const values = fields.map((field) => `${field.pointer}: ${field.values.join(", ")}`).join("; ");
  return ` ${sentence(here.proposeMember("webhookState", pointers) + more)} Values seen: ${values}.`;
}

function webhooksText(webhookIds: readonly number[]): string {
  return `webhook${inflections(webhookIds).s} ${listed(webhookIds)}`;
}

function listed(webhookIds: readonly number[]): string {
  const more = webhookIds.length > MAX_NAMES ? ` and ${webhookIds.length - MAX_NAMES} more` : "";
  return webhookIds.slice(0, MAX_NAMES).join(", ") + more;
}

function sentence(clause: string): string {
  return `${clause.slice(0, 1).toUpperCase()}${clause.slice(1)}.`;
}

function inflections({ length }: readonly unknown[]) {
  return length === 1
    ? { s: "", them: "it", does: "does", stateChanges: "state changes" }
    : { s: "s", them: "them", does: "do", stateChanges: "states change" };
}
