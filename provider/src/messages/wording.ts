import { STATES } from "../api/operations.js";
import type { KeyName } from "../keys/key-name.js";
import { variableOf } from "../shared/settings.js";
import { GONE_KEYS } from "../registration.js";

/** The context of a message. It decides how the message names settings. */
export interface MessageContext {
  /**
   * The account of the `Provider` whose arguments are the settings. Without it, they are stack configuration
   * or the environment.
   */
  readonly account?: string;
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

/** The command that most remedies end with. */
export const UP = '"pulumi up"';

/** Names a setting, such as `responses.apiKey`, and the variable that can replace it. */
export function settingName(name: string, { account }: MessageContext): string {
  if (account !== undefined) return `the Provider's ${name}`;
  return name.includes(".") ? `partners:${name}` : `partners:${name} or ${variableOf(name)}`;
}

/** Names the settings that locate the state of a webhook. */
export function stateSettings(missing: "webhookState" | "active", context: MessageContext): string {
  const names = missing === "active" ? STATES : [missing];
  return names.map((name) => settingName(`responses.${name}`, context)).join(" and ");
}

/** Returns the command that repeats what failed. A deletion may be part of an `up` or of a `destroy`. */
export function failedCommand({ deletes }: MessageContext): string {
  return deletes === true ? "the same command" : UP;
}

/** Quotes a text as one word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w/.~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the remedy for a resource that belongs to another server. */
export function otherServerRemedy(context: MessageContext): string {
  return `Restore ${settingName("baseUrl", context)}. If the account has moved, instead set ${settingName("previousBaseUrl", context)} to the old address. Then run ${UP}.`;
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
  const command = context.deletes === true ? "the same command" : UP;
  return `run ${command} with ${GONE_KEYS}=${name} in the environment`;
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

/** Quotes what the server said, if anything. */
export function quotedWords(words: string | null): string {
  if (words === null) return "";
  return ` The server said: "${words}"${/[.!?…]$/.test(words) ? "" : "."}`;
}

/**
 * Returns the last resort: the command that removes the resource from the state. Without a URN, the CLI
 * offers all resources.
 */
export function stateDelete({ urn }: MessageContext): string {
  return `run "pulumi state delete${urn === undefined ? "" : ` ${quoteForShell(urn)}`}"`;
}
