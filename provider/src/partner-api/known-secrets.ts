import { consistsOfWords } from "../bodies/json.js";

/** Shorter values are in too many texts. */
const MIN_LENGTH = 8;

/** What this process knows to be secret. The host masks it in each text that leaves the process. */
export class KnownSecrets {
  readonly #values = new Set<string>();
  /** In lower case. */
  readonly #spellings = new Set<string>();

  get values(): readonly string[] {
    return [...this.#values];
  }

  /** Adds values, of which those that are too short to be masked are left out. */
  add(...values: readonly string[]): void {
    for (const value of values) {
      if (value.length < MIN_LENGTH || this.#values.has(value)) continue;
      this.#values.add(value);
      for (const spelling of spellingsOf(value)) this.#spellings.add(spelling.toLowerCase());
    }
  }

  /** Adds the values of headers, and their parts. Words such as `application/json` are no secrets. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    const parts = Object.values(headers).flatMap((value) => [value, ...wordsOf(value)]);
    this.add(...parts.filter((part) => !consistsOfWords(part)));
  }

  /** Returns a text with `***` for each secret. */
  mask(text: string): string {
    const searched = text.toLowerCase();
    const found = [...this.#spellings].filter((spelling) => searched.includes(spelling));
    if (found.length === 0) return text;
    // The longest first: it may contain another one.
    const patterns = found.sort((one, other) => other.length - one.length).map(quoteForPattern);
    return text.replace(new RegExp(patterns.join("|"), "gi"), "***");
  }
}

/** Returns the usual spellings of a secret. */
export function spellingsOf(secret: string): string[] {
  // Without its end, which differs if more text, such as a colon, is encoded with it.
  const base64 = Buffer.from(secret).toString("base64").replace(/.=+$/, "");
  const base64url = base64.replaceAll("+", "-").replaceAll("/", "_");
  return [secret, encodeURIComponent(secret.toWellFormed()), base64, base64url];
}

/** Returns the parts of a header's value, such as `Basic` and what follows. A server may quote one alone. */
export function wordsOf(header: string): string[] {
  return header.split(/[\s;,=]+/);
}

function quoteForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
