/** Shorter strings are too common to search for. */
const MIN_SECRET_LENGTH = 4;
const MIN_BASE64_LENGTH = 6;
/**
 * Longer secrets are searched for in parts: V8 throws if a pattern is too long, and a response could be lost.
 */
const MAX_PART_LENGTH = 128;
/** The length of a piece of a secret that is hidden wherever it stands. */
const PIECE_LENGTH = 12;
/**
 * Text that could be another secret: 16 or more characters that occur in tokens, at least one of them a
 * digit.
 */
const TOKEN_LIKE = /(?=[\w.~+/=|%-]*\d)[\w.~+/=|%-]{16,}/g;

/** Where something stands in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces secrets, however a server spells them, and what could be another secret with `***`.
 *
 * @param secrets Secrets of which pieces are hidden as well.
 * @param possible Secrets that are hidden only as a whole.
 */
export function redactSecrets(text: string, secrets: readonly string[], possible: readonly string[]): string {
  const redacted = hide(text, secretSpans(text, secrets, possible));
  const others = [unescaped(redacted), notEscaped(redacted)].flatMap((form) => matches(form, TOKEN_LIKE));
  return hide(redacted, others);
}

/** Whether a text contains a secret. See {@link redactSecrets}. */
export function hasSecrets(text: string, secrets: readonly string[], possible: readonly string[]): boolean {
  return secretSpans(text, secrets, possible).length > 0;
}

function hide(text: string, spans: Span[]): string {
  let shown = "";
  let end = -1;
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    if (span.start > end) shown += `${text.slice(Math.max(end, 0), span.start)}***`;
    end = Math.max(end, span.end);
  }
  return shown + text.slice(Math.max(end, 0));
}

function secretSpans(text: string, secrets: readonly string[], possible: readonly string[]): Span[] {
  const asIs = notEscaped(text);
  const plain = unescaped(text);
  const folded = { ...plain, text: fold(plain.text) };
  const searched = [...secrets, ...possible].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  const found = searched.flatMap(partsOf).flatMap((part) => {
    const plainPart = fold(unescaped(part).text);
    if (plainPart.length > text.length) return []; // No spelling is shorter.
    const pattern = patternOf(part);
    return [...matches(asIs, pattern), ...matches(plain, pattern), ...occurrences(folded, plainPart)];
  });
  return [...found, ...pieces(folded, secrets)];
}

function matches(form: Form, pattern: RegExp): Span[] {
  return Array.from(form.text.matchAll(pattern), ({ 0: { length }, index }) => spanOf(form, index, length));
}

function occurrences(form: Form, part: string): Span[] {
  if (part.length < MIN_SECRET_LENGTH) return [];
  const spans: Span[] = [];
  for (let at = form.text.indexOf(part); at >= 0; at = form.text.indexOf(part, at + 1))
    spans.push(spanOf(form, at, part.length));
  return spans;
}

/** Returns where a text contains a piece of a secret. */
function pieces(form: Form, secrets: readonly string[]): Span[] {
  const tellingPieces = secrets.flatMap((secret) => windows(unescaped(secret).text)).filter(isTelling);
  const known = new Set(tellingPieces.map(fold));
  return windows(form.text).flatMap((piece, at) =>
    known.has(piece) ? [spanOf(form, at, piece.length)] : [],
  );
}

function windows(text: string): string[] {
  const count = Math.max(0, text.length - PIECE_LENGTH + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + PIECE_LENGTH));
}

/**
 * Without a digit or a change of case, a piece may consist of words, as in the prefix `partner_live_`. With a
 * space at its end, it would hide one that belongs to the text.
 */
function isTelling(piece: string): boolean {
  return piece.trim() === piece && /\d|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(piece);
}

/** Makes texts equal that differ only in case, or because one was decoded as a form. */
function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll("+", " ");
}

/** A text in another spelling, and where each of its characters stands in the text as it is. */
interface Form {
  readonly text: string;
  readonly origins: readonly Span[];
}

