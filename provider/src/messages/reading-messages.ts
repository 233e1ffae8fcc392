import type { UnreadableList } from "../api/errors.js";
import type { ResponseMapping } from "../responses/mapping.js";
import type { RefusedKey } from "../responses/key-reader.js";
import type { UnreadPages } from "../webhooks/list-pages.js";
import { quotedWords, sentences, settingName, SUPPORT, type MessageContext } from "./wording.js";

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
  }: Pick<UnreadableList | RefusedKey, "reason" | "candidates"> & Pick<RefusedKey, "misfit">,
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
  const example = EXAMPLES[member] ?? "/data/value";
  if (candidates.length === 0) return `${why}Set ${name} to its JSON Pointer, such as ${example}.`;
  // The value does not look like a key, but a person can say that it is one.
  if (misfit?.pointer && candidates.length === 1 && candidates[0] === misfit.pointer)
    return `${why}If it is the key, set ${name} to ${misfit.pointer}.`;
  const choice = oneOf(candidates.map((pointer) => pointer || '"" (the whole response)'));
  const hasStar = candidates.some((pointer) => pointer.includes("*"));
  return `${why}Set ${name} to ${choice}${hasStar ? " (* is any name)" : ""}.`;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  webhooks: "/data/items",
  webhookId: "/id",
};

type Misfit = NonNullable<RefusedKey["misfit"]>;

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

/**
 * Says why a response may have no key, and what to look for in it; `null` if a certain value is to be set. A
 * wrong value would be passed on as the key, and the real key would be lost.
 */
export function keyDoubt(reading: RefusedKey, context: MessageContext): string | null {
  const { reason, candidates, misfit, isPending } = reading;
  if (reason === "not JSON" || reason === "empty") return null;
  if (candidates.length > 0 && misfit?.kind !== "masked" && isPending !== true) return null;
  const matches = reason === "pointer" && !misfit && "The JSON Pointer matches nothing.";
  return sentences(
    misfit ? misfitText(misfit) : matches,
    isPending === true && "The server may not have finished yet.",
    `The response may have no key.${lookInResponse(candidates, context)}`,
  );
}

/** Says how to look for the key in a saved response: only a person can tell an ID from a key. */
export function lookInResponse(candidates: readonly string[], context: MessageContext): string {
  const name = settingName("responses.apiKey", context);
  const [what, pointer] =
    candidates.length === 0
      ? ["one of its values", "its JSON Pointer, such as /data/key"]
      : [oneOf(candidates.map((candidate) => candidate || "the whole response")), "it"];
  const look = context.hasNoStack === true ? "" : ` Look in it: ${SHOW_RESPONSE}.`;
  return `${look} Only if ${what} is the key (an ID is not), set ${name} to ${pointer}.`;
}

/** The command that shows a saved response. It prints all keys of the stack. */
export const SHOW_RESPONSE = 'run "pulumi stack export --show-secrets", but not where it is logged';

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
  return `${unreadPagesReason(unread)}. ${unreadPagesRemedy(unread, context)}${refusalWords(unread)}`;
}

/** Quotes what the service says about a page that it refuses. */
export function refusalWords(unread: UnreadPages | null): string {
  return unread?.kind === "refused" && unread.words !== null ? quotedWords(unread.words) : "";
}

/** Says what to set if a list may have further pages, but nothing leads to one. */
export function morePagesText(context: MessageContext): string {
  const [complete, parameter] = [
    settingName("responses.complete", context),
    settingName("responses.pageParameter", context),
  ];
  return (
    `the list may have further pages. If it is complete, set ${complete} to true; ` +
    `if not, set ${parameter} to the query parameter that takes the number of a page.`
  );
}

/** Says why further pages of a list were not read. */
export function unreadPagesReason(unread: UnreadPages): string {
  const { page } = unread;
  switch (unread.kind) {
    case "elsewhere":
      return `page ${page + 1} of the list has another address than the list, so it was not requested`;
    case "unknown":
      return `the list does not say how to request page ${page + 1}`;
    case "refused": {
      const refusal = `the server refused the query parameter ${JSON.stringify(unread.parameter)}`;
      return `page ${page + 1} of the list could not be read: ${refusal} (${unread.status})`;
    }
    case "nothingNew": {
      const what = `page ${page} of the list shows no new webhook`;
      if (unread.parameter === null) return `${what}, but leads to another page`;
      return `${what}, so the server may ignore the query parameter ${JSON.stringify(unread.parameter)}`;
    }
    case "loop":
      return `page ${page} of the list leads to a page that was already read`;
    case "tooMany":
      return `the list has more than ${page} pages`;
  }
}

/** Members of the setting `responses` that may lead to further pages, or say that there are none. */
export type PageSettings = Pick<ResponseMapping, "nextPage" | "pageParameter" | "complete">;

/** Stands for the name of a query parameter that only a person can know. */
export const PARAMETER = "NAME";

/**
 * Returns what to set if further pages of a list were not read; empty if nothing helps.
 *
 * @param unread `null` if nothing leads to one, but there may be some.
 * @returns One of these is right.
 */
export function proposePageSettings(unread: UnreadPages | null): readonly PageSettings[] {
  if (unread === null) return [{ complete: true }, { pageParameter: PARAMETER }];
  const parameterFor = (pointer: string | null): PageSettings => ({
    ...(pointer !== null && { nextPage: pointer }),
    pageParameter: PARAMETER,
  });
  switch (unread.kind) {
    case "unknown":
      if (unread.isAddress) return unread.pointers.map((pointer) => ({ nextPage: pointer }));
      return unread.pointers.length === 0 ? [parameterFor(null)] : unread.pointers.map(parameterFor);
    case "refused":
      return [parameterFor(unread.pointer)];
    case "nothingNew":
      return [unread.parameter === null ? { complete: true } : parameterFor(unread.pointer)];
    case "elsewhere":
    case "loop":
      return [{ complete: true }];
    case "tooMany":
      return [];
  }
}

function unreadPagesRemedy(unread: UnreadPages, context: MessageContext): string {
  const proposals = proposePageSettings(unread);
  const [first] = proposals;
  if (first === undefined) return `Check ${settingName("baseUrl", context)}.`;
  if (first.complete === true) {
    const ask = unread.kind === "elsewhere" ? `Ask ${SUPPORT} why. ` : "";
    return `${ask}If the list is complete, set ${settingName("responses.complete", context)} to true.`;
  }
  const pointers = oneOf(proposals.flatMap(({ nextPage }) => nextPage ?? []));
  const value = `${settingName("responses.nextPage", context)} to ${pointers}`;
  if (first.pageParameter === undefined) return `Set ${value}, where its address may be.`;
  const parameter = settingName("responses.pageParameter", context);
  if (unread.kind === "refused" && pointers !== "")
    return `If it has another name, set ${value}, and ${parameter} to that name; if not, ask ${SUPPORT}.`;
  if (pointers === "") return `Set ${parameter} to the query parameter that takes the number of a page.`;
  return `Set ${value}, and ${parameter} to the query parameter that takes it.`;
}
