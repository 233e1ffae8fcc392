import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Texts by where they come from, such as `{ "up, stderr": "…" }`. */
export type Places = Readonly<Record<string, string>>;

/** Secrets by what they are, such as `{ token: "…" }`. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * Length of the pieces that are searched for: of what leaks in part, any 19 characters are found. Two random texts of this length
 * do not meet by chance, and it is longer than what services print of a key.
 */
const PIECE = 10;

/** Fixed strings to plant, each with characters that every encoding changes. */
export const CANARIES = {
  token: "tok_7Qm2Zr9XbK4gTw/+=%?#vL8sWc3NfHd1pYx6",
  secondToken: "two_Jb5hRk0VtZ8uEa/+=%?#Mx2qGd7LwSn4Cy9o",
  existingKey: "old_Nd4vBw9EjSk2Lf/+=%?#Gt6yOx3QmIz8Ru1aCs",
  webhookSecret: "whsec_Pf3nUi6DvQ1c/+=%?#Bt9kXe4RjZa8mHo0",
  clientSecret: "cs_Wz1yAo8KfLs6Nq/+=%?#Ic7pTg2VbUh5Er3d",
};

/**
 * Looks for secrets in clear or in any form that needs no key to undo: percent-encoded (twice, too), escaped as in JSON, Go
 * or a shell, in base64 or base64url at any alignment, in hex, and each of them whole, in part, or split over lines.
 *
 * @returns One line for each leak: what, where, in which form, and what stands around it. Empty if there is none.
 */
export function findLeaks(places: Places, secrets: Secrets): string[] {
  const needles = Object.entries(secrets).flatMap(([what, secret]) =>
    pieces(secret).flatMap((piece) => forms(piece).map((form) => ({ what, ...form }))),
  );
  return Object.entries(places).flatMap(([place, text]) => {
    const leaks = new Map<string, string>();
    for (const [encoding, view] of views(text)) {
      for (const needle of needles) {
        if (needle.encoding !== encoding || leaks.has(needle.what)) continue;
        const at = view.indexOf(needle.text);
        if (at < 0) continue;
        const around = view.slice(Math.max(0, at - 60), at + needle.text.length + 20);
        leaks.set(needle.what, `${needle.what} in ${place} (${encoding}): …${around}…`);
      }
    }
    return [...leaks.values()];
  });
}

/** All files below a folder, as places. Symbolic links are not followed. */
export async function readFolder(folder: string): Promise<Places> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "latin1")] as const),
  );
  return Object.fromEntries(texts);
}

type Encoding = "plain" | "base64" | "hex";

/** The end of a secret first: its beginning may be a public prefix such as `pk_live_`, which is left out of long ones. */
function pieces(secret: string): string[] {
  const found: string[] = [];
  for (let end = secret.length; end >= PIECE; end -= PIECE) found.push(secret.slice(end - PIECE, end));
  if (found.length === 0) throw new Error(`a secret of less than ${PIECE} characters cannot be searched for`);
  return found.length > 2 ? found.slice(0, -1) : found;
}

/** A piece as it looks in each of the {@link views}. */
function forms(piece: string): { encoding: Encoding; text: string }[] {
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.from("\0".repeat(before) + piece);
    // Only characters that no neighbour of the piece has a part in.
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return { encoding: "base64" as const, text: bytes.toString("base64").slice(first, last) };
  });
  return [
    { encoding: "plain", text: piece },
    ...base64,
    { encoding: "hex", text: Buffer.from(piece).toString("hex") },
  ];
}

/** A text as the needles of each encoding look for it: without what can stand between, and with all escapes undone. */
function views(text: string): [Encoding, string][] {
  const joined = text
    .replace(/\u001b\[[0-9;]*m/g, "") // Colours of a terminal.
    .replace(/<\{%.*?%\}>/g, "") // Colours of the engine's event log.
    .replace(/\\+[nrt]|\s/g, "");
  const unescaped = joined.replace(/\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, character).replace(/\\/g, "");
  const decoded = unescaped.replace(/%([0-9a-f]{2})/gi, character);
  const decodedTwice = decoded.replace(/%([0-9a-f]{2})/gi, character);
  const plain = [...new Set([joined, unescaped, decoded, decodedTwice])];
  return [
    ...plain.map((view): [Encoding, string] => ["plain", view]),
    ["base64", decodedTwice.replaceAll("-", "+").replaceAll("_", "/")],
    ["hex", decodedTwice.toLowerCase().replace(/0x|[:,]/g, "")],
  ];
}

function character(_match: string, ...groups: (string | undefined)[]): string {
  const digits = groups.find((group) => typeof group === "string" && /^[0-9a-f]+$/i.test(group)) ?? "";
  return String.fromCharCode(parseInt(digits, 16));
}