function spanOf({ origins }: Form, at: number, length: number): Span {
  return { start: origins[at]?.start ?? 0, end: origins[at + length - 1]?.end ?? 0 };
}

function notEscaped(text: string): Form {
  return { text, origins: Array.from({ length: text.length }, (_, at) => ({ start: at, end: at + 1 })) };
}

/** Escapes in URLs; in JSON and JavaScript; in HTML; and a backslash before a sign, as in `\/`. */
const ESCAPE =
  /%([0-7][\da-f])|\\u([\da-f]{4})|\\x([\da-f]{2})|&#x0{0,8}([\da-f]{1,4});|&#0{0,8}(\d{1,5});|&([a-z]{2,6});|\\([^\w\s])/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  colon: ":",
  commat: "@",
  dollar: "$",
  equals: "=",
  gt: ">",
  lowbar: "_",
  lt: "<",
  num: "#",
  percnt: "%",
  period: ".",
  plus: "+",
  quot: '"',
  sol: "/",
};
/** The maximum number of escapes in one another, as in `&amp;amp;`. */
const MAX_NESTING = 5;

function unescaped(text: string): Form {
  let form = notEscaped(text);
  for (let depth = 0; depth < MAX_NESTING && form.text.search(ESCAPE) >= 0; depth++)
    form = unescapedOnce(form);
  return form;
}

function unescapedOnce(form: Form): Form {
  const origins: Span[] = [];
  let text = "";
  let end = 0;
  for (const match of form.text.matchAll(ESCAPE)) {
    const character = decoded(match);
    if (character === undefined) continue;
    text += form.text.slice(end, match.index) + character;
    origins.push(...form.origins.slice(end, match.index), spanOf(form, match.index, match[0].length));
    end = match.index + match[0].length;
  }
  return { text: text + form.text.slice(end), origins: [...origins, ...form.origins.slice(end)] };
}

function decoded([, percent, u, x, hex, decimal, entity, sign]: RegExpExecArray): string | undefined {
  if (sign !== undefined) return sign;
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()];
  const code = decimal === undefined ? Number.parseInt(percent ?? u ?? x ?? hex ?? "", 16) : Number(decimal);
  return String.fromCharCode(code);
}

/** Returns a secret in parts of similar length. */
function partsOf(secret: string): string[] {
  const count = Math.ceil(secret.length / MAX_PART_LENGTH);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, index) => secret.slice(index * length, (index + 1) * length));
}

/** Returns a pattern that matches a secret as it is, percent-encoded, in hex, and in base64 or base64url. */
function patternOf(secret: string): RegExp {
  const characters = Array.from(secret, (character) => {
    const bytes = Buffer.from(character).toString("hex").match(/../g) ?? [];
    // A proxy may encode it once more.
    const encoded = bytes.map((byte) => `%(?:25)*${anyCase(byte)}`).join("");
    return `(?:${/\w/.test(character) ? character : `\\${character}`}|${encoded})`;
  });
  const hex = anyCase(Buffer.from(secret).toString("hex"));
  return new RegExp([characters.join(""), hex, ...base64Patterns(secret)].join("|"), "g");
}

/**
 * Returns patterns for the base64 of a secret at each offset, because text such as `Bearer ` may come before
 * it.
 */
function base64Patterns(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const base64 = Buffer.from("\0".repeat(offset) + secret).toString("base64");
    // The first and the last character also depend on the text around the secret.
    const own = base64.slice(Math.ceil((offset * 4) / 3)).replace(/.=+$/, "");
    if (own.length < MIN_BASE64_LENGTH) return [];
    const pattern = own.replaceAll("/", "(?:[/_]|%2[fF])").replaceAll("+", "(?:[+-]|%2[bB])");
    return [base64.endsWith("=") ? `${pattern}[\\w+/-]?=*` : pattern];
  });
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
