import type { MappingRule } from "../api/errors.js";
import { isArray, isObject, isScalar, type JsonScalar, parseDocument, parsePointer } from "../json.js";

/**
 * The locations of values in the responses, as JSON Pointers (RFC 6901), and the words for the states of a
 * webhook. A member that you set is the only source for its value.
 *
 * @example
 * ```ts
 * const responses = {
 *   apiKey: "/data/key",
 *   webhookState: "/attributes/mode",
 *   active: ["LIVE"],
 *   disabled: ["PAUSED"],
 * };
 * ```
 */
export interface ResponseMapping {
  /**
   * The key in the response to its creation; `""` is the whole response.
   */
  apiKey?: string | undefined;
  /**
   * The ID of the key in the same response, by which the key is then deleted.
   *
   * @default not used
   */
  apiKeyId?: string | undefined;
  /** The array of webhooks; `""` is the whole response. */
  webhooks?: string | undefined;
  /** The ID of a webhook, relative to its record. */
  webhookId?: string | undefined;
  /** The URL of a webhook, relative to its record. */
  webhookUrl?: string | undefined;
  /** The name of a webhook, relative to its record. */
  webhookName?: string | undefined;
  /** The state of a webhook, relative to its record. */
  webhookState?: string | undefined;
  /**
   * Values that mean `"active"`, compared as text, ignoring case; `"*"` is any other value.
   * @default `active`, `enabled`, `on` and the like
   */
  active?: readonly JsonScalar[] | undefined;
  /**
   * Values that mean `"disabled"`.
   *
   * @default `disabled`, `inactive`, `off` and the like
   */
  disabled?: readonly JsonScalar[] | undefined;
  /**
   * Whether the list, with all pages that can be read, is complete.
   */
  complete?: boolean | undefined;
  /**
   * What leads to the next page of the list: its address, a cursor or a number. A page without it is the last
   * one, unless `has_more` or a total says otherwise.
   */
  nextPage?: string | undefined;
  /**
   * The query parameter that takes the value at `nextPage`. Without `nextPage`, it takes 2, 3 and so on,
   * until a page is empty.
   */
  pageParameter?: string | undefined;
}

/** What a member of the setting `responses` must be. */
type MemberRule = Extract<MappingRule, "jsonPointer" | "wordList" | "flag" | "parameterName">;

const MEMBERS: Readonly<Record<keyof ResponseMapping, MemberRule>> = {
  apiKey: "jsonPointer",
  apiKeyId: "jsonPointer",
  webhooks: "jsonPointer",
  webhookId: "jsonPointer",
  webhookUrl: "jsonPointer",
  webhookName: "jsonPointer",
  webhookState: "jsonPointer",
  active: "wordList",
  disabled: "wordList",
  complete: "flag",
  nextPage: "jsonPointer",
  pageParameter: "parameterName",
};
/** What services call a query parameter, such as `page[after]`. */
const PARAMETER_NAME = /^[A-Za-z_$][\w.$[\]-]{0,63}$/;

/**
 * Reads the setting `responses`. A member that is `null` counts as not set.
 *
 * @param text The setting as JSON.
 * @param refuse Records a broken rule, and the setting that breaks it: `responses`, or a member of it.
 */
export function readMapping(
  text: string,
  refuse: (setting: string, rule: MappingRule) => void,
): ResponseMapping {
  const document = parseDocument(text);
  if (!isObject(document)) {
    refuse("responses", "jsonObject");
    return {};
  }
  const members = Object.entries(document).filter(([, value]) => value !== null);
  const rules = new Map<string, MemberRule>(Object.entries(MEMBERS));
  for (const [name, value] of members) {
    const rule = rules.get(name);
    if (rule === undefined) refuse("responses", { members: [...rules.keys()] });
    else if (!keepsRule(value, rule)) refuse(`responses.${name}`, rule);
  }
  const [active, disabled] = [wordsOf(document["active"]), wordsOf(document["disabled"])];
  if (disabled.some((word) => active.includes(word))) refuse("responses.disabled", "distinctWords");
  return Object.fromEntries(members);
}

function keepsRule(value: unknown, rule: MemberRule): boolean {
  if (rule === "wordList") return isWordList(value);
  if (rule === "flag") return typeof value === "boolean";
  if (typeof value !== "string") return false;
  return rule === "parameterName" ? PARAMETER_NAME.test(value) : parsePointer(value) !== null;
}

function isWordList(value: unknown): value is readonly JsonScalar[] {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}

function wordsOf(value: unknown): string[] {
  return isWordList(value) ? value.map(asWord) : [];
}

/**
 * Converts a value for comparison with the words for a state. `1` and `"1"` are the same, because the CLI may
 * store either.
 */
export function asWord(value: JsonScalar): string {
  return String(value).trim().toLowerCase();
}
