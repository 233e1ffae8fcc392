import type { UnreadableList } from "../api/errors.js";
import type { RefusedReading } from "../shared/problems.js";
import type { UnreadPages } from "../webhooks/list-pages.js";
import { settingName, SUPPORT, type MessageContext } from "./wording.js";

/**
 * Returns the remedy for a response that is not recognized.
 *
 * @param member The member of `responses` to set.
 */
export function readingRemedy(
  member: string,
  {
    reason,
    candidates,
    misfit,
  }: Pick<UnreadableList | RefusedReading, "reason" | "candidates"> & Pick<RefusedReading, "misfit">,
  context: MessageContext,
): string {
  if (reason === "not JSON") return `Check ${settingName("baseUrl", context)}.`;
  const name = settingName(`responses.${member}`, context);
  if (reason === "not a number")
    return candidates.length === 0
      ? "The Partner API needs such IDs, so these webhooks cannot be managed."
      : `If the records have such an ID elsewhere, set ${name} to ${oneOf(candidates)}.`;
  const matches = reason === "pointer" ? "The JSON Pointer matches nothing. " : "";
  const why = misfit ? `${misfitText(misfit)} ` : matches;
  const whose = member === "apiKey" ? "the key's" : "its";
  const example = EXAMPLES[member] ?? "/data/value";
  if (candidates.length === 0) return `${why}Set ${name} to ${whose} JSON Pointer, such as ${example}.`;
  // The value does not look like a key, but a person can say that it is one.
  if (misfit?.pointer && candidates.length === 1 && candidates[0] === misfit.pointer)
    return `${why}If it is the key, set ${name} to ${misfit.pointer}.`;
  const choice = oneOf(candidates.map((pointer) => pointer || '""')); // The whole response.
  const hasStar = candidates.some((pointer) => pointer.includes("*"));
  return `${why}Set ${name} to ${choice}${hasStar ? " (* is any name)" : ""}.`;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  apiKey: "/data/key",
  webhooks: "/data/items",
  webhookId: "/id",
};

type Misfit = NonNullable<RefusedReading["misfit"]>;

/** What a value is that cannot be the key, or does not look like it. */
const MISFITS: Readonly<Record<Misfit["kind"], string>> = {
  number: "a number, not a string",
  notText: "not a string",
  empty: "an empty string",
  characters: "a string with spaces or with characters that a key cannot have",
  long: "a string of more than 4096 characters",
  masked: "masked",
  accessToken: "the access token, which is never a key",
  header: "a value of the setting headers, which is never a key",
  short: "a string of fewer than 8 characters",
  address: "a URL or a path",
  label: "a string of words, like a name",
};

/** Says why the value at a pointer is not the key. */
function misfitText({ pointer, kind }: Misfit): string {
  const value = pointer === null ? "value at the JSON Pointer" : `value at ${pointer || '""'}`;
  return `The ${value} is ${MISFITS[kind]}.`;
}

/** Lists JSON Pointers to choose from. */
export function oneOf(pointers: readonly string[]): string {
  return pointers.length > 1 ? `one of ${pointers.join(", ")}` : pointers.join();
}

/** Names an encoding that cannot be decoded. */
export function encodingName(encoding: string): string {
  return encoding === "unknown" ? "an unknown encoding" : `the encoding "${encoding}"`;
}

/** Says why further pages of a list were not read, and what to set. */
export function unreadPagesText(unread: UnreadPages, context: MessageContext): string {
  const complete = `If the list is complete, set ${settingName("responses.complete", context)} to true.`;
  const { page } = unread;
  switch (unread.kind) {
    case "elsewhere":
      return (
        `page ${page + 1} of the list has another address than the list, so it was not requested. ` +
        `Ask ${SUPPORT} why. ${complete}`
      );
    case "unknown":
      return `the list does not say how to request page ${page + 1}. ${pageRemedy(unread.pointers, context)}`;
    case "refused": {
      const { parameter, pointer, status } = unread;
      const refusal = `the service refused the query parameter ${JSON.stringify(parameter)} (${status})`;
      return `page ${page + 1} of the list could not be read: ${refusal}. ${pageRemedy([pointer], context)}`;
    }
    case "nothingNew": {
      const { parameter, pointer } = unread;
      const what = `page ${page} of the list shows no new webhook`;
      if (parameter === null) return `${what}, but leads to another page. ${complete}`;
      const doubt = `the service may ignore the query parameter ${JSON.stringify(parameter)}`;
      return `${what}, so ${doubt}. ${pageRemedy([pointer], context)}`;
    }
    case "loop":
      return `page ${page} of the list leads to a page that was already read. ${complete}`;
    case "tooMany":
      return `the list has more than ${page} pages. Check ${settingName("baseUrl", context)}.`;
  }
}

/** @param pointers To what may be the value for the next page. `null` is known to be none. */
function pageRemedy(pointers: readonly (string | null)[], context: MessageContext): string {
  const known = pointers.filter((pointer) => pointer !== null);
  const name = settingName("responses.pageParameter", context);
  const value =
    known.length > 0 ? `${settingName("responses.nextPage", context)} to ${oneOf(known)}, and ` : "";
  const what = value === "" ? "takes the number of a page" : "takes it";
  return `Set ${value}${name} to the query parameter that ${what}.`;
}
