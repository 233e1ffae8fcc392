/**
 * The only form in which text from a server may reach a person: no white space, so no ANSI sequence and no
 * command for a CI system (`::set-output …`, `##vso[…]`) fits in.
 */
const PRINTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Shorter strings are too common for a search to mean anything. */
const SHORTEST_SECRET = 4;

/**
 * Makes text from a server printable, or drops it.
 *
 * @param text What the server sent.
 * @param secrets Strings that must not be printed, so neither may a text that contains one.
 * @returns The text unchanged, or `null` where it is absent, not plainly printable, or holds a secret.
 */
export function printable(text: string | null | undefined, secrets: readonly string[]): string | null {
  if (text == null || !PRINTABLE.test(text) || text.includes("::")) return null;
  const holdsSecret = secrets.some((secret) => secret.length >= SHORTEST_SECRET && text.includes(secret));
  return holdsSecret ? null : text;
}
