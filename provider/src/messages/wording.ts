import type { PartnerError } from "../api/errors.js";
import { STATES } from "../api/operations.js";
import type { KeyName } from "../keys/key-name.js";
import { variableOf, type SettingOrigin } from "../shared/settings.js";
import { GONE_KEYS } from "../setting-names.js";

/** The context of a message. It decides how the message names settings. */
export interface MessageContext {
  /**
   * The account of the `Provider` whose arguments are the settings. Without it, they are stack configuration
   * or the environment.
   */
  readonly account?: string;
  /** Where the other settings come from. Those that are missing here are not set. */
  readonly origins?: Readonly<Partial<Record<string, SettingOrigin>>>;
  /** Whether only environment variables count, as for the doctor outside a project. @default false */
  readonly hasNoProject?: boolean;
  /** Whether there is no stack that could keep anything, as in `pulumi do`. @default false */
  readonly hasNoStack?: boolean;
  /** Whether the settings may come from the last `up`, as in a destroy or refresh. @default false */
  readonly lastUp?: boolean;
  /** Whether the setting `refreshBeforeUpdate` applies to the resource that was to be read. @default false */
  readonly refreshesFirst?: boolean;
  /**
   * Whether the resource was to be deleted. Then, it stays in the state as it was, and `up` alone finds
   * nothing to repair.
   */
  readonly deletes?: boolean;
  /** The URN of the resource, if the host knows it. */
  readonly urn?: string;
}

/** Describes the error behind another one. */
export type DescribeError = (error: PartnerError) => string;

/** The command that most remedies end with. */
export const UP = '"pulumi up"';

/** The page that explains the codes. */
export const PAGE = "https://github.com/pulumi-partners/pulumi-partners/blob/main/docs/troubleshooting.md";

/** What repeats an operation that may succeed the next time. */
export const RUN_AGAIN = "Run this again";

/** What to do if the resource is declared again after a deletion that failed partway. */
export const KEEPING = 'To keep the resource, run "pulumi up --refresh".';

/** Whom to ask about what only they can see or change. */
export const SUPPORT = "the service's support";

/** Joins sentences, without those that do not apply. */
export function sentences(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== "").join(" ");
}

/**
 * Names a setting, such as `responses.apiKey`, by the place that its value comes from. One that is not set is
 * named as the address is set or, if no address is known, by both places.
 */
export function settingName(name: string, context: MessageContext): string {
  const { account, origins = {}, hasNoProject } = context;
  if (account !== undefined) return `the Provider's ${name}`;
  const [setting = "", member] = name.split(".");
  const variable = variableOf(setting);
  const used = origins[setting] ?? (member === undefined ? origins["baseUrl"] : undefined);
  const origin = hasNoProject ? "environment" : used;
  // Stack configuration would replace the variable as a whole.
  if (origin === "environment") return member === undefined ? variable : `${member} in ${variable}`;
  const key = `partners:${name}`;
  return origin === "configuration" || member !== undefined ? key : `${key} or ${variable}`;
}

/** Names the settings that locate the state of a webhook. */
export function stateSettings(missing: "webhookState" | "active", context: MessageContext): string {
  const names = missing === "active" ? STATES : [missing];
  return names.map((name) => settingName(`responses.${name}`, context)).join(" and ");
}

/**
 * Returns the command that repeats what failed. A deletion may be part of an `up` or of a `destroy`, and
 * `pulumi do` has several commands.
 */
export function failedCommand({ deletes, hasNoStack }: MessageContext): string {
  return deletes === true || hasNoStack === true ? "the same command" : UP;
}

/** Quotes a text as one word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w/.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the remedy for a resource that belongs to another server, its `owner`. */
export function otherServerRemedy(owner: string, context: MessageContext): string {
  const previous = settingName("previousBaseUrl", context);
  return sentences(
    `If this is another account, set ${settingName("baseUrl", context)} back to ${owner}.`,
    `If the account has moved, set ${previous} to ${owner}, and run ${UP}.`,
  );
}

/** Names a key by its fingerprint, if it is known. */
export function keyName(fingerprint: string | null): string {
  return fingerprint === null ? "a key" : `key ${fingerprint}`;
}

/** Names a key by its fingerprint or, if it is too short for one, by its creation. */
export function describedKey({ fingerprint, createdAt }: KeyName): string {
  if (fingerprint !== null || createdAt === null) return keyName(fingerprint);
  return `the key created at ${createdAt}`;
}

/**
 * Returns the command that repeats what failed and says that keys are gone.
 *
 * @param name The fingerprint of a key, or the time of its creation.
 */
export function goneCommand(name: string, context: MessageContext): string {
  return `run ${failedCommand(context)} with ${GONE_KEYS}=${name} in the environment`;
}

/** Names the resource at a URN. */
export function resourceAt(urn: string): string {
  return urn === "" ? "another resource" : JSON.stringify(urn.split("::").slice(3).join("::"));
}

/** Shortens an ISO 8601 time to the minute. */
export function minuteOf(time: string): string {
  return time.replace(/:[0-9]{2}(?:\.[0-9]+)?Z$/, "Z");
}

/** Names webhooks, as in `webhook 7` or `webhooks 7, 8 and 3 more`. */
export function webhooksText(ids: readonly number[]): string {
  return `webhook${inflections(ids).s} ${listed(ids)}`;
}

/** Returns the words that depend on whether a sentence is about one webhook or about several. */
export function inflections({ length }: readonly unknown[]) {
  return length === 1
    ? { s: "", them: "it", are: "is", were: "was", do: "does", stay: "stays as it is" }
    : { s: "s", them: "them", are: "are", were: "were", do: "do", stay: "stay as they are" };
}

/** Lists the first names, as in `7, 8 and 3 more`. */
export function listed(names: readonly (number | string)[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return names.slice(0, 10).join(", ") + more;
}

/** Quotes what the server said: the first three, if it said several things. */
export function quotedWords(...words: readonly string[]): string {
  const last = words.at(-1);
  if (last === undefined) return "";
  const quotes = words.slice(0, 3).map((text) => `"${text}"`);
  const more = words.length > 3 ? ` and ${words.length - 3} more` : "";
  const end = more === "" && /[.!?…]$/.test(last) ? "" : ".";
  return ` The server said: ${quotes.join(", ")}${more}${end}`;
}

/**
 * Returns the last resort: the command that removes the resource from the state. Without a URN, the CLI
 * offers all resources.
 */
export function stateDelete({ urn }: MessageContext): string {
  return `run "pulumi state delete${urn === undefined ? "" : ` ${quoteForShell(urn)}`}"`;
}
