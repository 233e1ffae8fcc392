import { consistsOfWords } from "../bodies/json.js";

declare const MASKED: unique symbol;

/** A text without the secrets that the process knows. Only such texts leave it: {@link KnownSecrets.mask}. */
export type MaskedText = string & { readonly [MASKED]: true };

/** In characters: shorter values are in too many texts to mask them, or to drop a quote because of them. */
const [MIN_MASKED, MIN_FOUND] = [8, 4];
/** The minimum length of a part of a header that is a secret on its own. */
const MIN_PART = 8;

/** What this process knows to be secret: the access token, the values of headers, and every key it reads. */
export class KnownSecrets {
  readonly #values = new Set<string>();
  /** In lower case. */
  readonly #spellings = new Set<string>();
  /** Those to mask, by how they begin: with 1,000 keys, to search for one after the other would be slow. */
  readonly #masked = new Map<string, string[]>();

  addToken(accessToken: string): void {
    this.#add(accessToken, true);
  }

  /** Adds a key. One that consists of words, such as `checkout`, is not masked: a command may contain it. */
  addKey(apiKey: string): void {
    this.#add(apiKey, !consistsOfWords(apiKey));
  }

  /** Adds the values of headers. Of `Basic dXNlcjpwYXNz`, a server may quote one part alone. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    const values = Object.values(headers);
    const parts = values
      .flatMap((value) => value.split(/[\s;,=]+/))
      .filter(({ length }) => length >= MIN_PART);
    for (const value of [...values, ...parts]) this.#add(value, !consistsOfWords(value));
  }

  /** Whether a text contains a secret in a usual spelling, in any case. @param others Secrets of one call. */
  areIn(text: string, others: readonly string[] = []): boolean {
    const searched = text.toLowerCase();
    const spellings = [...this.#spellings, ...others.filter(isFindable).flatMap(spellingsOf)];
    return spellings.some((spelling) => searched.includes(spelling));
  }

  /** Returns a text with `***` for each secret. Also replaces half characters, which gRPC cannot encode. */
  mask(text: string): MaskedText {
    const searched = text.toLowerCase();
    const mayOccur: string[] = [];
    for (let at = 0; at < searched.length; at += 1)
      mayOccur.push(...(this.#masked.get(searched.slice(at, at + MIN_MASKED)) ?? []));
    // The longest first: it may contain another one.
    const patterns = mayOccur.sort((one, other) => other.length - one.length).map(escapeForRegExp);
    const masked = patterns.length === 0 ? text : text.replace(new RegExp(patterns.join("|"), "gi"), "***");
    return masked.toWellFormed() as MaskedText;
  }

  #add(value: string, isMasked: boolean): void {
    if (this.#values.has(value)) return;
    this.#values.add(value);
    if (!isFindable(value)) return;
    for (const spelling of spellingsOf(value)) {
      this.#spellings.add(spelling);
      if (!isMasked || value.length < MIN_MASKED) continue;
      const start = spelling.slice(0, MIN_MASKED);
      this.#masked.set(start, [...(this.#masked.get(start) ?? []), spelling]);
    }
  }
}

function isFindable({ length }: string): boolean {
  return length >= MIN_FOUND;
}

/** Returns the usual spellings of a secret, in lower case. */
function spellingsOf(secret: string): string[] {
  // Without its end, which differs if more text, such as a colon, is encoded with it.
  const base64 = Buffer.from(secret).toString("base64").replace(/.=+$/, "");
  const base64url = base64.replaceAll("+", "-").replaceAll("/", "_");
  const spellings = [secret, encodeURIComponent(secret.toWellFormed()), base64, base64url];
  return spellings.map((spelling) => spelling.toLowerCase());
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
